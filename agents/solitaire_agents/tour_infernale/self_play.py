"""Games that a value network plays against chance, and what they teach it.

A game goes from draw to draw, each time to the component of the highest value. What a component should have been worth
is the result of the game, mixed with the values met on the way (Sutton 1988, TD(lambda)). Now and then a component is
taken at random; the value before such a step is taught by the best choice there, not by what came of the random one.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.kit import Lessons, SelfPlay
from solitaire_agents.tour_infernale.bitboard import bit_of
from solitaire_agents.tour_infernale.by_value import TourInfernaleByValue, check_by_value
from solitaire_agents.tour_infernale.reach import FIRST, FOUND
from solitaire_agents.tour_infernale.values import INPUTS, MOST_ON, choose, inputs_of, is_finished, new_chooser
from solitaire_agents.value_network import ValueNetwork
from solitaire_envs.cards import NUM_CARDS, decks_of_deals, random_below
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.tour_infernale import TourInfernaleOptions

_MILLION: Final = 1_000_000
_BITS: Final = np.array([bit_of(card) for card in range(NUM_CARDS)])


class TourInfernaleSelfPlay(SelfPlay):
    """Learns the chance to win from a component, in one pass."""

    inputs = INPUTS
    rules = ("piles", "passes")

    def check(self, options: TourInfernaleOptions) -> None:
        """Checks that one pass is played."""
        check_by_value(options)

    def play(
        self,
        options: TourInfernaleOptions,
        network: ValueNetwork,
        deals: NDArray[np.uint64],
        explore: float,
        mix: float,
        seed: int,
    ) -> Lessons:
        """Plays games from draw to draw."""
        bits = _BITS[decks_of_deals(deals)]
        starts = np.zeros((len(deals), 3), np.int64)
        starts[:, 0] = (1 << bits[:, : options.piles]).sum(axis=1)
        size = len(deals) * (NUM_CARDS - options.piles + 1)
        lessons = np.zeros((size, MOST_ON), np.uint16), np.zeros(size, np.float32)
        best, explored = np.zeros(NUM_CARDS, np.float32), np.zeros(NUM_CARDS, bool)
        chooser, orders = new_chooser(network, options.piles), np.ascontiguousarray(bits[:, options.piles :])
        n, won = _play(chooser, starts, orders, explore, mix, np.uint64(seed), *lessons, best, explored)
        return Lessons(lessons[0][:n], lessons[1][:n], int(won))

    def agent(self, options: TourInfernaleOptions, network: ValueNetwork) -> Agent:
        """Returns the agent that takes the component of the highest value."""
        return TourInfernaleByValue(options, network)


@entry_point("tour self-play")
def _play(
    chooser: Any,
    starts: Any,
    orders: Any,
    explore: float,
    mix: float,
    seed: Any,
    inputs: Any,
    targets: Any,
    best: Any,
    explored: Any,
) -> tuple[int, int]:
    """Plays games of one pass, and writes what each choice teaches.

    Args:
        chooser: The network and storage.
        starts: int64 [n, 3]: bitboards as dealt.
        orders: int64 [n, m]: bits of the stock, in the order of drawing.
        explore: As in `SelfPlay.play`.
        mix: As in `SelfPlay.play`.
        seed: uint64, of the random choices.
        inputs: As in `Lessons`, written to.
        targets: As in `Lessons`, written to.
        best: float32 [more than m], working storage: the highest value at each choice of a game.
        explored: bool [more than m], working storage: whether a random component was taken in its place.

    Returns:
        The number of choices, and of games won.
    """
    choices, won, random = 0, 0, seed
    for game in range(len(orders)):
        random, length, is_won = _play_game(
            chooser, starts[game], orders[game], explore, random, inputs[choices:], best, explored
        )
        target = 1.0 if is_won else 0.0
        for k in range(length - 1, -1, -1):
            targets[choices + k] = target
            target = best[k] + (0.0 if explored[k] else mix * (target - best[k]))
        choices, won = choices + length, won + int(is_won)
    return choices, won


@kernel
def _play_game(
    chooser: Any, start: Any, order: Any, explore: float, random: Any, inputs: Any, best: Any, explored: Any
) -> tuple[Any, int, bool]:
    """Plays one game; returns the random state, the number of choices, and whether it is won."""
    a, b, c = start[0], start[1], start[2]
    for drawn in range(len(order) + 1):
        chosen, value = choose(chooser, order, drawn, a, b, c)
        if chosen < 0:
            return random, drawn, True
        random, number = random_below(random, _MILLION)
        best[drawn], explored[drawn] = 1 / (1 + np.exp(-value)), number < explore * _MILLION
        if explored[drawn]:
            random, chosen = random_below(random, chooser.reach.counters[FOUND])
        n = inputs_of(chooser, chosen, order, drawn)
        for k in range(inputs.shape[1]):
            inputs[drawn, k] = chooser.on[k] if k < n else INPUTS
        row = chooser.reach.queue[chooser.reach.components[chosen, FIRST]]
        a, b, c = row[0], row[1], row[2]
    return random, len(order) + 1, is_finished(chooser, order, a, b, c)
