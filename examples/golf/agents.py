"""A rule for Golf that any player could follow."""

from typing import Any

from golf.game import AT, COLUMNS, DRAW, ROWS, are_neighbours
from solitaire_envs.jit import kernel


@kernel
def longest_run(observation: Any, mask: Any) -> int:
    """Plays the card that most cards can follow, rather from a tall column; draws only if there is none to play."""
    best, best_rating = DRAW, 0
    for column in range(COLUMNS):
        if mask[column]:
            rating = _run(observation, column) + _height(observation, column)
            if rating > best_rating:
                best, best_rating = column, rating
    return best


@kernel
def _run(observation: Any, column: int) -> int:
    """Counts the cards played before the next draw, if a column begins and then the tallest that fits goes on."""
    played, length = 0, 0  # `played` has three bits for each column: how many of its cards
    while column != DRAW:
        top = _rank(observation, column, played >> 3 * column & 7)
        played += 1 << 3 * column
        length += 1
        column = _tallest_that_fits(observation, played, top)
    return length


@kernel
def _tallest_that_fits(observation: Any, played: int, top: int) -> int:
    best, best_height = DRAW, 0
    for column in range(COLUMNS):
        depth = played >> 3 * column & 7
        height = _height(observation, column) - depth
        if height > best_height and are_neighbours(_rank(observation, column, depth), top, observation[AT.wrap]):
            best, best_height = column, height
    return best


@kernel
def _height(observation: Any, column: int) -> int:
    height = 0
    while height < ROWS and _rank(observation, column, height) != 0:
        height += 1
    return height


@kernel
def _rank(observation: Any, column: int, depth: int) -> int:
    """Returns the rank of the card so far below a column's top, 0 if there is none."""
    return int(observation[ROWS * column + depth])
