"""What a value network is shown of a component, and how a player chooses by it where to stand before the next draw.

A component (`reach`) is described by inputs that are on or off: where each card is, what bars it in the waste, where
the next cards of each suit are, what can be put on the tableau, and the terms of the solver's rating. The rules treat
all suits alike, so suits are told apart by how far they are, not by name: what is learned of one serves all. Hidden
cards have no part in it: of the stock only the set of its cards is known, so that what is chosen by the value is fair.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.bits import count, index_of
from solitaire_agents.tour_infernale.bitboard import (
    CARDS,
    CLUBS,
    DRAWN,
    NO_MOVE,
    heights_of,
    raised,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.reach import (
    COMPONENTS,
    EMPTY,
    FIRST,
    REPRESENTATIVE,
    SIZE,
    TOPS,
    find_components,
    new_reach,
)
from solitaire_agents.tour_infernale.rollouts import WIN, first_of, new_tableau, roll_out
from solitaire_agents.tour_infernale.solver.rating import play_off, tableau_terms
from solitaire_agents.trained import SHIPPED
from solitaire_agents.value_network import HIDDEN, ValueNetwork, evaluate
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel

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
TERMS: Final = 6
"""Of the solver's rating; each is told apart up to the number of cards."""

_CARD: Final = 0
_BARRED: Final = _CARD + NUM_CARDS * PLACES  # in the waste, a higher card of its suit lies on it
_NEXT: Final = _BARRED + NUM_CARDS
_STOCK: Final = _NEXT + 4 * NEXT * CODES
_EMPTY: Final = _STOCK + NUM_CARDS
_TOP: Final = _EMPTY + 8
_SIZE: Final = _TOP + NUM_CARDS
_TERM: Final = _SIZE + 12
INPUTS: Final = _TERM + TERMS * (NUM_CARDS + 1)
"""Number of inputs."""
MOST_ON: Final = 4 * NUM_CARDS
"""Inputs that are on at a time, at most."""


SHIPPED_VALUES: Final = {6: SHIPPED / "tour-infernale-values", 5: SHIPPED / "tour-infernale-values-five-piles"}
"""Folders of the values that come with the package, by number of piles. They were learned in games of one pass."""


class Chooser(NamedTuple):
    """What is needed to choose among components: the network, and working storage for one thread."""

    network: Any  # ValueNetwork
    reach: Any  # reach.Reach
    tableau: Any  # rollouts.Tableau
    on: Any  # int64 [MOST_ON]: the inputs that are on
    place: Any  # int64 [52]: the place of each card, by its bit
    hidden: Any  # float32 [HIDDEN]
    values: Any  # float64 [COMPONENTS]: of the components found, as logits


def new_chooser(network: ValueNetwork, piles: int) -> Chooser:
    """Returns a chooser with storage of its own, for one pass."""
    return Chooser(
        network,
        new_reach(),
        new_tableau(piles=piles, swift=False, size=1)._replace(redeals=0),
        np.zeros(MOST_ON, np.int64),
        np.zeros(NUM_CARDS, np.int64),
        np.zeros(HIDDEN, np.float32),
        np.zeros(COMPONENTS),
    )


# --- Choice -----------------------------------------------------------------------------------------------------------


@kernel
def choose(chooser: Any, order: Any, drawn: int, a: int, b: int, c: int) -> tuple[int, float]:
    """Chooses where to stand before the next draw.

    Args:
        chooser: The network and storage; what is within reach is written to it, with the values.
        order: As in `find_components`.
        drawn: As in `find_components`.
        a: First word of the bitboard.
        b: Second word.
        c: Third word.

    Returns:
        The component and its value as a logit; or, where a win is within reach, -1 - the row of the entry that wins,
        and infinity.
    """
    found = find_components(chooser.reach, order, drawn, chooser.tableau.piles, EXPLORED, a, b, c)
    best, highest = min(found, 0), -np.inf if found >= 0 else np.inf
    for k in range(found):
        n = inputs_of(chooser, k, order, drawn)
        chooser.values[k] = evaluate(chooser.network, chooser.on, n, chooser.hidden)
        if chooser.values[k] > highest:
            best, highest = k, chooser.values[k]
    return best, highest


@kernel
def finish(chooser: Any, order: Any, a: int, b: int, c: int) -> tuple[int, int]:
    """Looks for a win once the stock is empty and no redeal is left.

    A win may be farther than `find_components` looks, so the rule `thrifty` plays on from each component. If it wins
    from none, the one to look on from is that of the highest value besides the first, where the player stands.

    Returns:
        The component from which the rule wins, and the moves it takes, in the tableau's line; the one to look on from,
        and 0; where a win is within reach, as in `choose`, and 0; -1 and -1 if nothing is left to try.
    """
    reach, tableau = chooser.reach, chooser.tableau
    found = find_components(reach, order, len(order), tableau.piles, len(reach.queue), a, b, c)
    best, highest = min(found, -1), -np.inf
    for k in range(found):
        row = reach.queue[reach.components[k, FIRST]]
        moves, value = roll_out(tableau, order, len(order), row[0], row[1], row[2], 0, True)
        if value > WIN / 2:
            return k, moves
    for k in range(1, found):
        value = evaluate(chooser.network, chooser.on, inputs_of(chooser, k, order, len(order)), chooser.hidden)
        if value > highest:
            best, highest = k, value
    return best, 0 if found < 0 or best >= 0 else -1


@kernel
def is_finished(chooser: Any, order: Any, a: int, b: int, c: int) -> bool:
    """Returns whether a win is found by `finish`, step by step, once the stock is empty."""
    while True:
        best, moves = finish(chooser, order, a, b, c)
        if moves != 0 or best < 0:
            return moves >= 0
        row = chooser.reach.queue[chooser.reach.components[best, FIRST]]
        a, b, c = row[0], row[1], row[2]


# --- Lines ------------------------------------------------------------------------------------------------------------


@kernel
def write_line(chooser: Any, order: Any, at: Any, best: int) -> int:
    """Writes the moves to a component and a draw, or those that win, into the line; returns how many.

    Args:
        chooser: The line is written to its tableau.
        order: As in `find_components`.
        at: How many cards have been drawn, and the bitboard; where nothing is left to draw, a win is looked for.
        best: The component or, as of `choose`, the win.
    """
    drawn, a, b, c = at
    reach, line, rest = chooser.reach, chooser.tableau.line, 1
    line[0] = DRAWN
    if drawn == len(order):
        best, rest = finish(chooser, order, a, b, c)
        if rest < 0:
            return 0
    if best >= 0:
        return int(put_before(reach.queue, reach.components[best, FIRST], line, rest))
    entry = reach.entries[-1 - best]
    line[0] = entry[4]
    return int(put_before(reach.queue, entry[3], line, 1))


@kernel
def put_before(queue: Any, row: int, line: Any, rest: int) -> int:
    """Puts the moves that lead to a row of the queue before the first moves of the line; returns how many there are."""
    length, at = 0, row
    while at >= 0 and queue[at, 4] != NO_MOVE:
        length, at = length + 1, queue[at, 3]
    for k in range(rest - 1, -1, -1):
        line[length + k] = line[k]
    at = row
    for k in range(length - 1, -1, -1):
        line[k], at = queue[at, 4], queue[at, 3]
    return length + rest


# --- Inputs -----------------------------------------------------------------------------------------------------------


@kernel
def inputs_of(chooser: Any, k: int, order: Any, drawn: int) -> int:
    """Writes the inputs that are on for a component; returns how many.

    Args:
        chooser: Written to; its components have been found.
        k: The component.
        order: As in `find_components`.
        drawn: As in `find_components`.
    """
    reach, on = chooser.reach, chooser.on
    component = reach.components[k]
    row = reach.queue[component[REPRESENTATIVE]]
    a, b, c = row[0], row[1], row[2]
    heights, tableau, talon = heights_of(a, b), (a | c) & CARDS, talon_of(a, b, c)
    suits = _rank_suits(heights, tableau, talon & first_of(order, drawn))
    n = _talon_inputs(chooser, talon, order, drawn, suits)
    n = _tableau_inputs(chooser, a, b, c, component[TOPS], suits, n)
    n = _foundation_inputs(chooser, heights, suits, n)
    on[n], on[n + 1] = _STOCK + len(order) - drawn, _EMPTY + component[EMPTY]
    on[n + 2] = _SIZE + _digits(component[SIZE])
    ranks, needed = tableau_terms(tableau)
    blocked, worst, excess = play_off(order, drawn, chooser.tableau.piles, heights, tableau, talon, ranks, needed)
    terms = (count(raised(heights)), count(tableau), needed, blocked, worst, excess)
    for term in range(TERMS):
        on[n + 3 + term] = _TERM + term * (NUM_CARDS + 1) + min(terms[term], NUM_CARDS)
    return n + 3 + TERMS


@kernel
def _talon_inputs(chooser: Any, talon: int, order: Any, drawn: int, suits: int) -> int:
    """Writes where the cards of waste and stock are; returns how many inputs there are."""
    on, place, n, depth, above = chooser.on, chooser.place, 0, 0, 0
    for k in range(drawn - 1, -1, -1):
        i = order[k]
        if talon >> i & 1:
            place[i] = IN_WASTE + _depth(depth)
            on[n] = _CARD + _ranked(i, suits) * PLACES + place[i]
            n += 1
            if above & (CLUBS << (i & 3)) & ~((2 << i) - 1):
                on[n] = _BARRED + _ranked(i, suits)
                n += 1
            above |= 1 << i
            depth += 1
    for k in range(drawn, len(order)):
        i = order[k]
        place[i] = UNSEEN
        on[n] = _CARD + _ranked(i, suits) * PLACES + UNSEEN
        n += 1
    return n


@kernel
def _tableau_inputs(chooser: Any, a: int, b: int, c: int, tops_met: int, suits: int, n: int) -> int:
    """Writes on what the cards of the tableau lie, and which can be tops; returns how many inputs there are."""
    on, place, tops = chooser.on, chooser.place, tops_of(a, b, c)
    while tops:
        i, depth, is_bottom = index_of(tops & -tops), 0, False
        tops &= tops - 1
        while not is_bottom:
            place[i] = BURIED + _depth(depth)
            if tops_met >> i & 1:
                place[i] = OPEN
                on[n] = _TOP + _ranked(i, suits)
                n += 1
            is_bottom = c >> i & 1 == 0
            suit = (a >> i & 1) | (b >> i & 1) << 1
            lies_on = 0 if is_bottom else 1 + (suits >> 4 * suit & 3)
            on[n] = _CARD + _ranked(i, suits) * PLACES + ON_TABLE + lies_on
            n += 1
            i, depth = (i & ~3) + 4 + suit, depth + 1
    return n


@kernel
def _foundation_inputs(chooser: Any, heights: int, suits: int, n: int) -> int:
    """Writes which cards are up, and where the next of each suit are; returns how many inputs there are."""
    on, up = chooser.on, raised(heights)
    while up:
        on[n] = _CARD + _ranked(index_of(up & -up), suits) * PLACES + UP
        up &= up - 1
        n += 1
    for suit in range(4):
        height, ranked = heights >> 4 * suit & 15, suits >> 4 * suit & 3
        for ahead in range(NEXT):
            code = chooser.place[4 * (height + ahead) + suit] if height + ahead < NUM_RANKS else NONE
            on[n] = _NEXT + (ranked * NEXT + ahead) * CODES + code
            n += 1
    return n


@kernel
def _rank_suits(heights: int, tableau: int, waste: int) -> int:
    """Returns the place of each suit, 4 bits each, if they are sorted by how far they are; equals by number."""
    places = 0
    for suit in range(4):
        own = _progress(heights, tableau, waste, suit)
        for other in range(4):
            theirs = _progress(heights, tableau, waste, other)
            places += int(theirs > own or (theirs == own and other < suit)) << 4 * suit
    return places


@kernel
def _progress(heights: int, tableau: int, waste: int, suit: int) -> int:
    """Returns how far a suit is: by its foundation, then by where its cards are, the lowest first."""
    progress = heights >> 4 * suit & 15
    for rank in range(NUM_RANKS):
        i = 4 * rank + suit
        progress = progress << 2 | (tableau >> i & 1) << 1 | waste >> i & 1
    return progress


@kernel
def _ranked(i: int, suits: int) -> int:
    """Returns the number of a card if suits are numbered by their places."""
    return (i & ~3) | (suits >> 4 * (i & 3) & 3)


@kernel
def _depth(cards: int) -> int:
    if cards < 3:
        return cards
    return 3 if cards < 5 else 4 if cards < 9 else 5


@kernel
def _digits(number: int) -> int:
    """Returns the number of binary digits after the first."""
    digits = 0
    while number > 1:
        number >>= 1
        digits += 1
    return digits
