"""Lines of play made shorter: moves are left out as long as the line still wins by the rules.

The search joins the shortest ways within components, and these have needless moves. Each tableau move is tried without,
alone or with a second one soon after it. Where the same card moves twice, it is also tried to go to its second place at
once. Every shorter line is played from the start by the rules, so what is returned is a line that wins.
"""

from typing import Any, Final

from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bases_of,
    empty_piles,
    heights_of,
    is_won,
    move_card,
    next_up,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.solver.components import waste_top
from solitaire_envs.jit import entry_point, kernel

WINDOW: Final = 12
"""Two moves that are left out together are less than this number of moves apart."""
MAX_TRIES: Final = 3_000
"""Moves that are tried, at most, for each line."""


@entry_point("tour infernale solver")
def shorten(games: Any, start: Any, line: Any, n: int) -> int:
    """Leaves out moves of a line that wins without them.

    Args:
        games: `Memory.games`, which holds the order of the stock.
        start: int64 [4]: bitboard and pointer at the start of the line.
        line: int64 [N]: its moves; they are overwritten.
        n: Number of its moves.

    Returns:
        The number of moves left.
    """
    k = failed = tries = 0
    while failed < n and tries < MAX_TRIES:
        k = k + 1 if k + 1 < n else 0
        failed += 1
        if line[k] & 7 <= ON_BOTTOM:
            tries += 1
            left = _shorten_at(games[0], start, line, n, k)
            if left < n:
                n, failed = left, 0
    return n


@kernel
def _shorten_at(game: Any, start: Any, line: Any, n: int, k: int) -> int:
    """Leaves out move k, alone or with one soon after it, if the line still wins; returns the number of moves left."""
    for j in range(k, min(n, k + WINDOW)):
        if line[j] & 7 > ON_BOTTOM:
            continue
        if _wins(game, start, line, n, k, j):
            n = _drop(line, n, j)
            return _drop(line, n, k) if j > k else n
        if j > k and line[j] >> 3 == line[k] >> 3:
            move, line[k] = line[k], line[j]  # the card goes at once where it went later
            if _wins(game, start, line, n, j, j):
                return _drop(line, n, j)
            line[k] = move
    return n


@kernel
def _drop(line: Any, n: int, k: int) -> int:
    """Takes move k out of a line; returns the number of moves left."""
    for j in range(k, n - 1):
        line[j] = line[j + 1]
    return n - 1


@kernel
def _wins(game: Any, start: Any, line: Any, n: int, without: int, nor: int) -> bool:
    """Returns whether a line wins by the rules if two of its moves are left out."""
    a, b, c, game.pointer = start[0], start[1], start[2], start[3]
    for k in range(n):
        if k in (without, nor):
            continue
        if line[k] & 7 >= DRAWN:
            game.pointer = _draw(game, talon_of(a, b, c), game.pointer, line[k])
            if game.pointer < 0:
                return False
            continue
        if not _is_legal(game, a, b, c, line[k]):
            return False
        a, b, c = move_card(a, b, c, line[k])
    return bool(is_won(a, b))


@kernel
def _draw(game: Any, talon: int, pointer: int, move: int) -> int:
    """Draws the card that a move names, or redeals; returns the pointer after it, -1 if the rules forbid it."""
    end = game.place[move >> 3] if move & 7 == DRAWN else game.talon_size
    for k in range(pointer, end):
        if talon >> game.stock[k] & 1:
            return -1  # another card is the stock's top
    if move & 7 == REDEALT:
        return 0 if talon else -1
    return end + 1 if talon >> (move >> 3) & 1 else -1


@kernel
def _is_legal(game: Any, a: int, b: int, c: int, move: int) -> bool:
    """Returns whether a card may go to a pile, or to its foundation."""
    i, kind = move >> 3, move & 7
    tops = tops_of(a, b, c)
    if (tops | waste_top(game, talon_of(a, b, c))) >> i & 1 == 0:
        return False
    if kind == TO_FOUNDATION:
        return bool(next_up(heights_of(a, b))[0] >> i & 1)
    if kind == ON_BOTTOM:
        return bool(empty_piles(a, c, game.piles) > 0 and a & ~c & 1 << i == 0)
    return bool(bases_of(tops, i) >> kind & 1)
