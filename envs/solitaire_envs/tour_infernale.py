"""La tour infernale.

Layout
    Cards 1..6 of the deck lie face up side by side: six tableau piles of one card (five with ``piles=5``). The rest is
    the stock, face down, its first card on top. Four foundations and the waste start empty.
Moves
    To a foundation: the top of a pile or of the waste, in suit from ace to king; cards do not come back.
    To the tableau: the top of a pile or of the waste goes on a pile whose top is exactly one rank higher, of any suit;
    any card may go on an empty pile, but moving a lone card from pile to empty pile changes nothing and is not legal.
    Draw, at any time: the stock's top goes to the waste. Redeal, when the stock is empty, the waste is not, and a pass
    is left: the waste is turned over to become the stock.
End
    Won when all 52 cards are on the foundations, lost when no move is legal, truncated after ``max_moves``, since
    tableau moves can be undone and repeated.
Score
    The number of cards on the foundations. The reward is 1 at the move that wins, else 0; under the objective 'score'
    it is 1 for each card put on a foundation.

Rulings where the traditional rules are silent
    - The traditional text says six cards, then once 'five piles': six is the default.
    - 'While the game can still progress' is ``passes=None``, no limit; 'the game also ends when the stock has no more
      cards' is ``passes=1``: what lies in the waste may still be played from its top.
    - A move that wins at the last move allowed is a win, not a truncation.
    - Each empty pile is a target of its own: there is an action for each, and all are equal in value.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, SUITS, card_text
from solitaire_envs.game import (
    MEMORY,
    NO_LIMIT,
    OPEN,
    TABLE,
    Game,
    Options,
    Slots,
    fill_pile,
    first_slots,
    option,
    state_dtype,
)
from solitaire_envs.jit import kernel
from solitaire_envs.layout import (
    BACK,
    FOUNDATION_NAME,
    PIPS,
    STOCK_NAME,
    WASTE_NAME,
    Gesture,
    Layout,
    Spot,
    pile_spots,
    stock_spot,
    waste_spots,
)
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.view import pile_outcome
from solitaire_envs.tour_infernale_words import TOUR_INFERNALE, WORDS

MAX_PILES = 6
COLUMNS = MAX_PILES + 1  # of a drawing: stock, two of waste, four foundations
STOCK_SIZE = NUM_CARDS - 5
EMPTY = 0
UNSEEN = NUM_CARDS + 1


@dataclass(frozen=True, kw_only=True)
class TourInfernaleOptions(Options):
    """Options of La tour infernale."""

    piles: int = option(6, "Number of tableau piles.", minimum=5, maximum=MAX_PILES)
    passes: int | None = option(None, "Passes through the stock; None: no limit.", limits="passes")
    max_moves: int | None = option(1_000, "The episode is truncated after this many moves; None: never.", maximum=10**9)
    objective: Literal["win", "score"] = option("win", "Rewards: 1 for a win, or 1 for each card on a foundation.")


OBJECTIVE_SCORE = 1  # this choice as a number in a rules record


# --- Places and actions -----------------------------------------------------------------------------------------------
# A place is a pile 0..5, or WASTE as a source and FOUNDATION as a target.

WASTE = MAX_PILES
FOUNDATION = MAX_PILES
NO_PLACE = -1

DRAW, REDEAL = 0, 1
ACTIONS: list[tuple[int, int]] = [(NO_PLACE, NO_PLACE)] * 2 + [(WASTE, FOUNDATION)]
"""Action -> source and target. Draw, redeal, waste to foundation, then for each pile its moves to or from the
foundations, the waste and the piles before it; so the actions at five piles are the first 33 of the 45 at six."""
for _pile in range(MAX_PILES):
    ACTIONS += [(_pile, FOUNDATION), (WASTE, _pile)]
    for _other in range(_pile):
        ACTIONS += [(_pile, _other), (_other, _pile)]

SOURCE = np.array([source for source, _ in ACTIONS], dtype=np.int64)
TARGET = np.array([target for _, target in ACTIONS], dtype=np.int64)


def num_actions(options: TourInfernaleOptions) -> int:
    """Returns the number of actions: 45 at six piles, 33 at five."""
    return 3 + options.piles * (options.piles + 1)


MOVES_TO = np.zeros((MAX_PILES + 1, 1 << MAX_PILES), dtype=np.int64)
"""[source, bits of piles] -> bits of the actions that move the source's top to one of these piles."""
TO_FOUNDATION = np.zeros(MAX_PILES + 1, dtype=np.int64)
"""Source -> the bit of the action that moves its top to a foundation."""
for _action, (_source, _target) in enumerate(ACTIONS[2:], start=2):
    if _target == FOUNDATION:
        TO_FOUNDATION[_source] = 1 << _action
    else:
        MOVES_TO[_source, np.arange(1 << MAX_PILES) >> _target & 1 == 1] |= 1 << _action

RANK = np.array([0, *(card % NUM_RANKS + 1 for card in range(NUM_CARDS)), 0], dtype=np.uint8)
SUIT = np.array([0, *(card // NUM_RANKS for card in range(NUM_CARDS)), 0], dtype=np.uint8)
"""Rank and suit of a card as the state holds it; EMPTY and UNSEEN have rank 0."""

# --- State ------------------------------------------------------------------------------------------------------------
# In the state a card is its number plus one, so that EMPTY is 0; UNSEEN stands for one that nothing is known of.

STATE = state_dtype(
    [
        ("tableau", "u1", (MAX_PILES, NUM_RANKS)),  # each pile from its bottom; it descends, so 13 cards at most
        ("heights", "i4", MAX_PILES + 1),  # cards in each pile; the waste's entry is not used
        ("tops", "u1", MAX_PILES + 1),  # top card of each pile and of the waste
        ("piles_at", "i4", NUM_RANKS + 2),  # rank -> bits of the piles with a top of that rank; at 0 the empty piles
        ("foundations", "u1", 4),  # cards on each, clubs, diamonds, hearts, spades
        # Stock and waste from their tops at index STOCK_SIZE - size; zeros follow the last card.
        ("stock", "u1", 2 * STOCK_SIZE),
        ("waste", "u1", 2 * STOCK_SIZE),
        ("stock_size", "i4"),
        ("waste_size", "i4"),
        ("unseen", "u1", UNSEEN),  # 1 for a card that has never been face up; the last entry is not used
        ("current_pass", "i4"),  # from 1
    ]
)


@kernel
def deal(rules: Any, state: Any) -> None:
    _clear_tableau(rules, state)
    state.foundations[:] = 0
    state.unseen[:] = 0
    for pile in range(rules.piles):
        _put(state, state.deck[pile] + 1, pile)
    state.stock_size = NUM_CARDS - rules.piles
    state.waste_size = 0
    state.stock[:] = EMPTY
    state.waste[:] = EMPTY
    for index in range(rules.piles, NUM_CARDS):
        state.stock[STOCK_SIZE - NUM_CARDS + index] = state.deck[index] + 1
        state.unseen[state.deck[index]] = 1
    state.current_pass = 1


@kernel
def _clear_tableau(rules: Any, state: Any) -> None:
    state.tableau[:] = EMPTY
    state.heights[:] = 0
    state.tops[:] = EMPTY
    state.piles_at[:] = 0
    state.piles_at[0] = (1 << rules.piles) - 1


# --- Legal moves ------------------------------------------------------------------------------------------------------


@kernel
def legal(rules: Any, state: Any, mask: Any) -> bool:
    bits = 0  # collected in a register: after a store into the mask, the compiler would have to read the state again
    if state.stock_size > 0:
        bits |= 1 << DRAW
    elif state.waste_size > 0 and state.current_pass < rules.passes:
        bits |= 1 << REDEAL
    for source in range(MAX_PILES + 1):
        card = state.tops[source]
        if EMPTY < card < UNSEEN:
            rank = RANK[card]
            targets = state.piles_at[rank + 1]
            if source == WASTE or state.heights[source] > 1:
                targets |= state.piles_at[0]
            bits |= MOVES_TO[source, targets]
            if state.foundations[SUIT[card]] + 1 == rank:
                bits |= TO_FOUNDATION[source]
    for action in range(len(mask)):
        mask[action] = bits >> action & 1
    return bits != 0


# --- Moves ------------------------------------------------------------------------------------------------------------


@kernel
def apply(rules: Any, state: Any, action: int) -> float:
    if action == DRAW:
        _draw(state)
        return 0.0
    if action == REDEAL:
        _redeal(state)
        return 0.0

    source, to_foundation = SOURCE[action], TARGET[action] == FOUNDATION
    card = _take(state, source)
    if to_foundation:
        state.foundations[SUIT[card]] += 1
    else:
        _put(state, card, TARGET[action])
    return 1.0 if to_foundation and (rules.objective == OBJECTIVE_SCORE or cards_up(state) == NUM_CARDS) else 0.0


@kernel
def _draw(state: Any) -> None:
    card = state.stock[STOCK_SIZE - state.stock_size]
    state.stock_size -= 1
    state.waste_size += 1
    state.waste[STOCK_SIZE - state.waste_size] = card
    state.tops[WASTE] = card
    state.unseen[card - 1] = 0


@kernel
def _redeal(state: Any) -> None:
    state.stock_size = state.waste_size
    state.waste_size = 0
    for index in range(state.stock_size):
        state.stock[STOCK_SIZE - state.stock_size + index] = state.waste[STOCK_SIZE - 1 - index]
    state.tops[WASTE] = EMPTY
    state.current_pass += 1


@kernel
def _put(state: Any, card: int, pile: int) -> None:
    state.tableau[pile, state.heights[pile]] = card
    state.heights[pile] += 1
    _turn_top(state, pile, card)


@kernel
def _turn_top(state: Any, pile: int, card: int) -> None:
    """Records a card, or EMPTY, as a pile's top."""
    state.piles_at[RANK[state.tops[pile]]] ^= 1 << pile
    state.piles_at[RANK[card]] ^= 1 << pile
    state.tops[pile] = card


@kernel
def _take(state: Any, source: int) -> int:
    card = state.tops[source]
    if source == WASTE:
        state.waste_size -= 1
        state.tops[WASTE] = state.waste[STOCK_SIZE - state.waste_size]
    else:
        height = state.heights[source] - 1
        state.heights[source] = height
        state.tableau[source, height] = EMPTY
        _turn_top(state, source, state.tableau[source, height - 1] if height > 0 else EMPTY)
    return int(card)


@kernel
def cards_up(state: Any) -> int:
    count = 0
    for suit in range(4):
        count += int(state.foundations[suit])
    return count


# --- What is reported and shown ---------------------------------------------------------------------------------------


@kernel
def conclude(rules: Any, state: Any, outcome: Any) -> None:
    outcome.score = cards_up(state)
    outcome.won = outcome.score == NUM_CARDS
    outcome.passes = state.current_pass


OBSERVATION = (
    Slots(
        name="tableau",
        size=MAX_PILES * NUM_RANKS,
        high=NUM_CARDS,
        doc="13 slots a pile, from its bottom: card number + 1, 0 no card; a sixth pile not in play is empty",
    ),
    Slots(name="foundations", size=4, high=NUM_RANKS, doc="cards on each, clubs, diamonds, hearts, spades"),
    Slots(name="stock", size=STOCK_SIZE, high=UNSEEN, doc="card number + 1, top first; 0 no card, 53 unseen"),
    Slots(name="waste", size=STOCK_SIZE, high=UNSEEN, doc="card number + 1, top first; 0 no card, 53 unseen"),
    Slots(name="pass", size=1, high=10_000, doc="the pass under way, from 1; it stops counting at 10,000"),
    Slots(name="redeals", size=1, low=-1, high=10_000, doc="redeals left; -1 no limit"),
    Slots(name="unseen", size=NUM_CARDS, high=1, doc="1 for each card, by number, whose place is not known"),
)
AT = first_slots(OBSERVATION)


@kernel
def observe(rules: Any, state: Any, observation: Any) -> None:
    for pile in range(MAX_PILES):
        for index in range(NUM_RANKS):
            observation[AT.tableau + pile * NUM_RANKS + index] = state.tableau[pile, index]
    for suit in range(4):
        observation[AT.foundations + suit] = state.foundations[suit]
    stock = state.stock[STOCK_SIZE - state.stock_size :]
    is_open = rules.information == OPEN
    if is_open or (rules.information == MEMORY and state.current_pass > 1):
        for index in range(STOCK_SIZE):
            observation[AT.stock + index] = stock[index]
    else:
        for index in range(STOCK_SIZE):
            observation[AT.stock + index] = UNSEEN if stock[index] else EMPTY
    waste = state.waste[STOCK_SIZE - state.waste_size :]
    for index in range(STOCK_SIZE):
        observation[AT.waste + index] = waste[index]
    observation[AT.pass_] = min(state.current_pass, 10_000)
    observation[AT.redeals] = -1 if rules.passes == NO_LIMIT else rules.passes - state.current_pass
    for card in range(NUM_CARDS):
        observation[AT.unseen + card] = state.unseen[card] & (not is_open)
    if rules.information == TABLE:
        _hide_what_is_not_face_up(state, observation)


@kernel
def _hide_what_is_not_face_up(state: Any, observation: Any) -> None:
    """Under 'table', hides the place of every card in stock and waste except the waste's top."""
    observation[AT.waste + 1 : AT.waste + max(1, state.waste_size)] = UNSEEN
    for index in range(STOCK_SIZE - state.stock_size, STOCK_SIZE):
        _lose_sight_of(observation, state.stock[index])
    for index in range(STOCK_SIZE - state.waste_size + 1, STOCK_SIZE):
        _lose_sight_of(observation, state.waste[index])


@kernel
def _lose_sight_of(observation: Any, card: int) -> None:
    if card != UNSEEN:
        observation[AT.unseen + card - 1] = 1


@kernel
def imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    """Sets up a state that shows an observation. Where cards of the waste stay unseen, nothing is proved lost."""
    _clear_tableau(rules, state)
    for pile in range(rules.piles):
        for slot in range(AT.tableau + pile * NUM_RANKS, AT.tableau + (pile + 1) * NUM_RANKS):
            if observation[slot] != EMPTY:
                _put(state, observation[slot], pile)
    for suit in range(4):
        state.foundations[suit] = observation[AT.foundations + suit]
    state.stock_size, taken = fill_pile(state.stock, observation, AT.stock, UNSEEN, cards, 0)
    state.waste_size, taken = fill_pile(state.waste, observation, AT.waste, UNSEEN, cards, taken)
    state.tops[WASTE] = state.waste[STOCK_SIZE - state.waste_size]
    state.current_pass = observation[AT.pass_]
    for card in range(NUM_CARDS):
        state.unseen[card] = observation[AT.unseen + card]
    for index in range(STOCK_SIZE - state.stock_size, STOCK_SIZE):
        state.unseen[state.stock[index] - 1] = state.current_pass == 1
    for index in range(STOCK_SIZE - state.waste_size, STOCK_SIZE):
        state.unseen[state.waste[index] - 1] = 0
    state.unseen[UNSEEN - 1] = 0


def move_text(state: Any, action: int) -> str:
    """Returns a move as ``AC>F``, ``9S>TC``, ``KD>empty``, ``draw`` or ``redeal``."""
    if action in (DRAW, REDEAL):
        return ("draw", "redeal")[action]
    source, target = ACTIONS[action]
    card = _shown_top(state, source)
    if target == FOUNDATION:
        return f"{card or '(nothing)'}>F"
    return f"{card or '(nothing)'}>{_shown_top(state, target) or 'empty'}"


def _shown_top(state: Any, place: int) -> str:
    """Returns the text of the top card of a pile or of the waste; empty if there is none."""
    card = int(state.tops[place])
    return "" if card == EMPTY else card_text(card - 1)


def stock_cards(state: Any) -> list[int]:
    """Returns the stock's cards, top first."""
    return [int(card) - 1 for card in state.stock[STOCK_SIZE - state.stock_size : STOCK_SIZE]]


def waste_cards(state: Any) -> list[int]:
    """Returns the waste's cards, top first."""
    return [int(card) - 1 for card in state.waste[STOCK_SIZE - state.waste_size : STOCK_SIZE]]


PILE_NAMES = [*(f"pile {pile + 1}" for pile in range(MAX_PILES)), WASTE_NAME]
FOUNDATIONS = [f"{FOUNDATION_NAME} {PIPS[suit]}" for suit in SUITS]
"""Names of places in the layout."""


def layout(state: Any, options: TourInfernaleOptions, legal: Collection[int]) -> Layout:
    """Returns where the cards lie."""
    playable = {ACTIONS[action][0] for action in legal}
    stock, waste = stock_cards(state), waste_cards(state)
    in_sight = 1 if options.information == "table" else 3
    spots = [
        stock_spot(BACK if stock else None, len(stock), playable=False, redeal=REDEAL in legal),
        *waste_spots(waste[:in_sight], len(waste), playable=WASTE in playable),
    ]
    for suit, count in enumerate(state.foundations.tolist()):
        card = NUM_RANKS * suit + count - 1 if count else None
        spots.append(Spot(x=COLUMNS - 4 + suit, card=card, sign=PIPS[SUITS[suit]], place=FOUNDATIONS[suit]))
    for pile in range(options.piles):
        cards = [int(card) - 1 for card in state.tableau[pile] if card != EMPTY]
        x = (COLUMNS - options.piles) / 2 + pile
        spots += pile_spots(cards, x, playable=pile in playable, place=PILE_NAMES[pile])
    return Layout(height=4.7, columns=COLUMNS, spots=spots)


def gestures(state: Any, action: int) -> list[Gesture]:
    """Returns how a move is played: a card is dropped on its target; to draw or redeal, the stock is touched."""
    if action in (DRAW, REDEAL):
        return [Gesture(STOCK_NAME)]
    source, target = ACTIONS[action]
    onto = FOUNDATIONS[SUIT[state.tops[source]]] if target == FOUNDATION else PILE_NAMES[target]
    return [Gesture(PILE_NAMES[source], onto)]


def hidden(state: Any) -> NDArray[np.int64]:
    """Returns the places in the deck of the cards that have never been face up."""
    return np.flatnonzero(state.unseen[state.deck])


GAME = Game(
    name="tour_infernale",
    options=TourInfernaleOptions,
    state=STATE,
    outcome=pile_outcome(PileShape(TOUR_INFERNALE)),
    observation=OBSERVATION,
    num_actions=num_actions,
    deal=deal,
    legal=legal,
    apply=apply,
    observe=observe,
    conclude=conclude,
    imagine=imagine,
    move_text=move_text,
    layout=layout,
    gestures=gestures,
    hidden=hidden,
    words=WORDS,
)
