"""A taskset of verifiers over `ChatEnv`: the game plays the user, the model the assistant.

With this file on the path, its id is `verifiers_taskset`:

    python examples/verifiers_taskset.py
    vf-eval verifiers_taskset --env.taskset.deals 100 -m MODEL

verifiers' own taskset `openenv` plays too, over the socket of `solitaire-rl openenv`; its model sees JSON.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from solitaire_evaluation.chat_env import ChatEnv


class PatienceData(vf.TaskData):
    """One deal."""

    settings: dict[str, Any]
    """Keywords of `ChatEnv`."""
    split: str
    index: int


class PatienceConfig(vf.TasksetConfig):
    """Which deals are tasks."""

    settings: dict[str, Any] = Field(default_factory=lambda: {"env": "solitaire/Golf-v0"})
    """Keywords of `ChatEnv`."""
    split: str = "train"
    deals: int = 1_000
    """The first so many deals of the split."""


class PatienceTask(vf.Task[PatienceData]):
    """A deal to play."""


class PatienceEnvConfig(vf.EnvConfig):
    """The agent that plays."""

    player: vf.AgentConfig = vf.AgentConfig()


class PatienceEnv(vf.Env[PatienceEnvConfig]):
    """Plays one deal with the model."""

    async def run(self, task: PatienceTask, agents: Any) -> None:
        """Shows tables and takes answers until the game is over; records the sum of the rewards, and the outcome."""
        data, total = task.data, 0.0
        game = ChatEnv(**data.settings)
        text, _ = game.reset(split=data.split, index=data.index)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn(text)
            while not segment.terminated:
                # In a thread, since a solver that judges the moves takes its time.
                text, reward, *_ = await asyncio.to_thread(game.step, segment.last_reply)
                total += reward
                if game.over:
                    break
                segment = await interaction.turn(text)
        interaction.trace.record_reward("patience", total, 1.0)
        interaction.trace.info["patience"] = game.info()


class PatienceTaskset(vf.Taskset[PatienceTask, PatienceConfig]):
    """The first deals of a split."""

    def load(self) -> Iterator[PatienceTask]:
        """Yields a task for each deal."""
        config = self.config
        for index in range(config.deals):
            name = f"{config.settings['env']} {config.split} {index}"
            data = PatienceData(name=name, prompt=None, settings=config.settings, split=config.split, index=index)
            yield PatienceTask(data, config.task)


__all__ = ["PatienceEnv", "PatienceTaskset"]

if __name__ == "__main__":
    for each in PatienceTaskset(PatienceConfig(deals=3)):
        print(each.data.name)
