"""Exact solver for Golf with the order of the stock known.

A position is the draws so far, the heights of the columns, and the rank of the waste's top. For each draws and heights,
a word has a bit for every rank that the waste's top can be. A draw shortens the stock and a play lowers a column, so
one sweep in that order finds all that can be reached, and a walk back from the best of it finds a line.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from golf.game import COLUMNS, DRAW, RANK, ROWS, STARTER, STOCK, GolfOptions
from golf.uses import USES
from solitaire_agents.kit import Solved, Solver, Status
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import entry_point

# The heights of all columns are one number, whose digits to the base 6 they are.
BASE = ROWS + 1
ONE = BASE ** np.arange(COLUMNS)
"""Column -> what one card in it adds to that number."""
CARDS = (np.arange(BASE**COLUMNS)[:, None] // ONE % BASE).sum(1).astype(np.uint8)
"""That number -> cards in all columns."""


def search(
    tableau: NDArray[np.int64], stock: NDArray[np.int64], top: int, *, wrap: bool, max_nodes: int | None = None
) -> Solved:
    """Finds the best end of a game: minus the fewest cards left in the columns, and a line to it.

    Args:
        tableau: Ranks of the cards in the columns, row by row from the lowest, int64 [5, 7]; 0 no card.
        stock: Ranks of the cards in the stock, its top first, int64 [n].
        top: Rank of the waste's top.
        wrap: Whether king and ace are neighbours.
        max_nodes: Heights and draws to search at most; None: all there are.
    """
    start = int(np.count_nonzero(tableau, axis=0) @ ONE)
    reached = np.zeros((len(stock) + 1, start + 1), np.uint16)
    reached[0, start] = 1 << top
    neighbours, limit = _neighbours(wrap), reached.size if max_nodes is None else max_nodes
    nodes = int(_sweep(tableau, stock, neighbours, limit, reached))
    if nodes > limit:
        return Solved(Status.UNKNOWN, None, limit)
    ends = np.flatnonzero(reached[-1])  # to draw is always allowed, so all heights that can be reached are here, too
    heights = int(ends[CARDS[ends].argmin()])
    draws = len(stock) if heights else int(reached[:, 0].astype(bool).argmax())  # a win needs no more
    line = list(_walk_back(tableau, neighbours, reached, draws, heights))
    return Solved(Status.SOLVED, -int(CARDS[heights]), nodes, line[::-1])


def _neighbours(wrap: bool) -> NDArray[np.int64]:
    """Returns rank -> bits of the ranks that it may be put on."""
    bits = 1 << np.arange(NUM_RANKS + 1)
    bits = bits << 1 | bits >> 1
    if wrap:
        bits[1] |= 1 << NUM_RANKS
        bits[NUM_RANKS] |= 1 << 1
    return bits


@entry_point("golf")
def _sweep(tableau: Any, stock: Any, neighbours: Any, max_nodes: int, reached: Any) -> int:
    """Fills in draws, heights -> bits of the ranks that the waste's top can be; returns the number of nodes."""
    nodes = 0
    for draws in range(len(stock) + 1):
        for heights in range(reached.shape[1] - 1, -1, -1):
            tops = reached[draws, heights]
            if tops == 0:
                continue
            nodes += 1
            if nodes > max_nodes:
                return nodes
            for column in range(COLUMNS):
                height = heights // ONE[column] % BASE
                if height > 0:
                    rank = tableau[height - 1, column]
                    if tops & neighbours[rank]:
                        reached[draws, heights - ONE[column]] |= 1 << rank
            if draws < len(stock):
                reached[draws + 1, heights] |= 1 << stock[draws]
    return nodes


def _walk_back(
    tableau: NDArray[np.int64], neighbours: NDArray[np.int64], reached: NDArray[np.uint16], draws: int, heights: int
) -> Iterator[int]:
    """Yields the actions of a line to an end, the last first."""
    start, tops = reached.shape[1] - 1, int(reached[draws, heights])
    while draws or heights != start:
        for column, one in enumerate(ONE.tolist()):
            row = heights // one % BASE
            rank = int(tableau[row, column]) if row < ROWS else 0
            before = int(reached[draws, heights + one] & neighbours[rank]) if rank and tops >> rank & 1 else 0
            if before:
                heights, tops = heights + one, before
                yield column
                break
        else:
            draws -= 1
            tops = int(reached[draws, heights])
            yield DRAW


class GolfSolver(Solver):
    """Solves Golf. The goal 'score' is the fewest cards left, 'win' to leave none."""

    goals = ("score", "win")
    uses = USES["solver"]

    def solve(
        self, state: Any, options: GolfOptions, *, goal: str = "win", max_nodes: int | None = None, memory: Any = None
    ) -> Solved:
        """Solves one position."""
        ranks, there = RANK[state.deck], np.arange(ROWS)[:, None] < state.heights
        tableau, stock = ranks[:STARTER].reshape(ROWS, COLUMNS) * there, ranks[STOCK + int(state.drawn) :]
        found = search(tableau, stock, ranks[state.top], wrap=options.wrap, max_nodes=max_nodes)
        if goal == "score" or found.value is None:
            return found
        return replace(found, value=None) if found.value == 0 else Solved(Status.IMPOSSIBLE, None, found.nodes)

    def verdict(self, state: Any, options: GolfOptions, *, lost: bool) -> Solved:
        """Returns whether a win is left, and the best score."""
        found = self.solve(state, options, goal="score")
        return replace(found, status=Status.SOLVED if found.value == 0 else Status.IMPOSSIBLE)
