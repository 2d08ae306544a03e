"""An environment of SkyRL over `ChatEnv`: messages in, messages out.

python examples/skyrl_env.py
"""

from typing import Any

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput, ConversationType
from skyrl_gym.envs.registration import register

from solitaire_evaluation.chat_env import ChatEnv


class Patience(BaseTextEnv):
    """One game.

    Args:
        env_config: The keywords of `ChatEnv`, from the trainer's settings.
        extras: The row of the data set: ``split`` and ``index`` of the deal, or ``seed``.
    """

    def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._env = ChatEnv(**{"env": "solitaire/Golf-v0", **(env_config or {})})
        self._deal = {name: value for name, value in (extras or {}).items() if name in ("seed", "split", "index")}
        self.max_turns = self._env.max_turns

    def init(self, prompt: ConversationType) -> tuple[ConversationType, dict[str, Any]]:
        """Deals the game; its first table follows the prompt of the data set."""
        text, info = self._env.reset(**self._deal)
        return [*prompt, {"role": "user", "content": text}], info

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Takes an answer of the model."""
        text, reward, terminated, truncated, info = self._env.step(action)
        over = terminated or truncated
        said = [] if over else [{"role": "user", "content": text}]
        return BaseTextEnvStepOutput(observations=said, reward=reward, done=over, metadata=info)

    def get_metrics(self) -> dict[str, Any]:
        """Returns the outcome of the game."""
        return self._env.info()


register(id="patience", entry_point=Patience)


def main() -> None:
    """Plays a game by the last move of each table."""
    env = skyrl_gym.make("patience", env_config={"reward": "score"}, extras={"seed": 0})
    conversation, _ = env.init([])
    total, over = 0.0, False
    while not over:
        move = conversation[-1]["content"].rpartition("moves: ")[2].split(", ")[-1]
        output = env.step(move)
        conversation += [{"role": "assistant", "content": move}, *output["observations"]]
        total, over = total + output["reward"], output["done"]
    print(f"reward {total:.2f}", env.get_metrics())


if __name__ == "__main__":
    main()
