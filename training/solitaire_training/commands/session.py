"""A game played move by move, by a person or an agent."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solitaire_agents.base import Agent
from solitaire_agents.files import write_whole
from solitaire_envs.game import Game, Options
from solitaire_envs.transcript import Transcript


class GameSession:
    """One game played move by move. Moves can be taken back, and the transcript can be saved."""

    def __init__(self, game: Game, options: Options, deal: int) -> None:
        self._blank = Transcript(game=game, options=options, deal=deal)
        self.deal = deal
        """The deal number."""
        self.moves: list[str] = []
        """The moves so far, in words."""
        self.engine = self._blank.engine()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.engine.states.ended[0])

    def choices(self) -> list[str]:
        """Returns the legal moves in words, each once; empty if the game has ended."""
        actions = [] if self.over else self.engine.legal_actions(0)
        return list(dict.fromkeys(self.engine.move_text(0, action) for action in actions))

    def play(self, action: int) -> str:
        """Plays a legal action; returns it in words."""
        move = self.engine.move_text(0, action)
        self.engine.step(np.array([action]))
        self.moves.append(move)
        return move

    def undo(self) -> None:
        """Takes back the latest move, by replaying the moves before it.

        Raises:
            ValueError: There is no move to take back.
        """
        if not self.moves:
            raise ValueError("expected a move to take back, got none so far")
        self.moves.pop()
        *_, self.engine = self.transcript(with_outcome=False).replay()

    def advice(self, agent: Agent) -> int:
        """Returns the action that an agent would play. An unfair agent is shown the hidden cards."""
        engine = self.engine
        if not agent.fair:
            shown = replace(self.transcript(with_outcome=False), options=agent.shown(engine.options))
            *_, engine = shown.replay()
        return int(agent.choose(engine)[0])

    def transcript(self, *, with_outcome: bool = True) -> Transcript:
        """Returns the transcript of the game so far."""
        outcome = self.engine.outcome(0) if with_outcome else None
        return replace(self._blank, moves=self.moves, outcome=outcome)

    def save(self, path: Path) -> None:
        """Writes the transcript."""
        write_whole(path, self.transcript().to_text().encode())
