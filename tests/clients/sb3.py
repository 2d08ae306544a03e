"""Monitor, evaluate_policy, MaskableEvalCallback, SolitaireVecEnv, with MaskablePPO."""

import gymnasium
import numpy as np
import pandas as pd
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_envs import pyramid
from solitaire_envs.wrappers import OneHotObservation
from solitaire_training.sb3_vec_env import SolitaireVecEnv


def make_env(file: str | None = None) -> Monitor:
    env = OneHotObservation(gymnasium.make("solitaire/Pyramid-v0", illegal_action="raise"))
    return Monitor(env, file, info_keywords=("score", "won"))


SETTINGS = {"n_steps": 128, "batch_size": 128, "n_epochs": 1, "gamma": 1.0}
paths = {"log_path": "check", "best_model_save_path": "check"}
check = MaskableEvalCallback(make_env(), eval_freq=128, n_eval_episodes=3, **paths)
model = MaskablePPO("MlpPolicy", make_env("games"), **SETTINGS).learn(256, callback=check)
games = pd.read_csv("games.monitor.csv", skiprows=1)
assert len(games) > 1
assert (games.r == games.score + 52).all()
assert len(np.load("check/evaluations.npz")["results"]) == 2
returns, _ = evaluate_policy(MaskablePPO.load("check/best_model"), make_env(), 5, return_episode_rewards=True)
assert len(returns) == 5
assert all(value == round(value) and 0 <= value <= 102 for value in returns)

batched = SolitaireVecEnv(pyramid.GAME, pyramid.GAME.options(), 4, reward_scale=0.05)
model = MaskablePPO("MlpPolicy", batched, **SETTINGS).learn(512)
returns, _ = evaluate_policy(model, batched, 5, return_episode_rewards=True)
assert all(value == round(value) and 0 <= value <= 102 for value in returns)
assert max(returns) > 102 * 0.05
