"""A fair planner for La tour infernale. It samples the order of the hidden cards, and rates moves by rollouts.

The planner makes a plan from draw to draw. Its candidates are the positions that can be reached without a draw, the
nearest first. Each is rated by *rollouts*: games played on from there by a rule, in random orders of the unseen cards.
The rule is `thrifty`, or `swift` without a limit of passes, where only moves count. It does not see the order, so the
rating uses no foresight that a player lacks. All candidates are rated in the same orders, so luck cancels out. A few
orders rule out most candidates; the others are rated in more orders (successive halving). The plan leads to the best
position, goes on by the rule, which never goes in circles, and ends with a draw. So every plan makes progress.

The value of a rollout is 1 for a win, or a little for each card on the foundations of a lost game, and very little less
for each move. So with limited passes the planner plays to win. Without a limit a win is certain, and it plays to win in
few moves.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionValues, judge_by
from solitaire_agents.choices import copy
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.bitboard import Bitboard, board_of, board_seen
from solitaire_agents.tour_infernale.position import board_shown, order_seen, spell_out
from solitaire_agents.tour_infernale.reach import find_positions, new_reach
from solitaire_agents.tour_infernale.rollouts import MOVE, WIN, new_rollouts, roll_out
from solitaire_agents.tour_infernale.talon import Talon
from solitaire_agents.tour_infernale.uses import USES
from solitaire_agents.uses import check_uses
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS, random_state, shuffle_cards
from solitaire_envs.game import NO_LIMIT
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.tour_infernale import AT

KEPT = 4
"""After each round, one candidate in this many stays."""
GROWTH = 3
"""Each round has this many times the orders of the round before."""


class _Search(NamedTuple):
    """A decision, and working storage for it."""

    rollouts: Any  # rollouts.Rollouts
    reach: Any  # reach.Reach; the positions in its queue are the candidates
    talon: Talon  # unseen cards in any order
    hidden: int  # how many of the cards to come are unseen: all or none
    orders: int  # number of orders in the first round
    rounds: int  # rounds of successive halving
    values: Any  # float64 [N]: for each candidate, the sum of the values of its rollouts
    ranking: Any  # int64 [N]: candidates, the best first
    order: Any  # int64 [n]: the talon in a sampled order


class TourInfernalePlanner(LineFollower):
    """Samples the hidden order of the stock, and judges each candidate by rollouts.

    A plan depends only on the seed and the observation, which give the random numbers. It does not depend on hidden
    cards or on the other games of the batch.

    Args:
        options: The options of the games to play.
        orders: Orders of the hidden cards in which all candidates are rated in the first round.
        rounds: Rounds of successive halving.
        candidates: Most positions to rate in each plan.
        seed: Seed of the random numbers.

    Raises:
        ValueError: A number is less than 1, or it does not play under the options.
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
        check_uses(USES["planner"], options, self.name)
        super().__init__(tour_infernale.GAME, options, seed)
        self._options, self._orders, self._rounds = options, orders, rounds
        self._rollouts = new_rollouts(piles=options.piles, swift=options.passes is None)
        self._storage: dict[str, Any] = {
            "reach": new_reach(candidates),
            "values": np.zeros(candidates),
            "ranking": np.zeros(candidates, np.int64),
            "order": np.zeros(NUM_CARDS, np.int64),
        }

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        search = self._search(observation)
        length = _plan(search, self._seed, observation)
        return spell_out(self._imagine(observation), self._options, search.rollouts.line[:length])

    def _search(self, observation: NDArray[np.int16]) -> _Search:
        (order, drawn, hidden), redeals = order_seen(observation), int(observation[AT.redeals])
        orders, rounds = (self._orders, self._rounds) if hidden > 1 else (1, 1)
        return _Search(
            rollouts=self._rollouts._replace(redeals=NO_LIMIT if redeals < 0 else redeals),
            talon=Talon(order, drawn),
            hidden=hidden,
            orders=orders,
            rounds=rounds,
            **self._storage,
        )

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues:
        """Returns the value of each move, by rollouts from the best position within reach after it."""
        search = self._search(observation)
        values = np.zeros((samples if search.hidden > 1 else 1, len(action_mask)))
        for action in np.flatnonzero(action_mask).tolist():
            values[:, action] = self._values_after(action, search, observation, len(values))
        if self._rollouts.swift:
            return judge_by("moves", (values - WIN) / -MOVE, action_mask)
        return judge_by("chance", (values > WIN / 2).astype(np.float64), action_mask)

    def _values_after(
        self, action: int, search: _Search, observation: NDArray[np.int16], samples: int
    ) -> NDArray[np.float64]:
        """Returns the value of the position after a move in each sampled order, [samples]."""
        drawn, values = search.talon.drawn, np.zeros(samples)
        if action == tour_infernale.DRAW:
            drawn, search = drawn + 1, search._replace(rounds=0)
        elif action == tour_infernale.REDEAL:
            redeals = search.rollouts.redeals
            rollouts = search.rollouts._replace(redeals=redeals - (redeals < NO_LIMIT))
            drawn, search = 0, search._replace(rounds=0, rollouts=rollouts)
        self._imagine(observation)
        board = board_shown(self._imagined.step(np.array([action])).observations[0])
        _try_move(search, board, drawn, self._seed, observation, values)
        return values


# --- Plans ------------------------------------------------------------------------------------------------------------


@entry_point("tour planner")
def _plan(search: _Search, seed: Any, observation: Any) -> int:
    """Writes the best line, up to a draw, into the line of the rollouts; returns its number of moves."""
    queue, line = search.reach.queue, search.rollouts.line
    found = find_positions(search.reach, search.talon, search.rollouts.piles, board_seen(observation))
    best = queue[_judge(search, found, random_state(seed, observation))]
    row = best
    for k in range(best.moves - 1, -1, -1):
        line[k], row = row.move, queue[row.parent]
    return int(roll_out(search.rollouts, search.talon, board_of(best), best.moves, False)[0])


@entry_point("tour planner")
def _try_move(search: _Search, board: Bitboard, drawn: int, seed: Any, observation: Any, values: Any) -> None:
    """Writes the value of the position after a move in each sampled order, float64 [S].

    Args:
        search: The decision before the move; without rounds, games go on from the position itself.
        board: The position after the move.
        drawn: How many cards of the talon have been drawn in this pass after the move.
        seed: Seed of the random numbers, together with the observation.
        observation: int16 [O].
        values: Written to.
    """
    random, moves = random_state(seed, observation), 1
    if search.rounds > 0:
        found = find_positions(search.reach, search.talon, search.rollouts.piles, board)
        best = search.reach.queue[_judge(search, found, random + np.uint64(1))]  # in other orders than those below
        board, moves = board_of(best), 1 + best.moves
    for sample in range(len(values)):
        random = _shuffle(search, random)
        values[sample] = roll_out(search.rollouts, Talon(search.order, drawn), board, moves, True)[1]


@kernel
def _judge(search: _Search, found: int, random: Any) -> int:
    """Finds the best candidate by successive halving; returns its row."""
    queue, values, ranking, orders = search.reach.queue, search.values, search.ranking, search.orders
    talon = Talon(search.order, search.talon.drawn)
    values[:found] = 0.0
    for k in range(found):
        ranking[k] = k
    for _ in range(search.rounds):
        if found == 1:
            break
        for _ in range(orders):
            random = _shuffle(search, random)
            for k in ranking[:found]:
                values[k] += roll_out(search.rollouts, talon, board_of(queue[k]), queue[k].moves, True)[1]
        kept = max(1, found // KEPT)
        _rank(values, ranking, kept, found)
        orders, found = orders * GROWTH, kept
    return int(ranking[0])


@kernel
def _shuffle(search: _Search, random: Any) -> Any:
    """Samples an order of the cards that are not drawn yet."""
    copy(search.talon.order, search.order[: len(search.talon.order)])
    return shuffle_cards(search.order[search.talon.drawn :], search.hidden, random)


@kernel
def _rank(values: Any, ranking: Any, kept: int, found: int) -> None:
    """Moves the best candidates to the front; of equals, the one that was found first, as it takes fewer moves."""
    for place in range(kept):
        best = place
        for other in range(place + 1, found):
            if (values[ranking[other]], -ranking[other]) > (values[ranking[best]], -ranking[best]):
                best = other
        ranking[place], ranking[best] = ranking[best], ranking[place]
