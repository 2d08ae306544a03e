"""Perfect play of Pyramid with the stock open: out of reach for a fair player, and the measure of one."""

from collections.abc import Hashable, Iterator

from solitaire_agents.line_follower import LineFollower
from solitaire_agents.pyramid.position import look, play_along, read, to_position
from solitaire_agents.pyramid.solver.api import Goal, new_memory, solve
from solitaire_envs import pyramid

_PASS = pyramid.GAME.slots("pass")


class PyramidOracle(LineFollower):
    """Plays Pyramid perfectly.

    Args:
        options: Their goal and objective say what it plays for: a win, or the best score. Where no win is left it
            plays for the score.
    """

    name = "oracle"
    fair = False
    memoryless = True

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
        return look(*read(row))

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        if pyramid.UNSEEN in row[: _PASS.start]:
            raise ValueError("expected observations that show the order of the stock (information='open')")
        deck, position = to_position(*read(row))
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
