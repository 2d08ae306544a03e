"""Golf.

Layout
    Cards 1..35 of the deck lie face up in seven columns of five, dealt row by row: cards 1..7 are the lowest of columns
    1..7, cards 29..35 their tops. Card 36 starts the waste. The rest is the stock, face down, card 37 on top.
Moves
    Play: the top of a column goes to the waste, if its rank is one higher or lower than that of the waste's top.
    Draw, at any time: the stock's top goes to the waste. There is no redeal.
End
    Won when all columns are empty, lost when no move is legal.
Score
    Minus the number of cards left in the columns. The reward is 1 for each card played, so rewards add up to
    score + 35; under the objective 'win' it is 1 at the move that wins, else 0.

Rulings where the traditional rules are silent
    - Traditional scores are the number of cards left, and low is good; here higher is better, as in the other games.
    - A win ends the game at once; the cards left in the stock earn nothing.
    - A queen may go on a king. King and ace are neighbours with the option ``wrap`` only.
    - A match is nine deals; its par is 36 cards left.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, card_text
from solitaire_envs.game import (
    MEMORY,
    OPEN,
    TABLE,
    BlockShare,
    Game,
    Options,
    Outcome,
    Slots,
    first_slots,
    next_card,
    option,
    state_dtype,
)
from solitaire_envs.jit import kernel
from solitaire_envs.layout import BACK, STOCK_NAME, WASTE_NAME, Gesture, Layout, pile_spots, stock_spot, waste_spots

COLUMNS, ROWS = 7, 5
STARTER = COLUMNS * ROWS  # index in the deck of the card that starts the waste
STOCK = STARTER + 1  # index of the stock's first card
STOCK_SIZE = NUM_CARDS - STOCK
UNSEEN = NUM_RANKS + 1

DRAW = COLUMNS
"""The last action; those before it play the top of the column of their number, from 0."""
NUM_ACTIONS = COLUMNS + 1

RANK = np.array([*(card % NUM_RANKS + 1 for card in range(NUM_CARDS)), UNSEEN], dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class GolfOptions(Options):
    """Options of Golf."""

    wrap: bool = option(False, "Whether king and ace are neighbours.")
    objective: Literal["score", "win"] = option("score", "Rewards: 1 for each card of the columns, or 1 for a win.")


OBJECTIVE_SCORE = 0  # how the choice reads in a rules record

# --- State ------------------------------------------------------------------------------------------------------------
# A card is named by its index in the deck: the columns never change but at their tops. The number after the last card
# stands for one that nothing is known of.

STATE = state_dtype(
    [
        ("heights", "i4", COLUMNS),  # cards in each column
        ("drawn", "i4"),  # cards drawn from the stock
        ("top", "i4"),  # index of the waste's top
        ("unseen", "u1", UNSEEN + 1),  # rank -> cards in the stock
    ]
)


@kernel
def top_of(column: int, height: int) -> int:
    """Returns the index of a column's top when it has so many cards, at least one."""
    return COLUMNS * (height - 1) + column


@kernel
def rank_at(state: Any, index: int) -> int:
    return int(RANK[state.deck[index]])


@kernel
def cards_left(state: Any) -> int:
    count = 0
    for column in range(COLUMNS):
        count += state.heights[column]
    return count


@kernel
def are_neighbours(rank: int, other: int, wrap: int) -> bool:
    difference = abs(rank - other)
    known = max(rank, other) < UNSEEN
    return known and (difference == 1 or (wrap != 0 and difference == NUM_RANKS - 1))


# --- Rules ------------------------------------------------------------------------------------------------------------


@kernel
def deal(rules: Any, state: Any) -> None:
    state.heights[:] = ROWS
    state.drawn = 0
    state.top = STARTER
    state.unseen[:] = 0
    for index in range(STOCK, NUM_CARDS):
        state.unseen[rank_at(state, index)] += 1


@kernel
def legal(rules: Any, state: Any, mask: Any) -> bool:
    found = mask[DRAW] = state.drawn < STOCK_SIZE and cards_left(state) > 0
    rank = rank_at(state, state.top)
    for column in range(COLUMNS):
        height = state.heights[column]
        mask[column] = height > 0 and are_neighbours(rank, rank_at(state, top_of(column, height)), rules.wrap)
        found |= mask[column]
    return found


@kernel
def apply(rules: Any, state: Any, action: int) -> float:
    if action == DRAW:
        state.top = STOCK + state.drawn
        state.drawn += 1
        state.unseen[rank_at(state, state.top)] -= 1
        return 0.0
    state.top = top_of(action, state.heights[action])
    state.heights[action] -= 1
    return 1.0 if rules.objective == OBJECTIVE_SCORE or cards_left(state) == 0 else 0.0


# --- What is reported and shown ---------------------------------------------------------------------------------------

OUTCOME = (
    Outcome(name="score", kind="mean", doc="minus the cards left in the columns"),
    Outcome(name="won", kind="share", doc="the columns are empty"),
    Outcome(name="drawn", kind="count", doc="cards drawn from the stock", status="drawn"),
)
PAR = BlockShare(
    name="par", size=9, field="score", at_least=-36, doc="matches of nine deals with 36 cards left at most"
)


@kernel
def conclude(rules: Any, state: Any, outcome: Any) -> None:
    outcome.score = -cards_left(state)
    outcome.won = cards_left(state) == 0
    outcome.drawn = state.drawn


OBSERVATION = (
    Slots(name="tableau", size=STARTER, high=NUM_RANKS, doc="5 slots a column, from its top: rank 1..13, 0 no card"),
    Slots(name="waste", size=1, low=1, high=NUM_RANKS, doc="rank of its top"),
    Slots(name="stock", size=STOCK_SIZE, high=UNSEEN, doc="rank, top first; 0 no card, 14 unseen"),
    Slots(name="unseen", size=NUM_RANKS, high=4, doc="cards of each rank, ace to king, whose place is not known"),
    Slots(name="wrap", size=1, high=1, doc="1 if king and ace are neighbours"),
)
AT = first_slots(OBSERVATION)


@kernel
def observe(rules: Any, state: Any, observation: Any) -> None:
    observation[:] = 0
    for column in range(COLUMNS):
        height = state.heights[column]
        for depth in range(height):
            observation[ROWS * column + depth] = rank_at(state, top_of(column, height - depth))
    observation[AT.waste] = rank_at(state, state.top)
    for place, index in enumerate(range(STOCK + state.drawn, NUM_CARDS)):
        observation[AT.stock + place] = rank_at(state, index) if rules.information == OPEN else UNSEEN
    for rank in range(1, NUM_RANKS + 1):
        observation[AT.unseen + rank - 1] = state.unseen[rank] * (rules.information == MEMORY)
    if rules.information == TABLE:
        _hide_what_is_not_face_up(observation)
    observation[AT.wrap] = rules.wrap


@kernel
def _hide_what_is_not_face_up(observation: Any) -> None:
    for rank in range(1, NUM_RANKS + 1):
        observation[AT.unseen + rank - 1] = 4
    for slot in range(AT.tableau, AT.waste + 1):
        if 0 < observation[slot] < UNSEEN:
            observation[AT.unseen + int(observation[slot]) - 1] -= 1


@kernel
def imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    """Sets up a state that shows an observation. All its cards are clubs, as suits make no difference."""
    for column in range(COLUMNS):
        first, height = AT.tableau + ROWS * column, 0
        while height < ROWS and observation[first + height] > 0:
            height += 1
        for depth in range(height):
            state.deck[top_of(column, height - depth)] = observation[first + depth] - 1
        state.heights[column] = height
    state.deck[STARTER] = _card_of(observation[AT.waste])
    state.top = STARTER
    state.unseen[:] = 0
    for rank in range(1, NUM_RANKS + 1):
        state.unseen[rank] = observation[AT.unseen + rank - 1] * (rules.information == MEMORY)
    state.drawn, taken = STOCK_SIZE, 0
    for place in range(STOCK_SIZE):
        state.drawn -= observation[AT.stock + place] > 0
    for index in range(STOCK + state.drawn, NUM_CARDS):
        shown = observation[AT.stock + index - STOCK - state.drawn]
        rank, taken = next_card(shown, UNSEEN, cards, taken)
        state.deck[index] = _card_of(rank)
        state.unseen[rank] += rules.information != MEMORY or rank == UNSEEN


@kernel
def _card_of(rank: int) -> int:
    return NUM_CARDS if rank == UNSEEN else rank - 1


def move_text(state: Any, action: int) -> str:
    """Returns a move as the card that it plays, such as ``9S``, or ``draw``."""
    if action == DRAW:
        return "draw"
    cards = column_cards(state, action)
    return card_text(cards[-1]) if cards else "(nothing)"


def column_cards(state: Any, column: int) -> list[int]:
    """Returns a column's cards, its top last."""
    cards: list[int] = state.deck[column:STARTER:COLUMNS].tolist()
    return cards[: state.heights[column]]


def layout(state: Any, options: GolfOptions, legal: Collection[int]) -> Layout:
    """Returns where the cards lie."""
    stock = STOCK_SIZE - int(state.drawn)
    waste = NUM_CARDS - stock - int(state.heights.sum())
    spots = [
        stock_spot(BACK if stock else None, stock, playable=False, redeal=False),
        *waste_spots([int(state.deck[state.top])], waste, playable=False),
    ]
    for column in range(COLUMNS):
        cards, place = column_cards(state, column), f"column {column + 1}"
        spots += pile_spots(cards, column, playable=column in legal, place=place)
    return Layout(spots=spots, height=3.4, columns=COLUMNS)


def gestures(state: Any, action: int) -> list[Gesture]:
    """Returns how a move is played: touch the stock, or a column; or drop its top on the waste."""
    if action == DRAW:
        return [Gesture(STOCK_NAME)]
    column = f"column {action + 1}"
    return [Gesture(column, WASTE_NAME), Gesture(column)]


def hidden(state: Any) -> NDArray[np.int64]:
    """Returns the places in the deck of the cards that have never been face up: the stock."""
    return np.arange(STOCK + state.drawn, NUM_CARDS)


GAME = Game(
    name="my_golf",
    options=GolfOptions,
    state=STATE,
    outcome=OUTCOME,
    observation=OBSERVATION,
    num_actions=lambda options: NUM_ACTIONS,
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
    score_range=lambda options: (-STARTER, 0),
    blocks=(PAR,),
)
