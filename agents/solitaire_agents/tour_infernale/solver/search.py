"""The beam search of the solver, which goes through the stock stage by stage.

A *stage* is a place of the pointer in a pass, the number of cards drawn. At each stage the search keeps components,
each by its representative, and explores what can be reached from them without a draw. If there are more components than
its width allows, it keeps those with the highest ratings.

*A search that cuts nothing is a proof.* Every line is a walk through the stages: a draw leads to the next one, and a
redeal, once the stock is empty, to the first one of the next pass. If the search has kept every component of each stage
and found no win, the position is lost. Each limit that leaves something out sets `cut`, and then finding no win proves
nothing. So the search runs with growing effort: narrow to find a quick win, wide for a rare one, and at last with all
the memory, which proves a loss or ends as 'unknown'. Configurations are compared whole, so no loss rests on a hash.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import Status
from solitaire_agents.tour_infernale.bitboard import CARDS, NO_MOVE
from solitaire_agents.tour_infernale.position import Start
from solitaire_agents.tour_infernale.solver.components import expand
from solitaire_agents.tour_infernale.solver.memory import (
    ARRIVED_BY_DRAW,
    ARRIVED_BY_REDEAL,
    COMPONENT,
    STAMPS,
    START,
    Memory,
)
from solitaire_envs.jit import as_records


class Effort(NamedTuple):
    """The limits of one beam search."""

    width: int  # representatives kept at each stage
    most_in_component: int  # configurations looked at in each component
    most_from_one: int  # configurations looked at from each representative


EFFORTS: Final = (
    Effort(30, 100, 1_000),
    Effort(100, 100, 5_000),
    Effort(1_000, 300, 20_000),
    Effort(5_000, 300, 20_000),
    Effort(30_000, 1_000, 50_000),
    Effort(1 << 60, 1 << 60, 1 << 60),
)
CHUNK: Final = 200_000
"""Configurations to look at between two checks for Ctrl-C."""


class Search:
    """Searches from one position.

    Args:
        start: The position.
        passes: Passes through the stock allowed.
        memory: Storage; only one search at a time can use it.
        may_redeal: Whether the rules allow a redeal, even if this search makes none: positions are rated by that.
    """

    def __init__(self, start: Start, passes: int, memory: Memory, *, may_redeal: bool = False) -> None:
        self._memory, self._start, self._passes = memory, start, passes
        self._progress = memory.progress.view(np.recarray)[0]  # fields can be read and written as attributes
        progress, order = self._progress, start.order
        progress.talon_size, progress.piles, progress.nodes = len(order), start.piles, 0
        progress.may_redeal = may_redeal
        progress.order[: len(order)] = order
        seen = CARDS & ~sum(1 << int(bit) for bit in order)
        progress.seen[0] = seen
        for i, bit in enumerate(order.tolist(), start=1):
            seen |= 1 << bit
            progress.seen[i] = seen

    @property
    def nodes(self) -> int:
        """Configurations looked at so far."""
        return int(self._progress.nodes)

    def run(self, effort: Effort, max_nodes: int) -> tuple[Status, list[int]]:
        """Runs one beam search; returns the status, and the moves of a line that wins."""
        memory, progress = self._memory, self._progress
        progress.cut, progress.won, progress.arrival = 0, -1, START
        progress.most_in_component, progress.most_from_one = effort.most_in_component, effort.most_from_one
        progress.pointer, this_pass = self._start.drawn, self._start.pass_number
        reps = as_records(np.array([(*self._start.board, -1, 0, 0, 0.0)], COMPONENT))
        stages = [(reps, np.zeros(0, np.int16))]
        while True:
            progress.last = progress.pointer == progress.talon_size and this_pass == self._passes
            if not self._expand(reps, effort.width, max_nodes):
                return Status.UNKNOWN, []
            if progress.won >= 0:
                return Status.SOLVED, self._line(stages)
            if not progress.found:
                return Status.UNKNOWN if progress.cut else Status.IMPOSSIBLE, []
            self._keep_best(effort.width)
            reps = memory.found[: progress.found].copy()
            stages.append((reps, memory.log[: progress.logged].copy()))
            if progress.pointer < progress.talon_size:
                progress.pointer, progress.arrival = progress.pointer + 1, ARRIVED_BY_DRAW
            else:
                progress.pointer, progress.arrival, this_pass = 0, ARRIVED_BY_REDEAL, this_pass + 1

    def _expand(self, reps: Any, width: int, max_nodes: int) -> bool:
        """Finds the components of the next stage, or a win; returns False if a limit was reached."""
        memory, progress = self._memory, self._progress
        progress.stamp += 1
        if progress.stamp == STAMPS:
            progress.stamp = 1
            memory.table["c"] = 0
        progress.in_table = progress.found = progress.logged = progress.at = 0
        while progress.at < len(reps):
            expand(memory, reps, min(max_nodes, progress.nodes + CHUNK))
            if progress.won >= 0:
                return True
            if progress.nodes >= max_nodes:
                return False
            if progress.found * 2 > len(memory.found) or progress.logged * 2 > len(memory.log):
                self._keep_best(min(width, int(progress.found) // 2))
        return True

    def _keep_best(self, width: int) -> None:
        """Drops all components except those with the highest ratings."""
        memory, progress = self._memory, self._progress
        n = int(progress.found)
        if n <= width:
            return
        progress.cut = 1
        ranking = np.argsort(-memory.found["rating"][:n], kind="stable")  # stable: of equals the first, on any machine
        found = memory.found[np.sort(ranking[:width])]
        lengths = found["end"] - found["start"]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(found["start"] - ends + lengths, lengths)
        memory.log[: ends[-1]] = memory.log[places]
        found["start"], found["end"] = ends - lengths, ends
        memory.found[:width] = found
        progress.found, progress.logged = width, ends[-1]

    def _line(self, stages: list[tuple[Any, NDArray[np.int16]]]) -> list[int]:
        """Returns the moves that lead to the win just found."""
        queue, progress = self._memory.queue, self._progress
        at, k, backward = int(progress.won), int(progress.at), list[int]()
        while at >= 0:
            backward.append(int(queue["move"][at]))
            at = int(queue["parent"][at])
        for reps, log in reversed(stages):
            backward += log[reps["start"][k] : reps["end"][k]].tolist()
            k = int(reps["parent"][k])
        return [move for move in reversed(backward) if move != NO_MOVE]
