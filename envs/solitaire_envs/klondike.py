"""Klondike.

Layout
    Cards 1..28 of the deck make seven tableau piles, dealt row by row: card 1 face up on pile 1, cards 2..7 face down
    on piles 2..7; card 8 face up on pile 2, and so on. So pile k has k cards, the last of them face up. Cards 29..52
    are the stock, face down, card 29 on top. Four foundations and the waste start empty.
Moves
    To a foundation: the top of a pile or of the waste, in suit from ace to king.
    To the tableau: piles go down by one in alternating colours; to an empty pile only a king may go. The top of the
    waste may move; face-up cards from the top of a pile, any number of them as one, if the undermost fits; and with
    ``returns`` the top of a foundation. A face-down card that is left on top is turned up as part of the move.
    Draw, at any time: ``draw`` cards of the stock, or fewer if fewer are left, go to the waste one by one, the last
    on top. Redeal, when the stock is empty, the waste is not, and a pass is left: the waste is turned over to become
    the stock, so its order is the same in each pass.
End
    Won when all 52 cards are on the foundations, lost when no move is legal, truncated after ``max_moves``, since
    redeals and moves back and forth can go on without end.
Score
    The number of cards on the foundations. The reward is 1 at the move that wins, else 0; under the objective 'score'
    it is 1 for each card put on a foundation, and -1 for each that comes back.

Rulings where the traditional rules are silent
    - A player chooses source and target; which cards of a pile move follows from the target, as only one can fit.
    - A whole pile without face-down cards may not move to an empty pile: that would change nothing.
    - Each empty pile is a target of its own: there is an action for each, and all are equal in value.
    - Any top of a foundation may come back: a king to an empty pile, an ace on a two.
    - All cards of a draw have been seen, also those below the last. Under 'table' only the waste's top is visible.
    - 'open' is thoughtful play: the face-down cards of the tableau are known as well as the order of the stock.
    - A move that wins at the last move allowed is a win, not a truncation. A game that is won has no legal move.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, SUITS
from solitaire_envs.game import Game, Options, first_slots, option, state_dtype
from solitaire_envs.jit import kernel
from solitaire_envs.klondike_table import (
    ACTIONS,
    DRAW,
    EMPTY,
    FOUNDATION,
    LEAD,
    NUM_ACTIONS,
    PILES,
    RANK,
    REDEAL,
    SOURCES,
    SUIT,
    TO_FOUNDATION,
    TO_PILES,
    WASTE,
    gestures,
    layout,
    move_text,
    run_length,
)
from solitaire_envs.klondike_words import KLONDIKE, WORDS
from solitaire_envs.piles.cards import make_cards
from solitaire_envs.piles.rules import Rules
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.view import make_view, pile_outcome, pile_slots

TABLEAU_SIZE = PILES * (PILES + 1) // 2
FACE_DOWN = TABLEAU_SIZE - PILES
STOCK_SIZE = NUM_CARDS - TABLEAU_SIZE
UNSEEN = NUM_CARDS + 1


@dataclass(frozen=True, kw_only=True)
class KlondikeOptions(Options):
    """Options of Klondike."""

    draw: Literal[1, 3] = option(3, "Cards that a draw turns over.")
    returns: bool = option(True, "Whether the top card of a foundation may go back to the tableau.")
    passes: int | None = option(None, "Passes through the stock; None: no limit.", limits="passes")
    max_moves: int | None = option(1_000, "The episode is truncated after this many moves; None: never.", maximum=10**9)
    objective: Literal["win", "score"] = option("win", "Rewards: 1 for a win, or 1 for each card on a foundation.")


OBJECTIVE_SCORE = 1  # this choice as a number in a rules record


# --- State ------------------------------------------------------------------------------------------------------------
# In the state a card is its number plus one, so that EMPTY is 0; UNSEEN stands for one that nothing is known of.

# Two cards are alike on the tableau if rank and colour are the same; so there are 26 kinds of cards.
NO_KIND, BLACK_KING, RED_KING = 0, 2 * NUM_RANKS, 2 * NUM_RANKS + 1
KIND = (2 * RANK + np.isin(SUIT, [SUITS.index("D"), SUITS.index("H")])) * (RANK > 0)
"""Kind of a card as the state holds it: 2..27, black ones even; NO_KIND of EMPTY and UNSEEN."""
FITS = np.where(RANK > 1, KIND - 2 ^ 1, 1)
"""The kind of the cards that fit on a card. Nothing fits on an ace or UNSEEN: no card is of kind 1."""

FIRST_DOWN = np.array([pile * (pile - 1) // 2 for pile in range(PILES)], dtype=np.int64)
"""Pile -> the place in `face_down` of its lowest card."""

STATE = state_dtype(
    [
        ("tableau", "u1", PILES * NUM_RANKS),  # 13 a pile: its face-up cards from the undermost; they descend
        ("heights", "i4", PILES),  # face-up cards in each pile
        ("face_down", "u1", FACE_DOWN),  # from the bottom of each pile, one place in pile 1 to six in pile 6
        ("downs", "i4", PILES),  # face-down cards in each pile
        ("open_piles", "i4"),  # bits of the piles without any
        ("tops", "u1", PILES + 1),  # top card of each pile and of the waste
        ("sources", "i4", 2 * NUM_RANKS + 2),  # kind -> bits of the sources with a card of it that may be taken
        ("foundations", "u1", 4),  # cards on each, clubs, diamonds, hearts, spades
        # The waste from its bottom, then the stock from its top, with LEAD zeros before and after them. So a draw or a
        # redeal moves no card, only the border between the two.
        ("talon", "u1", 3 * STOCK_SIZE),
        ("waste_size", "i4"),
        ("stock_size", "i4"),
        ("unseen", "u1", UNSEEN),  # 1 for a card that has never been face up; the last entry is not used
        ("current_pass", "i4"),  # from 1
    ]
)

SOURCE = np.array([source for source, _ in ACTIONS], dtype=np.int64)
TARGET = np.array([target for _, target in ACTIONS], dtype=np.int64)


@kernel
def deal(rules: Any, state: Any) -> None:
    _clear(state)
    state.unseen[:] = 1
    index = 0
    for row in range(PILES):
        state.downs[row] = row
        _turn_up(state, row, state.deck[index] + 1)
        for pile in range(row + 1, PILES):
            state.face_down[FIRST_DOWN[pile] + row] = state.deck[index + pile - row] + 1
        index += PILES - row
    state.open_piles = 1
    for place in range(STOCK_SIZE):
        state.talon[LEAD + place] = state.deck[TABLEAU_SIZE + place] + 1
    state.stock_size = STOCK_SIZE
    state.current_pass = 1


@kernel
def _clear(state: Any) -> None:
    state.tableau[:] = EMPTY
    state.heights[:] = 0
    state.downs[:] = 0
    state.tops[:] = EMPTY
    state.sources[:] = 0
    state.sources[NO_KIND] = (1 << SOURCES) - (1 << WASTE)
    state.foundations[:] = 0
    state.talon[:] = EMPTY
    state.waste_size = state.stock_size = 0


# --- Legal moves ------------------------------------------------------------------------------------------------------


@kernel
def legal(rules: Any, state: Any, mask: Any) -> bool:
    bits: Any = 0  # the actions before `_HALF`, collected in a register
    more_bits: Any = 0  # the others
    if state.stock_size > 0:
        bits |= 1 << DRAW
    elif state.waste_size > 0 and state.current_pass < rules.passes:
        bits |= 1 << REDEAL
    for source in range(PILES + 1):
        card = state.tops[source]
        is_next = state.foundations[SUIT[card]] + 1 == RANK[card]
        bits |= is_next << (TO_FOUNDATION + source)
    allowed = (1 << SOURCES) - 1 if rules.returns else (1 << FOUNDATION) - 1
    if is_won(state):
        allowed = 0
    kings = (state.sources[BLACK_KING] | state.sources[RED_KING]) & ~np.int64(state.open_piles)
    for pile in range(PILES):
        top = state.tops[pile]
        sources = (kings if top == EMPTY else np.int64(state.sources[FITS[top]])) & allowed
        others = sources & ((1 << pile) - 1) | sources >> (pile + 1) << pile
        if pile < _HALF_PILES:
            bits |= others << (TO_PILES + pile * (SOURCES - 1))
        else:
            more_bits |= others << ((pile - _HALF_PILES) * (SOURCES - 1))
    for action in range(_HALF):
        mask[action] = bits >> action & 1
    for action in range(NUM_ACTIONS - _HALF):
        mask[_HALF + action] = more_bits >> action & 1
    return bool(bits | more_bits != 0)


_HALF_PILES = 4
_HALF = TO_PILES + _HALF_PILES * (SOURCES - 1)


# --- Moves ------------------------------------------------------------------------------------------------------------


@kernel
def apply(rules: Any, state: Any, action: int) -> float:
    if action == DRAW:
        _draw(state, min(rules.draw, state.stock_size))
        return 0.0
    if action == REDEAL:
        state.stock_size = state.waste_size
        state.waste_size = 0
        state.current_pass += 1
        _note_waste_top(state)
        return 0.0

    source, target = SOURCE[action], TARGET[action]
    if source < PILES and target < PILES:
        _move_run(state, source, target)
        return 0.0
    if source >= FOUNDATION:
        suit = source - FOUNDATION
        _put(state, NUM_RANKS * suit + state.foundations[suit], target)
        _fill_foundation(state, suit, state.foundations[suit] - 1)
        return -1.0 if rules.objective == OBJECTIVE_SCORE else 0.0
    card = _take_waste(state) if source == WASTE else _take_top(state, source)
    if target < PILES:
        _put(state, card, target)
        return 0.0
    _fill_foundation(state, SUIT[card], state.foundations[SUIT[card]] + 1)
    return 1.0 if rules.objective == OBJECTIVE_SCORE or is_won(state) else 0.0


@kernel
def _draw(state: Any, count: int) -> None:
    for _ in range(count):
        state.unseen[state.talon[LEAD + state.waste_size] - 1] = 0
        state.waste_size += 1
    state.stock_size -= count
    _note_waste_top(state)


@kernel
def _note_waste_top(state: Any) -> None:
    card = state.talon[LEAD + state.waste_size - 1]
    state.sources[KIND[state.tops[WASTE]]] ^= 1 << WASTE
    state.sources[KIND[card]] ^= 1 << WASTE
    state.tops[WASTE] = card


@kernel
def _take_waste(state: Any) -> int:
    card = state.tops[WASTE]
    state.waste_size -= 1
    first = LEAD + state.waste_size
    for place in range(first, first + state.stock_size + 1):
        state.talon[place] = state.talon[place + 1]
    _note_waste_top(state)
    return int(card)


@kernel
def _put(state: Any, card: int, pile: int) -> None:
    state.tableau[NUM_RANKS * pile + state.heights[pile]] = card
    state.heights[pile] += 1
    state.tops[pile] = card
    state.sources[KIND[card]] ^= 1 << pile


@kernel
def _take_top(state: Any, pile: int) -> int:
    card = state.tops[pile]
    state.heights[pile] -= 1
    state.tableau[NUM_RANKS * pile + state.heights[pile]] = EMPTY
    state.sources[KIND[card]] ^= 1 << pile
    _note_top(state, pile)
    return int(card)


_cards_that_move = kernel(run_length)


@kernel
def _move_run(state: Any, source: int, target: int) -> None:
    count = _cards_that_move(state, source, target)
    state.heights[source] -= count
    taken = NUM_RANKS * source + state.heights[source]
    for place in range(taken, taken + count):
        _put(state, state.tableau[place], target)
        state.sources[KIND[state.tableau[place]]] ^= 1 << source
        state.tableau[place] = EMPTY
    _note_top(state, source)


@kernel
def _note_top(state: Any, pile: int) -> None:
    """Records a pile's top after cards were taken; turns it up if it is face down."""
    height = state.heights[pile]
    if height > 0:
        state.tops[pile] = state.tableau[NUM_RANKS * pile + height - 1]
    elif state.downs[pile] == 0:
        state.tops[pile] = EMPTY
    else:
        state.downs[pile] -= 1
        place = FIRST_DOWN[pile] + state.downs[pile]
        _turn_up(state, pile, state.face_down[place])
        state.face_down[place] = EMPTY
        if state.downs[pile] == 0:
            state.open_piles |= 1 << pile


@kernel
def _turn_up(state: Any, pile: int, card: int) -> None:
    state.unseen[card - 1] = 0
    _put(state, card, pile)


@kernel
def _fill_foundation(state: Any, suit: int, count: int) -> None:
    """Sets the number of cards on a suit's foundation."""
    for cards in (np.int64(state.foundations[suit]), np.int64(count)):
        top = NUM_RANKS * suit + cards if cards > 0 else EMPTY
        state.sources[KIND[top]] ^= 1 << (FOUNDATION + suit)
    state.foundations[suit] = count


@kernel
def cards_up(state: Any) -> int:
    count = 0
    for suit in range(4):
        count += int(state.foundations[suit])
    return count


@kernel
def is_won(state: Any) -> bool:
    return cards_up(state) == NUM_CARDS


# --- What is reported and shown ---------------------------------------------------------------------------------------

_SHAPE = PileShape(KLONDIKE)
OBSERVATION = tuple(replace(slots, high=3) if slots.name == "draw" else slots for slots in pile_slots(_SHAPE))
AT = first_slots(OBSERVATION)
_CARDS = make_cards(_SHAPE)._replace(
    clear=_clear, put=_put, show_waste=_note_waste_top, fill_foundation=_fill_foundation
)
_VIEW = make_view(_SHAPE, _CARDS, Rules(deal, legal, apply, cards_up, is_won))
_imagine = _VIEW.imagine


@kernel
def imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    _imagine(rules, observation, cards, state)
    state.unseen[UNSEEN - 1] = 0
    state.open_piles = 0
    for pile in range(PILES):
        state.open_piles |= (state.downs[pile] == 0) << pile


GAME = Game(
    name="klondike",
    options=KlondikeOptions,
    state=STATE,
    outcome=pile_outcome(_SHAPE),
    observation=OBSERVATION,
    num_actions=lambda options: NUM_ACTIONS,
    deal=deal,
    legal=legal,
    apply=apply,
    observe=_VIEW.observe,
    conclude=_VIEW.conclude,
    imagine=imagine,
    move_text=move_text,
    layout=layout,
    gestures=gestures,
    hidden=lambda state: np.flatnonzero(state.unseen[state.deck]),
    words=WORDS,
)
