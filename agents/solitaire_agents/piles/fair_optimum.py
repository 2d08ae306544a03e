"""The exact optimum of fair play in games where a stock goes to a hole, such as Golf.

All cards of the tableau lie face up, so a player knows which cards the stock holds, but not their order. What counts of
a position is then: the height of each pile, the rank of the hole's top card, and how many cards of each rank are in the
stock. Its value, the largest chance to win, is

    W(heights, top, stock) = max(D(heights, stock), W(heights - pile, rank of its top card, stock) for piles that fit)
    D(heights, stock)      = the mean over the stock's cards of W(heights, card, stock - card)

with W = 1 where no card of the tableau is left, and D = 0 where the stock is used up. This is computed for all heights
at once, stock by stock, from the smallest. Golf has 6^7 heights and some thousand stocks: a minute of one core.

One who is told the order of the next n cards at the start wins no less, for he may forget it. So the mean of his values
over deals is an upper bound on all fair players, an information relaxation without penalties; n = 0 is the optimum
itself, and with all cards told it is what can be won with all cards known.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import entry_point
from solitaire_envs.piles.shape import RANK, PileShape


def fair_optimum(shape: PileShape, state: Any, told: int = 0) -> float:
    """Returns the largest chance to win of a player who does not know the order of the stock.

    Args:
        shape: A game with a stock that goes to a hole.
        state: A state of it; any limit of moves is left out of account.
        told: How many of the next cards he is told at the start.

    Raises:
        ValueError: The game is another one, or has cells, a reserve or cards face down; or the stock is smaller.
    """
    game = shape.game
    if shape.hole is None or game.stock is None or game.cells or game.reserve or shape.sizes.downs:
        raise ValueError(f"expected a game with a stock, a hole and open piles alone, got {game.title}")
    rows = state.tableau.reshape(-1, shape.sizes.rows)
    piles = [RANK[pile[:height]] for pile, height in zip(rows, state.heights, strict=True)]
    stock = RANK[state.talon[shape.sizes.stock - state.stock_size : shape.sizes.stock]]
    if not 0 <= told <= len(stock):
        raise ValueError(f"expected told of 0..{len(stock)}, got {told}")
    tops, strides = _tops_of(piles)
    fits = _fits(shape.hole.wrap)
    values = np.zeros((len(tops), NUM_RANKS + 1), np.float32)
    _by_stocks(stock[told:], tops, strides, fits, values)
    for rank in stock[:told][::-1]:
        _play(values[:, rank].copy(), tops, strides, fits, values)
    return float(values[-1, RANK[state.tops[shape.places.foundation]]])


def _tops_of(piles: list[NDArray[np.int64]]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Returns the rank of each pile's top card for all heights, 0 if it is empty, [heights, piles]; and their strides.

    Heights are one number, in which the height of each pile is a digit.
    """
    sizes = np.array([len(pile) + 1 for pile in piles])
    strides = np.concatenate([[1], np.cumprod(sizes[:-1])])
    heights = np.arange(np.prod(sizes))[:, None] // strides % sizes
    ranks = [np.array([0, *pile], np.uint8)[heights[:, index]] for index, pile in enumerate(piles)]
    return np.stack(ranks, axis=1), strides


def _fits(wrap: bool) -> NDArray[np.bool_]:
    """Returns whether a rank goes on another, [14, 14]."""
    ranks = np.arange(NUM_RANKS + 1)
    apart = np.abs(ranks[:, None] - ranks)
    fits: NDArray[np.bool_] = (apart == 1) | (wrap & (apart == NUM_RANKS - 1))
    return fits & (ranks[:, None] > 0) & (ranks > 0)


def _by_stocks(stock: NDArray[np.int64], tops: Any, strides: Any, fits: Any, values: Any) -> None:
    """Writes the values with the whole stock, whose order is not known, [heights, 14].

    A stock is the number of its cards of each rank. Only the stocks of one size and of the next are kept.
    """
    ranks, counts = np.unique(stock, return_counts=True)
    draws = {(0,) * len(ranks): np.zeros(len(tops), np.float32)}
    for size in range(len(stock) + 1):
        larger = dict[tuple[int, ...], NDArray[np.float32]]()
        while draws:
            held, draw = draws.popitem()
            _play(draw, tops, strides, fits, values)
            for index in np.flatnonzero(np.array(held) < counts):
                more = (*held[:index], held[index] + 1, *held[index + 1 :])
                if more not in larger:
                    larger[more] = np.zeros(len(tops), np.float32)
                _add(values, ranks[index], more[index] / (size + 1), larger[more])
        draws = larger


@entry_point("fair optimum")
def _play(draw: Any, tops: Any, strides: Any, fits: Any, values: Any) -> None:
    """Writes the values of all heights and tops, given those of a draw."""
    values[0] = 1
    for heights in range(1, len(tops)):
        values[heights] = draw[heights]
        for pile in range(len(strides)):
            top = tops[heights, pile]
            if top > 0:
                value = values[heights - strides[pile], top]
                if value > draw[heights]:
                    for rank in range(1, NUM_RANKS + 1):
                        if fits[top, rank] and value > values[heights, rank]:
                            values[heights, rank] = value


@entry_point("fair optimum")
def _add(values: Any, rank: int, weight: float, draw: Any) -> None:
    """Adds a card's part to the values of a draw."""
    for heights in range(len(draw)):
        draw[heights] += np.float32(weight) * values[heights, rank]
