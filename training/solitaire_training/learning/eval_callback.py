"""Evaluates a policy on validation deals while it is trained, and saves it."""

from collections.abc import Callable
from typing import cast

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from solitaire_agents.policy import PolicyAgent
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.play import Played, play
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.sb3_policy import NetworkPolicy


class EvalCallback(BaseCallback):
    """Evaluates and saves now and then, between a rollout and its update.

    Args:
        config: Its ``eval_every``, ``eval_deals``, ``eval_actions``, ``checkpoint_every``, and so on.
        save: Called to save the run.
        evaluated: Called after each evaluation with the number of environment steps and the games played.
    """

    def __init__(self, config: TrainConfig, save: Callable[[], None], evaluated: Callable[[int, Played], None]) -> None:
        super().__init__()
        self._config, self._save, self._evaluated = config, save, evaluated
        self._deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + config.eval_deals, dtype=np.uint64)

    def _on_training_start(self) -> None:
        self._last_evaluation = self._last_save = self.num_timesteps
        if not self.num_timesteps and (self._config.teacher or self._config.start_from):
            self._evaluate()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps - self._last_save >= self._config.checkpoint_every:
            self._last_save = self.num_timesteps
            self._save()
        due = self.num_timesteps - self._last_evaluation >= self._config.eval_every
        if due and self.num_timesteps < self._config.total_steps:  # at the end, after the last update
            self._last_evaluation = self.num_timesteps
            self._evaluate()

    def _on_training_end(self) -> None:
        if self._last_evaluation < self.num_timesteps:
            self._evaluate()

    def _evaluate(self) -> None:
        policy = cast("NetworkPolicy", self.model.policy)
        agent = PolicyAgent(policy.network, "policy", self._config.eval_actions)
        played = play(agent, self._config.game(), self._config.game_options(), self._deals)
        for name in played.outcomes.dtype.names:
            self.logger.record(f"eval/{name}", float(played.column(name).mean()))
        self._evaluated(self.num_timesteps, played)
