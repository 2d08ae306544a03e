"""A game of TextArena over `ChatEnv`, so that its agents and wrappers play patience.

python examples/textarena_env.py
"""

from typing import Any

import textarena as ta

from solitaire_evaluation.chat_env import ChatEnv


class Patience(ta.Env):  # type: ignore[misc]  # TextArena is untyped
    """A game for one player; the keywords are those of `ChatEnv`."""

    def __init__(self, env: str = "solitaire/Golf-v0", **settings: Any) -> None:
        self._env = ChatEnv(env, **settings)

    def reset(self, num_players: int = 1, seed: int | None = None) -> None:
        """Deals a game; the same seed deals the same one."""
        self.state = ta.SinglePlayerState(num_players=num_players, seed=seed, max_turns=self._env.max_turns)
        text, _ = self._env.reset(seed=seed)
        self.state.reset(game_state={}, player_prompt_function=lambda player_id, game_state: text)
        self._total = 0.0

    def step(self, action: str) -> tuple[bool, ta.Info]:
        """Takes an answer; at the end the reward is the sum of the game's rewards."""
        self.state.add_observation(action, ta.ObservationType.PLAYER_ACTION, from_id=0)
        text, reward, *_, info = self._env.step(action)
        self._total += reward
        self.state.add_observation(text, ta.ObservationType.GAME_BOARD)
        if self._env.over:
            self.state.set_outcome(self._total, reason="won" if info["won"] else "over")
            self.state.game_info[0].update(info)
        return self.state.step()


ta.envs.registration.register("Patience-v0", Patience, default_wrappers=[ta.wrappers.LLMObservationWrapper])


class LastMove(ta.Agent):  # type: ignore[misc]
    """Plays the last move of the last table."""

    def __call__(self, observation: str) -> str:
        """Returns the move."""
        return str(observation.rpartition("moves: ")[2].split("\n")[0].split(", ")[-1])


def main() -> None:
    """Plays a game as TextArena's own examples do."""
    env, agent = ta.make("Patience-v0", reward="score"), LastMove()
    env.reset(num_players=1, seed=0)
    done = False
    while not done:
        _, observation = env.get_observation()
        done, _ = env.step(action=agent(observation))
    rewards, game_info = env.close()
    print(f"reward {rewards[0]:.2f}", game_info[0])


if __name__ == "__main__":
    main()
