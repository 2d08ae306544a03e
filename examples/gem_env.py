r"""An environment of GEM over `ChatEnv`: text in, text out. The answer is what stands in the last \\boxed{...}.

python examples/gem_env.py
"""

from typing import Any

import gem
from gem.utils.parsing import extract_last_boxed_answer

from solitaire_evaluation.chat_env import ChatEnv


class Patience(gem.Env):
    """One game at a time; the keywords are those of `ChatEnv`."""

    def __init__(self, env: str = "solitaire/Golf-v0", seed: int | None = None, **settings: Any) -> None:
        super().__init__()
        self._keywords = {"env": env, **settings}
        self._env = ChatEnv(**self._keywords)

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Deals a game; the same seed deals the same one."""
        text, info = self._env.reset(seed=seed)
        return f"{text}\n\nPut your move into \\boxed{{}}.", info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Takes an answer of the model."""
        return self._env.step(extract_last_boxed_answer(action) or action)

    def spawn(self, same_state: bool = False, **settings: Any) -> "Patience":
        """Returns another environment, with other settings if they are given."""
        if same_state:
            raise NotImplementedError("a game is not copied: reset both with one seed")
        return Patience(**{**self._keywords, **settings})


gem.register("solitaire:Golf-v0", Patience)


def main() -> None:
    """Plays a game by the last move of each table."""
    env = gem.make("solitaire:Golf-v0", reward="score")
    text, info = env.reset(seed=0)
    total, over = 0.0, False
    while not over:
        move = text.rpartition("moves: ")[2].split("\n")[0].split(", ")[-1]
        text, reward, terminated, truncated, info = env.step(f"I take the last one: \\boxed{{{move}}}")
        total, over = total + reward, terminated or truncated
    print(f"reward {total:.2f}", info)


if __name__ == "__main__":
    main()
