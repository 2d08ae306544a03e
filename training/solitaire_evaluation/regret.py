"""What moves lose against perfect play with all cards known, by the solver of the game."""

from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from solitaire_agents.catalogue import solver_of
from solitaire_agents.kit import Solved, Status
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options

_ALONE = Lock()
"""A solver has storage of its own, so one search runs at a time."""


def check_solver(game: Game, options: Options) -> None:
    """Checks that the solver of a game can judge its moves.

    Raises:
        ValueError: There is none, or it does not know the rules.
    """
    solver_of(game).check(replace(options, max_moves=None))  # verdicts count moves


class Regret:
    """The losses of one game, move by move.

    A loss is the best result that could be reached before a move, less the best after it, 0..1; None where the solver
    has no answer within its limit. The solver knows the order of the stock: where cards are hidden, this is hindsight.

    Args:
        engine: The game, in its first environment, as dealt. Its rules have passed `check_solver`.
        rate: final score -> 0..1; None: a result is 1 for a win, else 0, as for all solvers that search only for wins.
    """

    def __init__(self, engine: Engine, rate: Callable[[int], float] | None = None) -> None:
        self.losses: list[float | None] = []
        self._engine, self._solver = engine, solver_of(engine.game)
        self._rate = rate if "score" in self._solver.goals else None
        self._line: list[int] = []  # to a win
        self._best = self._look(lost=False)

    def add(self, action: int) -> None:
        """Adds the loss of the move that has just been played."""
        before = self._best
        self._line = self._line[1:] if self._line[:1] == [action] else []
        if not self._line:
            self._best = self._look(lost=before == 0 and self._rate is None)
        self.losses.append(None if before is None or self._best is None else before - self._best)

    def _look(self, *, lost: bool) -> float | None:
        """Returns the best result that can be reached now."""
        engine = self._engine
        if engine.states.ended[0]:
            outcome = engine.outcome(0)
            return self._rate(outcome["score"]) if self._rate else float(outcome["won"])
        with _ALONE:
            found: Solved | None = self._solver.verdict(engine.states[0], engine.options, lost=lost)
        if found is None:
            return None
        if self._rate:
            return None if found.value is None else self._rate(found.value)
        self._line = list(found.actions) if found.status is Status.SOLVED else []
        return None if found.status is Status.UNKNOWN else float(found.status is Status.SOLVED)
