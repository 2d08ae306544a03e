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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import random_state
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.bitboard_rules import SLOT, words_of
from solitaire_agents.tour_infernale.position import play_along, read
from solitaire_agents.tour_infernale.rollouts import gather, new_table, play_on
from solitaire_agents.tour_infernale.solver import api as tour_solver
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS, random_below
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import entry_point, kernel

KEPT, GROWTH = 4, 3  # after a round one candidate in four stays, and the next has three times as many orders

_STOCK, _WASTE, _REDEALS, _UNSEEN = (
    tour_infernale.GAME.slots(name) for name in ("stock", "waste", "redeals", "unseen")
)


class _Search(NamedTuple):
    """A decision, and working storage for it."""

    table: Any
    talon: Any  # int64[n]: slots of waste and stock in the order of drawing, those of unseen cards in any order
    drawn: int  # how many of them are in the waste
    hidden: int  # how many of those behind are unseen: all or none
    values: Any  # float64[N]: of each candidate, the sum of what its playouts are worth
    ranking: Any  # int64[N]: candidates, the best first
    order: Any  # int64[n]: the talon as imagined


class TourInfernalePlanner(LineFollower):
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
        self._orders, self._rounds = orders, rounds
        self._table = new_table(piles=options.piles, swiftly=options.passes is None, size=candidates)
        self._storage: dict[str, Any] = {
            "values": np.zeros(candidates),
            "ranking": np.zeros(candidates, np.int64),
            "order": np.zeros(NUM_CARDS, np.int64),
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
        position = read(row, self._table.piles)
        line = play_along(position, self._line_to_draw(position, row, hidden))
        return ((hash(position), action) for position, action in line)

    def _key(self, row: list[int]) -> Hashable:
        return hash(read(row, self._table.piles))  # a number: plans are kept, and positions are large

    def _line_to_draw(self, position: tour_solver.Position, row: list[int], hidden: int) -> Sequence[int]:
        """Returns a line up to a draw."""
        waste = [card for card in row[_WASTE] if card]
        unseen = [card for card, is_unseen in enumerate(row[_UNSEEN], start=1) if is_unseen]
        stock = unseen if hidden else [card for card in row[_STOCK] if card]
        search = _Search(
            table=self._table._replace(redeals=NO_LIMIT if row[_REDEALS.start] < 0 else row[_REDEALS.start]),
            talon=SLOT[waste[::-1] + stock],
            drawn=len(waste),
            hidden=hidden,
            **self._storage,
        )
        orders, rounds = (self._orders, self._rounds) if hidden > 1 else (1, 1)
        length = _plan(search, np.array(row, np.int16), orders, rounds, self._seed)
        return tour_solver.spell_out(position, self._table.line[:length].tolist())


# --- Plans ------------------------------------------------------------------------------------------------------------


@entry_point("tour planner")
def _plan(search: Any, observation: Any, orders: int, rounds: int, seed: Any) -> int:
    """Writes the best line up to a draw; returns its number of moves."""
    queue, line = search.table.queue, search.table.line
    a, b, c = words_of(observation)
    found = gather(search.table, search.talon, search.drawn, a, b, c)
    best = _judge(search, found, orders, rounds, random_state(seed, observation))
    moves, at = queue[best, 5], best
    while at > 0:
        line[queue[at, 5] - 1] = queue[at, 4]
        at = queue[at, 3]
    a, b, c = queue[best, 0], queue[best, 1], queue[best, 2]
    return int(play_on(search.table, search.talon, search.drawn, a, b, c, moves, False)[0])


@kernel
def _judge(search: Any, found: int, orders: int, rounds: int, random: Any) -> int:
    """Finds the best candidate by successive halving."""
    queue, values, ranking, order = search.table.queue, search.values, search.ranking, search.order
    values[:found] = 0.0
    for k in range(found):
        ranking[k] = k
    while rounds > 0 and found > 1:
        for _ in range(orders):
            random = _shuffle(search, random)
            for k in ranking[:found]:
                a, b, c, moves = queue[k, 0], queue[k, 1], queue[k, 2], queue[k, 5]
                values[k] += play_on(search.table, order, search.drawn, a, b, c, moves, True)[1]
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
