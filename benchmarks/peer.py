"""Strength after the same minutes of one core: a recipe of ours, and MaskablePPO as a user would set it up.

    .venv/bin/python benchmarks/peer.py --games 200_000 --steps 1_000_000

First the recipe of Pyramid learns, with so many games of self-play and so many decisions of PPO. Then MaskablePPO with
`MlpPolicy` and `OneHotObservation` learns for as many seconds, set up as in examples/maskable_ppo.py. Both play the
same validation deals: ours with the solver's bounds, as `best` does, and without.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.catalogue import load_trained
from solitaire_envs import pyramid
from solitaire_envs.checks import read_whole
from solitaire_envs.wrappers import OneHotObservation
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from solitaire_evaluation.statistics import mean, share
from solitaire_training.config import load_config
from solitaire_training.recipes import find_recipe
from solitaire_training.run import train

ENV_ID = "solitaire/Pyramid-v0"


class Peer(Agent):
    """Plays the likeliest legal action of a MaskablePPO model."""

    memoryless = True

    def __init__(self, model: MaskablePPO) -> None:
        self._model, self._spread = model, OneHotObservation(gymnasium.make(ENV_ID))

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        spread = np.stack([self._spread.observation(row) for row in observations])
        actions, _ = self._model.predict(spread, action_masks=action_masks, deterministic=True)
        return np.asarray(actions, np.int64)


class UntilTime(BaseCallback):
    """Ends training at a time, in seconds of `time.monotonic`."""

    def __init__(self, end: float) -> None:
        super().__init__()
        self._end = end

    def _on_step(self) -> bool:
        return time.monotonic() < self._end


def learn_recipe(objective: str, games: int, steps: int, folder: Path) -> float:
    """Learns by the recipe; returns the seconds it took, without evaluations."""
    changes: dict[str, Any] = {"games": games, "eval_every": 10**9, "eval_deals": 1}
    changes |= {"total_steps": steps} if steps else {"algorithm": "self-play"}
    config = load_config(find_recipe(f"pyramid-{objective}"), changes)
    started = time.monotonic()
    train(config, folder, progress_bar=False, say=lambda line: None)
    return time.monotonic() - started


def learn_peer(objective: str, seconds: float) -> MaskablePPO:
    """Trains MaskablePPO for so many seconds."""
    end = time.monotonic() + seconds
    envs = make_vec_env(
        ENV_ID,
        n_envs=8,
        seed=0,
        wrapper_class=OneHotObservation,
        env_kwargs={"objective": objective},
    )
    network: dict[str, Any] = {"net_arch": [256, 256]}
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=256, batch_size=512, n_epochs=4, gamma=1.0, policy_kwargs=network, seed=0
    )
    return model.learn(10**9, callback=UntilTime(end))


def report(name: str, agent: Agent, options: pyramid.PyramidOptions, count: int) -> None:
    """Prints how an agent plays the validation deals."""
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + count, dtype=np.uint64)
    played = play(agent, pyramid.GAME, options, deals)
    won, score = share(played.column("won")), mean(played.column("score"))
    print(f"{name:34}{won.value:8.1%} ± {won.half_width:.1%}{score.value:9.2f} ± {score.half_width:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objective", choices=("win", "score"), default="win", help="what both learn (default win)")
    parser.add_argument("--games", type=read_whole, default=200_000, help="games of self-play (default 200,000)")
    parser.add_argument("--steps", type=read_whole, default=1_000_000, help="decisions of PPO (default 1,000,000)")
    parser.add_argument("--deals", type=int, default=4_000, help="validation deals (default 4,000)")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    options = pyramid.PyramidOptions(objective=arguments.objective)
    with tempfile.TemporaryDirectory() as folder:
        seconds = learn_recipe(arguments.objective, arguments.games, arguments.steps, Path(folder))
        ours = [
            load_trained(Path(folder), pyramid.GAME, options, name, bounds=bounds)
            for name, bounds in (("recipe, with the bounds", True), ("recipe alone", False))
        ]
    model = learn_peer(arguments.objective, seconds)
    print(f"{f'after {seconds / 60:.1f} minutes of a core':34}{'won':>8}{'score':>17}")
    for agent in ours:
        report(agent.name, agent, options, arguments.deals)
    report(f"MaskablePPO, {model.num_timesteps:,} moves", Peer(model), options, arguments.deals)


if __name__ == "__main__":
    main()
