"""Perfect play with the stock open: out of reach for a fair player, and the measure of one."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.solver.pyramid import Goal, Move, Position, new_memory, solve
from solitaire_envs import pyramid

_STOCK, _WASTE, _PASS = (pyramid.GAME.slots(name) for name in ("stock", "waste", "pass"))


class PyramidOracle(Agent):
    """Plays Pyramid by the exact solver; it is not fair, and has to be shown the order of the stock.

    Args:
        options: Their goal and objective say what it plays for: a win, or the best score. Where no win is left it
            plays for the score.
    """

    name = "oracle"
    fair = False

    def __init__(self, options: pyramid.PyramidOptions) -> None:
        self._options = options
        self._goal: Goal = "score"
        if options.goal == "pyramid":
            self._goal = "pyramid"
        elif options.objective == "win":
            self._goal = "all"
        self._memory = new_memory()
        self._plan: dict[bytes, int] = {}

    def seed(self, seed: int) -> None:
        """Forgets what is planned for games under way."""
        self._plan.clear()

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a best action for each row.

        Raises:
            ValueError: The observations do not show the order of the stock.
        """
        rows = zip(observations, action_masks, strict=True)
        return np.array([self._choose(row, mask) for row, mask in rows], dtype=np.int64)

    def _choose(self, row: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        ranks = row.tolist()
        waste, stock = ([rank for rank in ranks[pile] if rank] for pile in (_WASTE, _STOCK))
        key = _key(ranks[: pyramid.PYRAMID_SIZE], waste, stock, ranks[_PASS.start])
        if key not in self._plan:
            if pyramid.UNSEEN in stock + waste:
                raise ValueError("expected observations that show the order of the stock (information='open')")
            deck, position = to_position(ranks[: pyramid.PYRAMID_SIZE], waste, stock, ranks[_PASS.start])
            self._plan.update(play_along(deck, position, self._best_line(deck, position)))
        # Without a line there is nothing left to gain, and any move will do.
        return self._plan.pop(key, int(np.flatnonzero(mask)[0]))

    def _best_line(self, deck: list[int], position: Position) -> tuple[Move, ...]:
        goals: tuple[Goal, Goal] = (self._goal, "score")
        for goal in goals:
            found = solve(
                deck,
                goal=goal,
                passes=self._options.passes,
                stock_waste_pairs=self._options.stock_waste_pairs,
                position=position,
                memory=self._memory,
            )
            if found.moves:
                break
        return found.moves


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


def play_along(deck: Sequence[int], start: Position, moves: Sequence[Move]) -> Iterator[tuple[bytes, int]]:
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
        yield _key(ranks, [_rank(card) for card in waste], [_rank(card) for card in stock], pass_number), action
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


def _key(pyramid_ranks: Sequence[int], waste: Sequence[int], stock: Sequence[int], pass_number: int) -> bytes:
    return bytes([*pyramid_ranks, *waste, 0, *stock, 0, min(pass_number, 255)])
