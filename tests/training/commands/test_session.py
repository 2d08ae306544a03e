"""A game played in the terminal: moves, undo, hints, saving."""

from pathlib import Path

import solitaire_seeds
from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import GAMES
from solitaire_training.commands.session import GameSession, play_in_terminal
from solitaire_training.evaluation.label_file import read_label_file


def test_a_hint_of_the_oracle_which_sees_the_stock() -> None:
    game = GAMES["pyramid"]
    session = GameSession(game, game.options(), 7)
    oracle = find_agent("oracle", game, game.options())
    while not session.over:
        session.play(session.advice(oracle))
    labels = read_label_file(solitaire_seeds.FOLDER / "pyramid-test.csv")
    assert labels["deal"][7] == 7
    assert session.engine.outcome(0)["score"] == labels["best_score"][7]


def test_play_with_hint_undo_and_save(tmp_path: Path) -> None:
    game = GAMES["pyramid"]
    session = GameSession(game, game.options(), 7)
    lines = iter(["hint", "kd", "undo", "undo", "nonsense", "KD", f"save {tmp_path / 'x.txt'}", "help", "quit"])
    shown: list[str] = []
    play_in_terminal(session, find_agent("careful", game, game.options()), lambda prompt: next(lines), shown.append)
    text = "\n".join(shown)
    assert "careful would play K" in text
    assert "expected a move to take back" in text
    assert "got 'nonsense'" in text
    assert "moves: KD" in (tmp_path / "x.txt").read_text()
