"""Agents by text: what they are told, and what becomes of their answers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from solitaire_agents.text_agent import ChatMessage, TextAgent
from solitaire_envs.engine import Engine
from solitaire_envs.instructions import instructions
from solitaire_envs.pyramid import GAME
from solitaire_envs.pyramid_table import DRAW
from solitaire_envs.render import render_ansi
from solitaire_evaluation.play import play

OPTIONS = GAME.options()


class Scripted(TextAgent):
    """Gives answers in order, the last of them for ever; keeps the conversations that it was shown."""

    prompt: str | None = ""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[list[ChatMessage]] = []

    def answer(self, conversation: Sequence[ChatMessage]) -> str:
        self.asked.append(list(conversation))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    @property
    def tables(self) -> list[str]:
        return [conversation[-1]["content"] for conversation in self.asked]


def dealt(count: int = 1) -> Engine:
    engine = Engine(GAME, OPTIONS, count)
    engine.deal_numbers(np.arange(count, dtype=np.uint64))
    return engine


def test_a_conversation_is_the_prompt_tables_and_answers() -> None:
    engine, agent = dealt(), Scripted("draw", " DRAW.\n")
    agent.prompt = "Play well."
    tables = []
    for _ in range(2):
        tables.append(render_ansi(engine, 0))
        assert agent.choose(engine).tolist() == [DRAW]
        engine.step(np.array([DRAW]))
    assert agent.asked[1] == [
        {"role": "system", "content": "Play well."},
        {"role": "user", "content": tables[0]},
        {"role": "assistant", "content": "draw"},
        {"role": "user", "content": tables[1]},
    ]
    assert agent.asked[0] == agent.asked[1][:2]


def test_without_a_prompt_the_table_comes_first() -> None:
    agent = Scripted("draw")
    agent.choose(dealt())
    assert [message["role"] for message in agent.asked[0]] == ["user"]


@pytest.mark.parametrize(
    ("tell_moves", "expected"), [(True, "expected a legal move, one of: "), (False, "expected a legal move")]
)
def test_after_a_wrong_answer_the_agent_is_told_what_was_expected(tell_moves: bool, expected: str) -> None:
    agent = Scripted("the king", "draw")
    agent.tell_moves = tell_moves
    assert agent.choose(dealt()).tolist() == [DRAW]
    first, second = agent.tables
    said, _, table = second.partition("\n\n")
    assert first == table == render_ansi(dealt(), 0, tell_moves=tell_moves)
    assert said.startswith(expected)
    assert ("draw" in said) == tell_moves


def test_after_too_many_wrong_answers_the_first_legal_move_is_played() -> None:
    agent = Scripted("hm")
    agent.max_illegal_answers = 3
    played = play(agent, GAME, OPTIONS, [0])
    assert len(agent.asked) == 3
    first = Scripted("hm")
    first.max_illegal_answers = 0
    assert play(first, GAME, OPTIONS, [0]).outcomes.tolist() == played.outcomes.tolist()
    assert not first.asked


def test_games_have_conversations_of_their_own_and_new_deals_begin_anew() -> None:
    engine, agent = dealt(3), Scripted("draw")
    assert agent.choose(engine, np.array([2, 0])).tolist() == [DRAW, DRAW]
    engine.step(np.array([DRAW, DRAW, DRAW]))
    agent.choose(engine)
    assert [len(conversation) for conversation in agent.asked] == [1, 1, 3, 1, 3]
    engine.deal_numbers(np.arange(3, dtype=np.uint64))
    agent.choose(engine)
    assert agent.tables[-3:] == [render_ansi(engine, game) for game in range(3)]
    assert [len(conversation) for conversation in agent.asked[-3:]] == [1, 1, 1]
    agent.choose(dealt(3))
    assert len(agent.asked[-1]) == 1


def test_what_an_agent_does_with_its_copy_does_not_matter() -> None:
    class Careless(Scripted):
        def answer(self, conversation: Sequence[ChatMessage]) -> str:
            super().answer(conversation)
            list(conversation).clear()
            self._engine = None  # a name that a client of a model may have
            return "draw"

    engine, agent = dealt(), Careless("draw")
    for _ in range(2):
        agent.choose(engine)
        engine.step(np.array([DRAW]))
    assert len(agent.asked[1]) == 3


def test_arrays_are_refused() -> None:
    engine = dealt()
    with pytest.raises(TypeError, match="expected Scripted to be asked by choose"):
        Scripted("draw").act(engine.buffers.observations, engine.buffers.action_masks)


def test_the_prompt_is_the_instructions_unless_the_agent_has_its_own() -> None:
    agent = Scripted("draw")
    agent.prompt = None
    engine = dealt(2)
    agent.choose(engine, np.array([1]))
    system = agent.asked[0][0]
    assert system["role"] == "system"
    assert system["content"].startswith(instructions(engine, 1))
    assert system["content"].endswith("on the last line of your answer.")


def test_the_last_line_is_the_move_and_what_was_said_is_kept() -> None:
    agent = Scripted("KS would be nice.", "But then:\n\n`draw`\n")
    assert agent.choose(dealt()).tolist() == [DRAW]
    assert agent.said == "KS would be nice.\n\nBut then:\n\n`draw`\n"


@pytest.mark.parametrize(("budget", "asked"), [(0, 0), (9, 2), (10, 2), (11, 3), (None, 4)])
def test_the_budget_of_a_game(budget: int | None, asked: int) -> None:
    class Dear(Scripted):
        def cost(self, answer: str) -> int:
            return len(answer)

    agent, engine = Dear("hm.", "draw it", "hm.", "draw"), dealt()
    agent.budget = budget
    assert agent.choose(engine).tolist() == [engine.legal_actions(0)[0]]
    assert len(agent.asked) == asked


def test_answers_that_are_kept_are_not_asked_for_again(tmp_path: Path) -> None:
    first = Scripted("no", "draw")
    first.answers_file = tmp_path / "answers.jsonl"
    outcomes = play(first, GAME, OPTIONS, range(2)).outcomes.tolist()
    again = Scripted("never asked")
    again.answers_file = first.answers_file
    assert play(again, GAME, OPTIONS, range(2)).outcomes.tolist() == outcomes
    assert not again.asked


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_run_that_was_killed_asks_for_what_is_missing(tmp_path: Path, cut: int) -> None:
    """The last line of the file is cut off; it alone is asked for again, and the file is whole after that."""
    first, file = Scripted("draw"), tmp_path / "answers.jsonl"
    first.answers_file = file
    outcomes = play(first, GAME, OPTIONS, [0]).outcomes.tolist()
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole[:-cut], encoding="utf-8")
    for missing in (cut > 1, 0):
        again = Scripted("draw")
        again.answers_file = file
        assert play(again, GAME, OPTIONS, [0]).outcomes.tolist() == outcomes
        assert len(again.asked) == missing
