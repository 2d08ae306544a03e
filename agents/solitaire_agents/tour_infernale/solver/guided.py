"""A search for a win in the last pass, guided by a trained network: it finds nearly all wins, and proves no loss.

It goes from draw to draw. Of all candidates within reach of those that it has kept, it keeps the ones of the highest
value. The values are those of a player who does not know what comes; the search does know, and so drops what it ruins.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choosing import Sheet, new_sheet
from solitaire_agents.tour_infernale.bitboard import DRAWN, is_won, move_card
from solitaire_agents.tour_infernale.candidates import (
    CARDS_DRAWN,
    CARDS_LEFT,
    MOST_CANDIDATES,
    NUMBER,
    PASS,
    find,
    words_of,
    write_path,
)
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import choose, is_finished, shipped_network
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.reach import LOOKED_AT
from solitaire_envs.jit import entry_point
from solitaire_envs.tour_infernale import TourInfernaleOptions

WIDTHS: tuple[tuple[int, ...], ...] = ((1,), (8,), (64, 512, 2_048), (), (), ())
"""Numbers of candidates to keep in the searches before each of those that can prove a loss."""


class GuidedSearch:
    """Searches from one position in the last pass.

    Args:
        start: The position, already checked; with as many piles as a network has learned (`SHIPPED_NETWORKS`).
    """

    def __init__(self, start: Position) -> None:
        self._start, self._order = start, start.order()
        piles = len(start.tableau)
        choices = tour_infernale_choices(TourInfernaleOptions(passes=1, piles=piles))
        self._network = shipped_network(piles)
        self._sheet: Sheet = new_sheet(choices, self._network)
        storage = self._sheet.storage
        storage.order[: len(self._order)] = self._order
        storage.now[CARDS_LEFT], storage.now[PASS] = len(self._order), 1  # the values are those of one pass

    @property
    def nodes(self) -> int:
        """Configurations looked at so far."""
        return int(self._sheet.storage.reach.counters[LOOKED_AT])

    def run(self, width: int, max_nodes: int) -> list[int]:
        """Searches with so many candidates kept; returns the moves of a line that wins, none if it finds none."""
        end = self.nodes + max_nodes
        stages = [np.array([[*self._start.bitboard(), -1]], np.int64)]
        found, values = np.zeros((width * MOST_CANDIDATES, 4), np.int64), np.zeros(width * MOST_CANDIDATES)
        for drawn in range(len(self._start.waste), len(self._order) + 1):
            number = int(_expand(self._network, self._sheet, drawn, stages[-1], found, values))
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
            moves += self._written(_go_to(self._sheet, (drawn, *row), np.array(following)))
            drawn += 1
        a, b, c = rows[-1]
        while not is_won(a, b):
            for move in self._written(_go_on(self._network, self._sheet, (drawn, a, b, c))):
                moves.append(move)
                drawn += move & 7 == DRAWN
                a, b, c = (a, b, c) if move & 7 == DRAWN else move_card(a, b, c, move)
        return moves

    def _written(self, length: int) -> list[int]:
        line: list[int] = self._sheet.storage.path[:length].tolist()
        return line


@entry_point("tour infernale solver")
def _expand(network: Any, sheet: Any, drawn: int, kept: Any, found: Any, values: Any) -> int:
    """Finds the candidates within reach of those that were kept; returns how many, or -1 - the row that wins.

    Args:
        network: The network.
        sheet: Working storage, with the order of drawing.
        drawn: Cards drawn so far.
        kept: int64 [n, 4], a row each: the bitboard by which it was entered, and the row that it came from.
        found: int64 [m, 4], such rows are written to it.
        values: float64 [m], their values are written to it.
    """
    number, now = 0, sheet.storage.now
    now[CARDS_DRAWN] = drawn
    for i in range(len(kept)):
        a, b, c = kept[i, 0], kept[i, 1], kept[i, 2]
        if drawn == now[CARDS_LEFT]:
            if is_finished(network, sheet, a, b, c):
                return -1 - i
            continue
        if choose(network, sheet, a, b, c)[1] == np.inf:
            return -1 - i
        for k in range(now[NUMBER]):
            found[number, 0], found[number, 1], found[number, 2] = words_of(sheet.storage, k)
            found[number, 3], values[number] = i, sheet.logits[k]
            number += 1
    return number


@entry_point("tour infernale solver")
def _go_to(sheet: Any, at: Any, words: Any) -> int:
    """Writes the moves to a candidate, given by the words of its bitboard, and a draw; returns how many."""
    drawn, a, b, c = at
    sheet.storage.now[CARDS_DRAWN] = drawn
    for k in range(find(sheet.storage, a, b, c)):
        if words_of(sheet.storage, k) == (words[0], words[1], words[2]):
            return int(write_path(sheet.storage, k))
    return 0


@entry_point("tour infernale solver")
def _go_on(network: Any, sheet: Any, at: Any) -> int:
    """Writes the moves to a win that is within reach, or towards it once the stock is empty; returns how many."""
    drawn, a, b, c = at
    sheet.storage.now[CARDS_DRAWN] = drawn
    k, value = choose(network, sheet, a, b, c)
    return int(write_path(sheet.storage, k)) if value > -np.inf else 0
