"""A fair planner for La tour infernale: it samples what is hidden, and plays each way on to the end by a plain rule.

From draw to draw the planner makes one plan. Its candidates are the tables that can be reached without a draw, the
nearest first. Each is judged by *playouts*: games played on from there by a rule, over orders of the unseen cards drawn
at random. The rule is `thrifty`, or `swift` where passes have no limit and only moves count. It does not see the order,
so nothing is judged by foresight that a player does not have; and all candidates meet the same orders, so luck cancels
out. A few orders sort out most candidates, and those left meet more (successive halving). The plan leads to the best
table, goes on by the rule, which never goes in circles, and ends with a draw: so every plan makes progress.

A playout is worth 1 for a win, a little for each card on the foundations if it is lost, and very little less for each
move: in one pass the planner plays to win, and where winning is certain, with passes without limit, to win quickly.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import random_state
from solitaire_agents.heuristics.by_words import NO_SLOT, NOTHING_TO_COME, SLOT, words_of
from solitaire_agents.heuristics.swift import swift_move
from solitaire_agents.heuristics.thrifty import thrifty_move
from solitaire_agents.oracle import Oracle, play_tour_along, read_tour_position
from solitaire_agents.solver import tour_infernale as tour_solver
from solitaire_agents.tour_words import (
    CARDS,
    DRAWN,
    FULL,
    NO_MOVE,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bases_of,
    go_up,
    heights_of,
    index_of,
    movable,
    next_up,
    put,
    raised,
    size_of,
    talon_of,
    tops_of,
)
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS, random_below
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import entry_point, kernel

WIN, CARD, MOVE = 1.0, 1e-3, -1e-5  # worth of a win, of a card on the foundations in a lost game, of a move
KEPT, GROWTH = 4, 3  # after a round one candidate in four stays, and the next has three times as many orders
LINE_SIZE: Final = 2_000  # moves in a playout, at most

_STOCK, _WASTE, _REDEALS, _UNSEEN = (
    tour_infernale.GAME.slots(name) for name in ("stock", "waste", "redeals", "unseen")
)


class _Search(NamedTuple):
    """A decision, and working storage for it."""

    talon: Any  # int64[n]: slots of waste and stock in the order of drawing, those of unseen cards in any order
    drawn: int  # how many of them are in the waste
    hidden: int  # how many of those behind are unseen: all or none
    redeals: int  # how many are left
    piles: int
    swiftly: bool  # whether playouts follow the rule `swift`, not `thrifty`
    queue: Any  # int64[N, 6]: candidates: a, b, c, the candidate before, the move from there, moves since the first
    values: Any  # float64[N]: sums of what their playouts are worth
    ranking: Any  # int64[N]: candidates, the best first
    order: Any  # int64[n]: the talon as imagined
    line: Any  # int64[LINE_SIZE]: moves


class TourInfernalePlanner(Oracle):
    """Samples the hidden order of the stock, and plays each candidate on by a plain rule.

    A plan depends on the seed and on the observation alone, for the random numbers are drawn from these: not on hidden
    cards, nor on the other games of the batch.

    Args:
        options: Those of the games to play.
        orders: Orders of the hidden cards that all candidates meet in the first round.
        rounds: Rounds of successive halving.
        candidates: Tables to judge in each plan, at most.
        seed: Seed of the random numbers.
    """

    name = "planner"
    fair = True

    def __init__(
        self,
        options: tour_infernale.TourInfernaleOptions,
        *,
        orders: int = 8,
        rounds: int = 3,
        candidates: int = 256,
        seed: int = 0,
    ) -> None:
        if min(orders, rounds, candidates) < 1:
            raise ValueError(
                f"expected at least one order, round and candidate, got {orders}, {rounds} and {candidates}"
            )
        super().__init__()
        self._piles, self._swiftly = options.piles, options.passes is None
        self._orders, self._rounds = orders, rounds
        self._storage: dict[str, Any] = {
            "queue": np.zeros((candidates, 6), np.int64),
            "values": np.zeros(candidates),
            "ranking": np.zeros(candidates, np.int64),
            "order": np.zeros(NUM_CARDS, np.int64),
            "line": np.zeros(LINE_SIZE, np.int64),
        }
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers, and forgets what is planned for games under way."""
        super().seed(seed)
        self._seed = np.uint64(seed)

    def _choose(self, row: list[int], mask: NDArray[np.bool_]) -> int:
        key = self._key(row)
        if key not in self._plan:
            self._plan.update(self._best_line(row))
        return self._plan.get(key, int(np.flatnonzero(mask)[0]))  # kept, for an equal game of the batch

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        hidden = row[_STOCK].count(tour_infernale.UNSEEN)
        if hidden != sum(row[_UNSEEN]) or tour_infernale.UNSEEN in row[_WASTE]:
            raise ValueError("expected observations of what a player with perfect memory knows (information='memory')")
        position = read_tour_position(row, self._piles)
        line = play_tour_along(position, self._line_to_draw(position, row, hidden))
        return ((hash(position), action) for position, action in line)

    def _key(self, row: list[int]) -> Hashable:
        return hash(read_tour_position(row, self._piles))  # a number: plans are kept, and positions are large

    def _line_to_draw(self, position: tour_solver.Position, row: list[int], hidden: int) -> Sequence[int]:
        """Returns a line up to a draw."""
        waste = [card for card in row[_WASTE] if card]
        unseen = [card for card, is_unseen in enumerate(row[_UNSEEN], start=1) if is_unseen]
        stock = unseen if hidden else [card for card in row[_STOCK] if card]
        search = _Search(
            talon=SLOT[waste[::-1] + stock],
            drawn=len(waste),
            hidden=hidden,
            redeals=NO_LIMIT if row[_REDEALS.start] < 0 else row[_REDEALS.start],
            piles=self._piles,
            swiftly=self._swiftly,
            **self._storage,
        )
        orders, rounds = (self._orders, self._rounds) if hidden > 1 else (1, 1)
        length = _plan(search, np.array(row, np.int16), orders, rounds, self._seed)
        return tour_solver.spell_out(position, self._storage["line"][:length].tolist())


# --- Playouts ---------------------------------------------------------------------------------------------------------


@kernel
def _last_of(order: Any, end: int, word: int) -> int:
    """Index before `end` of the last card that is in a set; -1: none."""
    index = end - 1
    while index >= 0 and word >> order[index] & 1 == 0:
        index -= 1
    return index


@kernel
def _play_on(search: Any, order: Any, a: int, b: int, c: int, start: int, to_end: bool) -> tuple[int, float]:
    """Plays on by the rule, to the end of the game or until it has drawn.

    Args:
        search: Its `line` is written, too.
        order: int64[n], in place of the talon.
        a: First word of the configuration.
        b: Second word.
        c: Third word.
        start: Moves that the line has already.
        to_end: Whether to play to the end.

    Returns:
        Moves of the line, and what it is worth if this is the end.
    """
    left, pointer, redeals = talon_of(a, b, c), search.drawn, search.redeals
    waste = 0
    for index in range(pointer):
        waste |= left & 1 << order[index]
    top, to_come, moves = _last_of(order, pointer, waste), size_of(left & ~waste), start
    while moves < len(search.line):
        under = _last_of(order, top, waste)
        top_slot, under_slot = order[top] if top >= 0 else NO_SLOT, order[under] if under >= 0 else NO_SLOT
        if search.swiftly:
            move = swift_move(a, b, c, waste, top_slot, under_slot, to_come, search.piles)
        else:
            known_to_come = to_come if to_come or (redeals and left) else NOTHING_TO_COME
            move = thrifty_move(a, b, c, waste, top_slot, under_slot, known_to_come, search.piles)
        if move == NO_MOVE and to_come:
            while left >> order[pointer] & 1 == 0:
                pointer += 1
            move = order[pointer] << 3 | DRAWN
            waste |= 1 << order[pointer]
            top, pointer, to_come = pointer, pointer + 1, to_come - 1
        elif move == NO_MOVE and redeals and left:
            move = REDEALT
            waste, top, pointer, to_come, redeals = 0, -1, 0, size_of(left), redeals - 1
        elif move == NO_MOVE:
            break
        else:
            a, b, c, left = _play(a, b, c, left, move)
            waste &= left
            top = _last_of(order, top + 1, waste)
        search.line[moves] = move
        moves += 1
        if a >> 52 == FULL and b >> 52 == FULL:
            return moves, WIN + MOVE * moves
        if not to_end and move & 7 >= DRAWN:
            break
    return moves, CARD * size_of(raised(heights_of(a, b))) + MOVE * moves


@kernel
def _play(a: int, b: int, c: int, left: int, move: int) -> tuple[int, int, int, int]:
    """Moves a card."""
    i, kind = move >> 3, move & 7
    a, b, c = go_up(a, b, c, i) if kind == TO_FOUNDATION else put(a, b, c, i, kind)
    return a, b, c, left & ~(1 << i)


# --- Candidates -------------------------------------------------------------------------------------------------------


@kernel
def _gather(search: Any) -> int:
    """Fills the queue with the tables that can be reached from its first without a draw; returns their number."""
    queue, found, head = search.queue, 1, 0
    drawn = 0
    for index in range(search.drawn):
        drawn |= 1 << search.talon[index]
    while head < found < len(queue):
        a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
        goals, safe = next_up(heights_of(a, b))
        tops, waste = tops_of(a, b, c), talon_of(a, b, c) & drawn
        at = _last_of(search.talon, search.drawn, waste)
        top = 1 << search.talon[at] if at >= 0 else 0
        ups = (tops | top) & goals
        if ups & safe:  # loses nothing, so that the table as it is need not be gone on from
            ups &= safe
            found = _add(queue, found, head, index_of(ups & -ups) << 3 | TO_FOUNDATION)
        else:
            while ups:
                found = _add(queue, found, head, index_of(ups & -ups) << 3 | TO_FOUNDATION)
                ups &= ups - 1
            found = _gather_moves(queue, found, head, tops, top, search.piles - size_of(a & ~c & CARDS) > 0)
        head += 1
    return found


@kernel
def _gather_moves(queue: Any, found: int, head: int, tops: int, top: int, empty: bool) -> int:
    """Adds the tables after each move to the tableau."""
    movers = top | (tops if empty else movable(tops))
    while movers:
        x = movers & -movers
        movers ^= x
        i = index_of(x)
        targets = bases_of(tops, i)
        # On an empty pile: not a card that lies alone, nor the waste's top if a card would do as well.
        if empty and (queue[head, 2] & x or (x == top and targets == 0)):
            targets |= 1 << ON_BOTTOM
        while targets:
            found = _add(queue, found, head, i << 3 | index_of(targets & -targets))
            targets &= targets - 1
    return found


@kernel
def _add(queue: Any, found: int, head: int, move: int) -> int:
    """Adds the table after a move, if it is new and there is room."""
    if found == len(queue):
        return found
    a, b, c, _ = _play(queue[head, 0], queue[head, 1], queue[head, 2], 0, move)
    for k in range(found):
        if queue[k, 0] == a and queue[k, 1] == b and queue[k, 2] == c:
            return found
    queue[found, 0], queue[found, 1], queue[found, 2] = a, b, c
    queue[found, 3], queue[found, 4], queue[found, 5] = head, move, queue[head, 5] + 1
    return found + 1


# --- Plans ------------------------------------------------------------------------------------------------------------


@entry_point("tour planner")
def _plan(search: Any, observation: Any, orders: int, rounds: int, seed: Any) -> int:
    """Writes the best line up to a draw; returns its number of moves."""
    queue, line = search.queue, search.line
    queue[0, 0], queue[0, 1], queue[0, 2] = words_of(observation)
    queue[0, 3] = queue[0, 4] = NO_MOVE
    queue[0, 5] = 0
    best = _judge(search, _gather(search), orders, rounds, random_state(seed, observation))
    moves, at = queue[best, 5], best
    while at > 0:
        line[queue[at, 5] - 1] = queue[at, 4]
        at = queue[at, 3]
    return int(_play_on(search, search.talon, queue[best, 0], queue[best, 1], queue[best, 2], moves, False)[0])


@kernel
def _judge(search: Any, found: int, orders: int, rounds: int, random: Any) -> int:
    """Finds the best candidate by successive halving."""
    queue, values, ranking, order = search.queue, search.values, search.ranking, search.order
    values[:found] = 0.0
    for k in range(found):
        ranking[k] = k
    while rounds > 0 and found > 1:
        for _ in range(orders):
            random = _shuffle(search, random)
            for k in ranking[:found]:
                a, b, c, moves = queue[k, 0], queue[k, 1], queue[k, 2], queue[k, 5]
                values[k] += _play_on(search, order, a, b, c, moves, True)[1]
        kept = max(1, found // KEPT)
        _rank(values, ranking, kept, found)
        orders, rounds, found = orders * GROWTH, rounds - 1, kept
    return int(ranking[0])


@kernel
def _shuffle(search: Any, random: Any) -> Any:
    """Imagines an order of the cards that are not drawn yet."""
    order, drawn = search.order, search.drawn
    for index in range(len(search.talon)):
        order[index] = search.talon[index]
    for last in range(drawn + search.hidden - 1, drawn, -1):
        random, chosen = random_below(random, last - drawn + 1)
        order[last], order[drawn + chosen] = order[drawn + chosen], order[last]
    return random


@kernel
def _rank(values: Any, ranking: Any, kept: int, found: int) -> None:
    """Brings the best candidates to the front; of equals the earlier found, which takes fewer moves."""
    for place in range(kept):
        best = place
        for other in range(place + 1, found):
            if (values[ranking[other]], -ranking[other]) > (values[ranking[best]], -ranking[best]):
                best = other
        ranking[place], ranking[best] = ranking[best], ranking[place]
