"""The inputs that describe a candidate of La tour infernale to a network.

Inputs are on or off. They tell where each card is, whether it is barred in the waste, where the next cards of each suit
are, which cards can be tops, and the terms of the solver's rating. The rules treat all suits alike. So suits are
numbered by their progress, not by name: what is learned about one suit holds for all. Hidden cards are not shown: only
the set of cards is known of a stock that has not been seen.

After a redeal nothing is hidden. So if a redeal ends the line, the inputs describe the position after it.
"""

from typing import Any, Final

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.tour_infernale.bitboard import (
    CLUBS,
    Bitboard,
    base_of,
    board_of,
    heights_of,
    raised,
    tableau_of,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.candidates import BY_REDEAL
from solitaire_agents.tour_infernale.solver.rating import TERMS, terms_of
from solitaire_agents.tour_infernale.talon import Talon, drawn_cards
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import MAX_PILES

DEPTHS: Final = 6
"""Classes of depth, the number of cards on a card: 0, 1, 2, 3 or 4, 5 to 8, more."""
UP, IN_STOCK, IN_WASTE, ON_TABLE = 0, 1, 2, 2 + DEPTHS
"""First codes of a card's place: on its foundation, in the stock, in the waste by depth, in the tableau at a pile's
bottom or on one of four suits."""
PLACES: Final = ON_TABLE + 5
NEXT: Final = 5
"""Number of next cards of each suit whose places are inputs."""
CAN_BE_TOP, BURIED, NONE = IN_WASTE + DEPTHS, IN_WASTE + DEPTHS + 1, IN_WASTE + 2 * DEPTHS + 1
"""More codes for these cards: in the tableau, a pile's top in some configuration of the component, or buried by depth;
or there is no such card."""
CODES: Final = NONE + 1
MOST_REDEALS, MOST_PASSES, MOST_LINE = 3, 3, 16
"""Larger numbers of redeals left, of the pass and of moves are treated as these."""

_CARD: Final = 0
_BARRED: Final = _CARD + NUM_CARDS * PLACES  # in the waste, a higher card of its suit lies on it
_NEXT: Final = _BARRED + NUM_CARDS
_STOCK: Final = _NEXT + 4 * NEXT * CODES
_EMPTY: Final = _STOCK + NUM_CARDS
_TOP: Final = _EMPTY + 8
_SIZE: Final = _TOP + NUM_CARDS
_TERM: Final = _SIZE + 12  # the terms of the solver's rating, each up to the number of cards
_REDEALS: Final = _TERM + TERMS * (NUM_CARDS + 1)  # the last of them: no limit
_PASS: Final = _REDEALS + MOST_REDEALS + 2
_PILES: Final = _PASS + MOST_PASSES
_LINE: Final = _PILES + 2
_COMING: Final = _LINE + MOST_LINE + 1  # a card of a stock in known order, by the number of cards before it
_NEXT_COMING: Final = _COMING + NUM_CARDS * DEPTHS
_WILL_BE_BARRED: Final = _NEXT_COMING + 4 * NEXT * DEPTHS  # in such a stock, a higher card of its suit comes after it
INPUTS: Final = _WILL_BE_BARRED + NUM_CARDS
"""Number of inputs."""
MOST_ON: Final = 4 * NUM_CARDS
"""Most inputs that are on at a time: 3 for each of 47 cards in the stock, 2 for each other card, 53 more."""


@kernel
def describe(storage: Any, k: int, on: Any) -> int:
    """Writes the inputs that are on for candidate k; returns how many. As in `Choices`."""
    reach, now = storage.reach, storage.now[0]
    order, drawn, known = storage.order[: now.cards], now.drawn, now.drawn + now.known
    pass_number, redeals, piles = now.pass_number, now.redeals, storage.rollouts.piles
    if now.end == BY_REDEAL:
        drawn, known, pass_number, redeals = 0, now.cards, pass_number + 1, redeals - (redeals > 0)
    component, talon = reach.components[storage.candidates[k].component], Talon(order, drawn)
    board = board_of(reach.queue[component.representative])
    heights, left = heights_of(board), talon_of(board)
    waste = left & drawn_cards(talon)
    suits = _rank_suits(heights, tableau_of(board), waste)
    n = _waste_inputs(storage, left, order[:drawn], suits, on)
    n = _stock_inputs(storage, left, order[drawn:], known - drawn, suits, on, n)
    n = _tableau_inputs(storage, board, component.tops, suits, on, n)
    n = _foundation_inputs(storage, heights, suits, on, n)
    on[n], on[n + 1] = _STOCK + count_ones(left & ~waste), _EMPTY + component.empty
    on[n + 2] = _SIZE + _digits(component.size)
    terms = terms_of(board, talon, piles)
    for term in range(TERMS):
        on[n + 3 + term] = _TERM + term * (NUM_CARDS + 1) + min(terms[term], NUM_CARDS)
    n += 3 + TERMS
    on[n] = _REDEALS + (MOST_REDEALS + 1 if redeals < 0 else min(redeals, MOST_REDEALS))
    on[n + 1], on[n + 2] = _PASS + min(pass_number, MOST_PASSES) - 1, _PILES + MAX_PILES - piles
    on[n + 3] = _LINE + min(storage.candidates[k].moves, MOST_LINE)
    return n + 3 + int(redeals < 0)  # without a limit of passes, moves count


@kernel
def _waste_inputs(storage: Any, left: int, waste: Any, suits: int, on: Any) -> int:
    """Writes where the cards of the waste are; returns the number of inputs."""
    n, depth, above = 0, 0, 0
    for k in range(len(waste) - 1, -1, -1):
        i = waste[k]
        if left >> i & 1:
            storage.place[i] = IN_WASTE + _depth(depth)
            on[n] = _CARD + _ranked(i, suits) * PLACES + storage.place[i]
            n += 1
            if above & _higher(i):
                on[n] = _BARRED + _ranked(i, suits)
                n += 1
            above |= 1 << i
            depth += 1
    return n


@kernel
def _stock_inputs(storage: Any, left: int, stock: Any, known: int, suits: int, on: Any, n: int) -> int:
    """Writes the cards in the stock, and how soon the first `known` of them come; returns the number of inputs."""
    later, depth = 0, 0
    for k in range(len(stock)):
        i = stock[k]
        if left >> i & 1:
            storage.place[i] = IN_STOCK
            on[n] = _CARD + _ranked(i, suits) * PLACES + IN_STOCK
            n += 1
            if k < known:
                storage.place[i] = -1 - _depth(depth)
                on[n] = _COMING + _ranked(i, suits) * DEPTHS + _depth(depth)
                n += 1
            depth += 1
    for k in range(known - 1, -1, -1):
        i = stock[k]
        if left >> i & 1:
            if later & _higher(i):
                on[n] = _WILL_BE_BARRED + _ranked(i, suits)
                n += 1
            later |= 1 << i
    return n


@kernel
def _tableau_inputs(storage: Any, board: Bitboard, tops_seen: int, suits: int, on: Any, n: int) -> int:
    """Writes what the cards of the tableau lie on, and which can be tops; returns the number of inputs."""
    tops = tops_of(board)
    while tops:
        i, depth, is_bottom = index_of(tops & -tops), 0, False
        tops &= tops - 1
        while not is_bottom:
            storage.place[i] = BURIED + _depth(depth)
            if tops_seen >> i & 1:
                storage.place[i] = CAN_BE_TOP
                on[n] = _TOP + _ranked(i, suits)
                n += 1
            is_bottom, base = board.c >> i & 1 == 0, base_of(board, i)
            lies_on = 0 if is_bottom else 1 + (suits >> 4 * (base & 3) & 3)
            on[n] = _CARD + _ranked(i, suits) * PLACES + ON_TABLE + lies_on
            n += 1
            i, depth = base, depth + 1
    return n


@kernel
def _foundation_inputs(storage: Any, heights: int, suits: int, on: Any, n: int) -> int:
    """Writes the cards on the foundations, and where the next of each suit are; returns the number of inputs."""
    up = raised(heights)
    while up:
        on[n] = _CARD + _ranked(index_of(up & -up), suits) * PLACES + UP
        up &= up - 1
        n += 1
    for suit in range(4):
        height, ranked = heights >> 4 * suit & 15, suits >> 4 * suit & 3
        for ahead in range(NEXT):
            code, which = NONE, ranked * NEXT + ahead
            if height + ahead < NUM_RANKS:
                code = storage.place[4 * (height + ahead) + suit]
            if code < 0:  # in the stock, at a known place
                on[n] = _NEXT_COMING + which * DEPTHS - 1 - code
                n, code = n + 1, IN_STOCK
            on[n] = _NEXT + which * CODES + code
            n += 1
    return n


# --- Cards and suits --------------------------------------------------------------------------------------------------


@kernel
def _rank_suits(heights: int, tableau: int, waste: int) -> int:
    """Returns the place of each suit, 4 bits each, when they are sorted by progress; equals by number."""
    places = 0
    for suit in range(4):
        own = _progress(heights, tableau, waste, suit)
        for other in range(suit):
            # The place of a suit is the number of suits before it: in each pair, one of the two counts the other.
            is_before = _progress(heights, tableau, waste, other) >= own
            places += 1 << 4 * (suit if is_before else other)
    return places


@kernel
def _progress(heights: int, tableau: int, waste: int, suit: int) -> int:
    """Returns the progress of a suit: its foundation, then where its cards are, the lowest card first."""
    progress = heights >> 4 * suit & 15
    for rank in range(NUM_RANKS):
        i = 4 * rank + suit
        progress = progress << 2 | (tableau >> i & 1) << 1 | waste >> i & 1
    return progress


@kernel
def _ranked(i: int, suits: int) -> int:
    """Returns the number of a card when suits are numbered by their places."""
    return (i & ~3) | (suits >> 4 * (i & 3) & 3)


@kernel
def _higher(i: int) -> int:
    """Returns the higher cards of a card's suit."""
    return (CLUBS << (i & 3)) & ~((2 << i) - 1)


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
