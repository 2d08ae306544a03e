"""Shows a game in the terminal: the table, the numbered moves, a closing line."""

import pydoc
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from textwrap import fill

from solitaire_agents.base import Agent
from solitaire_envs.checks import short
from solitaire_envs.engine import Engine
from solitaire_envs.render import render_ansi
from solitaire_envs.transcript import parse_transcript
from solitaire_evaluation.descriptions import rules_for_players
from solitaire_training.commands.session import GameSession

HELP = """a number or a move as shown plays it, d draws (or turns the waste over)
u undo   h hint   r rules   s FILE save   q quit   ? this help"""
COMMAND_WORDS = {"u": "undo", "h": "hint", "r": "rules", "s": "save", "q": "quit", "?": "help", "exit": "quit"}
_DRAWS = ("draw", "redeal")
"""Moves that ``d`` stands for: the first of them that is legal."""
CLEAR_SCREEN = "\033[H\033[2J"
"""Control sequence that clears the terminal."""
LINE_WIDTH = 78
PROMPT = 2
"""Line breaks below a position: its own, and that of the answer to the prompt."""


class Screen:
    """Shows one position at a time: in a terminal in place of the last one, else below it.

    Args:
        show: Called with text to show.
        page: Called with a text that may be longer than the screen.
        lines: Height of the terminal, which the positions fit into; None: the output is no terminal.
    """

    def __init__(
        self,
        show: Callable[[str], None] = print,
        page: Callable[[str], None] = pydoc.pager,
        *,
        lines: int | None = None,
    ) -> None:
        self._show, self._page, self._lines = show, page, lines
        self._clears = lines is not None

    def draw(self, session: GameSession, message: str, *, numbered: bool = False) -> None:
        """Shows the table, the legal moves if ``numbered``, and a message."""
        below = [moves_text(session.choices())] if numbered and not session.over else []
        below += [wrapped(message, LINE_WIDTH)] if message else []
        parts = [f"deal {session.deal}", table_text(session.engine), *below]
        smaller = [table_text(session.engine, dense=True), *below]
        frames = ["\n\n".join(parts) + "\n", "\n".join(parts), "\n".join(smaller)]
        fitting = (frame for frame in frames if self._lines is None or frame.count("\n") + PROMPT <= self._lines)
        self._show((CLEAR_SCREEN if self._clears else "") + next(fitting, frames[-1]))
        self._clears = self._lines is not None

    def page(self, text: str) -> None:
        """Shows a long text, in a terminal by a pager. The next position is shown below it."""
        self._page(text)
        self._clears = False


def terminal() -> Screen:
    """Returns the screen of the terminal, or of an output that is none."""
    return Screen(lines=shutil.get_terminal_size().lines if sys.stdout.isatty() else None)


def play_in_terminal(
    session: GameSession,
    adviser: Callable[[], Agent],
    ask: Callable[[str], str] = input,
    screen: Screen | None = None,
) -> None:
    """Lets a person play: asks for moves until the game ends or the person quits.

    Args:
        session: The game.
        adviser: Called at each hint; returns the agent that gives it.
        ask: Called with the prompt; returns a line.
        screen: Where the game is shown.
    """
    screen = screen or terminal()
    message: str | None = HELP
    try:
        while message is not None and not session.over:
            screen.draw(session, message, numbered=True)
            message = _answer_next(ask, session, adviser, screen)
    except KeyboardInterrupt:
        screen.draw(session, _left(session))
        raise
    screen.draw(session, _left(session) if message is None else closing_text(session.engine, "You"))


def _left(session: GameSession) -> str:
    return f"Left after {counted(len(session.moves), 'move')}."


def _answer_next(
    ask: Callable[[str], str], session: GameSession, adviser: Callable[[], Agent], screen: Screen
) -> str | None:
    """Asks for a line and carries it out; returns the answer, or None to quit."""
    try:
        line = ask("> ").strip()
    except EOFError:
        return None
    word, _, argument = line.partition(" ")
    command = COMMAND_WORDS.get(word.lower(), word.lower())
    if command == "quit":
        return None
    try:
        answer = _answer(command, argument, session, adviser, screen)
        return answer or f"you played {session.play(_move_of(line, session))}"
    except (ValueError, OSError) as error:
        return str(error)


def _answer(command: str, argument: str, session: GameSession, adviser: Callable[[], Agent], screen: Screen) -> str:
    """Carries out a command; returns the answer, empty if there is no such command.

    Raises:
        ValueError: The command is not possible now.
        OSError: The file cannot be written.
    """
    if command == "undo":
        session.undo()
        return "taken back"
    if command == "hint":
        agent = adviser()
        return f"{agent.name} would play {session.engine.move_text(0, session.advice(agent))}"
    if command == "rules":
        screen.page(wrapped("\n\n".join(rules_for_players(session.engine.game)), LINE_WIDTH))
        return "r shows the rules again"
    if command == "save" and argument:
        session.save(Path(argument))
        return f"written to {argument}"
    return HELP if command in ("help", "save") else ""


def _move_of(line: str, session: GameSession) -> int:
    """Returns the action that a line means: a move as shown, its number, or ``d``."""
    choices = session.choices()
    if line.lower() == "d":
        line = next((move for move in _DRAWS if move in choices), line)
    elif line.isdecimal() and line not in choices and 1 <= int(line) <= len(choices):
        line = choices[int(line) - 1]
    try:
        return session.engine.parse_move(0, line)
    except ValueError:
        expected = f"a number of 1..{len(choices)}, a move as shown, or ? for help"
        raise ValueError(f"expected {expected}; got {short(line)}") from None


def watch_in_terminal(session: GameSession, agent: Agent, seconds: float = 0.5, screen: Screen | None = None) -> None:
    """Shows an agent playing a game to its end, with a pause after each move."""
    screen = screen or terminal()
    screen.draw(session, "")
    while not session.over:
        move = session.play(session.advice(agent))
        time.sleep(seconds)
        said = f"{len(session.moves)}. {agent.name} plays {move}"
        screen.draw(session, "\n".join([said, closing_text(session.engine, agent.name)] if session.over else [said]))


def read_transcript(path: Path) -> str:
    """Returns the content of a transcript's file.

    Raises:
        ValueError: It is not UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"expected a transcript in {path}, got: {error}") from None


def replay_in_terminal(text: str, *, every_move: bool = False) -> None:
    """Checks a transcript and shows its first and last position, or with ``every_move`` all positions.

    Raises:
        ValueError: It is not a transcript, a move is illegal (the message has its number), or the outcome differs.
    """
    transcript = parse_transcript(text)
    moves: Sequence[str] = transcript.moves
    for number, engine in enumerate(transcript.replay()):
        if number:
            print(f"{number}. {moves[number - 1]}")
        if every_move or number in (0, len(moves)):
            print(table_text(engine) + "\n")
    print(closing_text(engine, "The player"))


# --- Texts ------------------------------------------------------------------------------------------------------------


def table_text(engine: Engine, *, dense: bool = False) -> str:
    """Returns the table and the status, without the legal moves; in colour if the output is a terminal."""
    return render_ansi(engine, 0, color=sys.stdout.isatty(), dense=dense).rpartition("\n")[0]


def moves_text(choices: Iterable[str]) -> str:
    """Returns moves with numbers, in lines of at most `LINE_WIDTH` characters."""
    numbered = "   ".join(f"{number} {move}".replace(" ", "\0") for number, move in enumerate(choices, start=1))
    return fill(numbered, LINE_WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False).replace(
        "\0", " "
    )


def closing_text(engine: Engine, who: str) -> str:
    """Returns the end of a game as a sentence."""
    outcome, game = engine.outcome(0), engine.game
    if not engine.states.ended[0]:
        end = "stopped"
    elif outcome["won"]:
        end = "won"
    elif engine.legal_actions(0):
        end = "did not win within the moves allowed"
    else:
        end = "did not win: no move is left"
    others = [f"{one.status} {outcome[one.name]}" for one in game.outcome_fields if one.status and one.name != "moves"]
    reached = [one.doc for one in game.outcome if one.kind == "share" and one.name != "won" and outcome[one.name]]
    facts = [f"score {outcome['score']}", counted(outcome["moves"], "move"), *others, *reached]
    return f"{who} {end}; {', '.join(facts)}."


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun, such as ``1 move`` or ``2,000 moves``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def wrapped(text: str, width: int) -> str:
    """Wraps a text to a width; keeps indentation and list items."""
    paragraphs: list[str] = []
    for line in text.splitlines():
        indent, last = len(line) - len(line.lstrip()), paragraphs[-1] if paragraphs else ""
        goes_on = line.strip() and last and _text_column(last) == indent and not line.lstrip().startswith("- ")
        if goes_on and indent:
            paragraphs[-1] += " " + line.strip()
        else:
            paragraphs.append(line)
    return "\n".join(fill(one, width, subsequent_indent=" " * _text_column(one)) for one in paragraphs)


def _text_column(line: str) -> int:
    """Returns the column where the words of a line begin, after indentation and a list's hyphen."""
    return len(line) - len(line.lstrip(" -"))
