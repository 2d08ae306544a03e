"""Play with the stock open, perfect or nearly so: out of reach for a fair player, and the measure of one."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.heuristics.by_words import words_of
from solitaire_agents.solver import tour_infernale as tour_solver
from solitaire_agents.solver.pyramid import Goal, Move, Position, new_memory, solve
from solitaire_agents.tour_beam import few_moves
from solitaire_agents.tour_words import slot_of
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS

_PYRAMID, _STOCK, _WASTE, _PASS = (pyramid.GAME.slots(name) for name in ("pyramid", "stock", "waste", "pass"))
TOUR_NODES, TOUR_NODES_LATER = 3_000_000, 20_000
"""Configurations that the solver of La tour infernale may look at: at a new deal, and later, off any line."""
TOUR_BEAM = 100
"""Tables that the search for few moves keeps from draw to draw."""


class Oracle(Agent):
    """Plays by an exact solver; it is not fair, and has to be shown the order of the stock.

    A line of play is found once and then followed: it is kept as what each of its positions looks like.
    """

    name = "oracle"
    fair = False
    memoryless = True

    def __init__(self) -> None:
        self._plan: dict[Hashable, int] = {}

    def seed(self, seed: int) -> None:
        """Forgets what is planned for games under way."""
        self._plan.clear()

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a best action for each row.

        Raises:
            ValueError: The observations do not show the order of the stock.
        """
        rows = zip(observations, action_masks, strict=True)
        return np.array([self._choose(row.tolist(), mask) for row, mask in rows], dtype=np.int64)

    def _choose(self, row: list[int], mask: NDArray[np.bool_]) -> int:
        key = self._key(row)
        if key not in self._plan:
            self._plan.update(self._best_line(row))
        # Without a line there is nothing left to gain, and any move will do.
        return self._plan.pop(key, int(np.flatnonzero(mask)[0]))

    def _key(self, row: list[int]) -> Hashable:
        """Returns what a position looks like."""
        raise NotImplementedError

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        """Yields the positions of a best line, as their keys, each with its action."""
        raise NotImplementedError


def _check_open(hidden: bool) -> None:
    if hidden:
        raise ValueError("expected observations that show the order of the stock (information='open')")


# --- Pyramid ----------------------------------------------------------------------------------------------------------


class PyramidOracle(Oracle):
    """Plays Pyramid perfectly.

    Args:
        options: Their goal and objective say what it plays for: a win, or the best score. Where no win is left it
            plays for the score.
    """

    def __init__(self, options: pyramid.PyramidOptions) -> None:
        super().__init__()
        self._options = options
        self._goal: Goal = "score"
        if options.goal == "pyramid":
            self._goal = "pyramid"
        elif options.objective == "win":
            self._goal = "all"
        self._memory = new_memory()

    def _key(self, row: list[int]) -> Hashable:
        return _look(*_read(row))

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        _check_open(pyramid.UNSEEN in row[: _PASS.start])
        deck, position = to_position(*_read(row))
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
        return play_along(deck, position, found.moves)


def _read(row: list[int]) -> tuple[list[int], list[int], list[int], int]:
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
        yield _look(ranks, [_rank(card) for card in waste], [_rank(card) for card in stock], pass_number), action
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


def _look(pyramid_ranks: Sequence[int], waste: Sequence[int], stock: Sequence[int], pass_number: int) -> bytes:
    return bytes([*pyramid_ranks, *waste, 0, *stock, 0, min(pass_number, 255)])


# --- La tour infernale ------------------------------------------------------------------------------------------------


class TourInfernaleOracle(Oracle):
    """Plays La tour infernale to win, or in few moves where passes have no limit and every deal can be won.

    Neither is perfect: the solver may find no line within its limit, and the beam search proves no optimum.
    """

    def __init__(self, options: tour_infernale.TourInfernaleOptions) -> None:
        super().__init__()
        self._options = options
        self._memory = tour_solver.new_memory()

    def _key(self, row: list[int]) -> Hashable:
        return read_tour_position(row, self._options.piles)

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        _check_open(tour_infernale.UNSEEN in row)
        piles = self._options.piles
        position = read_tour_position(row, piles)
        if self._options.passes is None:
            return play_tour_along(position, self._few_moves(position, row))
        new = len(position.stock) == NUM_CARDS - piles
        found = tour_solver.solve(
            piles=piles,
            passes=self._options.passes,
            max_nodes=TOUR_NODES if new else TOUR_NODES_LATER,
            position=position,
            memory=self._memory,
        )
        return play_tour_along(position, found.actions)

    def _few_moves(self, position: tour_solver.Position, row: list[int]) -> list[int]:
        moves = few_moves(
            words_of(np.array(row, np.int16)),
            np.array([slot_of(card) for card in (*reversed(position.waste), *position.stock)], np.int64),
            len(position.waste),
            piles=self._options.piles,
            width=TOUR_BEAM,
        )
        return tour_solver.spell_out(position, moves)


def read_tour_position(row: Sequence[int], num_piles: int) -> tour_solver.Position:
    """Returns the position that an observation shows; an unseen card is a number behind those of the cards."""
    height = NUM_RANKS
    slots = {name: row[tour_infernale.GAME.slots(name)] for name in ("tableau", "stock", "waste", "foundations")}
    piles = [slots["tableau"][height * pile : height * (pile + 1)] for pile in range(num_piles)]
    tableau, stock, waste = (
        [tuple(card - 1 for card in pile if card) for pile in cards]
        for cards in (piles, [slots["stock"]], [slots["waste"]])
    )
    return tour_solver.Position(
        tableau=tuple(tableau),
        stock=stock[0],
        waste=waste[0],
        foundations=tuple(slots["foundations"]),
        pass_number=row[tour_infernale.GAME.slots("pass").start],
    )


def play_tour_along(start: tour_solver.Position, actions: Sequence[int]) -> Iterator[tuple[tour_solver.Position, int]]:
    """Yields the position before each action of a line, with the action."""
    tableau, foundations = [list(pile) for pile in start.tableau], list(start.foundations)
    stock, waste, pass_number = list(start.stock), list(start.waste), start.pass_number
    for action in actions:
        piles = tuple(map(tuple, tableau))
        yield (
            tour_solver.Position(
                tableau=piles,
                stock=tuple(stock),
                waste=tuple(waste),
                foundations=tuple(foundations),
                pass_number=pass_number,
            ),
            action,
        )
        source, target = tour_infernale.ACTIONS[action]
        if action == tour_infernale.DRAW:
            waste.insert(0, stock.pop(0))
        elif action == tour_infernale.REDEAL:
            stock, waste, pass_number = waste[::-1], [], pass_number + 1
        else:
            card = waste.pop(0) if source == tour_infernale.WASTE else tableau[source].pop()
            if target == tour_infernale.FOUNDATION:
                foundations[card // NUM_RANKS] += 1
            else:
                tableau[target].append(card)
