"""Pyramid by hindsight: what each move is worth, were the order of the stock known from then on.

The planner takes the mean of this over orders that it samples. In training a network learns it from the true order, and
so comes to tell the mean over all the orders that look the same to it.
"""

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations, Ratings
from solitaire_agents.pyramid.solver.api import ALL, LINE_SIZE, PYRAMID, SCORE, Memory, new_memory, settle_all
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import DRAW, FIRST, NO_PLACE, PYRAMID_SIZE, REDEAL, SECOND, STOCK, STOCK_SIZE, WASTE

Decks: TypeAlias = NDArray[np.int64]
"""[N, 52], as the solver takes them."""
Positions: TypeAlias = NDArray[np.int64]
"""[N, 5], the fields of the solver's `Position`."""

_STOCK_SLOT, _WASTE_SLOT, _PASS_SLOT, _UNSEEN_SLOT = (
    pyramid.GAME.slots(name).start for name in ("stock", "waste", "pass", "unseen")
)

# What a position is worth by the solver's status: solved, impossible, or unknown, which counts as about the share of
# such that more nodes would solve. For the score, what it gains to clear the pyramid by pass 1, 2, 3 rather than a pass
# later, or not at all: there the bonus comes with about eight cards fewer left. Pass 1 counts less than its bonus, as
# foresight of the order, which only the imagined player has, is most of what clears the pyramid then.
_WIN: Final = np.array([1, 0, 0.7])
_CLEARED: Final = np.array([[1, 0, 0.33], [1, 0, 0.33], [1, 0, 0.7]])
_GAINS: Final = (5, 15, 28)
_CARDS_FEWER: Final = 8

PATIENCE: Final = {"win": 0.85, "score": 0.95}
"""Objective -> what a draw or redeal counts for, where a discard that is worth as much counts for 1."""


class HindsightAgent(Agent):
    """Takes the move of most worth by hindsight, and so is not fair: a teacher more than a player.

    Of moves about equally good it prefers a discard to a draw: who leaves all for later has to see too far ahead then.

    Args:
        options: Those of the games to play; their objective and goal say what the agent plays for.
        max_nodes: States that the solver may look at for each move.
    """

    name = "hindsight"
    fair = False
    memoryless = True

    def __init__(self, options: pyramid.PyramidOptions, *, max_nodes: int = 1_000) -> None:
        self._options, self._max_nodes = options, max_nodes
        self._memory = new_memory(8)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row."""
        ratings = np.where(action_masks, self.rate(observations, action_masks), -1)
        actions: Actions = ratings.argmax(axis=1).astype(np.int64)
        return actions

    def rate(self, observations: Observations, action_masks: ActionMasks) -> Ratings:
        """Returns what each action is worth, 0..1; all 0 where there is nothing left to gain.

        Raises:
            ValueError: The observations do not show the order of the stock.
        """
        if (observations[:, :_PASS_SLOT] == pyramid.UNSEEN).any():
            raise ValueError("expected observations that show the order of the stock (information='open')")
        decks, positions = imagine(observations)
        ratings = rate_moves(decks, positions, action_masks, self._options, self._max_nodes, self._memory)
        ratings[:, [DRAW, REDEAL]] *= PATIENCE[self._options.objective]
        return ratings


def imagine(observations: Observations) -> tuple[Decks, Positions]:
    """Returns a deck and a position for each observation that look like it.

    Suits are made up. Cards of unknown place lie in order of rank where the hidden part of the stock is, and those that
    are gone behind everything else.
    """
    decks, positions = np.empty((len(observations), NUM_CARDS), np.int64), np.empty((len(observations), 5), np.int64)
    _lay_out_all(observations, np.empty(NUM_RANKS + 1, np.int64), decks, positions)
    return decks, positions


def rate_moves(
    decks: Decks,
    positions: Positions,
    action_masks: ActionMasks,
    options: pyramid.PyramidOptions,
    max_nodes: int,
    memory: Memory,
) -> Ratings:
    """Returns what the position after each legal action is worth, 0..1, and 0 for the others.

    Args:
        decks: The decks.
        positions: As of `imagine`, with no gaps in stock and waste.
        action_masks: Their legal actions.
        options: They say what is played for.
        max_nodes: States that the solver may look at for each.
        memory: Its storage.
    """
    rows, actions = np.nonzero(action_masks)
    after = positions[rows]
    _play_all(actions, after)
    ratings: Ratings = np.zeros(action_masks.shape, np.float32)
    ratings[rows, actions] = _rate(decks[rows], after, options, max_nodes, memory)
    return ratings


def _rate(
    decks: Decks, positions: Positions, options: pyramid.PyramidOptions, max_nodes: int, memory: Memory
) -> NDArray[np.float64]:
    def settle(asked: NDArray[np.int64], goal: int, passes: int) -> NDArray[np.int64]:
        results, line = np.empty((len(asked), 3), np.int64), np.empty(LINE_SIZE, np.int64)
        game, table, pairs = memory.game, memory.table, options.stock_waste_pairs
        settle_all(decks[asked], positions[asked], goal, passes, pairs, max_nodes, game, table, line, results)
        return results

    everything = np.arange(len(decks))
    if options.objective == "win" or options.goal == "pyramid":
        return _WIN[settle(everything, PYRAMID if options.goal == "pyramid" else ALL, options.passes)[:, 0]]
    # The score is rated by the pass in which the pyramid can be cleared: most of it, and quickly found out.
    worth, chance = np.zeros(len(decks)), np.ones(len(decks))
    for last in range(min(options.passes, len(_GAINS)), 0, -1):
        asked = np.flatnonzero((chance > 0) & (positions[:, 3] <= last))
        chance[asked] = np.minimum(chance[asked], _CLEARED[last - 1, settle(asked, PYRAMID, last)[:, 0]])
        worth[asked] += chance[asked] * _GAINS[last - 1]
    cleared = np.flatnonzero(positions[:, 0] == 0)  # then single cards are left to gain
    worth[cleared] += np.maximum(0, _CARDS_FEWER + settle(cleared, SCORE, options.passes)[:, 1])
    return worth / (sum(_GAINS) + _CARDS_FEWER)


@entry_point("hindsight")
def _play_all(actions: Any, positions: Any) -> None:
    """Plays an action in each position."""
    for i in range(len(actions)):
        action, position = actions[i], positions[i]
        top = position[2]
        if action == DRAW:
            position[2] += 1
        elif action == REDEAL:
            position[2] = 0
            position[3] += 1
        else:
            for place in (FIRST[action], SECOND[action]):
                if place == STOCK:
                    position[1] &= ~(1 << top)
                elif place == WASTE:
                    position[1] &= ~(1 << top - 1)
                elif place != NO_PLACE:
                    position[0] &= ~(1 << place)


@entry_point("imagine")
def _lay_out_all(observations: Any, suits: Any, decks: Any, positions: Any) -> None:
    for i in range(len(observations)):
        suits[:] = 0  # of each rank, those taken
        _lay_out(observations[i], suits, decks[i], positions[i])


@kernel
def _lay_out(observation: Any, suits: Any, deck: Any, position: Any) -> None:
    in_pyramid, end = 0, PYRAMID_SIZE
    for place in range(PYRAMID_SIZE):
        if observation[place] > 0:
            deck[place] = _take(suits, observation[place])
            in_pyramid |= 1 << place
    for slot in range(_WASTE_SLOT + STOCK_SIZE - 1, _WASTE_SLOT - 1, -1):  # the lowest card was drawn first
        if observation[slot] > 0:
            deck[end] = _take(suits, observation[slot])
            end += 1
    position[2] = end - PYRAMID_SIZE
    for slot in range(_STOCK_SLOT, _STOCK_SLOT + STOCK_SIZE):
        if 0 < observation[slot] < pyramid.UNSEEN:
            deck[end] = _take(suits, observation[slot])
            end += 1
    for rank in range(1, NUM_RANKS + 1):
        for _ in range(observation[_UNSEEN_SLOT + rank - 1]):
            deck[end] = _take(suits, rank)
            end += 1
    position[0], position[1] = in_pyramid, (1 << end - PYRAMID_SIZE) - 1
    position[3], position[4] = observation[_PASS_SLOT], 0
    rank = 1
    for place in range(NUM_CARDS):
        if place >= end or (place < PYRAMID_SIZE and observation[place] == 0):
            while suits[rank] == 4:
                rank += 1
            deck[place] = _take(suits, rank)


@kernel
def _take(suits: Any, rank: int) -> int:
    """Returns a card of a rank that has not been taken yet."""
    card = NUM_RANKS * suits[rank] + rank - 1
    suits[rank] += 1
    return int(card)
