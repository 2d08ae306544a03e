"""A planner for Pyramid's score that plays games on, besides asking what each move is worth by hindsight.

A *rollout* is a game played on in one order of the stock: by learned values, which do not see the order, while cards
are hidden, and exactly from then on. Hindsight rates a position too high, as its player knows the order at once.
Rollouts rate it too low, as theirs plays worse than the planner. A mix of both predicts the score best.

Moves meet the same orders, so luck cancels out. A move that is unlikely to be better than the best by more than a
little meets no further orders. So most orders are spent where much is at stake.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Judgement, judge_by
from solitaire_agents.pyramid.by_value import choose, sole_choice
from solitaire_agents.pyramid.hindsight import MOST
from solitaire_agents.pyramid.planner import PlannerAgent
from solitaire_agents.pyramid.position import Decks, Positions, imagine_one
from solitaire_agents.pyramid.solver.search import LINE_SIZE
from solitaire_agents.pyramid.solver.settle import SCORE, settle
from solitaire_agents.pyramid.values import Chooser, new_chooser
from solitaire_agents.value_network import ValueNetwork
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import as_records, entry_point, kernel
from solitaire_envs.pyramid import CLEARED_BONUS, COVERS, PYRAMID_SIZE, RANK, STOCK_SIZE

_STOCK, _WASTE = (pyramid.GAME.slots(name).start for name in ("stock", "waste"))
_UNSEEN = pyramid.GAME.slots("unseen")

BY_HINDSIGHT: Final = 0.5
"""Share of hindsight in what a move is worth; the rest is that of rollouts."""
NOTHING: Final = -12.0
"""The score to expect after a move that hindsight rates 0. So both parts are in points of the score."""
STAGES: Final = (1 / 8, 1 / 4, 1 / 2, 1.0)
"""Shares of the orders after which moves are dropped."""
LITTLE: Final = 0.4
"""Points: a move is dropped if it is unlikely to be better than the best by more than this."""
ERRORS: Final = 1.5
"""What is farther than so many standard errors above a mean is unlikely."""
DOUBT: Final = 4.0
"""A difference of so many points is counted in besides those met: a few orders that are alike prove little."""
_STATES: Final = 1_000
"""States that the solver may look at where a rollout ends."""
_BEST_SCORE: Final = int(CLEARED_BONUS[0])


class RolloutPlanner(PlannerAgent):
    """Judges each move by hindsight and by rollouts, over orders of the hidden cards; plays exactly once all is known.

    As with the planner that it is made of, a decision depends on the seed and on the observation alone.

    Args:
        options: Those of the games to play. Their objective has to be the score, their rules the default ones.
        network: The value network that rollouts play by.
        samples: Orders of the hidden cards sampled for each decision, at most.
        max_nodes: States that the solver may look at for each move and order.
        seed: Seed of the random numbers.

    Raises:
        ValueError: There are no samples or no states.
    """

    def __init__(
        self,
        options: pyramid.PyramidOptions,
        network: ValueNetwork,
        *,
        samples: int = 64,
        max_nodes: int = 1_000,
        seed: int = 0,
    ) -> None:
        super().__init__(options, samples=samples, max_nodes=max_nodes, seed=seed)
        self._game = _new_game(new_chooser(network), options)

    def _choose_without_kings(self, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        orders, positions = self._imagine(observation, self._samples)
        points, kept, first = np.zeros((self._samples, len(mask))), mask.copy(), 0
        for stage in STAGES:
            end = max(first + 1, round(self._samples * stage))
            points[first:end] = self._judge_moves(orders[first:end], positions[first:end], observation, kept)
            best, kept = promising(points[:end], kept)
            first = end
            if kept.sum() == 1 or end >= self._samples:
                break
        return best

    def _judge_moves(
        self, orders: Decks, positions: Positions, observation: NDArray[np.int16], mask: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Returns what each move is worth in each order, in points, [samples, A]."""
        rated, scores = self._rate(orders, positions, mask, self._max_nodes), self._roll_out(orders, observation, mask)
        points: NDArray[np.float64] = BY_HINDSIGHT * (MOST * rated + NOTHING) + (1 - BY_HINDSIGHT) * scores
        return points

    def judge(self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int) -> Judgement:
        """Returns the score to expect of each move, as a share of the way from the worst to the best one."""
        if observation[_UNSEEN].sum() <= 1:
            orders, nodes = self._imagine(observation, 1), self._max_nodes * samples
            points = MOST * self._rate(*orders, action_mask, nodes) + NOTHING
        else:
            points = self._judge_moves(*self._imagine(observation, samples), observation, action_mask)
        return judge_by("worth", (points + NUM_CARDS) / (_BEST_SCORE + NUM_CARDS), action_mask)

    def _roll_out(self, orders: Decks, observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns the score that a rollout reaches after each move in each order, [samples, A]."""
        hidden = int(observation[_UNSEEN].sum())
        end = PYRAMID_SIZE + int((observation[_STOCK : _STOCK + 2 * STOCK_SIZE] > 0).sum())
        scores = np.zeros((len(orders), len(mask)))
        memory = self._memory.questions, self._memory.table
        _roll_out_all(self._game, *memory, observation, orders[:, end - hidden : end], mask, scores)
        return scores


def promising(points: NDArray[np.float64], mask: NDArray[np.bool_]) -> tuple[int, NDArray[np.bool_]]:
    """Returns the best move, and which may be better than that by more than `LITTLE`, besides it.

    Args:
        points: [samples, A], what each move is worth in each order.
        mask: [A], the moves that have met all these orders.
    """
    orders, means = len(points), np.where(mask, points.mean(axis=0).round(6), -np.inf)
    best = int(means.argmax())  # the first of equals: to draw keeps most open
    gains = points - points[:, [best]]
    errors = np.sqrt((gains.var(axis=0) * orders + DOUBT**2) / (orders * (orders + 1)))
    kept = mask & (gains.mean(axis=0) + ERRORS * errors > LITTLE)
    kept[best] = True
    return best, kept


# --- Rollouts ---------------------------------------------------------------------------------------------------------


class _Game(NamedTuple):
    """What a rollout plays by, and working storage."""

    chooser: Chooser
    rules: Any  # the record of the game's options
    state: Any  # a record of `pyramid.STATE`
    seen: Any  # int16 [O]
    legal: Any  # bool [A]
    suits: Any  # int64 [14]
    deck: Any  # int64 [52]
    position: Any  # int64 [5], a `Position`
    line: Any  # int64 [LINE_SIZE]


def _new_game(chooser: Chooser, options: pyramid.PyramidOptions) -> _Game:
    return _Game(
        chooser,
        options.to_rules(),
        as_records(np.zeros(1, pyramid.STATE)),
        np.zeros(pyramid.GAME.observation_size, np.int16),
        np.zeros(pyramid.NUM_ACTIONS, np.bool_),
        np.zeros(NUM_RANKS + 1, np.int64),
        np.zeros(NUM_CARDS, np.int64),
        np.zeros(5, np.int64),
        np.zeros(LINE_SIZE, np.int64),
    )


@entry_point("pyramid rollouts")
def _roll_out_all(
    game: Any, questions: Any, table: Any, observation: Any, hidden: Any, actions: Any, scores: Any
) -> None:
    """Plays games on after each move, in each order.

    Args:
        game: A `_Game`.
        questions: A `Memory`'s.
        table: A `Memory`'s.
        observation: int16 [O], in pass 1, with hidden cards.
        hidden: int64 [S, n]: these cards, in orders in which they may come.
        actions: bool [A], the moves to try.
        scores: float64 [S, A], written to.
    """
    for sample in range(len(hidden)):
        for action in range(len(actions)):
            if actions[action]:
                _lay_out(game.state[0], observation, hidden[sample])
                pyramid.apply(game.rules[0], game.state[0], action)
                scores[sample, action] = _roll_out(game, questions, table)


@kernel
def _lay_out(state: Any, observation: Any, hidden: Any) -> None:
    """Writes the state that an observation of pass 1 shows, with the hidden cards in an order.

    Suits do not matter, and are left out.
    """
    state.pyramid = state.available = state.discarded = 0
    state.positions_of[:] = 0
    for place in range(PYRAMID_SIZE):
        rank = observation[place]
        state.ranks[place] = rank
        if rank:
            state.pyramid |= 1 << place
            state.positions_of[rank] |= 1 << place
    for place in range(PYRAMID_SIZE):
        if state.pyramid >> place & 1 and COVERS[place] & state.pyramid == 0:
            state.available |= 1 << place
    for rank in range(1, NUM_RANKS + 1):
        state.unseen[rank] = observation[_UNSEEN.start + rank - 1]
    _lay_out_piles(state, observation, hidden)
    state.current_pass, state.cleared_in_pass, left = 1, state.pyramid == 0, state.stock_size + state.waste_size
    for place in range(PYRAMID_SIZE):
        left += observation[place] > 0
    state.discarded = NUM_CARDS - left


@kernel
def _lay_out_piles(state: Any, observation: Any, hidden: Any) -> None:
    """Writes stock and waste; a stock that hides cards shows its top."""
    state.stock[:] = 0
    state.waste[:] = 0
    state.stock_size, state.waste_size = len(hidden) + 1, 0
    state.stock[STOCK_SIZE - state.stock_size] = observation[_STOCK]
    for k in range(len(hidden)):
        state.stock[STOCK_SIZE - len(hidden) + k] = RANK[hidden[k]]
    while state.waste_size < STOCK_SIZE and observation[_WASTE + state.waste_size]:
        state.waste_size += 1
    for k in range(state.waste_size):
        state.waste[STOCK_SIZE - state.waste_size + k] = observation[_WASTE + k]


@kernel
def _roll_out(game: Any, questions: Any, table: Any) -> float:
    """Plays on by values while more than one card is hidden, then exactly; returns the score."""
    rules, state, seen = game.rules[0], game.state[0], game.seen
    pyramid.observe(rules, state, seen)
    while state.stock_size > 2:  # one card lies face up, and the last one is known
        pyramid.legal(rules, state, game.legal)
        action = sole_choice(game.legal)
        if action < 0:
            action = choose(game.chooser, seen, game.legal)[0]
        pyramid.apply(rules, state, action)
        pyramid.observe(rules, state, seen)
    game.suits[:] = 0
    imagine_one(seen, game.suits, game.deck, game.position)
    so_far = pyramid.score(state)
    game.position[4] = so_far + NUM_CARDS - state.discarded  # the bonus
    asked = rules.passes, rules.stock_waste_pairs, _STATES, questions, table, game.line
    return float(max(so_far, settle(game.deck, game.position, SCORE, *asked)[1]))
