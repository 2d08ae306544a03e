"""Agents that see the table in words and answer with a move in words, as language models do."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_envs.engine import Engine
from solitaire_envs.render import render_ansi

Message = dict[str, str]
"""``role`` is 'system', 'user' or 'assistant'; ``content`` is the text."""
NO_MOVE = -1
"""An action that is never legal. It leaves the game as it is, and the engine counts it."""


class TextAgent(Agent):
    """Plays by text alone. A class of your own needs `answer`, and a constructor that takes the game's options.

    It plays as in `solitaire_envs.wrappers.TextGame`: an answer that is no legal move leaves the game as it is, and the
    next message begins with what was expected.
    """

    prompt: str = ""
    """The system message that each conversation begins with, such as the rules; empty: there is none."""
    tell_moves: bool = True
    """Whether the tables list the legal moves."""
    max_illegal_answers: int = 50
    """After so many answers that are no legal moves, a game is given up, and counts as it stands."""
    _engine: Engine | None = None

    @abstractmethod
    def answer(self, conversation: Sequence[Message]) -> str:
        """Answers with a move in words, such as ``QH+AC``.

        Args:
            conversation: The prompt, then the tables and the answers of this game; the last message is the table now.
        """

    @final
    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """It cannot play from arrays.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"expected a table in words for {self.name}, got arrays: call choose(engine)")

    @final
    def choose(self, engine: Engine, games: NDArray[np.int64] | slice = slice(None)) -> Actions:
        """Returns a move in each of some games of an engine, int64 [n]; `NO_MOVE` where the answer is no legal move."""
        if engine is not self._engine:
            self._engine = engine
            self._games = [_Conversation(self) for _ in range(engine.num_envs)]
        chosen = np.arange(engine.num_envs)[games]
        return np.array([self._games[game].ask(engine, game) for game in chosen], dtype=np.int64)


class _Conversation:
    """The conversation of one game."""

    def __init__(self, agent: TextAgent) -> None:
        self._agent, self._said, self._illegal = agent, "", 0
        self._messages = [{"role": "system", "content": agent.prompt}] if agent.prompt else []

    def ask(self, engine: Engine, game: int) -> int:
        """Shows the table, and returns the move that the agent answers with."""
        agent = self._agent
        if self._illegal >= agent.max_illegal_answers:
            return NO_MOVE
        table = render_ansi(engine, game)
        table = self._said + (table if agent.tell_moves else table.rpartition("\n")[0])
        self._messages.append({"role": "user", "content": table})
        answer = agent.answer(self._messages)
        self._messages.append({"role": "assistant", "content": answer})
        try:
            self._said, move = "", engine.parse_move(game, answer)
        except ValueError as error:
            self._illegal += 1
            self._said = (str(error) if agent.tell_moves else "expected a legal move") + "\n\n"
            return NO_MOVE
        return move
