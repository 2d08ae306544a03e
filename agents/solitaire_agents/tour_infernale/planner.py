"""A fair planner for La tour infernale. It samples what is hidden, and judges moves by rollouts.

The planner makes one plan from draw to draw. Its candidates are the positions that can be reached without a draw, the
nearest first. Each is judged by *rollouts*: games played on from there by a rule, over random orders of the unseen
cards. The rule is `thrifty`, or `swift` where passes have no limit and only moves count. It does not see the order, so
foresight that a player does not have judges nothing. All candidates meet the same orders, so luck cancels out. A few
orders rule out most candidates, and those that stay meet more orders (successive halving). The plan leads to the best
position, goes on by the rule, which never goes in circles, and ends with a draw. So every plan makes progress.

A rollout is worth 1 for a win, a little for each card on the foundations if it is lost, and very little less for each
move. So in one pass the planner plays to win; with passes without limit, where a win is certain, it plays to win soon.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Judgement, judge_by, random_state
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.bitboard import bitboard_of
from solitaire_agents.tour_infernale.position import Position, order_seen
from solitaire_agents.tour_infernale.rollouts import MOVE, WIN, gather, new_tableau, roll_out
from solitaire_agents.tour_infernale.solver.api import check_options
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS, random_below
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import entry_point, kernel

KEPT = 4
"""After each round, one candidate in so many stays."""
GROWTH = 3
"""Each round has so many times the orders of the round before."""

_REDEALS = tour_infernale.GAME.slots("redeals")


class _Search(NamedTuple):
    """A decision, and working storage for it."""

    tableau: Any  # rollouts.Tableau
    talon: Any  # int64 [n]: bits of waste and stock in the order of drawing; unseen cards in any order
    drawn: int  # how many of them are in the waste
    hidden: int  # how many of the others are unseen: all or none
    values: Any  # float64 [N]: for each candidate, the sum of the values of its rollouts
    ranking: Any  # int64 [N]: candidates, the best first
    order: Any  # int64 [n]: the talon in a sampled order


class TourInfernalePlanner(LineFollower):
    """Samples the hidden order of the stock, and judges each candidate by rollouts.

    A plan depends on the seed and on the observation alone, because the random numbers are drawn from these: not on
    hidden cards, nor on the other games of the batch.

    Args:
        options: The options of the games to play.
        orders: Orders of the hidden cards that all candidates meet in the first round.
        rounds: Rounds of successive halving.
        candidates: Positions to judge in each plan, at most.
        seed: Seed of the random numbers.

    Raises:
        ValueError: A number is less than 1, or the rollouts do not know one of the options.
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
        check_options(options)
        super().__init__()
        self._orders, self._rounds = orders, rounds
        self._tableau = new_tableau(piles=options.piles, swift=options.passes is None, size=candidates)
        self._storage: dict[str, Any] = {
            "values": np.zeros(candidates),
            "ranking": np.zeros(candidates, np.int64),
            "order": np.zeros(NUM_CARDS, np.int64),
        }
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers, and forgets all plans."""
        super().seed(seed)
        self._seed = np.uint64(seed)

    def _key(self, row: list[int]) -> Hashable:
        return Position.of_observation(row, self._tableau.piles)

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        position = Position.of_observation(row, self._tableau.piles)
        return position.play_along(position.spell_out(self._line_to_draw(position, row)))

    def _search(self, position: Position, row: list[int]) -> _Search:
        talon, hidden = order_seen(row, position)
        return _Search(
            tableau=self._tableau._replace(redeals=NO_LIMIT if row[_REDEALS.start] < 0 else row[_REDEALS.start]),
            talon=talon,
            drawn=len(position.waste),
            hidden=hidden,
            **self._storage,
        )

    def judge(self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int) -> Judgement:
        """Returns the odds of each move, by rollouts from the best position within reach after it."""
        row = observation.tolist()
        position = Position.of_observation(row, self._tableau.piles)
        search = self._search(position, row)
        if search.hidden <= 1:
            samples = 1
        values = np.zeros((samples, len(action_mask)))
        for action in np.flatnonzero(action_mask).tolist():
            values[:, action] = self._values_after(action, position, search, observation, samples)
        if self._tableau.swift:
            return judge_by("moves", (values - WIN) / -MOVE, action_mask)
        return judge_by("chance", (values > WIN / 2).astype(np.float64), action_mask)

    def _values_after(
        self, action: int, position: Position, search: _Search, observation: NDArray[np.int16], samples: int
    ) -> NDArray[np.float64]:
        """Returns the value of the position after a move in each sampled order, [samples]."""
        drawn, values, rounds = search.drawn, np.zeros(samples), 0  # after a draw it goes on by the rule
        if action == tour_infernale.DRAW:
            drawn += 1
        elif action == tour_infernale.REDEAL:
            drawn, redeals = 0, search.tableau.redeals
            search = search._replace(tableau=search.tableau._replace(redeals=redeals - (redeals < NO_LIMIT)))
        else:
            position, rounds = position.after(action), self._rounds if search.hidden > 1 else 1
        _try_move(search, *position.bitboard(), drawn, self._orders, rounds, self._seed, observation, values)
        return values

    def _line_to_draw(self, position: Position, row: list[int]) -> Sequence[int]:
        """Returns the moves of the best line up to a draw."""
        search = self._search(position, row)
        orders, rounds = (self._orders, self._rounds) if search.hidden > 1 else (1, 1)
        length = _plan(search, np.array(row, np.int16), orders, rounds, self._seed)
        line: list[int] = self._tableau.line[:length].tolist()
        return line


# --- Plans ------------------------------------------------------------------------------------------------------------


@entry_point("tour planner")
def _plan(search: Any, observation: Any, orders: int, rounds: int, seed: Any) -> int:
    """Writes the best line up to a draw; returns its number of moves."""
    queue, line = search.tableau.queue, search.tableau.line
    a, b, c = bitboard_of(observation)
    found = gather(search.tableau, search.talon, search.drawn, a, b, c)
    best = _judge(search, found, orders, rounds, random_state(seed, observation))
    moves, at = queue[best, 5], best
    while at > 0:
        line[queue[at, 5] - 1] = queue[at, 4]
        at = queue[at, 3]
    a, b, c = queue[best, 0], queue[best, 1], queue[best, 2]
    return int(roll_out(search.tableau, search.talon, search.drawn, a, b, c, moves, False)[0])


@entry_point("tour planner")
def _try_move(
    search: Any,
    a: int,
    b: int,
    c: int,
    drawn: int,
    orders: int,
    rounds: int,
    seed: Any,
    observation: Any,
    values: Any,
) -> None:
    """Writes the value of the position after a move in each sampled order, float64 [S].

    Args:
        search: The decision.
        a: First word of the bitboard after the move.
        b: Second word.
        c: Third word.
        drawn: How many cards of the talon have been drawn in this pass.
        orders: As of the planner.
        rounds: As of the planner; 0: play on from the position itself.
        seed: Seed of the random numbers, together with the observation.
        observation: One row.
        values: Written to.
    """
    random, moves = random_state(seed, observation), 1
    if rounds > 0:
        queue = search.tableau.queue
        found = gather(search.tableau, search.talon, drawn, a, b, c)
        best = _judge(search, found, orders, rounds, random + np.uint64(1))  # not the orders that then count
        a, b, c, moves = queue[best, 0], queue[best, 1], queue[best, 2], 1 + queue[best, 5]
    for sample in range(len(values)):
        random = _shuffle(search, random)
        values[sample] = roll_out(search.tableau, search.order, drawn, a, b, c, moves, True)[1]


@kernel
def _judge(search: Any, found: int, orders: int, rounds: int, random: Any) -> int:
    """Finds the best candidate by successive halving."""
    queue, values, ranking, order = search.tableau.queue, search.values, search.ranking, search.order
    values[:found] = 0.0
    for k in range(found):
        ranking[k] = k
    while rounds > 0 and found > 1:
        for _ in range(orders):
            random = _shuffle(search, random)
            for k in ranking[:found]:
                a, b, c, moves = queue[k, 0], queue[k, 1], queue[k, 2], queue[k, 5]
                values[k] += roll_out(search.tableau, order, search.drawn, a, b, c, moves, True)[1]
        kept = max(1, found // KEPT)
        _rank(values, ranking, kept, found)
        orders, rounds, found = orders * GROWTH, rounds - 1, kept
    return int(ranking[0])


@kernel
def _shuffle(search: Any, random: Any) -> Any:
    """Samples an order of the cards that are not drawn yet."""
    order, drawn = search.order, search.drawn
    for index in range(len(search.talon)):
        order[index] = search.talon[index]
    for last in range(drawn + search.hidden - 1, drawn, -1):
        random, chosen = random_below(random, last - drawn + 1)
        order[last], order[drawn + chosen] = order[drawn + chosen], order[last]
    return random


@kernel
def _rank(values: Any, ranking: Any, kept: int, found: int) -> None:
    """Moves the best candidates to the front; of equals, the one found earlier, which takes fewer moves."""
    for place in range(kept):
        best = place
        for other in range(place + 1, found):
            if (values[ranking[other]], -ranking[other]) > (values[ranking[best]], -ranking[best]):
                best = other
        ranking[place], ranking[best] = ranking[best], ranking[place]
