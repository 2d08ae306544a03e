"""Exact solver for La tour infernale with the order of the stock known ('thoughtful' play).

Three exact ideas make it fast: components and safe moves (`explore`), and a search that is a proof as long as it leaves
nothing out (`search`). A rating (`rating`) and, in the last pass, learned values (`guided`) decide what is searched
first. Without a limit of passes every position can be won, and a beam search looks for a line of few moves.

The solver does not count moves. 'impossible' holds under any limit of moves. 'solved' holds under a limit only if the
line found is no longer than the limit. A caller with a limit has to compare the two. If the line is longer, the
position is open, because a shorter line may exist.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from solitaire_agents.kit import Solved, Status, check_goal
from solitaire_agents.tour_infernale.beam_search import beam_search
from solitaire_agents.tour_infernale.component_values import SHIPPED_NETWORKS
from solitaire_agents.tour_infernale.position import Start, spell_out, start_of
from solitaire_agents.tour_infernale.solver.guided import WIDTHS, GuidedSearch
from solitaire_agents.tour_infernale.solver.memory import Memory, new_memory
from solitaire_agents.tour_infernale.solver.search import EFFORTS, Effort, Search
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.tour_infernale import TourInfernaleOptions

__all__ = ["MAX_NODES", "Memory", "new_memory", "solve"]

MAX_NODES: Final = 50_000_000
"""Most configurations that the solver looks at by default."""
BEAM: Final = 100
"""Positions that the beam search keeps from draw to draw."""


def solve(
    state: Any,
    options: TourInfernaleOptions,
    *,
    goal: str = "win",
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> Solved:
    """Settles one position exactly. The result is 'unknown' only if a limit ended the search.

    Without a limit of passes, every position can be won. Then the line's length is an upper bound of the fewest moves,
    and no nodes are counted or limited.

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
    check_goal(goal, ("win",))
    start = start_of(state, options)
    if state["foundations"].sum() == NUM_CARDS:
        return Solved(Status.SOLVED, None, 0)
    if options.passes is None:
        return Solved(Status.SOLVED, None, 0, beam_search(state, options, width=BEAM))
    limit = MAX_NODES if max_nodes is None else max_nodes
    status, nodes, line = _settle(start, options.passes, limit, memory or new_memory())
    return Solved(status, None, nodes, spell_out(state, options, line))


def _settle(start: Start, passes: int, max_nodes: int, memory: Memory) -> tuple[Status, int, list[int]]:
    """Runs searches until one settles the position, or the limit is reached; returns its nodes and a line of moves."""
    nodes = 0
    for search in _searches(start, passes, memory):
        status, line, looked_at = search(max_nodes - nodes)
        nodes += looked_at
        if status is not Status.UNKNOWN or nodes >= max_nodes:
            return status, nodes, line
    return Status.UNKNOWN, nodes, []


def _searches(start: Start, passes: int, memory: Memory) -> Iterator[Callable[[int], tuple[Status, list[int], int]]]:
    """Yields the searches to run: limit of nodes -> the status, the line, and the number of nodes it looked at.

    Their effort grows. In the last pass guided searches come first: they find wins sooner, and the others prove losses.
    """
    may_redeal = start.pass_number < passes

    def search(effort: Effort, limit: int) -> tuple[Status, list[int], int]:
        whole = Search(start, passes, memory, may_redeal=may_redeal)
        return *whole.run(effort, limit), whole.nodes

    if may_redeal or start.piles not in SHIPPED_NETWORKS:
        yield from (partial(search, effort) for effort in EFFORTS)
    else:
        guided = GuidedSearch(start)

        def guide(width: int, limit: int) -> tuple[Status, list[int], int]:
            before, line = guided.nodes, guided.run(width, limit)
            return Status.SOLVED if line else Status.UNKNOWN, line, guided.nodes - before

        for effort, widths in zip(EFFORTS, WIDTHS, strict=True):
            yield from (partial(guide, width) for width in widths)
            yield partial(search, effort)
