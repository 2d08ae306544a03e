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
from typing import Final

from solitaire_agents.kit import Solved, Status
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.solver.guided import WIDTHS, GuidedSearch
from solitaire_agents.tour_infernale.solver.memory import Memory, new_memory
from solitaire_agents.tour_infernale.solver.search import EFFORTS, Effort, Search
from solitaire_envs.cards import NUM_RANKS

__all__ = ["MAX_NODES", "Memory", "new_memory", "solve"]

MAX_NODES: Final = 50_000_000
"""Most configurations that the solver looks at by default."""


def solve(
    start: Position, *, passes: int | None = 1, max_nodes: int | None = None, memory: Memory | None = None
) -> Solved:
    """Settles one position exactly. The result is 'unknown' only if a limit ended the search.

    Without a limit of passes, every position can be won. Then it searches for two lines and returns the shorter one,
    whose length is an upper bound of the fewest moves.

    Args:
        start: The position.
        passes: Passes through the stock allowed; None: no limit.
        max_nodes: Most configurations to look at; None: `MAX_NODES`.
        memory: Storage to use again; None: new storage.

    Returns:
        The result for a game without a limit of moves; see the module's text.

    Raises:
        ValueError: The position is impossible with so many passes.
    """
    start.check(passes)
    if start.foundations == (NUM_RANKS,) * 4:
        return Solved("solved", None, 0)
    return _settle(start, passes, MAX_NODES if max_nodes is None else max_nodes, memory or new_memory())


def _settle(start: Position, passes: int | None, max_nodes: int, memory: Memory) -> Solved:
    """Runs searches until one settles the position, or the limit is reached."""
    nodes, shortest = 0, list[int]()
    for search in _searches(start, passes, memory):
        status, line, looked_at = search(max_nodes - nodes)
        nodes += looked_at
        if status == "impossible" and passes is not None:
            return Solved("impossible", None, nodes)
        is_second = bool(shortest)
        if status == "solved":
            shortest = min(line, shortest or line, key=len)
        if (shortest and (passes is not None or is_second)) or nodes >= max_nodes:
            break
    return Solved("solved" if shortest else "unknown", None, nodes, start.spell_out(shortest))


def _searches(
    start: Position, passes: int | None, memory: Memory
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
    elif may_redeal or len(start.tableau) not in SHIPPED_NETWORKS:
        yield from (partial(search, passes, effort) for effort in EFFORTS)
    else:
        guided = GuidedSearch(start)

        def guide(width: int, limit: int) -> tuple[Status, list[int], int]:
            before, line = guided.nodes, guided.run(width, limit)
            return "solved" if line else "unknown", Search(start, passes, memory).shortened(line), guided.nodes - before

        for effort, widths in zip(EFFORTS, WIDTHS, strict=True):
            yield from (partial(guide, width) for width in widths)
            yield partial(search, passes, effort)
