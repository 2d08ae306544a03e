"""Exact solver for Pyramid with the order of the stock known ('thoughtful' play).

Five ideas make the search fast, and all are exact. Each is explained in the module that uses it:

- Only discards branch (`search`).
- Kings are transparent (`line`).
- Matchings tell how few cards must stay, and which pairs can be made (`tables`).
- A relaxed game tells which cards can be discarded at all (`relaxation`).
- One search serves all goals (`settle`).
"""

from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import Solved, Status, check_goal, known_states
from solitaire_agents.pyramid.solver.line import write_out
from solitaire_agents.pyramid.solver.search import LINE_SIZE
from solitaire_agents.pyramid.solver.settle import ALL, PYRAMID, SCORE, settle_all
from solitaire_agents.pyramid.solver.tables import Memory, new_memory
from solitaire_envs.pyramid import GAME, PyramidOptions

__all__ = ["GOALS", "Goal", "Memory", "new_memory", "solve", "solve_many"]

Goal: TypeAlias = Literal["score", "win"]

MAX_NODES: Final = 50_000_000
"""Most states that a search looks at by default."""
GOALS: Final[tuple[Goal, ...]] = ("score", "win")


def solve(
    state: Any,
    options: PyramidOptions,
    *,
    goal: Goal = "win",
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> Solved:
    """Settles one position exactly. The result is 'unknown' only if `max_nodes` ended the search.

    Args:
        state: The position, one record of `pyramid.STATE`. All cards must be known.
        options: The options of the game. Their goal says what wins; the limit of moves is no limit here.
        goal: 'score' (the highest final score of a game that goes on after the pyramid is cleared), or 'win'.
        max_nodes: Most states to search; None: `MAX_NODES`.
        memory: Storage to use again; None: new storage.

    Raises:
        ValueError: A card of the state is not known, it is no state under the options, or the goal is unknown.
    """
    memory, line = memory or new_memory(), np.empty(LINE_SIZE, np.int64)
    status, value, nodes = _settle(state, options, goal, max_nodes, memory, line)[0].tolist()
    if not line[0]:
        return Solved(Status(status), None, nodes)
    actions = write_out(state, options, _number(goal, options), memory.problems["place"][0].tolist(), line)
    return Solved(Status(status), None if goal == "win" else value, nodes, actions)


def solve_many(
    states: Any,
    options: PyramidOptions,
    *,
    goal: Goal = "win",
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> NDArray[np.int64]:
    """Settles many positions in one kernel.

    Args:
        states: Records of `pyramid.STATE`, [N].
        options: As in `solve`.
        goal: As in `solve`.
        max_nodes: As in `solve`, for each position.
        memory: As in `solve`.

    Returns:
        Shape (N, 3), a row for each position: `Status`, value (0 for 'win'), nodes.

    Raises:
        ValueError: As in `solve`.
    """
    return _settle(states, options, goal, max_nodes, memory or new_memory(), np.empty(LINE_SIZE, np.int64))


def _settle(
    states: Any, options: PyramidOptions, goal: Goal, max_nodes: int | None, memory: Memory, line: NDArray[np.int64]
) -> NDArray[np.int64]:
    check_goal(goal, GOALS)
    known, limit = (
        known_states(GAME, options, states, ("stock", "waste")),
        MAX_NODES if max_nodes is None else max_nodes,
    )
    results, rules = np.empty((len(known), 3), np.int64), options.to_rules()
    settle_all(known, _number(goal, options), rules, limit, memory, line, results)
    return results


def _number(goal: Goal, options: PyramidOptions) -> int:
    """Returns the goal as the kernels take it."""
    if goal == "score":
        return SCORE
    return PYRAMID if options.goal == "pyramid" else ALL
