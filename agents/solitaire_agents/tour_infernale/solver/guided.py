"""A search for a win in the last pass, guided by a trained network: it finds nearly all wins, and proves no loss.

It goes from draw to draw. Of all candidates within reach of those that it has kept, it keeps those with the highest
values. The network does not know the next cards, but the search draws them in their true order: a position that the
next card ruins leads to no good candidate, and is dropped.
"""

from itertools import pairwise
from typing import Any, Final

import numpy as np

from solitaire_agents.choosing import Scratch, new_scratch
from solitaire_agents.tour_infernale.bitboard import (
    BOARD_FIELDS,
    DRAWN,
    Bitboard,
    board_of,
    is_won,
    move_card,
    write_board,
)
from solitaire_agents.tour_infernale.candidates import MOST_CANDIDATES, entry_of, find, write_path
from solitaire_agents.tour_infernale.choices import tour_infernale_choices
from solitaire_agents.tour_infernale.component_values import choose, is_finished, shipped
from solitaire_agents.tour_infernale.position import Start
from solitaire_envs.jit import as_records, entry_point
from solitaire_envs.tour_infernale import TourInfernaleOptions

WIDTHS: tuple[tuple[int, ...], ...] = ((1,), (8,), (64, 512, 2_048), (), (), ())
"""For each of `EFFORTS`, the widths (candidates to keep) of the guided searches before it."""

_ENTRY: Final = np.dtype(
    [
        *BOARD_FIELDS,
        ("parent", np.int64),  # its row in the stage before
        ("value", np.float64),  # a logit
    ]
)
"""A candidate that was kept, given by the configuration that enters it."""


class GuidedSearch:
    """Searches from one position in the last pass.

    Args:
        start: The position; `SHIPPED_NETWORKS` has a network for its number of piles.
    """

    def __init__(self, start: Start) -> None:
        self._start, order = start, start.order
        choices = tour_infernale_choices(TourInfernaleOptions(passes=1, piles=start.piles))
        self._network = shipped(start.piles)
        self._scratch: Scratch = new_scratch(choices, self._network)
        storage = self._scratch.storage
        storage.order[: len(order)] = order
        storage.now["cards"], storage.now["pass_number"] = len(order), 1  # the values are those of one pass

    @property
    def nodes(self) -> int:
        """Configurations looked at so far."""
        return int(self._scratch.storage.reach.progress["nodes"][0])

    def run(self, width: int, max_nodes: int) -> list[int]:
        """Searches with this many candidates kept at each draw; returns the moves of a win, empty if it finds none."""
        end = self.nodes + max_nodes
        stages = [as_records(np.array([(*self._start.board, -1, 0.0)], _ENTRY))]
        found = as_records(np.zeros(width * MOST_CANDIDATES, _ENTRY))
        for drawn in range(self._start.drawn, len(self._start.order) + 1):
            number = int(_expand(self._network, self._scratch, drawn, stages[-1], found))
            if number < 0:
                return self._line(stages, -1 - number)
            if number == 0 or self.nodes >= end:
                break
            # One of those with equal values: they look the same to the network.
            _, first = np.unique(-found["value"][:number], return_index=True)
            stages.append(found[first[:width]])
        return []

    def _line(self, stages: list[Any], winner: int) -> list[int]:
        """Returns the moves that lead to a win, which is within reach of a row of the last stage."""
        boards = []
        for stage in reversed(stages):
            a, b, c, winner, _ = stage[winner].item()
            boards.append(Bitboard(a, b, c))
        boards.reverse()
        moves, drawn, path = list[int](), self._start.drawn, self._scratch.storage.path
        for board, following in pairwise(boards):
            moves += path[: _go_to(self._scratch, drawn, board, following)].tolist()
            drawn += 1
        board = boards[-1]
        while not is_won(board):
            for move in path[: _go_on(self._network, self._scratch, drawn, board)].tolist():
                moves.append(move)
                drawn += move & 7 == DRAWN
                board = board if move & 7 == DRAWN else Bitboard(*move_card(board, move))
        return moves


@entry_point("tour infernale solver")
def _expand(network: Any, scratch: Any, drawn: int, kept: Any, found: Any) -> int:
    """Finds the candidates within reach of those that were kept; returns how many, or -1 - the row of a win.

    Args:
        network: The network.
        scratch: Working storage, with the order of drawing.
        drawn: Cards drawn so far.
        kept: _ENTRY [n].
        found: _ENTRY [m], written to.
    """
    number, now = 0, scratch.storage.now[0]
    now.drawn = drawn
    for i in range(len(kept)):
        board = board_of(kept[i])
        if drawn == now.cards:
            if is_finished(network, scratch, board):
                return -1 - i
            continue
        if choose(network, scratch, board)[1] == np.inf:
            return -1 - i
        for k in range(now.candidates):
            write_board(found[number], entry_of(scratch.storage, k))
            found[number].parent, found[number].value = i, scratch.logits[k]
            number += 1
    return number


@entry_point("tour infernale solver")
def _go_to(scratch: Any, drawn: int, board: Bitboard, target: Bitboard) -> int:
    """Writes the moves to a candidate, given by its entry, and a draw; returns how many."""
    scratch.storage.now[0].drawn = drawn
    for k in range(find(scratch.storage, board)):
        if entry_of(scratch.storage, k) == target:
            return int(write_path(scratch.storage, k))
    return 0


@entry_point("tour infernale solver")
def _go_on(network: Any, scratch: Any, drawn: int, board: Bitboard) -> int:
    """Writes the moves to a win that is within reach, or towards it once the stock is empty; returns how many."""
    scratch.storage.now[0].drawn = drawn
    k, value = choose(network, scratch, board)
    return int(write_path(scratch.storage, k)) if value > -np.inf else 0
