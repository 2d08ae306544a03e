"""Positions of Pyramid: read from observations, handed to the solver, and followed along a line."""

from collections.abc import Hashable, Iterator, Sequence

from solitaire_agents.pyramid.solver.api import Move, Position
from solitaire_envs import pyramid

_PYRAMID, _STOCK, _WASTE, _PASS = (pyramid.GAME.slots(name) for name in ("pyramid", "stock", "waste", "pass"))


def read(row: list[int]) -> tuple[list[int], list[int], list[int], int]:
    waste, stock = ([rank for rank in row[pile] if rank] for pile in (_WASTE, _STOCK))
    return row[_PYRAMID], waste, stock, row[_PASS.start]


def to_position(
    pyramid_ranks: Sequence[int], waste: Sequence[int], stock: Sequence[int], pass_number: int
) -> tuple[list[int], Position]:
    """Returns a deck, and a position of it, in which cards of these ranks lie so.

    Suits do not matter in Pyramid and are made up, as are the cards that have been discarded.

    Args:
        pyramid_ranks: Apex first, 0 where there is no card.
        waste: Top first.
        stock: Top first.
        pass_number: From 1.
    """
    left = {rank: [13 * suit + rank - 1 for suit in range(4)] for rank in range(1, pyramid.KING + 1)}
    known = [left[rank].pop() if rank else None for rank in [*pyramid_ranks, *reversed(waste), *stock]]
    others = [card for cards in left.values() for card in cards]
    deck = [others.pop() if card is None else card for card in known]
    return deck + others, Position(
        pyramid=sum(1 << place for place, rank in enumerate(pyramid_ranks) if rank),
        stock=(1 << len(waste) + len(stock)) - 1,
        pointer=len(waste),
        pass_number=pass_number,
    )


def play_along(deck: Sequence[int], start: Position, moves: Sequence[Move]) -> Iterator[tuple[Hashable, int]]:
    """Yields each move of a line as an action, with the key of the table before it."""
    stock_start = pyramid.PYRAMID_SIZE
    table = [card if start.pyramid >> place & 1 else None for place, card in enumerate(deck[:stock_start])]
    piled = [card for index, card in enumerate(deck[stock_start:]) if start.stock >> index & 1]
    waste, stock, pass_number = piled[: start.pointer][::-1], piled[start.pointer :], start.pass_number
    for move in moves:
        places = [_place_of(card, table, stock) for card in move.cards]
        action = pyramid.DRAW if move.kind == "draw" else pyramid.REDEAL
        if places:
            action = int(pyramid.ACTION_OF[places[0], places[-1]])
        ranks = [0 if card is None else _rank(card) for card in table]
        yield look(ranks, [_rank(card) for card in waste], [_rank(card) for card in stock], pass_number), action
        if move.kind == "draw":
            waste.insert(0, stock.pop(0))
        elif move.kind == "redeal":
            waste, stock, pass_number = [], waste[::-1], pass_number + 1
        for place in places:
            if place == pyramid.STOCK:
                stock.pop(0)
            elif place == pyramid.WASTE:
                waste.pop(0)
            else:
                table[place] = None


def _place_of(card: int, table: Sequence[int | None], stock: Sequence[int]) -> int:
    if card in table:
        return table.index(card)
    return pyramid.STOCK if stock[:1] == [card] else pyramid.WASTE


def _rank(card: int) -> int:
    return card % pyramid.KING + 1


def look(pyramid_ranks: Sequence[int], waste: Sequence[int], stock: Sequence[int], pass_number: int) -> bytes:
    return bytes([*pyramid_ranks, *waste, 0, *stock, 0, min(pass_number, 255)])
