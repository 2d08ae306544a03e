"""Playing, watching and replaying games in the terminal."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from solitaire_agents.base import Agent
from solitaire_agents.files import write_whole
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.render import render_ansi
from solitaire_envs.transcript import Transcript, parse_transcript

HELP = "a move as shown, or: undo, hint, save FILE, help, quit"


class GameSession:
    """One game played move by move, in which moves can be taken back and which can be written down."""

    def __init__(self, game: Game, options: Options, deal: int) -> None:
        self._blank = Transcript(game=game, options=options, deal=deal, deck=None, moves=(), outcome=None)
        self._moves: list[str] = []
        self.engine = self._blank.engine()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.engine.states.ended[0])

    def play(self, action: int) -> str:
        """Plays a legal action; returns it in words."""
        move = self.engine.move_text(0, action)
        self.engine.step(np.array([action]))
        self._moves.append(move)
        return move

    def undo(self) -> None:
        """Takes back the latest move, by playing the ones before it again.

        Raises:
            ValueError: There is none.
        """
        if not self._moves:
            raise ValueError("expected a move to take back, got none so far")
        self._moves.pop()
        *_, self.engine = self.transcript(with_outcome=False).replay()

    def advice(self, agent: Agent) -> int:
        """Returns the action that an agent would play; one that is not fair is shown what it asks for."""
        engine = self.engine
        if not agent.fair:
            shown = replace(self.transcript(with_outcome=False), options=agent.shown(engine.options))
            *_, engine = shown.replay()
        buffers = engine.buffers
        return int(agent.act(buffers.observations, buffers.action_masks)[0])

    def transcript(self, *, with_outcome: bool = True) -> Transcript:
        """Returns the game so far, written down."""
        outcome = self.engine.outcome(0) if with_outcome else None
        blank = self._blank
        return Transcript(
            game=blank.game, options=blank.options, deal=blank.deal, deck=None, moves=self._moves, outcome=outcome
        )

    def save(self, path: Path) -> None:
        """Writes the transcript."""
        write_whole(path, self.transcript().to_text().encode())


def play_in_terminal(
    session: GameSession, agent: Agent, ask: Callable[[str], str] = input, show: Callable[[str], None] = print
) -> None:
    """Lets a person play: asks for moves until the game ends or they quit.

    Args:
        session: The game.
        agent: The agent that gives the hints.
        ask: Called with the prompt; returns a line.
        show: Called with text to show.
    """
    show(HELP)
    while not session.over:
        show(picture(session.engine))
        try:
            line = ask("> ").strip()
        except EOFError:
            return
        if line in ("quit", "q", "exit"):
            return
        try:
            _obey(line, session, agent, show)
        except (ValueError, OSError) as error:
            show(str(error))
    show(picture(session.engine))
    show(outcome_text(session.engine))


def _obey(line: str, session: GameSession, agent: Agent, show: Callable[[str], None]) -> None:
    command, _, argument = line.partition(" ")
    if command == "undo":
        session.undo()
    elif command == "hint":
        show(f"{agent.name} would play {session.engine.move_text(0, session.advice(agent))}")
    elif command == "save" and argument:
        session.save(Path(argument))
        show(f"written to {argument}")
    elif command in ("help", "?"):
        show(HELP)
    else:
        session.play(session.engine.parse_move(0, line))


def watch_in_terminal(
    session: GameSession, agent: Agent, seconds: float = 0.5, show: Callable[[str], None] = print
) -> None:
    """Shows an agent playing a game to its end, with a pause after each move."""
    show(picture(session.engine))
    while not session.over:
        move = session.play(session.advice(agent))
        time.sleep(seconds)
        show(f"\n{agent.name} plays {move}\n{picture(session.engine)}")
    show(outcome_text(session.engine))


def replay_in_terminal(path: Path, show: Callable[[str], None] = print, *, every_move: bool = False) -> None:
    """Checks a transcript and shows it: the start, the end and, if wanted, each position between.

    Raises:
        ValueError: The file is no transcript, a move is illegal (named by its number), or the outcome is another.
    """
    try:
        transcript = parse_transcript(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"expected a transcript in {path}, got: {error}") from None
    moves: Sequence[str] = transcript.moves
    for number, engine in enumerate(transcript.replay()):
        if number:
            show(f"{number}. {moves[number - 1]}")
        if every_move or number in (0, len(moves)):
            show(picture(engine))
    show(outcome_text(engine))


def picture(engine: Engine) -> str:
    """Returns the table as text, in colour where the terminal has it."""
    return render_ansi(engine, 0, color=sys.stdout.isatty())


def outcome_text(engine: Engine) -> str:
    """Returns the outcome in words."""
    return ", ".join(f"{name} {value}" for name, value in engine.outcome(0).items())
