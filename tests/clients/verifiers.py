"""The taskset openenv over the socket, and a taskset of one's own; both Envs run with a scripted model."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.configs.env import EnvConfig
from verifiers.v1.tasksets.openenv import OpenEnvConfig, OpenEnvEnv, OpenEnvTaskset
from verifiers.v1.utils.loaders import environment_class, load_environment

from solitaire_evaluation.chat_env import ChatEnv
from tests.clients._serving import by_chance, play_in_process, serving

GAMES = 20


class Scripted:
    """Stands in for the agent and its model: answers what it is shown, and keeps what is recorded of it."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer
        self.seen: list[str] = []
        self.info: dict[str, Any] = {}
        self.total = 0.0

    @asynccontextmanager
    async def interaction(self, task: Any) -> AsyncIterator["Scripted"]:
        self.trace = self
        yield self

    async def turn(self, text: str) -> SimpleNamespace:
        self.seen.append(text)
        return SimpleNamespace(terminated=False, last_reply=self._answer(text))

    def record_reward(self, name: str, value: float, weight: float = 1.0) -> None:
        self.total = value


def text_of(payload: str) -> str:
    """Reads what the taskset openenv shows to the model: JSON."""
    observation = json.loads(payload)["observation"]
    assert observation.get("metadata", {}) == {}  # what is for the trainer does not reach the model
    return str(observation["text"])


async def play(env: Any, task: Any, answer: Callable[[str], str]) -> Scripted:
    model = Scripted(answer)
    await env.run(task, SimpleNamespace(player=model))
    return model


other = ChatEnv("solitaire/Golf-v0", reward="score", regret=True)
expected = [play_in_process(other, by_chance(i), split="validation", index=i) for i in range(GAMES)]

with serving("--env", "solitaire/Golf-v0", "--reward", "score", "--regret") as (address, _):
    resets = [{"split": "validation", "index": index} for index in range(GAMES)]
    tasks = list(OpenEnvTaskset(OpenEnvConfig(base_url=address, resets=resets)))
    env = object.__new__(OpenEnvEnv)  # its run needs no settings

    async def play_all() -> list[Scripted]:
        players = [by_chance(index) for index in range(GAMES)]
        answers = [lambda payload, answer=answer: answer(text_of(payload)) for answer in players]
        return await asyncio.gather(*(play(env, *pair) for pair in zip(tasks, answers, strict=True)))

    assert [model.total for model in asyncio.run(play_all())] == [total for total, _ in expected]

sys.path.append(str(Path(__file__).parents[2] / "examples"))
settings = {"env": "solitaire/Golf-v0", "reward": "score", "regret": True}
taskset = {"id": "verifiers_taskset", "settings": settings, "split": "validation", "deals": GAMES}
config_cls = environment_class("verifiers_taskset").__orig_bases__[0].__args__[0]
assert issubclass(config_cls, EnvConfig)
env = load_environment(config_cls(taskset=taskset))
assert isinstance(env, vf.Env)
for index, task in enumerate(env.taskset):
    model = asyncio.run(play(env, task, by_chance(index)))
    assert (model.total, model.info["patience"]) == expected[index]
