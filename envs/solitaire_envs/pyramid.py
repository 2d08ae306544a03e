"""Pyramid, also known as Pile of Twenty-Eight.

Layout
    Cards 1..28 of the deck lie face up in a pyramid, apex first, in rows of 1..7; each card above the bottom row is
    covered by the two below it that overlap it. Cards 29..52 are the stock, card 29 on top. The waste starts empty.
Available cards
    Every pyramid card with both its covers gone; the top of the stock, which lies face up and may be played without
    being drawn; the top of the waste.
Moves
    Discard two available cards whose ranks add up to 13, or an available king alone. Draw: the stock's top goes to the
    waste, even when the two tops would match. Redeal, when the stock is empty, the waste is not, and a pass is left:
    the waste is turned over to become the stock, so its order is the same in each pass.
End
    When no move is left. Clearing the pyramid does not end the game, unless the goal is 'pyramid'.
Score
    Bonus minus cards not discarded; the bonus is 50, 35, 20 when the pyramid is cleared in pass 1, 2, 3, else 0.
    The step rewards are exact: +1 a discarded card and the bonus at the move that clears; they sum to score + 52.

Rulings where the traditional rules are silent
    - Looking at the waste or the discarded cards never changes their order. So a player with perfect memory knows
      everything from pass 2 on, and in pass 1 the set, not the order, of the undrawn cards.
    - With the goal 'pyramid', clearing it wins and ends the game at once; the cards left in stock and waste count in
      the score.
    - Clearing in pass 4 or later (option ``passes``) earns no bonus.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.game import (
    MEMORY,
    OPEN,
    TABLE,
    BlockShare,
    Game,
    Options,
    Outcome,
    Slots,
    fill_pile,
    first_slots,
    option,
    state_dtype,
)
from solitaire_envs.jit import kernel
from solitaire_envs.pyramid_table import (
    ACTION_OF,
    COVERED,
    COVERS,
    DRAW,
    FIRST,
    KING,
    NO_PLACE,
    NUM_ACTIONS,
    PYRAMID_SIZE,
    RANK,
    REDEAL,
    SECOND,
    STOCK,
    STOCK_SIZE,
    UNSEEN,
    WASTE,
    gestures,
    layout,
    move_text,
)
from solitaire_envs.pyramid_words import WORDS

CLEARED_BONUS = np.array([50, 35, 20], dtype=np.int64)
GOAL_PYRAMID = OBJECTIVE_WIN = 1  # these choices as numbers in a rules record


@dataclass(frozen=True, kw_only=True)
class PyramidOptions(Options):
    """Options of Pyramid."""

    passes: int = option(3, "Passes through the stock; one more than there are redeals.", limits="passes")
    stock_waste_pairs: bool = option(True, "Whether the tops of stock and waste may be paired.")
    goal: Literal["all", "pyramid"] = option("all", "What wins: all 52 cards discarded, or the 28 of the pyramid.")
    objective: Literal["score", "win"] = option("score", "Rewards: the exact steps of the score, or 1 for a win.")


# --- State ------------------------------------------------------------------------------------------------------------

STATE = state_dtype(
    [
        ("pyramid", "i4"),  # bit p: the card at position p is still there
        ("available", "i4"),  # bit p: ... and nothing covers it
        ("ranks", "u1", PYRAMID_SIZE),  # rank of the card at a position, 0 once it is gone
        ("positions_of", "i4", KING + 1),  # rank -> bits of the positions that hold it at the deal
        # Stock and waste hold 16 * suit + rank, or UNSEEN, from their tops at index STOCK_SIZE - size. Zeros follow the
        # last card, so the top of an empty pile, and any place past a pile's end, reads 0.
        ("stock", "u1", 2 * STOCK_SIZE),
        ("waste", "u1", 2 * STOCK_SIZE),
        ("stock_size", "i4"),
        ("waste_size", "i4"),
        ("unseen", "u1", UNSEEN + 1),  # rank -> number of stock cards that have never been face up
        ("current_pass", "i4"),  # from 1
        ("cleared_in_pass", "i4"),  # 0: not cleared
        ("discarded", "i4"),
    ]
)


@kernel
def deal(rules: Any, state: Any) -> None:
    state.pyramid = (1 << PYRAMID_SIZE) - 1
    state.available = 0
    state.positions_of[:] = 0
    state.unseen[:] = 0
    for position in range(PYRAMID_SIZE):
        rank = RANK[state.deck[position]]
        state.ranks[position] = rank
        state.positions_of[rank] |= 1 << position
        if COVERS[position] == 0:
            state.available |= 1 << position
    state.stock[:] = 0
    state.waste[:] = 0
    for index in range(STOCK_SIZE):
        card = state.deck[PYRAMID_SIZE + index]
        state.stock[index] = 16 * (card // NUM_RANKS) + RANK[card]
        state.unseen[RANK[card]] += 1
    state.stock_size = STOCK_SIZE
    state.waste_size = 0
    state.current_pass = 1
    state.cleared_in_pass = 0
    state.discarded = 0
    _turn_up_stock_top(state)


@kernel
def _turn_up_stock_top(state: Any) -> None:
    if state.current_pass == 1 and state.stock_size > 0:
        state.unseen[_stock_rank(state)] -= 1


@kernel
def _stock_rank(state: Any) -> int:
    return int(state.stock[STOCK_SIZE - state.stock_size]) & 15


@kernel
def _waste_rank(state: Any) -> int:
    return int(state.waste[STOCK_SIZE - state.waste_size]) & 15


# --- Legal moves ------------------------------------------------------------------------------------------------------


@kernel
def legal(rules: Any, state: Any, mask: Any) -> bool:
    mask[:] = False
    if rules.goal == GOAL_PYRAMID and state.pyramid == 0:
        return False
    found = False
    if state.stock_size > 0:
        mask[DRAW] = found = True
    elif state.waste_size > 0 and state.current_pass < rules.passes:
        mask[REDEAL] = found = True

    for low in range(1, KING // 2 + 1):  # ace + queen, 2 + jack, ... 6 + 7
        lows = state.positions_of[low] & state.available
        highs = state.positions_of[KING - low] & state.available
        while lows and highs:
            _allow_pairs(mask, _lowest(lows), highs)
            lows &= lows - 1
            found = True
    kings = state.positions_of[KING] & state.available
    while kings:
        position = _lowest(kings)
        mask[ACTION_OF[position, position]] = found = True
        kings &= kings - 1

    stock, waste = _stock_rank(state), _waste_rank(state)
    if _allow_top(state, mask, STOCK, stock) | _allow_top(state, mask, WASTE, waste):
        found = True
    if stock + waste == KING and stock and waste and rules.stock_waste_pairs:
        mask[ACTION_OF[STOCK, WASTE]] = found = True
    return found


@kernel
def _allow_top(state: Any, mask: Any, place: int, rank: int) -> bool:
    """Allows the discards of a pile's top, alone or with a pyramid card; its rank is 0 if the pile is empty."""
    if rank == KING:
        mask[ACTION_OF[place, place]] = True
        return True
    partners = state.positions_of[KING - rank] & state.available if 0 < rank < KING else 0
    _allow_pairs(mask, place, partners)
    return bool(partners != 0)


@kernel
def _allow_pairs(mask: Any, place: int, partners: int) -> None:
    while partners:
        mask[ACTION_OF[place, _lowest(partners)]] = True
        partners &= partners - 1


_BIT_OF_RESIDUE = np.zeros(37, dtype=np.int64)
for _bit in range(PYRAMID_SIZE):
    _BIT_OF_RESIDUE[(1 << _bit) % 37] = _bit


@kernel
def _lowest(bits: int) -> int:
    """Returns the number of the lowest bit set: the powers of two below 2**28 all differ modulo 37."""
    return int(_BIT_OF_RESIDUE[(bits & -bits) % 37])


# --- Moves ------------------------------------------------------------------------------------------------------------


@kernel
def apply(rules: Any, state: Any, action: int) -> float:
    if action == DRAW:
        state.waste_size += 1
        state.waste[STOCK_SIZE - state.waste_size] = state.stock[STOCK_SIZE - state.stock_size]
        _take_stock_top(state)
        return 0.0
    if action == REDEAL:
        state.stock_size = state.waste_size
        state.waste_size = 0
        for index in range(state.stock_size):
            state.stock[STOCK_SIZE - state.stock_size + index] = state.waste[STOCK_SIZE - 1 - index]
        state.current_pass += 1
        return 0.0

    had_pyramid = state.pyramid != 0
    _discard(state, FIRST[action])
    if SECOND[action] != NO_PLACE:
        _discard(state, SECOND[action])
    discarded = 1 if SECOND[action] == NO_PLACE else 2
    state.discarded += discarded
    reward = float(discarded)
    if had_pyramid and state.pyramid == 0:
        state.cleared_in_pass = state.current_pass
        reward += bonus(state)
    if rules.objective == OBJECTIVE_WIN:
        return 1.0 if _is_won(rules, state) else 0.0
    return reward


@kernel
def _take_stock_top(state: Any) -> None:
    state.stock_size -= 1
    _turn_up_stock_top(state)


@kernel
def _discard(state: Any, place: int) -> None:
    if place == STOCK:
        _take_stock_top(state)
    elif place == WASTE:
        state.waste_size -= 1
    else:
        state.pyramid ^= 1 << place
        state.available ^= 1 << place
        state.ranks[place] = 0
        for side in range(2):
            below = COVERED[place, side]
            if below != NO_PLACE and COVERS[below] & state.pyramid == 0:
                state.available |= 1 << below


@kernel
def bonus(state: Any) -> int:
    """Returns the bonus that clearing the pyramid has earned."""
    in_pass = state.cleared_in_pass
    return int(CLEARED_BONUS[in_pass - 1]) if 1 <= in_pass <= len(CLEARED_BONUS) else 0


@kernel
def _is_won(rules: Any, state: Any) -> bool:
    return bool(state.pyramid == 0 and (rules.goal == GOAL_PYRAMID or state.discarded == NUM_CARDS))


# --- What is reported and shown ---------------------------------------------------------------------------------------

OUTCOME = (
    Outcome(name="score", kind="mean", doc="bonus minus the cards not discarded"),
    Outcome(name="won", kind="share", doc="all 52 cards are discarded, or what the goal asks for"),
    Outcome(name="cleared", kind="share", doc="the 28 cards of the pyramid are gone"),
    Outcome(name="cleared_in_pass", kind="note", doc="the pass in which the pyramid was cleared, 0 if it was not"),
    Outcome(name="passes", kind="count", doc="the pass under way at the end, from 1", status="pass"),
)


@kernel
def score(state: Any) -> int:
    return bonus(state) - (NUM_CARDS - int(state.discarded))


@kernel
def conclude(rules: Any, state: Any, outcome: Any) -> None:
    outcome.score = score(state)
    outcome.won = _is_won(rules, state)
    outcome.cleared = state.pyramid == 0
    outcome.cleared_in_pass = state.cleared_in_pass
    outcome.passes = state.current_pass


OBSERVATION = (
    Slots(name="pyramid", size=PYRAMID_SIZE, high=13, doc="rank 1..13 at each position, apex first; 0 gone"),
    Slots(name="stock", size=STOCK_SIZE, high=14, doc="rank, top first; 0 no card, 14 unseen"),
    Slots(name="waste", size=STOCK_SIZE, high=14, doc="rank, top first; 0 no card, 14 unseen"),
    Slots(name="pass", size=1, high=10_000, doc="the pass under way, from 1"),
    Slots(name="redeals", size=1, high=10_000, doc="redeals left"),
    Slots(name="unseen", size=KING, high=4, doc="for each rank, ace first, the cards whose place is not known"),
)
AT = first_slots(OBSERVATION)


@kernel
def observe(rules: Any, state: Any, observation: Any) -> None:
    for position in range(PYRAMID_SIZE):
        observation[position] = state.ranks[position]
    stock = state.stock[STOCK_SIZE - state.stock_size :]
    if rules.information == OPEN or (rules.information == MEMORY and state.current_pass > 1):
        for index in range(STOCK_SIZE):
            observation[AT.stock + index] = stock[index] & 15
    else:
        for index in range(STOCK_SIZE):
            observation[AT.stock + index] = UNSEEN if stock[index] else 0
        observation[AT.stock] = stock[0] & 15
    waste = state.waste[STOCK_SIZE - state.waste_size :]
    for index in range(STOCK_SIZE):
        observation[AT.waste + index] = waste[index] & 15
    observation[AT.pass_] = state.current_pass
    observation[AT.redeals] = rules.passes - state.current_pass
    memory = rules.information == MEMORY
    for rank in range(1, KING + 1):
        observation[AT.unseen + rank - 1] = state.unseen[rank] * memory
    if rules.information == TABLE:
        _hide_what_is_not_face_up(state, observation)


@kernel
def _hide_what_is_not_face_up(state: Any, observation: Any) -> None:
    """Under 'table', hides the place of every card that is not face up now, whether it is in a pile or discarded."""
    observation[AT.waste + 1 : AT.waste + max(1, state.waste_size)] = UNSEEN
    for rank in range(1, KING + 1):
        observation[AT.unseen + rank - 1] = 4
    for slot in range(AT.waste + 1):
        if 0 < observation[slot] < UNSEEN:
            observation[AT.unseen + int(observation[slot]) - 1] -= 1


@kernel
def imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    """Sets up a state that shows an observation. All its cards are clubs, as suits make no difference.

    An observation does not tell in which pass the pyramid was cleared. What the state says stays, if it can be so; else
    it is the pass under way.
    """
    state.pyramid = 0
    state.available = 0
    state.positions_of[:] = 0
    state.discarded = NUM_CARDS
    for position in range(PYRAMID_SIZE - 1, -1, -1):  # covers first
        rank = observation[AT.pyramid + position]
        state.ranks[position] = rank
        if rank > 0:
            state.deck[position] = rank - 1
            state.pyramid |= 1 << position
            state.available |= (COVERS[position] & state.pyramid == 0) << position
            state.positions_of[rank] |= 1 << position
            state.discarded -= 1
    state.stock_size, taken = fill_pile(state.stock, observation, AT.stock, UNSEEN, cards, 0)
    state.waste_size, taken = fill_pile(state.waste, observation, AT.waste, UNSEEN, cards, taken)
    state.current_pass = observation[AT.pass_]
    state.discarded -= state.stock_size + state.waste_size
    if state.pyramid:
        state.cleared_in_pass = 0
    elif not 1 <= state.cleared_in_pass <= state.current_pass:
        state.cleared_in_pass = state.current_pass
    memory = rules.information == MEMORY
    state.unseen[:] = 0
    for rank in range(1, KING + 1):
        state.unseen[rank] = observation[AT.unseen + rank - 1] * memory
    for index in range(STOCK_SIZE - state.stock_size + 1, STOCK_SIZE if state.current_pass == 1 else 0):
        state.unseen[state.stock[index]] += not memory or state.stock[index] == UNSEEN


def hidden(state: Any) -> NDArray[np.int64]:
    """Returns the places in the deck of the cards that have never been face up: in pass 1, below the stock's top."""
    return np.arange(NUM_CARDS - state.stock_size + 1 if state.current_pass == 1 else NUM_CARDS, NUM_CARDS)


PAR_SHARE = BlockShare(name="par", size=6, field="score", at_least=0, doc="six deals with a total of zero or more")

GAME = Game(
    name="pyramid",
    options=PyramidOptions,
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
    remembered=("cleared_in_pass",),
    move_text=move_text,
    layout=layout,
    gestures=gestures,
    hidden=hidden,
    words=WORDS,
    score_range=lambda options: (-NUM_CARDS, int(CLEARED_BONUS.max())),
    blocks=(PAR_SHARE,),
)
