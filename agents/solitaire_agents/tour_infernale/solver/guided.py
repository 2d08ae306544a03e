"""A search for a win in the last pass, guided by learned values: it finds nearly all wins, and proves no loss.

It goes from draw to draw. Of all components within reach of those that it has kept, it keeps the ones of the highest
value. The values are those of a player who does not know what comes; the search does know, and so drops what it ruins.
"""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import DRAWN, is_won, move_card
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.reach import (
    COMPONENTS,
    FIRST,
    FOUND,
    LOOKED_AT,
    find_components,
)
from solitaire_agents.tour_infernale.values import (
    EXPLORED,
    INPUTS,
    SHIPPED_VALUES,
    choose,
    is_finished,
    new_chooser,
    put_before,
    write_line,
)
from solitaire_agents.trained import read_weights
from solitaire_agents.value_network import ValueNetwork, value_shapes
from solitaire_envs.jit import entry_point

WIDTHS: tuple[tuple[int, ...], ...] = ((1,), (8,), (64, 512, 2_048), (), (), ())
"""Numbers of components to keep in the searches before each of those that can prove a loss."""


class GuidedSearch:
    """Searches from one position in the last pass.

    Args:
        start: The position, already checked; with as many piles as values are known of (`SHIPPED_VALUES`).
    """

    def __init__(self, start: Position) -> None:
        self._start, self._order = start, start.order()
        self._chooser = new_chooser(_network(len(start.tableau)), len(start.tableau))

    @property
    def nodes(self) -> int:
        """Configurations looked at so far."""
        return int(self._chooser.reach.counters[LOOKED_AT])

    def run(self, width: int, max_nodes: int) -> list[int]:
        """Searches with so many components kept; returns the moves of a line that wins, none if it finds none."""
        end = self.nodes + max_nodes
        stages = [np.array([[*self._start.bitboard(), -1]], np.int64)]
        found, values = np.zeros((width * COMPONENTS, 4), np.int64), np.zeros(width * COMPONENTS)
        for drawn in range(len(self._start.waste), len(self._order) + 1):
            number = int(_expand(self._chooser, self._order, drawn, stages[-1], found, values))
            if number < 0:
                return self._line(stages, -1 - number)
            if number == 0 or self.nodes >= end:
                break
            _, first = np.unique(-values[:number], return_index=True)  # of equal values one: they look the same
            stages.append(found[first[:width]])
        return []

    def _line(self, stages: list[NDArray[np.int64]], winner: int) -> list[int]:
        """Returns the moves that lead to a win, which is within reach of a row of the last stage."""
        rows = []
        for stage in reversed(stages):
            rows.append(stage[winner, :3].tolist())
            winner = int(stage[winner, 3])
        rows.reverse()
        moves, drawn = list[int](), len(self._start.waste)
        for row, following in pairwise(rows):
            moves += self._written(_go_to(self._chooser, self._order, (drawn, *row), np.array(following)))
            drawn += 1
        a, b, c = rows[-1]
        while not is_won(a, b):
            for move in self._written(_win(self._chooser, self._order, (drawn, a, b, c))):
                moves.append(move)
                drawn += move & 7 == DRAWN
                a, b, c = (a, b, c) if move & 7 == DRAWN else move_card(a, b, c, move)
        return moves

    def _written(self, length: int) -> list[int]:
        line: list[int] = self._chooser.tableau.line[:length].tolist()
        return line


@cache
def _network(piles: int) -> ValueNetwork:
    return ValueNetwork(**read_weights(SHIPPED_VALUES[piles], value_shapes(INPUTS)))


@entry_point("tour infernale solver")
def _expand(chooser: Any, order: Any, drawn: int, kept: Any, found: Any, values: Any) -> int:
    """Finds the components within reach of those that were kept; returns how many, or -1 - the row that wins.

    Args:
        chooser: The network and storage.
        order: As in `find_components`.
        drawn: As in `find_components`.
        kept: int64 [n, 4], a row each: the bitboard by which it was entered, and the row that it came from.
        found: int64 [m, 4], such rows are written to it.
        values: float64 [m], their values are written to it.
    """
    number, reach = 0, chooser.reach
    for i in range(len(kept)):
        a, b, c = kept[i, 0], kept[i, 1], kept[i, 2]
        if drawn == len(order):
            if is_finished(chooser, order, a, b, c):
                return -1 - i
            continue
        if choose(chooser, order, drawn, a, b, c)[0] < 0:
            return -1 - i
        for k in range(reach.counters[FOUND]):
            row = reach.queue[reach.components[k, FIRST]]
            found[number, 0], found[number, 1], found[number, 2], found[number, 3] = row[0], row[1], row[2], i
            values[number] = chooser.values[k]
            number += 1
    return number


@entry_point("tour infernale solver")
def _go_to(chooser: Any, order: Any, at: Any, words: Any) -> int:
    """Writes the moves to a component's first configuration, and a draw, into the line; returns how many."""
    drawn, a, b, c = at
    reach, line = chooser.reach, chooser.tableau.line
    line[0] = DRAWN
    for k in range(find_components(reach, order, drawn, chooser.tableau.piles, EXPLORED, a, b, c)):
        row = reach.components[k, FIRST]
        if reach.queue[row, 0] == words[0] and reach.queue[row, 1] == words[1] and reach.queue[row, 2] == words[2]:
            return int(put_before(reach.queue, row, line, 1))
    return 0


@entry_point("tour infernale solver")
def _win(chooser: Any, order: Any, at: Any) -> int:
    """Writes moves to a win that is within reach, or towards it once the stock is empty; returns how many."""
    drawn, a, b, c = at
    best = choose(chooser, order, drawn, a, b, c)[0] if drawn < len(order) else 0
    return int(write_line(chooser, order, at, best))
