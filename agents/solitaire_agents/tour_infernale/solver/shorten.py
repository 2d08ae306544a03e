"""Shortens lines of play: leaves moves out as long as the line still wins by the rules.

The search joins the shortest ways within components, and the whole line has needless moves. Each tableau move is left
out on trial, alone or with a second one soon after it. If the same card moves twice, it also tries its second place at
once. Every shorter line is played from the start by the rules, so the line that is returned wins.
"""

from typing import Any, Final

from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    Bitboard,
    bases_of,
    empty_piles,
    heights_of,
    is_won,
    move_card,
    next_up,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.solver.components import waste_top_of
from solitaire_envs.jit import entry_point, kernel

WINDOW: Final = 12
"""Two moves that are left out together are fewer than this number of moves apart."""
MAX_TRIES: Final = 3_000
"""Most moves to try in each line."""


@entry_point("tour infernale solver")
def shorten(progress: Any, board: Bitboard, drawn: int, line: Any, n: int) -> int:
    """Leaves out moves of a line that wins without them.

    Args:
        progress: `Memory.progress`, which holds the order of the stock.
        board: The position at the start of the line.
        drawn: How many cards have been drawn in this pass at the start.
        line: int64 [N]: the moves of the line; they are overwritten.
        n: Number of moves in the line.

    Returns:
        The number of moves left.
    """
    k = failed = tries = 0
    while failed < n and tries < MAX_TRIES:
        k = k + 1 if k + 1 < n else 0
        failed += 1
        if line[k] & 7 <= ON_BOTTOM:
            tries += 1
            left = _shorten_at(progress[0], board, drawn, line[:n], k)
            if left < n:
                n, failed = left, 0
    return n


@kernel
def _shorten_at(progress: Any, board: Bitboard, drawn: int, line: Any, k: int) -> int:
    """Leaves out move k, alone or with one soon after it, if the line still wins; returns the number of moves left."""
    n = len(line)
    for j in range(k, min(n, k + WINDOW)):
        if line[j] & 7 > ON_BOTTOM:
            continue
        if _wins(progress, board, drawn, line, k, j):
            _drop(line, j)
            if j > k:
                _drop(line, k)
            return n - 1 - (j > k)
        if j > k and line[j] >> 3 == line[k] >> 3:
            move, line[k] = line[k], line[j]  # the card goes to its second place at once
            if _wins(progress, board, drawn, line, j, j):
                _drop(line, j)
                return n - 1
            line[k] = move
    return n


@kernel
def _drop(line: Any, k: int) -> None:
    """Removes move k from a line; the last place becomes free."""
    for j in range(k, len(line) - 1):
        line[j] = line[j + 1]


@kernel
def _wins(progress: Any, board: Bitboard, drawn: int, line: Any, without: int, nor: int) -> bool:
    """Returns whether a line wins by the rules without two of its moves, which may be the same."""
    progress.pointer = drawn
    for k in range(len(line)):
        if k in (without, nor):
            continue
        if line[k] & 7 >= DRAWN:
            progress.pointer = _draw(progress, talon_of(board), line[k])
            if progress.pointer < 0:
                return False
            continue
        if not _is_legal(progress, board, line[k]):
            return False
        board = move_card(board, line[k])
    return is_won(board)


@kernel
def _draw(progress: Any, left: int, move: int) -> int:
    """Draws the card that a move names, or redeals; returns the pointer after it, -1 if the rules forbid it."""
    end = progress.place[move >> 3] if move & 7 == DRAWN else progress.talon_size
    for k in range(progress.pointer, end):
        if left >> progress.order[k] & 1:
            return -1  # another card is the stock's top
    if move & 7 == REDEALT:
        return 0 if left else -1
    return end + 1 if left >> (move >> 3) & 1 else -1


@kernel
def _is_legal(progress: Any, board: Bitboard, move: int) -> bool:
    """Returns whether a card may go to a pile, or to its foundation."""
    i, kind = move >> 3, move & 7
    tops = tops_of(board)
    if (tops | waste_top_of(progress, talon_of(board))) >> i & 1 == 0:
        return False
    if kind == TO_FOUNDATION:
        return bool(next_up(heights_of(board))[0] >> i & 1)
    if kind == ON_BOTTOM:
        return bool(empty_piles(board, progress.piles) > 0 and board.a & ~board.c & 1 << i == 0)
    return bool(bases_of(tops, i) >> kind & 1)
