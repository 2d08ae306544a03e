"""The exact optimum of fair play in games where a stock goes to a hole, such as Golf.

All cards of the tableau lie face up, so a player knows which cards the stock holds, but not their order. What counts of
a position is then: the height of each pile, the rank of the hole's top card, and how many cards of each rank are in the
stock. Its value, the largest chance to win, is

    W(heights, top, stock) = max(D(heights, stock), W(heights - pile, rank of its top card, stock) for piles that fit)
    D(heights, stock)      = the mean over the stock's cards of W(heights, card, stock - card)

with W = 1 where no card of the tableau is left, and D = 0 where the stock is used up. This is computed stock by stock,
from the smallest, and upwards from the heights with a chance to win, as far as they can be reached. Golf has 6^7
heights and some ten thousand stocks, but few of these positions can both be reached and be won.

One who is told the order of the next n cards at the start wins no less, for he may forget it. So the mean of his values
over deals is an upper bound on all fair players, an information relaxation without penalties; n = 0 is the optimum
itself, and with all cards told it is what can be won with all cards known.
"""

from collections import defaultdict
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.bits import index_of
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.jit import entry_point
from solitaire_envs.piles.shape import PileShape, neighbours

BITS: Final = 63
"""Bits of a word, in sets of heights."""
EXACT: Final = 10
"""After so many draws, what can be reached by the cards drawn is found for each stock; after more, for all stocks
together, since few heights have a chance to win."""
_Part: TypeAlias = tuple[NDArray[np.int32], NDArray[np.float32]]
"""A part of a sum of values: heights, and the values of these; of other heights 0."""


def fair_optimum(shape: PileShape, state: Any, told: int = 0) -> float:
    """Returns the largest chance to win of a player who does not know the order of the stock.

    Args:
        shape: A game with a stock that goes to a hole.
        state: A state of it; any limit of moves is left out of account.
        told: How many of the next cards he is told at the start.

    Raises:
        ValueError: The game is another one, or has cells, a reserve or cards face down; or the stock is smaller.
    """
    table, rank_of = table_by_heights(shape, state), shape.pack.rank
    stock = rank_of[state.talon[shape.sizes.stock - state.stock_size : shape.sizes.stock]]
    if not 0 <= told <= len(stock):
        raise ValueError(f"expected told of 0..{len(stock)}, got {told}")
    cards = [int(rank_of[state.tops[shape.places.foundation]]), *stock[:told]]
    draws, reached = _draws_after(cards, stock[told:], table)
    for rank, heights in zip(cards[::-1], reached[::-1], strict=True):
        draws = _play(draws, heights, np.array([rank]), np.ones(1, np.float32), table)
    return sum(float(value) for heights, values in draws for value in values[heights == len(table.tops) - 1])


class Table(NamedTuple):
    """The tableau by its heights, which are one number; the height of each pile is a digit of it."""

    tops: NDArray[np.uint8]
    """The rank of each pile's top card, 0 if it is empty, [heights, piles]."""
    nexts: NDArray[np.uint8]
    """The rank of the card that was on it last, 0 if there was none, [heights, piles]."""
    strides: NDArray[np.int64]
    near: NDArray[np.int64]
    """The ranks that a card of a rank goes on, [14, 2]; 0: none."""
    fits: NDArray[np.int64]
    """The same as bits."""
    start: NDArray[np.int64]
    """The set of the highest heights alone, as bits, [words]."""
    on_top: NDArray[np.int16]
    """Storage of `_reach`: the ranks that the hole's top card can have, as bits, [at least heights]."""
    draws: NDArray[np.float32]
    """D of the present stock, [heights]."""
    values: NDArray[np.float32]
    """W of the present stock, by the rank of the hole's top card, [heights, 14]."""
    marks: NDArray[np.int64]
    """The heights that are still to be played at, as bits, [words]."""
    heights: NDArray[np.int32]
    """Storage of `_play`: the heights in what it returns, [ranks, heights]."""
    found: NDArray[np.float32]
    """Storage of `_play`: their values, [ranks, heights]."""


def table_by_heights(shape: PileShape, state: Any) -> Table:
    """Returns the table of a state.

    Raises:
        ValueError: As `fair_optimum`.
    """
    game = shape.game
    if shape.hole is None or game.stock is None or game.cells or game.reserve or shape.sizes.downs:
        raise ValueError(f"expected a game with a stock, a hole and open piles alone, got {game.title}")
    rows = state.tableau.reshape(-1, shape.sizes.rows)
    near = shape.pack.rank[neighbours(shape.pack, shape.hole.wrap)[: NUM_RANKS + 1, :2]]  # those of the first suit
    piles = [shape.pack.rank[pile[:height]] for pile, height in zip(rows, state.heights, strict=True)]
    sizes = np.array([len(pile) + 1 for pile in piles])
    strides, size = np.concatenate([[1], np.cumprod(sizes[:-1])]), int(np.prod(sizes))
    digits = np.arange(size)[:, None] // strides % sizes
    cards = [np.array([0, *pile, 0], np.uint8) for pile in piles]
    tops, nexts = (np.stack([own[digits[:, k] + on] for k, own in enumerate(cards)], axis=1) for on in (0, 1))
    fits = np.where(near > 0, 1 << near, 0).sum(axis=1)
    start, marks = np.zeros((2, -(-size // BITS)), np.int64)
    start[-1] = 1 << (size - 1) % BITS
    on_top, draws = np.zeros(BITS * len(start), np.int16), np.zeros(size, np.float32)
    values = np.zeros((size, NUM_RANKS + 1), np.float32)
    heights, found = np.zeros((NUM_RANKS, size), np.int32), np.zeros((NUM_RANKS, size), np.float32)
    return Table(tops, nexts, strides, near, fits, start, on_top, draws, values, marks, heights, found)


def chances_of_draws(top: int, stock: NDArray[np.int64], table: Table) -> dict[int, float]:
    """Returns D for all heights that can be reached before the next draw; 0 is left out.

    Args:
        top: The rank of the hole's top card.
        stock: The ranks of its cards.
        table: The table, whose highest heights are the present ones.
    """
    chances = defaultdict[int, float](float)
    for heights, values in _draws_after([top], stock, table)[0]:
        for each, value in zip(heights.tolist(), values.tolist(), strict=True):
            chances[each] += value
    return chances


def _draws_after(
    cards: list[int], stock: NDArray[np.int64], table: Table
) -> tuple[list[_Part], list[NDArray[np.int64]]]:
    """Returns D of a stock whose order is not known, as a sum; and what can be reached with each card on the hole.

    Args:
        cards: The ranks of the hole's top card and of those that go there before this stock.
        stock: The ranks of its cards.
        table: The table.
    """
    known, later = [table.start], list[NDArray[np.int64]]()
    for rank in cards:
        known.append(_reach(known[-1][None], np.array([rank]), table))
    ranks, last = np.unique(stock), known[-1]
    for _ in stock:
        later.append(_reach(np.stack([later[-1] if later else last] * len(ranks)), ranks, table))
    return _by_stocks(stock, [last, *later], table), known[1:]


def _by_stocks(stock: NDArray[np.int64], reached: list[NDArray[np.int64]], table: Table) -> list[_Part]:
    """Returns D of the whole stock, whose order is not known, as a sum.

    A stock is the number of its cards of each rank, and these are the digits of its number.

    Args:
        stock: The ranks of its cards.
        reached: What can be reached after each number of draws, whatever the cards; as bits.
        table: The table.
    """
    ranks, counts = np.unique(stock, return_counts=True)
    places = np.cumprod([1, *(counts + 1)])
    held = np.arange(places[-1])[:, None] // places[:-1] % (counts + 1)
    sizes, whole = held.sum(axis=1), len(held) - 1
    by_size = np.argsort(sizes, kind="stable").tolist()
    exact = {0: reached[0]}  # by what was drawn
    for drawn in by_size[1 : np.searchsorted(sizes[by_size], EXACT, side="right")]:
        last = np.flatnonzero(held[drawn])
        befores = np.stack([exact[each] for each in (drawn - places[last]).tolist()])
        exact[drawn] = _reach(befores, ranks[last], table)
    draws = defaultdict[int, list[_Part]](list)
    for number in by_size[:-1]:
        heights = exact.pop(whole - number, reached[len(stock) - sizes[number]])
        more = np.flatnonzero(held[number] < counts)
        chances = ((held[number, more] + 1) / (sizes[number] + 1)).astype(np.float32)
        played = _play(draws.pop(number, []), heights, ranks[more], chances, table)
        for larger, values in zip((number + places[more]).tolist(), played, strict=True):
            draws[larger].append(values)
    return draws[whole]


def _reach(befores: NDArray[np.int64], ranks: NDArray[np.int64], table: Table) -> NDArray[np.int64]:
    """Returns the heights that can be reached after a draw, as bits, [words].

    Args:
        befores: Sets of heights before the draw, [sets, words].
        ranks: The card that is drawn from each.
        table: The table.
    """
    reached = np.zeros(befores.shape[1], np.int64)
    _spread(befores, ranks, table, reached)
    return reached


@entry_point("fair optimum")
def _spread(befores: Any, ranks: Any, table: Table, reached: Any) -> None:
    tops, strides, fits, on_top = table.tops, table.strides, table.fits, table.on_top
    for word in range(len(reached) - 1, -1, -1):
        before = 0
        for k in range(len(ranks)):
            before |= befores[k, word]
        for bit in range(BITS - 1, -1, -1):
            heights = BITS * word + bit
            held = on_top[heights]
            for k in range(len(ranks) if before >> bit & 1 else 0):
                held |= (befores[k, word] >> bit & 1) << ranks[k]
            if held:
                reached[word] |= 1 << bit
                on_top[heights] = 0
                for pile in range(len(strides)):
                    top = tops[heights, pile]
                    on_top[heights - strides[pile]] |= (held & fits[top] != 0) << top


def _play(
    draws: list[_Part],
    reached: NDArray[np.int64],
    ranks: NDArray[np.int64],
    chances: NDArray[np.float32],
    table: Table,
) -> list[_Part]:
    """Returns W for some ranks of the hole's top card, each times the chance of that rank.

    Args:
        draws: D of the stock, as a sum.
        reached: The heights that can be reached, as bits.
        ranks: The ranks.
        chances: The chances.
        table: The table.
    """
    for heights, values in draws:
        _add(table, heights, values)
    sizes = np.zeros(len(ranks), np.int64)
    _find(table, reached, ranks, chances, sizes)
    return [(table.heights[k, :size].copy(), table.found[k, :size].copy()) for k, size in enumerate(sizes.tolist())]


@entry_point("fair optimum")
def _add(table: Table, heights: Any, values: Any) -> None:
    """Adds values to those of a draw."""
    for k in range(len(heights)):
        table.draws[heights[k]] += values[k]
        table.marks[heights[k] // BITS] |= 1 << heights[k] % BITS


@entry_point("fair optimum")
def _find(table: Table, reached: Any, ranks: Any, chances: Any, sizes: Any) -> None:
    """Lists the heights for `_play`, and counts them for each rank; clears D."""
    nexts, strides, near, values, marks = table.nexts, table.strides, table.near, table.values, table.marks
    marks[0] |= 1  # no card of the tableau is left
    table.draws[0] = 1
    for word in range(len(marks)):
        while marks[word]:
            mark = marks[word] & -marks[word]
            marks[word] ^= mark
            heights = BITS * word + index_of(mark)
            own, draw = values[heights], table.draws[heights]
            table.draws[heights] = 0
            if reached[word] & mark:
                for rank in range(NUM_RANKS + 1):
                    own[rank] = max(own[rank], draw)
                for k in range(len(ranks)):
                    if own[ranks[k]] > 0:
                        table.heights[k, sizes[k]], table.found[k, sizes[k]] = heights, chances[k] * own[ranks[k]]
                        sizes[k] += 1
                for pile in range(len(strides)):
                    top, above = nexts[heights, pile], heights + strides[pile]
                    if top > 0 and own[top] > 0:
                        marks[above // BITS] |= 1 << above % BITS
                        for under in near[top]:
                            values[above, under] = max(values[above, under], own[top])
            own[:] = 0
