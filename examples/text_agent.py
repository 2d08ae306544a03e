"""Agents that play through text, as language models do: they see the table in words, and answer in words.

    python examples/text_agent.py
    cd examples && solitaire-rl compare --agents text_agent:FirstDiscard,text_agent:RandomMove --deals 100

Ask your own model in `answer`.
"""

import random
from collections.abc import Sequence
from typing import Any

from solitaire_agents.text_agent import ChatMessage, TextAgent
from solitaire_envs import pyramid
from solitaire_evaluation.play import play


def moves_of(conversation: Sequence[ChatMessage]) -> list[str]:
    """Returns the moves that the latest table lists."""
    return conversation[-1]["content"].rpartition("moves: ")[2].split(", ")


class RandomMove(TextAgent):
    """Answers with a random move of the table, and now and then with chatter, as a poor model does."""

    stochastic = True  # so its results depend on the seed

    def __init__(self, options: Any) -> None:
        self._random = random.Random(0)

    def seed(self, seed: int) -> None:
        """Restarts the random numbers."""
        self._random.seed(seed)

    def answer(self, conversation: Sequence[ChatMessage]) -> str:
        """Returns a random move, or no move at all."""
        if self._random.random() < 0.1:
            return "I would take the king."
        return self._random.choice(moves_of(conversation))


class FirstDiscard(TextAgent):
    """Answers with the first discard of the table; draws only if there is none."""

    def __init__(self, options: Any) -> None:
        pass

    def answer(self, conversation: Sequence[ChatMessage]) -> str:
        """Returns a move."""
        moves = moves_of(conversation)
        return next((move for move in moves if move not in ("draw", "redeal")), moves[0])


def main() -> None:
    """Plays twenty deals with each; `solitaire-rl compare` tells intervals too."""
    options = pyramid.PyramidOptions()
    for agent in (RandomMove(options), FirstDiscard(options)):
        scores = play(agent, pyramid.GAME, options, range(20)).column("score")
        print(f"{agent.name}: mean score of deals 0 to 19: {scores.mean():.2f}")


if __name__ == "__main__":
    main()
