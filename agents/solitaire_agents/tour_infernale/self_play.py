"""Games that a value network plays against chance, and what they teach it.

A game goes from draw to draw, each time to the component of the highest value. What a component should have been worth
is the result of the game, mixed with the values met on the way (Sutton 1988, TD(lambda)). Now and then a component is
taken at random; the value before such a step is taught by the best choice there, not by what came of the random one.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import bit_of
from solitaire_agents.tour_infernale.reach import FIRST
from solitaire_agents.tour_infernale.values import INPUTS, MOST_ON, choose, finish, inputs_of
from solitaire_envs.cards import NUM_CARDS, random_below
from solitaire_envs.jit import entry_point, kernel

_MILLION: Final = 1_000_000
_BITS: Final = np.array([bit_of(card) for card in range(NUM_CARDS)])


class Record(NamedTuple):
    """What games teach, choice by choice."""

    inputs: NDArray[np.uint16]
    """[n, MOST_ON]: the inputs that are on, then `INPUTS`."""
    targets: NDArray[np.float32]
    """[n]: what the value should be, 0..1."""
    best: NDArray[np.float32]
    """[n]: the highest value there."""
    explored: NDArray[np.bool_]
    """[n]: whether a random component was taken in its place."""


def new_record(games: int) -> Record:
    """Allocates a record for so many games."""
    size = games * NUM_CARDS
    return Record(
        np.zeros((size, MOST_ON), np.uint16),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, bool),
    )


def as_dealt(decks: NDArray[np.integer[Any]], piles: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the bitboards, [n, 3], and the stocks, [n, m], of decks [n, 52]."""
    bits = _BITS[decks]
    starts = np.zeros((len(decks), 3), np.int64)
    starts[:, 0] = (1 << bits[:, :piles]).sum(axis=1)
    return starts, np.ascontiguousarray(bits[:, piles:])


@entry_point("tour self-play")
def play(chooser: Any, starts: Any, orders: Any, explore: float, mix: float, seed: Any, record: Any) -> tuple[int, int]:
    """Plays games of one pass, and writes what each choice teaches.

    Args:
        chooser: The network and storage.
        starts: int64 [n, 3]: bitboards as dealt.
        orders: int64 [n, m]: bits of the stock, in the order of drawing.
        explore: Share of the choices that are random.
        mix: Weight of what came later against the value of the next choice, the lambda of TD(lambda).
        seed: uint64, of the random choices.
        record: Written to.

    Returns:
        The number of choices, and of games won.
    """
    choices, won, random = 0, 0, seed
    for game in range(len(orders)):
        random, end, is_won = _play_game(chooser, starts[game], orders[game], explore, random, record, choices)
        target = 1.0 if is_won else 0.0
        for k in range(end - 1, choices - 1, -1):
            record.targets[k] = target
            target = record.best[k] + (0.0 if record.explored[k] else mix * (target - record.best[k]))
        choices, won = end, won + int(is_won)
    return choices, won


@kernel
def _play_game(
    chooser: Any, start: Any, order: Any, explore: float, random: Any, record: Any, choices: int
) -> tuple[Any, int, bool]:
    """Plays one game; returns the random state, the number of choices so far, and whether it is won."""
    a, b, c = start[0], start[1], start[2]
    for drawn in range(len(order)):
        best, value = choose(chooser, order, drawn, a, b, c)
        if best < 0:
            return random, choices, True
        random, drawn_number = random_below(random, _MILLION)
        record.best[choices] = 1 / (1 + np.exp(-value))
        record.explored[choices] = drawn_number < explore * _MILLION
        if record.explored[choices]:
            random, best = random_below(random, chooser.reach.found[0])
        _note(chooser, best, order, drawn, record.inputs[choices])
        choices += 1
        row = chooser.reach.queue[chooser.reach.components[best, FIRST]]
        a, b, c = row[0], row[1], row[2]
    return random, choices, finish(chooser, order, a, b, c)[1] >= 0


@kernel
def _note(chooser: Any, component: int, order: Any, drawn: int, inputs: Any) -> None:
    """Writes the inputs of a component."""
    n = inputs_of(chooser.reach, component, order, drawn, chooser.tableau.piles, chooser.on, chooser.place)
    for k in range(len(inputs)):
        inputs[k] = chooser.on[k] if k < n else INPUTS
