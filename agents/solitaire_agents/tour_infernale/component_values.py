"""A trained network's values of the candidates of La tour infernale, for searches.

Searches need them in any configuration, not only in that of an observation. So these kernels take bitboards, while
those in `choosing` take observations.
"""

from functools import cache
from typing import Any, Final

import numpy as np

from solitaire_agents.choosing import rating_over
from solitaire_agents.network import VALUE, Network
from solitaire_agents.tour_infernale.bitboard import Bitboard
from solitaire_agents.tour_infernale.candidates import BY_RULE, BY_WIN, entry_of, find
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.inputs import describe
from solitaire_agents.trained import SHIPPED, read_network
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import GAME, TourInfernaleOptions

SHIPPED_NETWORKS: Final = {6: "tour-infernale-one-pass", 5: "tour-infernale-five-piles"}
"""Number of piles -> the trained agent that comes with the package. These agents were trained with one pass."""


@cache
def shipped(piles: int) -> Network:
    """Returns the network for a number of piles."""
    choices = tour_infernale_choices(TourInfernaleOptions(passes=1, piles=piles))
    return read_network(SHIPPED / SHIPPED_NETWORKS[piles], GAME, choices)


rate_all = rating_over(describe).rate_all


@kernel
def choose(network: Any, scratch: Any, board: Bitboard) -> tuple[int, float]:
    """Finds the candidates of a configuration, and chooses the one with the highest value.

    Args:
        network: The network.
        scratch: Its storage holds the talon; candidates and values are written to it.
        board: The configuration.

    Returns:
        The candidate, and its value as a logit; infinity for a win, minus infinity if there is no candidate.
    """
    number = find(scratch.storage, board)
    if scratch.storage.now[0].end in (BY_WIN, BY_RULE):
        return 0, np.inf
    best, highest = 0, -np.inf
    rate_all(network, VALUE, scratch, number)
    for k in range(number):
        if scratch.logits[k] > highest:
            best, highest = k, scratch.logits[k]
    return best, highest


@kernel
def is_finished(network: Any, scratch: Any, board: Bitboard) -> bool:
    """Returns whether choosing step by step finds a win, once nothing more can be drawn."""
    while True:
        k, value = choose(network, scratch, board)
        if np.isinf(value):
            return value > 0
        board = entry_of(scratch.storage, k)
