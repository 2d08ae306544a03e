"""Solves one deal exactly, and replays the solution in the environment."""

from dataclasses import dataclass, replace
from typing import Any

from solitaire_agents.catalogue import solver_of
from solitaire_agents.kit import Solved, Solver, check_goal
from solitaire_envs.cards import Deck
from solitaire_envs.checks import short
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options, non_default_options
from solitaire_envs.transcript import Transcript
from solitaire_evaluation.analysis import line_in_words


@dataclass(frozen=True, kw_only=True)
class Answer(Solved):
    """The solver's answer for one deal."""

    transcript: Transcript | None
    """The replayed line that reaches the goal; None if there is none."""

    def to_json(self) -> dict[str, Any]:
        """Returns the answer as plain values."""
        moves = None if self.transcript is None else list(self.transcript.moves)
        return {"status": str(self.status), "value": self.value, "nodes": self.nodes, "moves": moves}

    def to_text(self) -> str:
        """Returns the answer as a line of text, with the transcript, if any, below it."""
        value = "" if self.value is None else f", {self.value}"
        line = f"{self.status}{value} ({self.nodes:,} positions searched)"
        return line if self.transcript is None else f"{line}\n\n{self.transcript.to_text()}"


def solve_deal(
    game: Game, options: Options, deck: Deck, goal: str = "", max_nodes: int | None = None, *, deal: int | None = None
) -> Answer:
    """Solves one deal and replays the solution in the environment.

    Args:
        game: The game.
        options: Its options.
        deck: The deck, uint8 [52] (or 104).
        goal: One of the solver's goals; empty: the first of them.
        max_nodes: States to search, at most; None: the solver's own limit.
        deal: The number of this deck, for the transcript; None: the transcript holds the deck.

    Raises:
        ValueError: The game has no solver, the solver does not know the goal or an option, or it searches for this goal
            only under another value of an option.
    """
    solver, goal, replayed = checked_solver(game, options, goal)
    engine = Engine(game, options, 1)
    engine.deal_decks([deck])
    found = solver.solve(engine.states[0], options, goal=goal, max_nodes=max_nodes)
    if not found.actions:
        return Answer(**vars(found), transcript=None)
    shown = None if deal is not None else deck
    blank = Transcript(game=game, options=replayed, deal=deal, deck=shown)
    line = replace(blank, moves=line_in_words(blank.engine(), found.actions))
    *_, engine = line.replay()
    return Answer(**vars(found), transcript=replace(line, outcome=engine.outcome(0)))


def checked_solver(game: Game, options: Options, goal: str = "") -> tuple[Solver, str, Options]:
    """Returns the solver of a game, the goal, and the options under which its lines are replayed.

    Raises:
        ValueError: As `solve_deal`.
    """
    solver = solver_of(game)
    goal = goal or solver.goals[0]
    check_goal(goal, solver.goals)
    solver.check(options)
    replayed = solver.replay_options(options, goal)
    for name, value in non_default_options(options, game.options()).items():
        if getattr(replayed, name) != value:
            expected = f"{name}={getattr(replayed, name)!r}"
            raise ValueError(f"expected {expected}, under which goal {goal!r} is searched for; got {short(value)}")
    return solver, goal, replayed
