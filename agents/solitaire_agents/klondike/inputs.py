"""The inputs that describe a candidate of Klondike to a network.

Inputs are on or off. They tell on what each face-up card lies and how many face-down cards lie beneath, when each card
of the talon can come up, which cards have not been seen, and how high the foundations are. Other inputs name ranks but
no suits, so that what is learned about one suit holds for all: where cards are, where the next cards of the foundations
are, and what the piles with face-down cards wait for. Piles are told apart only by their number of face-down cards.

The position is the one before chance comes in: cards that the candidate turns up or draws are still unknown.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import comes_up
from solitaire_agents.klondike.candidates import (
    ACTION,
    CARDS,
    DRAWN,
    DRAWS,
    FROM_TABLE,
    IS_RED,
    PLACE,
    REDEALS,
    RETURNS,
    SEEN,
    TABLES,
    copy_table,
    move_run,
    wanted_on,
)
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import kernel
from solitaire_envs.klondike import KIND, SOURCE, STOCK_SIZE, TARGET
from solitaire_envs.klondike_table import DRAW, EMPTY, FOUNDATION, PILES, RANK, SUIT, WASTE

UNKNOWN, ON_FOUNDATION, FOUNDATION_TOP = range(3)
"""Codes of a card's place: not seen yet, on a foundation, or a foundation's top that may come back. Codes of the talon
and of the tableau follow."""
TALON: Final = 3
"""First code of the talon, that of the waste's top. The next 16 tell how the card comes up in this pass (0: not by
draws, it lies in the waste; 1: by draws; 2, 3: by draws, once 1 or 2 cards before it are gone), and in the next pass
(0: by draws; 1, 2: by draws, once 1 or 2 cards are gone; 3: there is no next pass)."""
TABLEAU: Final = TALON + 1 + 4 * 4
"""First code of the tableau, that of a pile's top. The next are: one card on it, two or three, more."""
CODES: Final = TABLEAU + 4
COARSE: Final = np.array(
    [0, 1, 2, 3]
    + [3 if this == 1 else 4 if later == 0 else 5 for this in range(4) for later in range(4)]
    + [6, 7, 7, 7]
)
"""Code -> one of eight kinds: those of the talon are within reach in this pass, in the next, or not; those of the
tableau are a pile's top or not."""
KINDS: Final = 8
AHEAD: Final = 4
"""Number of next cards of each suit whose places are inputs."""
KING: Final = NUM_RANKS
MOST_REDEALS: Final = 3
MOST_PLAYABLE: Final = 12

_ON: Final = 0  # a face-up card, and what it lies on: nothing that is face up, or one of the two cards that it fits on
_DOWNS: Final = _ON + 3 * NUM_CARDS  # a face-up card, and how many cards of its pile are face down
_TOP: Final = _DOWNS + PILES * NUM_CARDS
_TALON: Final = _TOP + NUM_CARDS
_UNKNOWN: Final = _TALON + (TABLEAU - TALON) * NUM_CARDS
_UP: Final = _UNKNOWN + NUM_CARDS
_ALL_UP: Final = _UP + 4 * (NUM_RANKS + 1)
_RANK: Final = _ALL_UP + NUM_CARDS + 1  # a card's rank, how high its foundation is, and where it is
_NEXT: Final = _RANK + NUM_RANKS * NUM_RANKS * KINDS
_WAITS: Final = _NEXT + NUM_RANKS * AHEAD * CODES  # a pile with face-down cards, and the two that it could move on to
_RANK_WAITS: Final = _WAITS + PILES * KINDS * KINDS
_TALON_WAITS: Final = _RANK_WAITS + NUM_RANKS * KINDS * KINDS  # the same for a card of the talon, by when it comes up
_TALON_RANK_WAITS: Final = _TALON_WAITS + 3 * KINDS * KINDS
_TOP_WAITS: Final = _TALON_RANK_WAITS + NUM_RANKS * KINDS * KINDS  # a pile's top, and the two cards that fit on it
_BOTTOM: Final = _TOP_WAITS + NUM_RANKS * KINDS * KINDS
_TO_GO: Final = _BOTTOM + PILES * NUM_RANKS
_HEIGHT: Final = _TO_GO + PILES * NUM_RANKS
_TURNS: Final = _HEIGHT + PILES * (NUM_RANKS + 1)
_PILES: Final = _TURNS + PILES
_EMPTY: Final = _PILES + PILES * (PILES + 1)
_ALL_DOWN: Final = _EMPTY + PILES + 1
_CARDS: Final = _ALL_DOWN + PILES * (PILES - 1) // 2 + 1
_UNSEEN: Final = _CARDS + STOCK_SIZE + 1
_REDEALS: Final = _UNSEEN + STOCK_SIZE + 1  # the last of them: no limit
_RULES: Final = _REDEALS + MOST_REDEALS + 2
_DRAWS: Final = _RULES + 4
_PLAYABLE: Final = _DRAWS + 1
INPUTS: Final = _PLAYABLE + 2 * (MOST_PLAYABLE + 1)
"""Number of inputs."""
MOST_ON: Final = 384
"""Most inputs that are on at a time: 5 for each card, 16 for the next cards, 5 for each of 7 piles, 30 more."""


@kernel
def describe(storage: Any, k: int, on: Any) -> int:
    """Writes the inputs that are on for candidate k; returns how many. As in `Choices`."""
    work = storage.work[0]
    candidate, now = work.candidates[k], work.now
    action, place = candidate[ACTION], candidate[PLACE]
    copy_table(work, candidate[FROM_TABLE], TABLES)
    cards, drawn, redeals = now[CARDS], now[DRAWN], now[REDEALS]
    seen = cards if now[SEEN] else drawn
    if place > 0:
        if place < drawn or not comes_up(place, drawn, now[DRAWS], cards):
            redeals -= redeals > 0
        cards, seen, drawn = cards - 1, seen - 1, place - 1
    turned = -1
    if action == DRAW:
        drawn = min(drawn + now[DRAWS], cards)
    else:
        turned = _play(work, action, place)
    _find_foundations(work)
    n = _talon_inputs(work, place, cards, drawn, seen, redeals, on)
    n = _tableau_inputs(work, on, n)
    n = _card_inputs(work, on, n)
    empty = _empty_piles(work)
    n = _waiting_talon(work, place, seen, empty, on, n)
    n = _pile_inputs(work, on, n, turned, empty)
    on[n], on[n + 1] = _CARDS + cards, _UNSEEN + cards - seen
    on[n + 2] = _REDEALS + (MOST_REDEALS + 1 if redeals < 0 else min(redeals, MOST_REDEALS))
    on[n + 3], on[n + 4] = _RULES + (now[DRAWS] > 1), _RULES + 2 + now[RETURNS]
    on[n + 5] = _DRAWS
    return int(n + 5 + (action == DRAW))


@kernel
def _play(work: Any, action: int, place: int) -> int:
    """Makes the last move on the described table; returns the pile where it turns up a card, or -1."""
    piles, heights, ups = work.piles[TABLES], work.heights[TABLES], work.ups[TABLES]
    source, target = SOURCE[action], TARGET[action]
    if source == WASTE:
        card, moved = work.talon[place - 1], 0
    else:
        card, moved = piles[source, heights[source] - 1], 1
    if target == FOUNDATION:
        ups[SUIT[card]] += 1
        if source != WASTE:
            heights[source] -= 1
    elif source == WASTE:
        piles[target, heights[target]] = card
        heights[target] += 1
    else:
        moved = RANK[piles[target, heights[target] - 1]] - RANK[card] if heights[target] > 0 else heights[source]
        move_run(piles, heights, source, target, moved)
    return source if moved > 0 and heights[source] == 0 and work.downs[source] > 0 else -1


# --- Cards ------------------------------------------------------------------------------------------------------------


@kernel
def _find_foundations(work: Any) -> None:
    """Records the cards on the foundations; all others count as not seen at first."""
    for suit in range(4):
        first, height = NUM_RANKS * suit + 1, work.ups[TABLES, suit]
        for card in range(first, first + NUM_RANKS):
            work.where[card] = ON_FOUNDATION if card < first + height else UNKNOWN
        if height > 0 and work.now[RETURNS]:
            work.where[first + height - 1] = FOUNDATION_TOP


@kernel
def _talon_inputs(work: Any, gone: int, cards: int, drawn: int, seen: int, redeals: int, on: Any) -> int:
    """Writes when the cards of the talon can come up, and how many of them fit; returns the number of inputs."""
    (wanted, _), draws, now_playable, later_playable, n = wanted_on(work, TABLES), work.now[DRAWS], 0, 0, 0
    for place in range(1, seen + 1):
        card = work.talon[place - 1 + (0 < gone <= place)]
        later = 3 if redeals == 0 else 0 if comes_up(place, 0, draws, cards) else place % draws
        code = TALON
        if place != drawn:
            this = 0 if place < drawn else 1 if comes_up(place, drawn, draws, cards) else 1 + (place - drawn) % draws
            code += 1 + 4 * this + later
        work.where[card] = code
        on[n] = _TALON + (card - 1) * (TABLEAU - TALON) + code - TALON
        n += 1
        if wanted >> KIND[card] & 1 or work.ups[TABLES, SUIT[card]] == RANK[card] - 1:
            coarse = COARSE[code]
            now_playable += coarse == COARSE[TALON]
            later_playable += coarse == COARSE[TALON + 1]
    on[n] = _PLAYABLE + min(now_playable, MOST_PLAYABLE)
    on[n + 1] = _PLAYABLE + MOST_PLAYABLE + 1 + min(later_playable, MOST_PLAYABLE)
    return n + 2


@kernel
def _tableau_inputs(work: Any, on: Any, n: int) -> int:
    """Writes what the face-up cards lie on; returns the number of inputs."""
    for pile in range(PILES):
        height, below = work.heights[TABLES, pile], EMPTY
        for depth in range(height):
            card, above = work.piles[TABLES, pile, depth], height - 1 - depth
            which = 0 if depth == 0 else 1 + (SUIT[below] > 1)
            on[n] = _ON + 3 * (card - 1) + which
            on[n + 1] = _DOWNS + PILES * (card - 1) + work.downs[pile]
            n += 2
            if above == 0:
                on[n] = _TOP + card - 1
                n += 1
            work.where[card] = TABLEAU + (above if above < 2 else 2 if above < 4 else 3)
            below = card
    return n


@kernel
def _card_inputs(work: Any, on: Any, n: int) -> int:
    """Writes cards' places by rank, unseen cards, and the places of the next cards; returns the number of inputs."""
    where, all_up = work.where, 0
    for suit in range(4):
        height = work.ups[TABLES, suit]
        all_up += height
        on[n] = _UP + (NUM_RANKS + 1) * suit + height
        n += 1
        for rank in range(height + 1, NUM_RANKS + 1):
            card = NUM_RANKS * suit + rank
            on[n] = _RANK + ((rank - 1) * NUM_RANKS + height) * KINDS + COARSE[where[card]]
            n += 1
            if where[card] == UNKNOWN:
                on[n] = _UNKNOWN + card - 1
                n += 1
        for ahead in range(min(AHEAD, NUM_RANKS - height)):
            on[n] = _NEXT + (height * AHEAD + ahead) * CODES + where[NUM_RANKS * suit + height + 1 + ahead]
            n += 1
    on[n] = _ALL_UP + all_up
    return n + 1


# --- What cards wait for ----------------------------------------------------------------------------------------------


@kernel
def _waiting_talon(work: Any, gone: int, seen: int, empty: int, on: Any, n: int) -> int:
    """Writes what the known cards of the talon wait for; returns the number of inputs."""
    for place in range(1, seen + 1):
        card = work.talon[place - 1 + (0 < gone <= place)]
        when, pair = COARSE[work.where[card]] - COARSE[TALON], _hosts(work, card, empty)
        on[n] = _TALON_WAITS + when * KINDS * KINDS + pair
        n += 1
        if when < 2:
            on[n] = _TALON_RANK_WAITS + (RANK[card] - 1) * KINDS * KINDS + pair
            n += 1
    return n


@kernel
def _hosts(work: Any, card: int, empty: int) -> int:
    """Returns the kinds of place of the two cards that a card fits on; for a king, whether a pile is empty."""
    if RANK[card] == KING:
        return int((KINDS + 1) * (KINDS - 1 - (empty > 0)))
    return _pair(work, card, RANK[card] + 1)


@kernel
def _pair(work: Any, card: int, rank: int) -> int:
    """Returns the kinds of place of the two cards of a rank and the other colour, the lower kind first."""
    low, high = KINDS, -1
    for suit in range(4):
        if IS_RED[suit] != IS_RED[SUIT[card]]:
            kind = COARSE[work.where[NUM_RANKS * suit + rank]]
            low, high = min(low, kind), max(high, kind)
    return KINDS * low + high


@kernel
def _empty_piles(work: Any) -> int:
    empty = 0
    for pile in range(PILES):
        empty += work.heights[TABLES, pile] == 0 and work.downs[pile] == 0
    return empty


@kernel
def _pile_inputs(work: Any, on: Any, n: int, turned: int, empty: int) -> int:
    """Writes what the piles wait for, and the number of piles of each sort; returns the number of inputs."""
    counts, all_down = 0, 0
    for pile in range(PILES):
        height, downs = work.heights[TABLES, pile], work.downs[pile]
        all_down += downs
        if pile == turned:
            on[n] = _TURNS + downs
            n += 1
        elif height > 0:
            counts += 1 << 4 * downs
            top = work.piles[TABLES, pile, height - 1]
            if RANK[top] > 1:
                on[n] = _TOP_WAITS + (RANK[top] - 1) * KINDS * KINDS + _pair(work, top, RANK[top] - 1)
                n += 1
            if downs > 0:
                on[n] = _HEIGHT + downs * (NUM_RANKS + 1) + height
                n = _waiting_pile(work, on, n + 1, work.piles[TABLES, pile, 0], downs, empty)
    for downs in range(PILES):
        on[n] = _PILES + (PILES + 1) * downs + (counts >> 4 * downs & 15)
        n += 1
    on[n], on[n + 1] = _EMPTY + empty, _ALL_DOWN + all_down
    return n + 2


@kernel
def _waiting_pile(work: Any, on: Any, n: int, bottom: int, downs: int, empty: int) -> int:
    """Writes what the undermost face-up card of a pile waits for; returns the number of inputs."""
    rank, pair = RANK[bottom], _hosts(work, bottom, empty)
    on[n] = _TO_GO + NUM_RANKS * downs + rank - 1 - work.ups[TABLES, SUIT[bottom]]
    on[n + 1] = _BOTTOM + NUM_RANKS * downs + rank - 1
    on[n + 2] = _WAITS + downs * KINDS * KINDS + pair
    on[n + 3] = _RANK_WAITS + (rank - 1) * KINDS * KINDS + pair
    return n + 4


# --- The mirror image -------------------------------------------------------------------------------------------------


def mirror_image() -> NDArray[np.uint16]:
    """Returns input -> its image if clubs swap with spades, and diamonds with hearts, uint16 [INPUTS + 1].

    The last entry stands for no input.
    """
    image = np.arange(INPUTS + 1, dtype=np.uint16)
    cards = np.arange(NUM_CARDS).reshape(4, NUM_RANKS)[::-1].ravel()
    for block, each in ((_DOWNS, PILES), (_TOP, 1), (_TALON, TABLEAU - TALON), (_UNKNOWN, 1)):
        image[block : block + each * NUM_CARDS] = block + np.add.outer(each * cards, np.arange(each)).ravel()
    image[_ON:_DOWNS] = _ON + np.add.outer(3 * cards, np.array([0, 2, 1])).ravel()
    image[_UP:_ALL_UP] = _UP + np.arange(4 * (NUM_RANKS + 1)).reshape(4, -1)[::-1].ravel()
    return image
