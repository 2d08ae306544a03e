"""The beam search of the solver, which goes through the stock stage by stage.

A *stage* is a place of the pointer in a pass: so many cards have been drawn. At each stage the search keeps components,
each by its representative, and explores what can be reached from them without a draw. If there are more components than
its width allows, it keeps those with the highest rating.

*Nothing is lost until something is cut.* A search that has kept every component, and has found no win, is a proof. So
the same search runs with growing effort: narrow for a quick win, wide for a rare one, and last with all the room that
memory has, which proves a loss or ends as 'unknown'.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import CARDS, NO_MOVE
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.solver.components import expand
from solitaire_agents.tour_infernale.solver.memory import BY_DRAW, BY_REDEAL, STAMPS, START, Memory
from solitaire_agents.tour_infernale.solver.shorten import shorten

Status: TypeAlias = Literal["solved", "impossible", "unknown"]


class Effort(NamedTuple):
    """The limits of one beam search."""

    width: int  # representatives kept at each stage
    reach: int  # configurations looked at in each component
    span: int  # configurations looked at from each representative


EFFORTS: Final = (
    Effort(30, 100, 1_000),
    Effort(100, 100, 5_000),
    Effort(1_000, 300, 20_000),
    Effort(5_000, 300, 20_000),
    Effort(30_000, 1_000, 50_000),
    Effort(1 << 60, 1 << 60, 1 << 60),
)
CHUNK: Final = 200_000
"""Configurations to look at between two chances for Ctrl-C."""


class Search:
    """Searches from one position.

    Args:
        start: The position, already checked.
        passes: Passes through the stock allowed.
        memory: Storage; one search at a time can use it.
    """

    def __init__(self, start: Position, passes: int, memory: Memory) -> None:
        self._memory, self._start, self._passes = memory, start, passes
        self._game = memory.games.view(np.recarray)[0]  # fields can be read and written as attributes
        game, order = self._game, start.order()
        game.talon_size, game.piles, game.nodes = len(order), len(start.tableau), 0
        game.stock[: len(order)] = order
        game.place[order] = range(len(order))
        seen = CARDS & ~sum(1 << int(bit) for bit in order)
        game.drawn[0] = seen
        for i, bit in enumerate(order.tolist(), start=1):
            seen |= 1 << bit
            game.drawn[i] = seen

    @property
    def nodes(self) -> int:
        """Configurations looked at so far."""
        return int(self._game.nodes)

    def run(self, effort: Effort, max_nodes: int) -> tuple[Status, list[int]]:
        """Runs one beam search; returns what it found, and the moves of a line that wins."""
        memory, game = self._memory, self._game
        game.cut, game.won, game.arrival = 0, -1, START
        game.reach, game.span = effort.reach, effort.span
        game.pointer, this_pass = len(self._start.waste), self._start.pass_number
        reps = np.array([[*self._start.bitboard(), -1, 0, 0]], np.int64)
        stages = [(reps, np.zeros(0, np.int16))]
        while True:
            game.last = game.pointer == game.talon_size and this_pass == self._passes
            if not self._expand(reps, effort.width, max_nodes):
                return "unknown", []
            if game.won >= 0:
                return "solved", self._line(stages)
            if not game.found:
                return ("unknown" if game.cut else "impossible"), []
            self._keep_best(effort.width)
            reps = memory.found[: game.found].copy()
            stages.append((reps, memory.log[: game.logged].copy()))
            if game.pointer < game.talon_size:
                game.pointer, game.arrival = game.pointer + 1, BY_DRAW
            else:
                game.pointer, game.arrival, this_pass = 0, BY_REDEAL, this_pass + 1

    def _expand(self, reps: NDArray[np.int64], width: int, max_nodes: int) -> bool:
        """Finds the candidates for the next stage, or a win; False: a limit was reached."""
        memory, game = self._memory, self._game
        game.stamp += 1
        if game.stamp == STAMPS:
            game.stamp = 1
            memory.table[:] = 0
        game.entries = game.found = game.logged = game.at = 0
        while game.at < len(reps):
            expand(memory, reps, min(max_nodes, game.nodes + CHUNK))
            if game.won >= 0:
                return True
            if game.nodes >= max_nodes:
                return False
            if game.found * 2 > len(memory.found) or game.logged * 2 > len(memory.log):
                self._keep_best(min(width, int(game.found) // 2))
        return True

    def _keep_best(self, width: int) -> None:
        """Drops all candidates but the best."""
        memory, game = self._memory, self._game
        n = int(game.found)
        if n <= width:
            return
        game.cut = 1
        best = np.argsort(-memory.scores[:n], kind="stable")[:width]  # among equals the first, on any processor
        kept = np.sort(best)
        memory.scores[:width] = memory.scores[kept]
        found = memory.found[kept]
        lengths = found[:, 5] - found[:, 4]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(found[:, 4] - ends + lengths, lengths)
        memory.log[: ends[-1]] = memory.log[places]
        found[:, 4], found[:, 5] = ends - lengths, ends
        memory.found[:width] = found
        game.found, game.logged = width, ends[-1]

    def _line(self, stages: list[tuple[NDArray[np.int64], NDArray[np.int16]]]) -> list[int]:
        """Returns the moves that lead to the win just found, shortened."""
        memory, game = self._memory, self._game
        at, k, backward = int(game.won), int(game.at), list[int]()
        while at >= 0:
            backward.append(int(memory.queue[at, 4]))
            at = int(memory.queue[at, 3])
        for reps, log in reversed(stages):
            backward += log[reps[k, 4] : reps[k, 5]].tolist()
            k = int(reps[k, 3])
        return self.shortened([move for move in reversed(backward) if move != NO_MOVE])

    def shortened(self, moves: list[int]) -> list[int]:
        """Returns a line that wins, without moves that it does not need."""
        line = np.array(moves, np.int64)
        start = np.array([*self._start.bitboard(), len(self._start.waste)], np.int64)
        short: list[int] = line[: shorten(self._memory.games, start, line, len(line))].tolist()
        return short
