"""PPO with masks on a vector of environments, then a game."""

from typing import Any

import gymnasium
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation, RecordEpisodeStatistics
from skrl.agents.torch.ppo import PPO
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from torch import Tensor, nn

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs.wrappers import MaskInObservation, OneHotObservation


def make_env() -> gymnasium.Env[Any, Any]:
    """Mask and observation in one box, for skrl has no space of bits; the mask comes first."""
    env = OneHotObservation(gymnasium.make("solitaire/Pyramid-v0", illegal_action="raise"))
    return FlattenObservation(MaskInObservation(RecordEpisodeStatistics(env)))


class Policy(CategoricalMixin, Model):
    def __init__(self, **spaces: Any) -> None:
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.layers = nn.Linear(self.num_observations, self.num_actions)

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[Tensor, dict[str, Any]]:
        seen = inputs["observations"]
        return self.layers(seen).masked_fill(seen[:, : self.num_actions] == 0, -1e9), {}


class Value(DeterministicMixin, Model):
    def __init__(self, **spaces: Any) -> None:
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.layers = nn.Linear(self.num_observations, 1)

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[Tensor, dict[str, Any]]:
        return self.layers(inputs["observations"]), {}


env = wrap_env(SyncVectorEnv([make_env] * 4, autoreset_mode=AutoresetMode.SAME_STEP))
spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": "cpu"}
models = {"policy": Policy(**spaces), "value": Value(**spaces)}
memory = RandomMemory(memory_size=64, num_envs=4, device="cpu")
settings = {"rollouts": 64, "learning_epochs": 2, "mini_batches": 2, "discount_factor": 1.0}
agent = PPO(models=models, memory=memory, cfg=settings, **spaces)
before = models["policy"].layers.weight.detach().clone()
SequentialTrainer(env=env, agents=agent, cfg={"timesteps": 128, "headless": True, "disable_progressbar": True}).train()
assert not models["policy"].layers.weight.equal(before)
masks = memory.get_tensor_by_name("observations")[..., : models["policy"].num_actions]
assert masks.gather(-1, memory.get_tensor_by_name("actions").long()).all()

env = wrap_env(make_env())
seen, info = env.reset()
keys, ended = set(info), False
while not ended:
    with torch.no_grad():
        actions, _ = agent.act(seen, None, timestep=0, timesteps=1)
    seen, _, terminated, truncated, info = env.step(actions)
    ended = bool(terminated or truncated)
assert set(info) == keys | {"episode"}
assert info["episode"]["r"] == info["score"] + 52
