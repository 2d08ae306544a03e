"""Agents that see the table in words and answer with a move in words, as language models do."""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.files import append_line
from solitaire_envs.engine import Buffers, Engine
from solitaire_envs.instructions import instructions
from solitaire_envs.render import render_ansi

ChatMessage = dict[str, str]
"""``role`` is 'system', 'user' or 'assistant'; ``content`` is the text."""


_HOW_TO_ANSWER = "Answer with one move, on the last line of your answer."


def last_line(answer: str) -> str:
    """Returns the last line of an answer that is not blank, where the move stands; what is before it is not read."""
    return (answer.strip().splitlines() or [""])[-1]


class TextAgent(Agent):
    """Plays by text alone. A class of your own needs `answer`, and a constructor that takes the game's options.

    A text is the table as a person sees it and a status line. After an answer that is no legal move the agent is asked
    again, and the message begins with what was expected.
    """

    prompt: str | None = None
    """The system message that each conversation begins with; None: the `instructions` of the game, and how to answer;
    empty: none."""
    tell_moves: bool = True
    """Whether the tables list the legal moves."""
    max_illegal_answers: int = 50
    """After so many answers that are no legal moves, a game is played on by the first legal move each time."""
    budget: int | None = None
    """What the answers of a game may `cost` together; once it is used up, the game is played on in the same way."""
    answers_file: Path | None = None
    """A file that keeps each answer as soon as it is given. A conversation that is there already is not asked again, so
    a run that was interrupted asks only for what is missing. Each run of a model that draws needs its own file."""
    said: str = ""
    """The answers that led to the latest move."""
    _buffers_asked: Buffers | None = None
    """They tell engines apart, and do not lead to the hidden cards."""

    @abstractmethod
    def answer(self, conversation: Sequence[ChatMessage]) -> str:
        """Answers with a move in words, such as ``QH+AC``, on the last line.

        Args:
            conversation: The prompt, then the tables and the answers of this game; the last message is the table now.
        """

    def cost(self, answer: str) -> int:
        """Returns what an answer costs of the budget: 1. Count its tokens instead if the budget is one of tokens."""
        return 1

    @cached_property
    def _kept(self) -> "_KeptAnswers":
        return _KeptAnswers(self.answers_file)

    @final
    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Is not possible from arrays.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"expected {self.name} to be asked by choose(engine), since it plays by text; got arrays")

    @final
    def _ask(self, engine: Engine, games: NDArray[np.int64]) -> Actions:
        """Returns a legal move in each of some games of an engine, int64 [n]."""
        if engine.buffers is not self._buffers_asked:
            self._buffers_asked, self._conversations = engine.buffers, dict[int, _Conversation]()
        chosen = games.tolist()
        return np.array([self._conversation(engine, game).ask(engine, game) for game in chosen], dtype=np.int64)

    def _conversation(self, engine: Engine, game: int) -> "_Conversation":
        if game not in self._conversations or engine.states.moves[game] == 0:
            self._conversations[game] = _Conversation(self)
        return self._conversations[game]


class _Conversation:
    """The conversation of one game."""

    def __init__(self, agent: TextAgent) -> None:
        self._agent, self._illegal, self._spent = agent, 0, 0
        self._messages: list[ChatMessage] = []

    def ask(self, engine: Engine, game: int) -> int:
        """Shows the table, until the agent answers with a legal move or has given too many other answers."""
        agent, said = self._agent, ""
        if not self._messages and (prompt := _prompt(agent, engine, game)):
            self._messages.append({"role": "system", "content": prompt})
        table = render_ansi(engine, game, tell_moves=agent.tell_moves)
        answers = list[str]()
        while self._illegal < agent.max_illegal_answers and (agent.budget is None or self._spent < agent.budget):
            self._messages.append({"role": "user", "content": said + table})
            answer = agent._kept.ask(agent.answer, tuple(self._messages))
            self._messages.append({"role": "assistant", "content": answer})
            self._spent += agent.cost(answer)
            answers.append(answer)
            agent.said = "\n\n".join(answers)
            try:
                return engine.parse_move(game, last_line(answer))
            except ValueError as error:
                self._illegal += 1
                said = (str(error) if agent.tell_moves else "expected a legal move") + "\n\n"
        agent.said = "\n\n".join(answers)
        return engine.legal_actions(game)[0]


def _prompt(agent: TextAgent, engine: Engine, game: int) -> str:
    return f"{instructions(engine, game)}\n\n{_HOW_TO_ANSWER}" if agent.prompt is None else agent.prompt


class _KeptAnswers:
    """Answers in a file, a JSON object a line: the hash of the conversation, and the answer.

    Args:
        file: The file; None: nothing is kept.
    """

    def __init__(self, file: Path | None) -> None:
        self._file, self._known = file, dict[str, str]()
        if file is None or not file.exists():
            return
        for line in file.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # the last line of a run that was killed may be cut off
                kept = json.loads(line)
                self._known[kept["conversation"]] = kept["answer"]

    def ask(self, answer: Callable[[Sequence[ChatMessage]], str], conversation: Sequence[ChatMessage]) -> str:
        """Returns the answer that is kept; if there is none, asks for it and keeps it."""
        if self._file is None:
            return answer(conversation)
        key = hashlib.sha256(json.dumps(conversation).encode()).hexdigest()
        if key not in self._known:
            self._known[key] = answer(conversation)
            append_line(self._file, json.dumps({"conversation": key, "answer": self._known[key]}))
        return self._known[key]
