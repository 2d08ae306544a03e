"""Finds all components that can be reached from the representatives of a stage without a draw (see `explore`)."""

from typing import Any

from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    NO_MOVE,
    REDEALT,
    Bitboard,
    board_of,
    is_won,
    talon_of,
    write_board,
)
from solitaire_agents.tour_infernale.explore import NO_ROW, explorer_over
from solitaire_agents.tour_infernale.solver.memory import (
    ARRIVED_BY_DRAW,
    ARRIVED_BY_REDEAL,
    enqueue,
    is_full,
    look_up,
    wait,
)
from solitaire_agents.tour_infernale.solver.rating import rate
from solitaire_agents.tour_infernale.talon import Talon, waste_top
from solitaire_envs.jit import entry_point, kernel


@kernel
def _meet(memory: Any, board: Bitboard, parent: int, move: int) -> bool:
    """Adds a configuration of the component if it is new; returns False if there is no room."""
    progress = memory.progress[0]
    place, known = look_up(memory, board)
    if known:
        return True
    if progress.queued - progress.first >= progress.most_in_component or is_full(memory):
        progress.cut = 1
        return False
    enqueue(memory, place, board, parent, move)
    return True


@kernel
def _enter(memory: Any, board: Bitboard, parent: int, move: int) -> bool:
    """Keeps a configuration that may enter another component, or records a win."""
    progress = memory.progress[0]
    if is_won(board):
        progress.won = progress.queued
        win = memory.queue[progress.won]
        win.parent, win.move = parent, move
    elif not look_up(memory, board)[1]:
        wait(memory, board, parent, move)
    return True


_explore = explorer_over(_meet, _enter)


@kernel
def _close(memory: Any, board: Bitboard, root: int) -> None:
    """Explores all components that can be reached from a representative without a draw."""
    progress = memory.progress[0]
    progress.queued = progress.waiting = progress.served = 0
    wait(memory, board, NO_ROW, root)
    while progress.served < progress.waiting and progress.won < 0:
        entry = memory.entries[progress.served % len(memory.entries)]
        board = board_of(entry)
        progress.served += 1
        place, known = look_up(memory, board)
        if known:
            continue
        if progress.queued >= progress.most_from_one or is_full(memory):
            progress.cut = 1
            return
        progress.first = progress.queued
        enqueue(memory, place, board, entry.parent, entry.move)
        waste = talon_of(board) & progress.seen[progress.pointer]
        top = waste_top(Talon(progress.order, progress.pointer), waste)
        if _explore(memory, top, progress.piles, True) and not progress.last:
            _keep(memory, progress.first)


@kernel
def _keep(memory: Any, first: int) -> None:
    """Adds a component to the candidates for the next stage."""
    progress, queue, found, log = memory.progress[0], memory.queue, memory.found, memory.log
    n, at = progress.logged, first
    while at >= 0 and n < len(log):
        log[n] = queue[at].move
        n += log[n] != NO_MOVE
        at = queue[at].parent
    if progress.found == len(found) or n >= len(log):
        progress.cut = 1
        return
    board, component = board_of(queue[first]), found[progress.found]
    write_board(component, board)
    component.parent, component.start, component.end = progress.at, progress.logged, n
    talon = Talon(progress.order, progress.pointer)
    component.rating = rate(board, talon, progress.piles, progress.may_redeal > 0)
    progress.logged, progress.found = n, progress.found + 1


@entry_point("tour infernale solver")
def expand(memory: Any, reps: Any, max_nodes: int) -> None:
    """Explores from each representative in turn, from `progress.at` on.

    It stops after the last representative, at a win, at the limit, or when half of the storage is used.

    Args:
        memory: The search's storage.
        reps: COMPONENT [n]: representatives.
        max_nodes: Limit of configurations.
    """
    progress = memory.progress[0]
    while progress.at < len(reps):
        board = board_of(reps[progress.at])
        left, root = talon_of(board), NO_MOVE
        if progress.arrival == ARRIVED_BY_REDEAL and left:
            root = REDEALT
        elif progress.arrival == ARRIVED_BY_DRAW and left >> progress.order[progress.pointer - 1] & 1:
            root = progress.order[progress.pointer - 1] << 3 | DRAWN
        _close(memory, board, root)
        if progress.won >= 0:
            return
        progress.at += 1
        if progress.nodes >= max_nodes:
            return
        if progress.found * 2 > len(memory.found) or progress.logged * 2 > len(memory.log):
            return
