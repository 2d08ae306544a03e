"""The deal numbers for testing and validation."""

from datetime import date

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.checks import short
from solitaire_envs.deals import list_deals

TEST_DEALS = 0
"""First test deal."""
VALIDATION_DEALS = 1_000_000
"""First validation deal. During training, agents are evaluated on validation deals."""
NUM_VALIDATION_DEALS = 10_000
DAILY_DEALS = 10**12
"""Added to a date's number, such as 20261122. The sums are far from test, validation and training deals."""


def daily_deal(day: date) -> int:
    """Returns the deal number of a day, the same for everybody."""
    return DAILY_DEALS + 10_000 * day.year + 100 * day.month + day.day


def read_deals(text: str) -> NDArray[np.uint64]:
    """Reads a list of deals.

    Args:
        text: A count n, for deals 0..n - 1; FIRST-LAST; or the path of a table of labels, or of a text file with one
            deal number per line and perhaps a header of one word.

    Returns:
        Deal numbers, uint64 [n].

    Raises:
        ValueError: The text is none of these, the list is empty or too long, or it holds a wrong or repeated number.
    """
    deals = list_deals(text, first=TEST_DEALS)
    numbers, places = np.unique(deals, return_index=True)
    if len(numbers) < len(deals):
        place = int(np.setdiff1d(np.arange(len(deals)), places)[0])
        earlier = int(np.flatnonzero(deals == deals[place])[0])
        raise ValueError(
            f"{short(text)}: expected each deal once, got {deals[place]} in places {earlier + 1} and {place + 1}"
        )
    return deals
