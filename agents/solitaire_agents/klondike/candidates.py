"""The candidates of Klondike: each makes progress that no later one takes back.

Progress is turning up a face-down card, playing a card from waste or stock, moving a card from a pile to a foundation,
or drawing cards that have not been seen. Draws and redeals through known cards belong to the moves of a candidate: once
the stock has been seen, it is a set of cards within reach. A few moves that prepare the play belong to them too: they
move parts of runs, empty a pile without face-down cards for a king, or bring cards back from a foundation. If there is
no candidate, the game counts as lost.

Play cannot go in circles: face-down cards and cards of the talon only become fewer; while they do not, the foundations
grow or cards are seen. That is why a play from a pile to a foundation that turns nothing up is never prepared by
bringing a card back.

If several plays put the same card on the same target, the one with the fewest preparing moves is the candidate.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from solitaire_agents.choices import comes_up, new_steps, steps_over, write_draws
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.klondike import AT, FITS, GAME, KIND, STOCK_SIZE, KlondikeOptions
from solitaire_envs.klondike_table import (
    DRAW,
    EMPTY,
    FOUNDATION,
    LEAD,
    PILES,
    RANK,
    SOURCES,
    SUIT,
    TO_FOUNDATION,
    TO_PILES,
    WASTE,
)

IS_RED: Final = KIND[1::NUM_RANKS] & 1
"""Suit -> 1 if it is red."""

MOST_CANDIDATES: Final = 64
TABLES: Final = 32
"""Most tables, which are arrangements of the tableau, to look at."""
MOST_PREPARED: Final = 3
"""Most moves that prepare a play."""
MOST_MOVES: Final = MOST_PREPARED + 2 * STOCK_SIZE + 2

CARDS, DRAWN, SEEN, REDEALS, DRAWS, RETURNS, FOUND, REACHED, CLOCK, MET = range(10)
"""Fields of `WORK.now`: cards in the talon (waste and stock); cards in the waste; whether the stock has been seen;
redeals left (-1: no limit); cards that a draw turns over; whether cards may come back; number of candidates; number of
cards of the talon within reach; number of calls; number of tables."""
PARENT, BY, MOVED, PREPARED, RETURNED = range(5)
"""Fields of a table: the table that it came from, the action, the undermost card that moved, the number of moves so
far, and how many of them brought a card back."""
FROM_TABLE, ACTION, PLACE = range(3)
"""Fields of a candidate: its table, its last action, and the place of the talon that is played, from 1; 0: none."""
UP: Final = NUM_CARDS + 1
"""Stands for a foundation as a target. Other targets are the cards to put a card on."""


WORK: Final = np.dtype(
    [
        ("now", np.int64, MET + 1),  # numbers of the position and of the search; see `CARDS` and the names after it
        ("downs", np.int64, PILES),  # face-down cards
        ("talon", np.int64, STOCK_SIZE),  # waste from the bottom, then stock from the top; EMPTY: it is not known
        ("reach", np.int64, STOCK_SIZE),  # places of the talon that can come up, from 1, those of this pass first
        # The face-up cards of each table: the player's first, that of `describe` last.
        ("piles", np.int64, (TABLES + 1, PILES, NUM_RANKS)),
        ("heights", np.int64, (TABLES + 1, PILES)),
        ("ups", np.int64, (TABLES + 1, 4)),  # cards on the foundations
        ("links", np.int64, (TABLES, RETURNED + 1)),
        ("candidates", np.int64, (MOST_CANDIDATES, PLACE + 1)),
        ("visited", np.int64, (NUM_CARDS + 1, UP + 1)),  # card, target -> the last call that found this play
        ("where", np.int64, NUM_CARDS + 1),  # where each card is; see `inputs`
    ]
)
"""Working storage of the search. Cards are numbers plus one, as in observations."""


class Storage(NamedTuple):
    """Working storage for one thread."""

    steps: Any  # Steps: the position
    work: Any  # WORK [1]


def new_storage(options: KlondikeOptions) -> Storage:
    """Allocates storage for games under these options."""
    return Storage(new_steps(GAME, options), as_records(np.zeros(1, WORK)))


@kernel
def count(storage: Any, observation: Any, mask: Any) -> int:
    """Finds the candidates; as in `Choices`. If a move can never hurt, it is the only one."""
    read(storage, observation)
    return 1 if _find_forced(storage.work[0]) else int(find(storage.work[0]))


# --- The position -----------------------------------------------------------------------------------------------------


_look, _ = steps_over(GAME)


@kernel
def read(storage: Any, observation: Any) -> None:
    """Reads an observation. In pass 1 the stock has not been seen, even where its order is shown."""
    _look(storage.steps, observation)
    work, state = storage.work[0], storage.steps.states[0]
    now, talon = work.now, work.talon
    for pile in range(PILES):
        work.heights[0, pile], work.downs[pile] = state.heights[pile], state.downs[pile]
        for place in range(state.heights[pile]):
            work.piles[0, pile, place] = state.tableau[NUM_RANKS * pile + place]
    for suit in range(4):
        work.ups[0, suit] = state.foundations[suit]
    waste, stock = state.waste_size, state.stock_size
    now[CARDS], now[DRAWN], now[SEEN] = waste + stock, waste, state.current_pass > 1 or stock == 0
    now[REDEALS], now[DRAWS] = observation[AT.redeals], observation[AT.draw]
    now[RETURNS] = observation[AT.returns]
    for place in range(waste + stock):
        talon[place] = state.talon[LEAD + place] if place < waste or now[SEEN] else EMPTY
    _find_reach(work)


@kernel
def _find_reach(work: Any) -> None:
    """Lists the places of the talon that can come up before a card is played from it."""
    now, reach, n = work.now, work.reach, 0
    cards, drawn, draws = now[CARDS], now[DRAWN], now[DRAWS]
    for place in range(max(drawn, 1), cards + 1 if now[SEEN] else drawn + 1):
        if comes_up(place, drawn, draws, cards):
            reach[n] = place
            n += 1
    if now[SEEN] and now[REDEALS] != 0:
        for place in range(1, cards + 1):
            if comes_up(place, 0, draws, cards) and not (place >= drawn and comes_up(place, drawn, draws, cards)):
                reach[n] = place
                n += 1
    now[REACHED] = n


# --- Moves that can never hurt ----------------------------------------------------------------------------------------


@kernel
def _find_forced(work: Any) -> bool:
    """Makes a move that can never hurt the only candidate, if there is one."""
    now, ups, open_piles = work.now, work.ups[0], 0
    for pile in range(PILES):
        open_piles += work.downs[pile] == 0
    # With all cards face up, and all of the talon within reach without limit, the game is won: the lowest card that is
    # not on a foundation can go there, as only lower cards could lie on it.
    is_won = open_piles == PILES and (now[CARDS] == 0 or (now[DRAWS] == 1 and now[REDEALS] < 0))
    for pile in range(PILES):
        height = work.heights[0, pile]
        if height > 0:
            card = work.piles[0, pile, height - 1]
            if ups[SUIT[card]] == RANK[card] - 1 and (is_won or is_safe(ups, card, now[RETURNS])):
                _force(work, TO_FOUNDATION + pile, 0)
                return True
    for k in range(now[REACHED] if is_won else 0):
        card = work.talon[work.reach[k] - 1]
        if ups[SUIT[card]] == RANK[card] - 1:
            _force(work, TO_FOUNDATION + WASTE, work.reach[k])
            return True
    return False


@kernel
def is_safe(ups: Any, card: int, returns: int) -> bool:
    """Returns whether a pile's top that is next on its foundation can go there without losing a win.

    It can if all cards of the other colour and the next lower rank are on foundations and, where cards may come back,
    all cards that are two ranks lower. Proof: call these and all lower cards done. Only done cards can lie on the card,
    and only done cards on a done card. Take a line that wins without the move. Make the move first, and leave all moves
    of the card and of done cards out of the line. In each position that follows, the piles lack only cards from their
    tops, the foundations hold more, and all else is the same. So the other moves stay legal, and the line wins. (The
    proof does not hold for the waste with draw 3: a card that is gone changes which others come up.)
    """
    lowest_other, lowest = NUM_RANKS, NUM_RANKS
    for suit in range(4):
        lowest = min(lowest, ups[suit])
        if IS_RED[suit] != IS_RED[SUIT[card]]:
            lowest_other = min(lowest_other, ups[suit])
    return bool(lowest_other >= RANK[card] - 1 and (not returns or lowest >= RANK[card] - 2))


@kernel
def _force(work: Any, action: int, place: int) -> None:
    work.now[FOUND] = 0
    _add_candidate(work, 0, action, place)


# --- Candidates -------------------------------------------------------------------------------------------------------


@kernel
def find(work: Any) -> int:
    """Finds the candidates, those with the fewest preparing moves first; returns how many."""
    now, links = work.now, work.links
    now[FOUND], now[MET] = 0, 1
    now[CLOCK] += 1
    links[0, PREPARED] = links[0, RETURNED] = 0
    if not now[SEEN]:
        _add_candidate(work, 0, DRAW, 0)
    table = 0
    while table < now[MET]:
        wanted, empty = wanted_on(work, table)
        _find_runs(work, table, empty)
        _find_on_foundation(work, table)
        _find_from_talon(work, table, wanted, empty)
        if now[RETURNS] and links[table, PREPARED] < MOST_PREPARED:
            _bring_back(work, table, wanted, empty)
        table += 1
    return int(now[FOUND])


@kernel
def _add_candidate(work: Any, table: int, action: int, place: int) -> None:
    found = work.now[FOUND]
    if found < MOST_CANDIDATES:
        candidate = work.candidates[found]
        candidate[FROM_TABLE], candidate[ACTION], candidate[PLACE] = table, action, place
        work.now[FOUND] += 1


@kernel
def _is_new(work: Any, card: int, target: int) -> bool:
    """Returns whether this call finds the play of a card to a target for the first time."""
    is_new = work.visited[card, target] != work.now[CLOCK]
    work.visited[card, target] = work.now[CLOCK]
    return bool(is_new)


@kernel
def top_of(work: Any, table: int, pile: int) -> int:
    """Returns a pile's top card, EMPTY if there is none."""
    height = work.heights[table, pile]
    return work.piles[table, pile, height - 1] if height > 0 else EMPTY


@kernel
def wanted_on(work: Any, table: int) -> tuple[int, int]:
    """Returns the kinds of cards that fit on a pile's top, as bits, and an empty pile, PILES if there is none."""
    wanted, empty = 0, PILES
    for pile in range(PILES):
        top = top_of(work, table, pile)
        if top == EMPTY:
            empty = pile
        else:
            wanted |= 1 << FITS[top]
    return wanted, empty


@kernel
def _to_pile(source: int, pile: int) -> int:
    """Returns the action that moves from a source to a pile."""
    return TO_PILES + pile * (SOURCES - 1) + source - (source > pile)


@kernel
def _find_runs(work: Any, table: int, empty: int) -> None:
    """Finds moves from pile to pile: those that turn up a card, and those that prepare another play."""
    piles, heights, downs = work.piles[table], work.heights[table], work.downs
    for source in range(PILES):
        height = heights[source]
        if height == 0:
            continue
        lowest, bottom = RANK[piles[source, height - 1]], piles[source, 0]
        if empty < PILES and RANK[bottom] == NUM_RANKS and downs[source] > 0 and _is_new(work, bottom, EMPTY):
            _add_candidate(work, table, _to_pile(source, empty), 0)
        for target in range(PILES):
            if target == source or heights[target] == 0:
                continue
            top = piles[target, heights[target] - 1]
            moved = RANK[top] - lowest
            if moved < 1 or moved > height:
                continue
            card = piles[source, height - moved]
            if KIND[card] != FITS[top]:
                continue
            if moved == height and downs[source] > 0:
                if _is_new(work, card, top):
                    _add_candidate(work, table, _to_pile(source, target), 0)
            elif work.links[table, PREPARED] < MOST_PREPARED:
                _prepare(work, table, source, target, moved, card)


@kernel
def _find_on_foundation(work: Any, table: int) -> None:
    for pile in range(PILES):
        card = top_of(work, table, pile)
        if card != EMPTY and work.ups[table, SUIT[card]] == RANK[card] - 1:
            turns = work.heights[table, pile] == 1 and work.downs[pile] > 0
            if (turns or work.links[table, RETURNED] == 0) and _is_new(work, card, UP):
                _add_candidate(work, table, TO_FOUNDATION + pile, 0)


@kernel
def _find_from_talon(work: Any, table: int, wanted: int, empty: int) -> None:
    for k in range(work.now[REACHED]):
        place = work.reach[k]
        card = work.talon[place - 1]
        if work.ups[table, SUIT[card]] == RANK[card] - 1 and _is_new(work, card, UP):
            _add_candidate(work, table, TO_FOUNDATION + WASTE, place)
        if wanted >> KIND[card] & 1:
            for pile in range(PILES):
                top = top_of(work, table, pile)
                if top != EMPTY and FITS[top] == KIND[card] and _is_new(work, card, top):
                    _add_candidate(work, table, _to_pile(WASTE, pile), place)
        elif empty < PILES and RANK[card] == NUM_RANKS and _is_new(work, card, EMPTY):
            _add_candidate(work, table, _to_pile(WASTE, empty), place)


# --- Moves that prepare a play ----------------------------------------------------------------------------------------


@kernel
def _prepare(work: Any, table: int, source: int, target: int, moved: int, card: int) -> None:
    """Adds the table after a run has moved."""
    if _has_moved(work, table, card) or not _add_table(work, table, _to_pile(source, target), card, 0):
        return
    after = work.now[MET] - 1
    move_run(work.piles[after], work.heights[after], source, target, moved)


@kernel
def _bring_back(work: Any, table: int, wanted: int, empty: int) -> None:
    """Adds the tables after a card has come back from a foundation; bringing an ace back is useless."""
    for suit in range(4):
        card = NUM_RANKS * suit + work.ups[table, suit]
        if work.ups[table, suit] < 2 or _has_moved(work, table, card):
            continue
        if RANK[card] == NUM_RANKS and empty < PILES:
            _bring_back_to(work, table, card, empty)
        for pile in range(PILES if wanted >> KIND[card] & 1 else 0):
            top = top_of(work, table, pile)
            if top != EMPTY and FITS[top] == KIND[card]:
                _bring_back_to(work, table, card, pile)


@kernel
def _bring_back_to(work: Any, table: int, card: int, pile: int) -> None:
    """Adds the table after a card has come back to a pile."""
    suit, after = SUIT[card], work.now[MET]
    if _add_table(work, table, _to_pile(FOUNDATION + suit, pile), card, 1):
        work.ups[after, suit] -= 1
        work.piles[after, pile, work.heights[after, pile]] = card
        work.heights[after, pile] += 1


@kernel
def _has_moved(work: Any, table: int, card: int) -> bool:
    """Returns whether a card was the undermost of a move that led to a table. Moving it again would be useless."""
    while table > 0:
        if work.links[table, MOVED] == card:
            return True
        table = work.links[table, PARENT]
    return False


@kernel
def _add_table(work: Any, table: int, action: int, card: int, returned: int) -> bool:
    """Adds a copy of a table, on which a move will be made; returns False if there is no room."""
    after = work.now[MET]
    if after == TABLES:
        return False
    copy_table(work, table, after)
    link = work.links[after]
    link[PARENT], link[BY], link[MOVED] = table, action, card
    link[PREPARED] = work.links[table, PREPARED] + 1
    link[RETURNED] = work.links[table, RETURNED] + returned
    work.now[MET] += 1
    return True


@kernel
def copy_table(work: Any, table: int, after: int) -> None:
    """Copies a table to another place."""
    for pile in range(PILES):
        height = work.heights[table, pile]
        work.heights[after, pile] = height
        for depth in range(height):
            work.piles[after, pile, depth] = work.piles[table, pile, depth]
    for suit in range(4):
        work.ups[after, suit] = work.ups[table, suit]


@kernel
def move_run(piles: Any, heights: Any, source: int, target: int, moved: int) -> None:
    """Moves the uppermost cards of a pile on to another."""
    heights[source] -= moved
    for depth in range(moved):
        piles[target, heights[target] + depth] = piles[source, heights[source] + depth]
    heights[target] += moved


# --- Lines ------------------------------------------------------------------------------------------------------------


@kernel
def write_moves(storage: Any, k: int, line: Any) -> int:
    """Writes the actions that lead to candidate k; returns how many. As in `Choices`."""
    work = storage.work[0]
    candidate, now = work.candidates[k], work.now
    table, place, length = candidate[FROM_TABLE], candidate[PLACE], 0
    if table > 0:
        length = work.links[table, PREPARED]
        for j in range(length - 1, -1, -1):
            line[j], table = work.links[table, BY], work.links[table, PARENT]
    if place > 0:
        length = write_draws(storage.steps.states[0], now[DRAWS], place, line, length)
    line[length] = candidate[ACTION]
    return int(length + 1)
