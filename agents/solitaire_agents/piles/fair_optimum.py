"""The exact optimum of fair play in games where a stock goes to a hole, such as Golf.

All cards of the tableau lie face up, so a player knows which cards the stock holds, but not their order. What counts of
a position is then: the height of each pile, the rank of the hole's top card, and how many cards of each rank are in the
stock. Its value, the largest chance to win, is

    W(heights, top, stock) = max(D(heights, stock), W(heights - pile, rank of its top card, stock) for piles that fit)
    D(heights, stock)      = the mean over the stock's cards of W(heights, card, stock - card)

with W = 1 where no card of the tableau is left, and D = 0 where the stock is used up. This is computed stock by stock,
from the smallest, and for all heights at once that can be reached by so many draws. Golf has 6^7 heights and some
thousand stocks.

One who is told the order of the next n cards at the start wins no less, for he may forget it. So the mean of his values
over deals is an upper bound on all fair players, an information relaxation without penalties; n = 0 is the optimum
itself, and with all cards told it is what can be won with all cards known.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import entry_point
from solitaire_envs.piles.shape import PileShape


def fair_optimum(shape: PileShape, state: Any, told: int = 0) -> float:
    """Returns the largest chance to win of a player who does not know the order of the stock.

    Args:
        shape: A game with a stock that goes to a hole.
        state: A state of it; any limit of moves is left out of account.
        told: How many of the next cards he is told at the start.

    Raises:
        ValueError: The game is another one, or has cells, a reserve or cards face down; or the stock is smaller.
    """
    game, rank_of = shape.game, shape.pack.rank
    if shape.hole is None or game.stock is None or game.cells or game.reserve or shape.sizes.downs:
        raise ValueError(f"expected a game with a stock, a hole and open piles alone, got {game.title}")
    rows = state.tableau.reshape(-1, shape.sizes.rows)
    piles = [rank_of[pile[:height]] for pile, height in zip(rows, state.heights, strict=True)]
    stock = rank_of[state.talon[shape.sizes.stock - state.stock_size : shape.sizes.stock]]
    if not 0 <= told <= len(stock):
        raise ValueError(f"expected told of 0..{len(stock)}, got {told}")
    tops, strides = _tops_of(piles)
    table = _Table(tops, strides, _neighbours(shape.hole.wrap), np.zeros((len(tops), NUM_RANKS + 1), np.float32))
    top = int(rank_of[state.tops[shape.places.foundation]])
    reached = list(_reached(top, stock, table))
    _by_stocks(stock[told:], reached[told:], table)
    no_larger = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    for rank, heights in zip(stock[:told][::-1], reached[:told][::-1], strict=True):
        _play(heights, table.values[:, rank].copy()[None], 0, *table, *no_larger)
    return float(table.values[-1, top])


def _tops_of(piles: list[NDArray[np.int64]]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Returns the rank of each pile's top card for all heights, 0 if it is empty, [heights, piles]; and their strides.

    Heights are one number, in which the height of each pile is a digit.
    """
    sizes = np.array([len(pile) + 1 for pile in piles])
    strides = np.concatenate([[1], np.cumprod(sizes[:-1])])
    heights = np.arange(np.prod(sizes))[:, None] // strides % sizes
    ranks = [np.array([0, *pile], np.uint8)[heights[:, index]] for index, pile in enumerate(piles)]
    return np.stack(ranks, axis=1), strides


def _neighbours(wrap: bool) -> NDArray[np.int64]:
    """Returns the ranks that a card of a rank goes on, [14, 2]; 0: none."""
    near: NDArray[np.int64] = np.arange(NUM_RANKS + 1)[:, None] + np.array([-1, 1])
    near[0] = 0
    near[NUM_RANKS, 1] = wrap
    near[1, 0] = NUM_RANKS * wrap
    return near


def _reached(top: int, stock: NDArray[np.int64], table: "_Table") -> Iterator[NDArray[np.int64]]:
    """Yields the heights that can be reached after so many draws, from none on, whatever cards are drawn; ascending."""
    reached = np.zeros(table.values.shape, np.bool_)
    reached[-1, top] = True
    for _ in range(len(stock) + 1):
        _reach(reached, table.tops, table.strides, table.near)
        heights = np.flatnonzero(reached.any(axis=1))
        yield heights
        reached[:] = False
        reached[np.ix_(heights, np.unique(stock))] = True


@entry_point("fair optimum")
def _reach(reached: Any, tops: Any, strides: Any, near: Any) -> None:
    """Adds what can be reached without a draw to the heights by the rank of the top card, bool [heights, 14]."""
    for heights in range(len(tops) - 1, 0, -1):
        for pile in range(len(strides)):
            top = tops[heights, pile]
            if top > 0 and (reached[heights, near[top, 0]] or reached[heights, near[top, 1]]):
                reached[heights - strides[pile], top] = True


def _by_stocks(stock: NDArray[np.int64], reached: list[NDArray[np.int64]], table: "_Table") -> None:
    """Writes the values with the whole stock, whose order is not known.

    A stock is the number of its cards of each rank. Only the draws of the stocks of one size and of the next are kept,
    each in a row of one array.
    """
    ranks, counts = np.unique(stock, return_counts=True)
    sizes = np.ones(1, np.int64)  # how many stocks there are of each size
    for count in counts:
        sizes = np.convolve(sizes, np.ones(count + 1, np.int64))
    draws = np.zeros((int(max(sizes + np.append(sizes[1:], 0))), len(table.tops)), np.float32)
    free = list(range(len(draws)))
    rows = {(0,) * len(ranks): free.pop()}
    for size, heights in enumerate(reached[::-1]):
        larger = dict[tuple[int, ...], int]()
        for held, row in rows.items():
            more = np.flatnonzero(np.array(held) < counts)
            nexts = [(*held[:index], held[index] + 1, *held[index + 1 :]) for index in more]
            for each in nexts:
                if each not in larger:
                    larger[each] = free.pop()
            weights = [each[index] / (size + 1) for each, index in zip(nexts, more, strict=True)]
            targets = np.array([larger[each] for each in nexts], np.int64)
            _play(heights, draws, row, *table, ranks[more], targets, np.array(weights, np.float32))
            draws[row] = 0
            free.append(row)
        rows = larger


class _Table(NamedTuple):
    """What the values of all heights are computed from, and these values."""

    tops: NDArray[np.uint8]
    strides: NDArray[np.int64]
    near: NDArray[np.int64]
    values: NDArray[np.float32]
    """W of all heights, by the rank of the hole's top card, [heights, 14]."""


@entry_point("fair optimum")
def _play(
    reached: Any,
    draws: Any,
    row: int,
    tops: Any,
    strides: Any,
    near: Any,
    values: Any,
    ranks: Any,
    targets: Any,
    weights: Any,
) -> None:
    """Writes the values of some heights, given those of a draw; adds them to the draws of stocks with one more card.

    Args:
        reached: The heights, ascending. Of others the values are not valid, and no value of these depends on them.
        draws: D for all heights, a row for each stock.
        row: That of the present stock.
        tops: As in `_Table`.
        strides: As in `_Table`.
        near: As in `_Table`.
        values: Written to.
        ranks: What the larger stocks have more.
        targets: Their rows.
        weights: The chances to draw that rank from each of them.
    """
    for heights in reached:
        draw = draws[row, heights] if heights else np.float32(1)
        values[heights] = draw
        for pile in range(len(strides)):
            top = tops[heights, pile]
            if top > 0:
                value = values[heights - strides[pile], top]
                if value > draw:
                    for side in range(2):
                        under = near[top, side]
                        values[heights, under] = max(values[heights, under], value)
        for index in range(len(ranks)):
            draws[targets[index], heights] += weights[index] * values[heights, ranks[index]]
