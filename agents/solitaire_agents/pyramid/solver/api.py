"""Exact solver for Pyramid with the order of the stock known ('thoughtful' play).

Five ideas make the search fast, and all are exact. Each is explained in the module that uses it:

- Only discards branch (`search`).
- Kings are transparent (`line`).
- Matchings tell how few cards must stay, and which pairs can be made (`tables`).
- A relaxed game tells which cards can be discarded at all (`bounds`).
- One search serves all goals (`settle`).
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import STATUSES, Solved
from solitaire_agents.pyramid.solver.line import write_out
from solitaire_agents.pyramid.solver.search import LINE_SIZE
from solitaire_agents.pyramid.solver.settle import IMPOSSIBLE, SCORE, SOLVED, UNKNOWN, Position, settle_all
from solitaire_agents.pyramid.solver.tables import Memory, new_memory
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.checks import short
from solitaire_envs.pyramid_table import COVERS, PYRAMID_SIZE, STOCK_SIZE

__all__ = [
    "GOALS",
    "IMPOSSIBLE",
    "SOLVED",
    "UNKNOWN",
    "Goal",
    "Memory",
    "Position",
    "new_memory",
    "solve",
    "solve_many",
]

Goal: TypeAlias = Literal["all", "pyramid", "score", "shortest-all", "shortest-pyramid"]

MAX_NODES: Final = 50_000_000
"""Most states that a search looks at by default."""
GOALS: Final[tuple[Goal, ...]] = ("all", "pyramid", "score", "shortest-all", "shortest-pyramid")


def solve(
    deck: Sequence[int],
    *,
    goal: Goal = "all",
    passes: int = 3,
    stock_waste_pairs: bool = True,
    max_nodes: int | None = None,
    position: Position | None = None,
    memory: Memory | None = None,
) -> Solved:
    """Settles one position exactly. The result is 'unknown' only if `max_nodes` ended the search.

    Args:
        deck: 52 cards, 13 * suit + rank - 1 each, in dealing order: the pyramid's 28, then the stock from the top.
        goal: 'all' (discard all 52 cards), 'pyramid' (discard its 28), 'score' (highest final score), or
            'shortest-all' and 'shortest-pyramid' (fewest moves; each draw, redeal, pair and king is a move).
        passes: Passes through the stock allowed.
        stock_waste_pairs: Whether the tops of stock and waste may be paired.
        max_nodes: Most states to search; None: `MAX_NODES`.
        position: The position to start from; None: the deal.
        memory: Storage to use again; None: new storage.

    Raises:
        ValueError: The deck, goal, number of passes or position is impossible.
    """
    start, memory, line = position or Position(), memory or new_memory(), np.empty(LINE_SIZE, np.int64)
    results = _settle(np.array(deck)[None], goal, passes, stock_waste_pairs, max_nodes, start, memory, line)
    status, value, nodes = results[0].tolist()
    number = GOALS.index(goal)
    if not line[0]:
        return Solved(STATUSES[status], None, nodes)
    place = memory.questions["place"][0].tolist()
    actions = write_out(deck, start, number, passes, place, line)
    return Solved(STATUSES[status], value if number >= SCORE else None, nodes, actions)


def solve_many(
    decks: NDArray[np.integer[Any]],
    *,
    goal: Goal = "all",
    passes: int = 3,
    stock_waste_pairs: bool = True,
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> NDArray[np.int64]:
    """Settles many deals in one kernel.

    Args:
        decks: Cards, shape (N, 52).
        goal: As in `solve`.
        passes: As in `solve`.
        stock_waste_pairs: As in `solve`.
        max_nodes: As in `solve`, for each deal.
        memory: As in `solve`.

    Returns:
        Shape (N, 3), a row per deal: status (index into `kit.STATUSES`), value (0 for 'all' and 'pyramid'), nodes.

    Raises:
        ValueError: As in `solve`.
    """
    line = np.empty(LINE_SIZE, np.int64)
    return _settle(decks, goal, passes, stock_waste_pairs, max_nodes, Position(), memory or new_memory(), line)


def _settle(
    decks: NDArray[np.integer[Any]],
    goal: Goal,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int | None,
    start: Position,
    memory: Memory,
    line: NDArray[np.int64],
) -> NDArray[np.int64]:
    if decks.ndim != 2 or decks.shape[1] != NUM_CARDS or (np.sort(decks, axis=1) != np.arange(NUM_CARDS)).any():
        raise ValueError(f"expected decks of 52 distinct cards 0..51, got {decks.tolist()}")
    if goal not in GOALS:
        raise ValueError(f"expected a goal of {GOALS}, got {short(goal)}")
    _check_position(start, passes)
    limit = MAX_NODES if max_nodes is None else max_nodes
    positions, results = np.tile(np.array(start, np.int64), (len(decks), 1)), np.empty((len(decks), 3), np.int64)
    asked = GOALS.index(goal), passes, stock_waste_pairs, limit
    settle_all(decks.astype(np.int64), positions, *asked, memory.questions, memory.table, line, results)
    return results


def _check_position(position: Position, passes: int) -> None:
    if not 1 <= position.pass_number <= passes:
        raise ValueError(f"expected 1 <= pass number <= passes, got {position.pass_number} and {passes}")
    bits_fit = not position.pyramid >> PYRAMID_SIZE and not position.stock >> STOCK_SIZE
    if not bits_fit or not 0 <= position.pointer <= STOCK_SIZE:
        raise ValueError(f"expected 28 bits of pyramid, 24 of stock, a pointer 0..24, got {position}")
    for card, covers in enumerate(COVERS.tolist()):
        if not position.pyramid >> card & 1 and position.pyramid & covers:
            raise ValueError(f"expected nothing left on a discarded card, got {position} without card {card}")
