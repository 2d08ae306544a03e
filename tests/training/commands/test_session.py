"""A game played move by move."""

import pytest

import solitaire_seeds
from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import GAMES
from solitaire_envs.deals import read_label_file
from solitaire_training.commands.session import GameSession


def test_a_hint_of_the_oracle_which_sees_the_stock() -> None:
    game = GAMES["pyramid"]
    session = GameSession(game, game.options(), 7)
    oracle = find_agent("oracle", game, game.options())
    while not session.over:
        session.play(session.advice(oracle))
    labels = read_label_file(solitaire_seeds.FOLDER / "pyramid-test.csv")
    assert labels["deal"][7] == 7
    assert session.engine.outcome(0)["score"] == labels["best_score"][7]
    assert session.choices() == []


def test_moves_are_taken_back() -> None:
    game = GAMES["pyramid"]
    session = GameSession(game, game.options(), 7)
    start = session.engine.states.tobytes()
    session.play(session.engine.parse_move(0, "KD"))
    assert session.moves == ["KD"]
    session.undo()
    assert session.engine.states.tobytes() == start
    with pytest.raises(ValueError, match="expected a move to take back"):
        session.undo()
