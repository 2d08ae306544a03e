"""The deal numbers for testing and validation; reads lists of deals."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import FIRST_RANDOM_DEAL, check_deal
from solitaire_envs.checks import read_whole, short
from solitaire_envs.deals import check_words, range_of_text, words_of_file

TEST_DEALS = 0
"""First test deal."""
VALIDATION_DEALS = 1_000_000
"""First validation deal. During training, agents are evaluated on validation deals."""
NUM_VALIDATION_DEALS = 10_000
DAILY_DEALS = 10**12
"""Added to a date's number, such as 20261122. The sums are far from test, validation and training deals."""

MAX_COMPARED = 100_000_000
"""Deals in one list, at most, since a list is held in memory."""


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
    if (numbers := range_of_text(text)) is not None and len(numbers[: MAX_COMPARED + 1]) <= MAX_COMPARED:
        return np.fromiter(map(check_deal, numbers), np.uint64, len(numbers))
    try:
        count = read_whole(text)
    except ValueError:
        return np.array(_check_numbers(text, _read_lines(text)), dtype=np.uint64)
    if not 1 <= count <= MAX_COMPARED:
        raise ValueError(f"expected at least one deal and at most {MAX_COMPARED:,}, got {short(text)}")
    return np.arange(TEST_DEALS, TEST_DEALS + count, dtype=np.uint64)


def _read_lines(path: str) -> list[str]:
    try:
        lines = words_of_file(Path(path))
    except (OSError, ValueError) as error:
        raise ValueError(f"expected a number of deals or a file of deal numbers, got {short(path)}: {error}") from None
    if not lines:
        raise ValueError(f"expected deal numbers in {path}, got none")
    return lines


def _check_numbers(path: str, lines: Sequence[str]) -> list[int]:
    places: dict[int, int] = {}
    for place, deal in enumerate(check_words(path, lines), start=1):
        if deal in places:
            raise ValueError(f"{path}: expected each deal once, got {deal} in places {places[deal]} and {place}")
        places[deal] = place
    return list(places)


def deal_remarks(deals: NDArray[np.uint64]) -> Iterator[str]:
    """Yields a remark if some of the deals, uint64 [n], are validation deals, and another for training deals."""
    validation = (deals >= VALIDATION_DEALS) & (deals < VALIDATION_DEALS + NUM_VALIDATION_DEALS)
    for kind, inside in (("validation", validation), ("training", deals >= FIRST_RANDOM_DEAL)):
        if inside.any():
            yield f"Not test results: {inside.sum():,} of the {len(deals):,} deals are {kind} deals."
