"""Exact solver for La tour infernale with the order of the stock known ('thoughtful' play).

Three exact ideas make it fast: components and safe moves (`explore`), and a search that is a proof as long as it leaves
nothing out (`search`). A rating (`rating`) and, in the last pass, learned values (`guided`) decide what is searched
first. The line of a win is shortened at the end (`shorten`).

The solver does not count moves. 'impossible' holds under any limit of moves. 'solved' holds under a limit only if the
line found is no longer than the limit. A caller with a limit has to compare the two. If the line is longer, the
position is open, because a shorter line may exist.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, Final

from solitaire_agents.kit import Solved, Status, check_goal
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.position import Start, spell_out, start_of
from solitaire_agents.tour_infernale.solver.guided import WIDTHS, GuidedSearch
from solitaire_agents.tour_infernale.solver.memory import Memory, new_memory
from solitaire_agents.tour_infernale.solver.search import EFFORTS, Effort, Search
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.tour_infernale import TourInfernaleOptions

__all__ = ["GOALS", "MAX_NODES", "Memory", "new_memory", "solve"]

MAX_NODES: Final = 50_000_000
"""Most configurations that the solver looks at by default."""


GOALS: Final = ("win",)


def solve(
    state: Any,
    options: TourInfernaleOptions,
    *,
    goal: str = "win",
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> Solved:
    """Settles one position exactly. The result is 'unknown' only if a limit ended the search.

    Without a limit of passes, every position can be won. Then it searches for two lines and returns the shorter one,
    whose length is an upper bound of the fewest moves.

    Args:
        state: The position, one record of `tour_infernale.STATE`. All cards must be known.
        options: The options of the game; the limit of moves is no limit here.
        goal: 'win'.
        max_nodes: Most configurations to look at; None: `MAX_NODES`.
        memory: Storage to use again; None: new storage.

    Returns:
        The result for a game without a limit of moves; see the module's text.

    Raises:
        ValueError: A card of the state is not known, or it is no state under the options.
    """
    check_goal(goal, GOALS)
    start = start_of(state, options)
    if state["foundations"].sum() == NUM_CARDS:
        return Solved(Status.SOLVED, None, 0)
    limit = MAX_NODES if max_nodes is None else max_nodes
    status, nodes, line = _settle(start, options.passes, limit, memory or new_memory())
    return Solved(status, None, nodes, spell_out(state, options, line))


def _settle(start: Start, passes: int | None, max_nodes: int, memory: Memory) -> tuple[Status, int, list[int]]:
    """Runs searches until one settles the position, or the limit is reached; returns its nodes and a line of moves."""
    nodes, shortest = 0, list[int]()
    for search in _searches(start, passes, memory):
        status, line, looked_at = search(max_nodes - nodes)
        nodes += looked_at
        if status is Status.IMPOSSIBLE and passes is not None:
            return status, nodes, []
        is_second = bool(shortest)
        if status is Status.SOLVED:
            shortest = min(line, shortest or line, key=len)
        if (shortest and (passes is not None or is_second)) or nodes >= max_nodes:
            break
    return Status.SOLVED if shortest else Status.UNKNOWN, nodes, shortest


def _searches(
    start: Start, passes: int | None, memory: Memory
) -> Iterator[Callable[[int], tuple[Status, list[int], int]]]:
    """Yields the searches to run: limit of nodes -> the status, the line, and the number of nodes it looked at.

    With a limit of passes the effort grows; without one, quick searches get more and more passes. In the last pass
    guided searches come first: they find wins sooner, and the others prove losses.
    """
    may_redeal = passes is None or start.pass_number < passes

    def search(allowed: int, effort: Effort, limit: int) -> tuple[Status, list[int], int]:
        whole = Search(start, allowed, memory, may_redeal=may_redeal)
        return *whole.run(effort, limit), whole.nodes

    if passes is None:
        for allowed in count(start.pass_number):
            yield partial(search, allowed, EFFORTS[0])
            yield partial(search, allowed, EFFORTS[1])
    elif may_redeal or start.piles not in SHIPPED_NETWORKS:
        yield from (partial(search, passes, effort) for effort in EFFORTS)
    else:
        guided = GuidedSearch(start)

        def guide(width: int, limit: int) -> tuple[Status, list[int], int]:
            before, line = guided.nodes, guided.run(width, limit)
            status = Status.SOLVED if line else Status.UNKNOWN
            return status, Search(start, passes, memory).shortened(line), guided.nodes - before

        for effort, widths in zip(EFFORTS, WIDTHS, strict=True):
            yield from (partial(guide, width) for width in widths)
            yield partial(search, passes, effort)
