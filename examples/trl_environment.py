"""An environment for TRL's `GRPOTrainer(environment_factory=...)` over `ChatEnv`: the model plays by calling a tool.

    python examples/trl_environment.py

With a model that calls tools:

    GRPOTrainer(model="...", train_dataset=make_dataset(1_000), environment_factory=Patience, args=...).train()
"""

from typing import Any

from datasets import Dataset

from solitaire_evaluation.chat_env import ChatEnv

SETTINGS: dict[str, Any] = {"env": "solitaire/Golf-v0", "reward": "score"}
"""Keywords of `ChatEnv`."""


class Patience:
    """One game at a time. TRL offers the public methods, other than `reset` and `get_reward`, to the model as tools."""

    def __init__(self) -> None:
        self._env, self._total = ChatEnv(**SETTINGS), 0.0

    def reset(self, split: str = "train", index: int | None = None, **row: Any) -> str:
        """Deals the game that a row of the data set names; returns the text that follows its prompt."""
        self._total = 0.0
        text, _ = self._env.reset(split=split, index=index)
        return text

    def play(self, move: str) -> str:
        """Plays a move of the game.

        Args:
            move: The move, such as `draw`; the table lists those that are legal.

        Returns:
            The table after the move.
        """
        if self._env.over:
            return "The game is over."
        text, reward, *_ = self._env.step(move)
        self._total += reward
        return f"{text}\n\nThe game is over." if self._env.over else text

    def get_reward(self) -> float:
        """Returns the sum of the rewards of the game, 0..1."""
        return self._total


def make_dataset(deals: int) -> Dataset:
    """Returns a data set of the first training deals."""
    prompt = [{"role": "user", "content": "Play this game to its end, a move at a time, by the tool `play`.\n\n"}]
    return Dataset.from_list([{"prompt": prompt, "split": "train", "index": index} for index in range(deals)])


def main() -> None:
    """Plays a game by the last move of each table."""
    env = Patience()
    text = env.reset(index=0)
    while not text.endswith("The game is over."):
        text = env.play(text.rpartition("moves: ")[2].split(", ")[-1])
    print(f"reward {env.get_reward():.2f}")


if __name__ == "__main__":
    main()
