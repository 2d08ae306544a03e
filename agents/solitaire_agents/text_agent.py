"""Agents that see the table in words and answer with a move in words, as language models do."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_envs.engine import Buffers, Engine
from solitaire_envs.render import render_ansi

ChatMessage = dict[str, str]
"""``role`` is 'system', 'user' or 'assistant'; ``content`` is the text."""


class TextAgent(Agent):
    """Plays by text alone. A class of your own needs `answer`, and a constructor that takes the game's options.

    The texts are those of `solitaire_envs.wrappers.TextGame`. After an answer that is no legal move the agent is asked
    again, and the message begins with what was expected.
    """

    prompt: str = ""
    """The system message that each conversation begins with, such as the rules; empty: there is none."""
    tell_moves: bool = True
    """Whether the tables list the legal moves."""
    max_illegal_answers: int = 50
    """After so many answers that are no legal moves, a game is played on by the first legal move each time."""
    _buffers_asked: Buffers | None = None
    """They tell engines apart, and do not lead to the hidden cards."""

    @abstractmethod
    def answer(self, conversation: Sequence[ChatMessage]) -> str:
        """Answers with a move in words, such as ``QH+AC``.

        Args:
            conversation: The prompt, then the tables and the answers of this game; the last message is the table now.
        """

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
        self._agent, self._illegal = agent, 0
        self._messages = [{"role": "system", "content": agent.prompt}] if agent.prompt else []

    def ask(self, engine: Engine, game: int) -> int:
        """Shows the table, until the agent answers with a legal move or has given too many other answers."""
        agent, said = self._agent, ""
        table = render_ansi(engine, game, tell_moves=agent.tell_moves)
        while self._illegal < agent.max_illegal_answers:
            self._messages.append({"role": "user", "content": said + table})
            answer = agent.answer(tuple(self._messages))
            self._messages.append({"role": "assistant", "content": answer})
            try:
                return engine.parse_move(game, answer)
            except ValueError as error:
                self._illegal += 1
                said = (str(error) if agent.tell_moves else "expected a legal move") + "\n\n"
        return engine.legal_actions(game)[0]
