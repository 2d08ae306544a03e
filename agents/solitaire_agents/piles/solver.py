"""The exact solver of all declared games, with all cards known.

It runs one search after another, each with other weights and an eighth of the limit, the last with the rest. A deal
that is hard under some weights is often easy under others: so first all share a part of the limit (`first_nodes`), and
if that settles nothing, ten times as much, and then all of it.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import Solved, Solver, Status, check_goal, dealt, known_states
from solitaire_agents.piles.dominances import dominances_of
from solitaire_agents.piles.search import (
    LOST,
    STOPPED,
    WON,
    Memory,
    key_words,
    make_search,
    new_memory,
)
from solitaire_agents.piles.weights import SearchWeights, weights_of
from solitaire_agents.uses import Uses
from solitaire_envs.game import Game
from solitaire_envs.jit import as_records
from solitaire_envs.piles.shape import PileShape

MAX_NODES: Final = 1_000_000
"""Most positions that the solver looks at by default."""
_STATUS: Final = {WON: Status.SOLVED, LOST: Status.IMPOSSIBLE, STOPPED: Status.UNKNOWN}


def first_nodes(shape: PileShape) -> int:
    """Returns the most positions of the first searches, one under each of the weights."""
    return 2_000_000 if shape.hole else 400_000


def most_nodes(shape: PileShape) -> int:
    """Returns the most positions to look at for the label of a deal."""
    few_stay_open = shape.hole or not shape.hides
    return 20_000_000 if few_stay_open else first_nodes(shape)


class PileSolver(Solver):
    """Solves one declared game under all its rules, to win.

    Args:
        game: The game.
        shape: Its numbers.
        uses: As in `Solver`.
    """

    verdict_nodes = 100_000

    def __init__(self, game: Game, shape: PileShape, uses: Uses) -> None:
        self.game, self.shape, self.uses, self.weights = game, shape, uses, weights_of(shape)
        names = ("face_down", "reserve", "talon") if shape.hides else ()
        self._hiding = [name for name in names if name in (game.state.names or ())]
        self._states = np.zeros(3, game.state)
        self._rows = self._states.view(np.uint64).reshape(3, -1)
        self._mask = np.zeros(game.num_actions(game.options()), np.bool_)

    @cached_property
    def _search(self) -> Any:
        return make_search(self.game, self.shape, dominances_of(self.shape))

    def best_line(self, state: Any, options: Any) -> Solved:
        """Returns a line to a win; most effort goes into a new deal."""
        limit = first_nodes(self.shape) if np.array_equal(state.heights, self._heights) else self.verdict_nodes
        return self.solve(state, options, max_nodes=limit, memory=self._lines)

    @cached_property
    def _heights(self) -> NDArray[np.int32]:
        """The heights of the piles of a new deal, whichever it is."""
        heights: NDArray[np.int32] = dealt(self.game, self.game.options(), np.zeros(1, np.uint64))[0].heights
        return heights

    @cached_property
    def _lines(self) -> Memory:
        return new_memory(self.shape, first_nodes(self.shape))

    def new_memory(self) -> Memory:
        """Allocates storage for verdicts."""
        return new_memory(self.shape, self.verdict_nodes)

    def label_memory(self, max_nodes: int) -> Memory:
        """Allocates storage for labels."""
        return new_memory(self.shape, max_nodes)

    def solve(
        self,
        state: Any,
        options: Any,
        *,
        goal: str = "win",
        max_nodes: int | None = None,
        memory: Memory | None = None,
    ) -> Solved:
        """Settles one position exactly; 'unknown' only if a limit ended the search.

        Args:
            state: The position, one record of `Game.state`; all its cards must be known.
            options: Options of the game.
            goal: 'win'.
            max_nodes: Most positions to look at; None: `MAX_NODES`.
            memory: Storage to use again, for `max_nodes` at least; None: new storage.

        Raises:
            ValueError: An argument is out of range.
        """
        check_goal(goal, self.goals)
        most = MAX_NODES if max_nodes is None else max_nodes
        fits = memory is not None and len(memory.keys) >= most and memory.keys.shape[1] == key_words(self.shape)
        storage = memory if memory is not None and fits else new_memory(self.shape, most)
        start, total = known_states(self.game, options, state, self._hiding)[0], 0
        rules = as_records(options.to_rules())
        rules["objective"] = 0
        if self._is_won(start):
            return Solved(Status.SOLVED, None, 0)
        found, length = STOPPED, 0
        for weights, limit in self._searches(most):
            self._states[0] = start
            found, nodes, length = self._search(rules, weights, self._states, self._rows, self._mask, storage, limit)
            total += nodes
            if found != STOPPED:
                break
        return Solved(_STATUS[found], None, total, tuple(storage.line[:length].tolist()))

    def _searches(self, most: int) -> Iterator[tuple[SearchWeights, int]]:
        """Yields the searches to run one after another, each with its limit; in all, about `most` positions."""
        *others, last = self.weights
        first = first_nodes(self.shape)
        ends = [0, *(min(most, end) for end in (first, 10 * first, most))]
        for budget in filter(None, np.diff(ends).tolist()):
            yield from ((weights, max(1, budget // 8)) for weights in others)
            yield last, max(1, budget - len(others) * (budget // 8))

    def _is_won(self, state: Any) -> bool:
        if self.shape.hole:
            return not state["tops"][: self.shape.places.reserve].any()
        return int(state["foundations"].sum()) == self.shape.pack.number
