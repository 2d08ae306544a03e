"""A learned value of what a player can choose before a draw: the chance to win from a component.

A component (`reach`) is described by inputs that are on or off: where each card is, what bars it in the waste, where
the next cards of each suit are, what can be put on the tableau, and the terms of the solver's rating. A small network turns
them into a value: a sum of one row of weights for each input that is on, and two layers. Hidden cards have no part in
it: of the stock only the set of its cards is known, so that what is chosen by the value is fair.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import count, index_of
from solitaire_agents.tour_infernale.bitboard import CARDS, CLUBS, heights_of, raised, talon_of, tops_of
from solitaire_agents.tour_infernale.reach import (
    EMPTY,
    FIRST,
    REPRESENTATIVE,
    SIZE,
    TOPS,
    find_components,
    new_reach,
)
from solitaire_agents.tour_infernale.rollouts import WIN, new_tableau, roll_out
from solitaire_agents.tour_infernale.solver.rating import play_off, tableau_terms
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel

# --- Inputs -----------------------------------------------------------------------------------------------------------

DEPTHS: Final = 6
"""Numbers of cards on a card are told apart as 0, 1, 2, 3 or 4, 5 to 8, and more."""
UP, UNSEEN, IN_WASTE, ON_TABLE = 0, 1, 2, 2 + DEPTHS
"""Where a card is: on its foundation, in the stock, in the waste by depth, at a pile's bottom, on one of four suits."""
PLACES: Final = ON_TABLE + 5
NEXT: Final = 5
"""Cards of each suit that go up next, of which the place is an input of its own."""
OPEN, BURIED, NONE = IN_WASTE + DEPTHS, IN_WASTE + DEPTHS + 1, IN_WASTE + 2 * DEPTHS + 1
"""Where such a card is: as above; in the tableau it may be the top of a pile in the component, or lie so deep."""
CODES: Final = NONE + 1
EXPLORED: Final = 100
"""Configurations looked at in each component."""
MOST_TERM: Final = NUM_CARDS
"""Terms of the rating are told apart up to this."""

_CARD: Final = 0
_BARRED: Final = _CARD + NUM_CARDS * PLACES  # in the waste, a higher card of its suit lies on it
_NEXT: Final = _BARRED + NUM_CARDS
_STOCK: Final = _NEXT + 4 * NEXT * CODES
_EMPTY: Final = _STOCK + NUM_CARDS
_TOP: Final = _EMPTY + 8
_SIZE: Final = _TOP + NUM_CARDS
_TERM: Final = _SIZE + 12
INPUTS: Final = _TERM + 6 * (MOST_TERM + 1)
"""Number of inputs."""
MOST_ON: Final = 4 * NUM_CARDS
"""Inputs that are on at a time, at most."""


@kernel
def inputs_of(reach: Any, k: int, order: Any, drawn: int, piles: int, on: Any, place: Any) -> int:
    """Writes the inputs that are on for a component; returns how many.

    Args:
        reach: Working storage, with components found.
        k: The component.
        order: As in `find_components`.
        drawn: As in `find_components`.
        piles: Number of piles.
        on: int64 [MOST_ON], written to.
        place: int64 [52], working storage.
    """
    component = reach.components[k]
    row = reach.queue[component[REPRESENTATIVE]]
    a, b, c = row[0], row[1], row[2]
    heights = heights_of(a, b)
    n = _talon_inputs(talon_of(a, b, c), order, drawn, on, place)
    n = _tableau_inputs(a, b, c, component[TOPS], on, n, place)
    up = raised(heights)
    while up:
        on[n] = _CARD + index_of(up & -up) * PLACES + UP
        up &= up - 1
        n += 1
    for suit in range(4):
        height = heights >> 4 * suit & 15
        for ahead in range(NEXT):
            code = place[4 * (height + ahead) + suit] if height + ahead < NUM_RANKS else NONE
            on[n] = _NEXT + (suit * NEXT + ahead) * CODES + code
            n += 1
    on[n], on[n + 1] = _STOCK + len(order) - drawn, _EMPTY + component[EMPTY]
    on[n + 2] = _SIZE + _digits(component[SIZE])
    return _term_inputs(a, b, c, order, drawn, piles, on, n + 3)


@kernel
def _talon_inputs(talon: int, order: Any, drawn: int, on: Any, place: Any) -> int:
    n = depth = above = 0
    for k in range(drawn - 1, -1, -1):
        i = order[k]
        if talon >> i & 1:
            place[i] = IN_WASTE + _bucket(depth)
            on[n] = _CARD + i * PLACES + place[i]
            n += 1
            if above & (CLUBS << (i & 3)) & ~((2 << i) - 1):
                on[n] = _BARRED + i
                n += 1
            above |= 1 << i
            depth += 1
    for k in range(drawn, len(order)):
        place[order[k]] = UNSEEN
        on[n] = _CARD + order[k] * PLACES + UNSEEN
        n += 1
    return n


@kernel
def _tableau_inputs(a: int, b: int, c: int, tops_met: int, on: Any, n: int, place: Any) -> int:
    tops = tops_of(a, b, c)
    while tops:
        i, depth, is_bottom = index_of(tops & -tops), 0, False
        tops &= tops - 1
        while not is_bottom:
            place[i] = BURIED + _bucket(depth)
            if tops_met >> i & 1:
                place[i] = OPEN
                on[n] = _TOP + i
                n += 1
            is_bottom = c >> i & 1 == 0
            suit = (a >> i & 1) | (b >> i & 1) << 1
            on[n] = _CARD + i * PLACES + ON_TABLE + (0 if is_bottom else 1 + suit)
            n += 1
            i, depth = (i & ~3) + 4 + suit, depth + 1
    return n


@kernel
def _term_inputs(a: int, b: int, c: int, order: Any, drawn: int, piles: int, on: Any, n: int) -> int:
    heights, tableau, talon = heights_of(a, b), (a | c) & CARDS, talon_of(a, b, c)
    ranks, needed = tableau_terms(tableau)
    blocked, worst, excess = play_off(order, drawn, piles, heights, tableau, talon, ranks, needed)
    terms = (count(raised(heights)), count(tableau), needed, blocked, worst, excess)
    for k in range(6):
        on[n + k] = _TERM + k * (MOST_TERM + 1) + min(terms[k], MOST_TERM)
    return n + 6


@kernel
def _bucket(depth: int) -> int:
    if depth < 3:
        return depth
    return 3 if depth < 5 else 4 if depth < 9 else 5


@kernel
def _digits(number: int) -> int:
    """Returns the number of binary digits after the first."""
    digits = 0
    while number > 1:
        number >>= 1
        digits += 1
    return digits


# --- Network ----------------------------------------------------------------------------------------------------------

WIDTH, WIDTH_2 = 128, 32
"""Of the two hidden layers."""


class Network(NamedTuple):
    """Weights, all float32."""

    rows: Any  # [INPUTS, WIDTH]
    bias: Any  # [WIDTH]
    second: Any  # [WIDTH, WIDTH_2]
    second_bias: Any  # [WIDTH_2]
    last: Any  # [WIDTH_2]
    last_bias: Any  # [1]


SHAPES: Final = Network((INPUTS, WIDTH), (WIDTH,), (WIDTH, WIDTH_2), (WIDTH_2,), (WIDTH_2,), (1,))
"""Of the weights."""


@kernel
def evaluate(network: Any, on: Any, n: int, hidden: Any) -> float:
    """Returns the value of a component as a logit.

    Args:
        network: The network.
        on: The inputs that are on.
        n: How many.
        hidden: float32 [WIDTH + WIDTH_2], working storage.
    """
    first, second = hidden[:WIDTH], hidden[WIDTH:]
    for h in range(WIDTH):
        first[h] = network.bias[h]
    for k in range(n):
        row = network.rows[on[k]]
        for h in range(WIDTH):
            first[h] += row[h]
    for j in range(WIDTH_2):
        second[j] = network.second_bias[j]
    for h in range(WIDTH):
        if first[h] > 0:  # about half are not
            weights = network.second[h]
            for j in range(WIDTH_2):
                second[j] += first[h] * weights[j]
    value = network.last_bias[0]
    for j in range(WIDTH_2):
        value += network.last[j] * max(second[j], np.float32(0))
    return float(value)


# --- Choice -----------------------------------------------------------------------------------------------------------


class Chooser(NamedTuple):
    """What is needed to choose among components: the network, and working storage for one thread."""

    network: Any  # Network
    reach: Any  # reach.Reach
    tableau: Any  # rollouts.Tableau
    on: Any  # int64 [MOST_ON]
    place: Any  # int64 [52]
    hidden: Any  # float32 [WIDTH + WIDTH_2]


def new_chooser(network: Network, piles: int) -> Chooser:
    """Returns a chooser with storage of its own."""
    return Chooser(
        network,
        new_reach(),
        new_tableau(piles=piles, swift=False, size=1)._replace(redeals=0),
        np.zeros(MOST_ON, np.int64),
        np.zeros(NUM_CARDS, np.int64),
        np.zeros(WIDTH + WIDTH_2, np.float32),
    )


@kernel
def choose(chooser: Any, order: Any, drawn: int, a: int, b: int, c: int) -> tuple[int, float]:
    """Chooses where to stand before the next draw.

    Args:
        chooser: The network and storage; `find_components` writes what is within reach.
        order: As in `find_components`.
        drawn: As in `find_components`.
        a: First word of the bitboard.
        b: Second word.
        c: Third word.

    Returns:
        The component and its value; or, where a win is within reach, -1 - the row of the entry that wins, and any value.
    """
    found = find_components(chooser.reach, order, drawn, chooser.tableau.piles, EXPLORED, a, b, c)
    best, highest = min(found, 0), -np.inf
    for k in range(found):
        n = inputs_of(chooser.reach, k, order, drawn, chooser.tableau.piles, chooser.on, chooser.place)
        value = evaluate(chooser.network, chooser.on, n, chooser.hidden)
        if value > highest:
            best, highest = k, value
    return best, highest


@kernel
def finish(chooser: Any, order: Any, a: int, b: int, c: int) -> tuple[int, int]:
    """Looks for a win once the stock is empty and no redeal is left.

    A win may be farther than `find_components` looks, so the rule `thrifty` plays on from each component.

    Returns:
        The component from which it wins, and the moves it takes, in the tableau's line; where a win is within reach, as
        in `choose`, and 0; -1 and -1 if no win is found.
    """
    reach, tableau = chooser.reach, chooser.tableau
    found = find_components(reach, order, len(order), tableau.piles, len(reach.queue), a, b, c)
    if found < 0:
        return found, 0
    for k in range(found):
        row = reach.queue[reach.components[k, FIRST]]
        moves, value = roll_out(tableau, order, len(order), row[0], row[1], row[2], 0, True)
        if value > WIN / 2:
            return k, moves
    return -1, -1
