"""The explorer: finds what can be reached from a configuration without a draw, component by component.

Two exact ideas keep this small:

1.  *Tableau moves are reversible.* A card on a pile was put on a card one rank higher, or on an empty pile, and that
    place is free again when the card leaves. So every move from pile to pile can be undone at once. Only three kinds of
    moves cannot: a draw, a card from the waste, a card to a foundation. Between these, the configurations of the
    tableau fall into *components*, and one configuration, the *representative*, stands for its component. From one
    configuration, the waste's top may go on any card that it fits on, or on an empty pile: all these moves lead to the
    same component, since it may then go from one of these places to each other.
2.  *Safe foundation moves.* If all cards two ranks lower are up, a card may go up at once: only cards one rank lower
    could be put on it, and wherever these lie in the tableau, nothing can lie on them, and they can go up as well. So a
    line that wins without the move wins with it. Its moves of the card are left out; a card that it puts on this one
    goes up; all others have at least the same places. A card that has left the waste hides none, and the others keep
    their order. So a safe move anywhere in a component is at least as good as all others in it.

Both are about what can be won, with any number of piles and passes. They are not about the number of moves.

The solver and the agents have storages of their own. A *storage* has a `queue` of configurations visited (`ROW`), and
`progress`, one record with fields `first`, `queued`, `waiting`, `nodes` and `won`. Two kernels of its owner store a
configuration, given as (storage, board, parent, move):

    meet: adds a configuration of the present component to the queue if it is new; returns False if there is no room.
    enter: keeps a configuration that may enter another component.

The explorer is compiled for each owner with these two. (A kernel can also take kernels as arguments, but then Numba
does not cache the machine code of its callers.)
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from solitaire_agents.bits import index_of
from solitaire_agents.tour_infernale.bitboard import (
    BOARD_FIELDS,
    ON_BOTTOM,
    TO_FOUNDATION,
    Bitboard,
    bases_of,
    board_of,
    empty_piles,
    go_up,
    heights_of,
    movable,
    next_up,
    put,
    tops_of,
    write_board,
)
from solitaire_envs.jit import kernel

NO_ROW: Final = -1
ROW_FIELDS: Final = [
    *BOARD_FIELDS,
    ("parent", np.int64),  # the queue's row that it was reached from, or `NO_ROW`
    ("move", np.int64),  # the move from that row
]
ROW: Final = np.dtype(ROW_FIELDS)
"""A configuration that was visited."""

Visit = Callable[[Any, Bitboard, int, int], bool]


@kernel
def write_row(row: Any, board: Bitboard, parent: int, move: int) -> None:
    """Writes a configuration, reached by a move from another row of the queue."""
    write_board(row, board)
    row.parent, row.move = parent, move


@cache
def explorer_over(meet: Visit, enter: Visit) -> Callable[[Any, int, int, bool], bool]:
    """Returns the kernel that explores a component with `meet` and `enter`."""
    raise_each, rearrange = raising_over(enter), rearranging_over(meet)

    @kernel
    def explore(storage: Any, top: int, piles: int, top_first: bool) -> bool:
        """Explores the component of the queue's last row; returns False if a safe move makes that unnecessary.

        Args:
            storage: The storage.
            top: The waste's top as a set of one card, 0 if the waste is empty.
            piles: Number of piles.
            top_first: Whether the waste's top goes up before other cards; else cards go up in the order of bits. This
                only changes the order in which components are found.
        """
        queue, progress = storage.queue, storage.progress[0]
        head, waiting, rising = progress.first, progress.waiting, top
        goals, safe = next_up(heights_of(board_of(queue[head])))
        if top_first and top & goals:
            raise_each(storage, board_of(queue[head]), head, top)
            if top & safe:
                return False
            rising = 0
        while head < progress.queued and progress.won < 0:
            progress.nodes += 1
            board = board_of(queue[head])
            tops = tops_of(board)
            ups = (tops | rising) & goals
            if ups & safe:
                progress.waiting = waiting
                ups &= safe
                raise_each(storage, board, head, ups & -ups)
                return False
            raise_each(storage, board, head, ups)
            empty = empty_piles(board, piles) > 0
            if top:  # all its places lead to the same component
                i = index_of(top)
                bases = bases_of(tops, i)
                if bases or empty:
                    kind = index_of(bases & -bases) if bases else ON_BOTTOM
                    enter(storage, put(board, i, kind), head, i << 3 | kind)
            rearrange(storage, board, head, tops, empty, 0)
            head, rising = head + 1, 0
        return True

    return explore


@cache
def raising_over(visit: Visit) -> Callable[[Any, Bitboard, int, int], None]:
    """Returns the kernel that visits the configuration after each of a set of cards goes up."""

    @kernel
    def raise_each(storage: Any, board: Bitboard, head: int, ups: int) -> None:
        """Moves each card up; head: the row of the board."""
        while ups:
            i = index_of(ups & -ups)
            ups &= ups - 1
            visit(storage, go_up(board, i), head, i << 3 | TO_FOUNDATION)

    return raise_each


@cache
def rearranging_over(visit: Visit) -> Callable[[Any, Bitboard, int, int, bool, int], None]:
    """Returns the kernel that visits all configurations that one move from pile to pile leads to.

    It stops when a visit finds no room.
    """

    @kernel
    def rearrange(storage: Any, board: Bitboard, head: int, tops: int, empty: bool, top: int) -> None:
        """Moves each top from its pile to every other.

        Args:
            storage: The storage.
            board: A configuration.
            head: Its row.
            tops: Its tops.
            empty: Whether a pile is empty.
            top: The waste's top, if it moves too; it starts a pile only if it fits on no card. Else 0.
        """
        movers = top | (tops if empty else movable(tops))
        while movers:
            x = movers & -movers
            movers ^= x
            i = index_of(x)
            targets = bases_of(tops, i)
            if empty and (board.c & x or (x == top and targets == 0)):  # a card alone on its pile may not move there
                targets |= 1 << ON_BOTTOM
            while targets:
                kind = index_of(targets & -targets)
                targets &= targets - 1
                if not visit(storage, put(board, i, kind), head, i << 3 | kind):
                    return

    return rearrange
