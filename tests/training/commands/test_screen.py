"""A game seen and played in the terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.catalogue import GAMES, find_entry
from solitaire_envs.game import make_options
from solitaire_evaluation.descriptions import rules_for_players, rules_of
from solitaire_training.commands.screen import (
    CLEAR_SCREEN,
    HELP,
    Screen,
    closing_text,
    moves_text,
    play_in_terminal,
    watch_in_terminal,
    wrapped,
)
from solitaire_training.commands.session import GameSession
from tests.environments import walk


def session_of(env: str = "solitaire/Pyramid-v0", deal: int = 7, **options: Any) -> GameSession:
    entry = find_entry(env)
    return GameSession(entry.game, make_options(entry.game.options, {**entry.preset, **options}), deal)


def play(lines: list[str], session: GameSession, adviser: str = "careful") -> list[str]:
    """Plays lines of input, then quits by the end of the input; returns what was shown after each."""
    given, shown = iter(lines), list[str]()

    def ask(prompt: str) -> str:
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    def agent() -> Agent:
        return find_agent(adviser, session.engine.game, session.engine.options)

    play_in_terminal(session, agent, ask, Screen(shown.append, shown.append))
    return shown


def test_moves_by_number_by_name_and_by_key() -> None:
    session = session_of()
    assert session.choices()[:2] == ["draw", "KD"]
    play(["2", "kc", "d", "u", "draw"], session)
    assert session.moves == ["KD", "KC", "draw"]


def test_a_redeal_is_played_by_the_key_for_draws() -> None:
    session = session_of()
    play(["d"] * 25, session)
    assert session.moves == [*["draw"] * 24, "redeal"]


def test_each_command_answers(tmp_path: Path) -> None:
    session = session_of()
    path = tmp_path / "x.txt"
    first, hint, no_move, move, undone, rules, ruled, saved, helped, left = play(
        ["h", "u", "2", "u", "r", f"s {path}", "?"], session
    )
    assert "1 draw   2 KD" in first
    assert "d draws" in first
    assert "careful would play K" in hint
    assert "expected a move to take back" in no_move
    assert "you played KD" in move
    assert "taken back" in undone
    assert rules == wrapped("\n\n".join(rules_for_players(session.engine.game)), 78)
    assert rules.startswith("28 cards lie face up in a pyramid of seven rows.")
    assert "r shows the rules again" in ruled
    assert f"writtento{path}" in "".join(saved.split())  # a long path is wrapped
    assert "d draws" in helped
    assert "Left after 0 moves." in left
    assert path.read_text().startswith("solitaire-rl transcript")


@pytest.mark.parametrize("line", ["0", "99", "foo", "", "+", "KS", "²"])
def test_other_lines_are_answered_in_one(line: str) -> None:
    session = session_of()
    _, answer, _ = play([line], session)
    assert answer.splitlines()[-1] == f"expected a number of 1..5, a move as shown, or ? for help; got {line!r}"
    assert not session.moves


def test_a_move_that_reads_as_a_number_comes_before_the_numbering(monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of()
    monkeypatch.setattr(GameSession, "choices", lambda self: ["draw", "1"])
    _, answer, _ = play(["1"], session)
    assert "got '1'" in answer  # it is taken as the move '1', which this game does not have, not as the first move


def test_a_save_that_fails_is_said_in_a_line(tmp_path: Path) -> None:
    _, answer, _ = play([f"save {tmp_path / 'none' / 'x.txt'}"], session_of())
    assert "No such file" in answer


@pytest.mark.parametrize("env", ["solitaire/Pyramid-v0", "solitaire/TourInfernale-v0", "solitaire/PyramidPar-v0"])
def test_all_that_is_shown_fits_eighty_columns(env: str) -> None:
    session = session_of(env)
    for text in play(["d"] * 20 + ["r", "?", "h"], session, "uniform"):
        assert max(map(len, text.splitlines())) <= 80


def test_the_screen_is_drawn_in_place() -> None:
    shown: list[str] = []
    session = session_of()
    watch_in_terminal(
        session,
        find_agent("careful", GAMES["pyramid"], GAMES["pyramid"].options()),
        0,
        Screen(shown.append, lines=24),
    )
    assert all(text.startswith(CLEAR_SCREEN + "deal 7\n") for text in shown)
    assert len(shown) == 1 + len(session.moves)
    assert "careful" in shown[-1].splitlines()[-1]


def height_of(shown: str) -> int:
    """Returns the lines that a terminal needs, with the one of the prompt."""
    return len(shown.removeprefix(CLEAR_SCREEN).split("\n")) + 1


@pytest.mark.parametrize("env", walk())
def test_a_position_fits_into_a_terminal_of_24_lines(env: str) -> None:
    shown: list[str] = []
    session, screen = session_of(env, 3), Screen(shown.append, lines=24)
    for _ in zip(range(200), moves_of("uniform", session), strict=False):
        screen.draw(session, HELP, numbered=True)
    if session.engine.game.num_cards == NUM_CARDS:  # piles of two packs grow taller, and scroll
        assert max(map(height_of, shown)) <= 24
    assert max(len(line) for text in shown for line in text.removeprefix(CLEAR_SCREEN).split("\n")) <= 80
    assert all(text.startswith(CLEAR_SCREEN) for text in shown)


def test_the_tallest_pile_of_klondike_fits() -> None:
    shown: list[str] = []
    session = session_of("solitaire/Klondike-v0")
    state, pile = session.engine.states[0], slice(6 * NUM_RANKS, 7 * NUM_RANKS)
    state.heights[6], state.tableau[pile] = NUM_RANKS, range(NUM_RANKS, 0, -1)
    assert state.downs[6] == 6
    Screen(shown.append, lines=40).draw(session, "", numbered=True)
    assert height_of(shown[0]) > 24
    Screen(shown.append, lines=24).draw(session, HELP, numbered=True)
    assert height_of(shown[1]) <= 24
    assert "  6░░" in shown[1]
    assert "[A♣]" in shown[1]


def test_a_pager_shows_the_rules_and_nothing_clears_them() -> None:
    shown, paged = list[str](), list[str]()
    session, lines = session_of(), iter(["r", "d"])

    def ask(prompt: str) -> str:
        return next(lines, "q")

    play_in_terminal(
        session, lambda: pytest.fail("no hint was asked for"), ask, Screen(shown.append, paged.append, lines=24)
    )
    assert len(paged) == 1
    assert [text.startswith(CLEAR_SCREEN) for text in shown] == [True, False, True, True]


@pytest.mark.parametrize("env", walk())
def test_rules_for_players_are_those_of_the_page(env: str) -> None:
    game = find_entry(env).game
    assert list(rules_for_players(game)) == list(game.words.rules)
    assert len(rules_for_players(game)) >= 3


@pytest.mark.parametrize("line", ["", "h"])
def test_ctrl_c_ends_a_game_with_a_word(line: str) -> None:
    shown, lines = list[str](), iter(["d", line] if line else ["d"])

    def interrupt(*asked: str) -> Any:
        raise KeyboardInterrupt

    def ask(prompt: str) -> str:
        return next(lines, None) or interrupt()

    with pytest.raises(KeyboardInterrupt):
        play_in_terminal(session_of(), interrupt, ask, Screen(shown.append))
    assert shown[-1].rstrip().endswith("Left after 1 move.")


def moves_of(agent: str, session: GameSession) -> Iterator[str]:
    player = find_agent(agent, session.engine.game, session.engine.options)
    while not session.over:
        yield session.play(session.advice(player))


@pytest.mark.parametrize(
    ("env", "agent", "options", "end"),
    [
        ("Pyramid", "oracle", {}, "You won; score 35, "),
        ("Pyramid", "careful", {"passes": 1}, "You did not win: no move is left; score -"),
        ("TourInfernale", "swift", {"max_moves": 20}, "You did not win within the moves allowed; score "),
    ],
)
def test_the_closing_line(env: str, agent: str, options: dict[str, Any], end: str) -> None:
    session = session_of(f"solitaire/{env}-v0", 7, **options)
    assert closing_text(session.engine, "You").startswith("You stopped; score ")
    count = len(list(moves_of(agent, session)))
    line = closing_text(session.engine, "You")
    assert line.startswith(end)
    assert f"{count:,} moves, pass " in line
    assert line.endswith(".")
    assert ("the 28 cards of the pyramid are gone" in line) == (agent == "oracle")


def test_moves_are_numbered_and_never_broken() -> None:
    text = moves_text(["draw", *[f"QH to {pile}" for pile in range(30)]])
    assert "1 draw   2 QH to 0" in text
    assert all(line.strip()[0].isdigit() and len(line) <= 78 for line in text.splitlines())


def test_rules_keep_their_shape() -> None:
    rules = rules_of(GAMES["pyramid"])
    text = wrapped(rules, 60)
    assert text.split() == rules.split()
    assert max(map(len, text.splitlines())) <= 60
    for line in rules.splitlines():
        if line and not line.startswith(" "):
            assert line in text.splitlines()
    assert text.count("\n    - ") == rules.count("\n    - ")
