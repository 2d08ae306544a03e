"""What the solvers say of a position: whether it can still be won, and its best score."""

from typing import Any

from solitaire_agents.pyramid.solver.api import Position, new_memory, solve
from solitaire_agents.tour_infernale.solver import api as tour_solver
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine

MAX_NODES = 2_000_000
"""States that the solver of Pyramid may search for one verdict."""
TOWER_NODES = 50_000
"""Configurations that the solver of La tour infernale may search for one verdict."""
KNOWN = {"solved": True, "impossible": False, "unknown": None}
"""Status of a solver -> whether the position can be won."""


class Solvers:
    """Finds what perfect play that sees the stock can still reach."""

    def __init__(self) -> None:
        self._memory = new_memory(16)
        self._tower_memory: Any = None

    def verdict(self, engine: Engine, *, lost: bool) -> dict[str, Any] | None:
        """Returns whether a position can be won and its best score; None where no solver knows the rules.

        Args:
            engine: The game, a batch of one.
            lost: An earlier position could not be won.
        """
        options: Any = engine.options
        if engine.game.name == "pyramid" and options.goal == "all" and options.max_moves is None:
            return self._pyramid(engine.states[0], options, lost)
        if engine.game.name == "tour_infernale" and options.passes is not None:
            return {"winnable": False if lost else self._tour_infernale(engine.states[0], options), "best": None}
        return None

    def _pyramid(self, state: Any, options: Any, lost: bool) -> dict[str, Any]:
        position, deck, memory = to_position(state), state.deck.tolist(), self._memory
        rules: Any = {"passes": options.passes, "stock_waste_pairs": options.stock_waste_pairs, "max_nodes": MAX_NODES}
        win = "impossible" if lost else solve(deck, goal="all", position=position, memory=memory, **rules).status
        best = solve(deck, goal="score", position=position, memory=memory, **rules)
        return {"winnable": KNOWN[win], "best": best.value if best.status == "solved" else None}

    def _tour_infernale(self, state: Any, options: Any) -> bool | None:
        if self._tower_memory is None:
            self._tower_memory = tour_solver.new_memory(64)
        found = tour_solver.solve(
            position=tour_solver.position_of(state, options.piles),
            piles=options.piles,
            passes=options.passes,
            max_nodes=TOWER_NODES,
            memory=self._tower_memory,
        )
        return KNOWN[found.status]


def to_position(state: Any) -> Position:
    """Returns a state of Pyramid in the form of its solver."""
    deck = state.deck.tolist()
    place = {card: index - pyramid.PYRAMID_SIZE for index, card in enumerate(deck)}
    stock = [place[card] for card in pyramid.stock_cards(state)]
    waste = [place[card] for card in pyramid.waste_cards(state)]
    return Position(
        pyramid=int(state.pyramid),
        stock=sum(1 << index for index in stock + waste),
        pointer=min(stock, default=pyramid.STOCK_SIZE),
        pass_number=int(state.current_pass),
        bonus=pyramid.CLEARED_BONUS[state.cleared_in_pass - 1] if 1 <= state.cleared_in_pass <= 3 else 0,
    )
