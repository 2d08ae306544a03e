"""Evaluates a policy on validation deals while it is trained, and marks where the run can go on from."""

from collections.abc import Callable
from typing import cast

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from solitaire_agents.policy import PolicyAgent
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.play import Played, play
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.model import TaughtPPO
from solitaire_training.learning.sb3_policy import NetworkPolicy


class EvalCallback(BaseCallback):
    """Evaluates now and then, between a rollout and its update.

    Args:
        config: Its ``eval_every``, ``eval_deals``, ``eval_actions``, and so on.
        mark: Called between an update and the next rollout, and at the end.
        evaluated: Called after each evaluation with the number of steps and the games played.
    """

    def __init__(self, config: TrainConfig, mark: Callable[[], None], evaluated: Callable[[int, Played], None]) -> None:
        super().__init__()
        self._config, self._mark, self._evaluated = config, mark, evaluated
        self._deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + config.eval_deals, dtype=np.uint64)

    def _on_training_start(self) -> None:
        if self._taught.evaluated < 0:
            self._taught.evaluated = 0
            if self._config.teacher or self._config.start_from:
                self._evaluate()

    def _on_rollout_start(self) -> None:
        self._mark()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        due = self.num_timesteps - self._taught.evaluated >= self._config.eval_every
        if due and self.num_timesteps < self._config.total_steps:  # at the end, after the last update
            self._evaluate()

    def _on_training_end(self) -> None:
        self._mark()
        if self._taught.evaluated < self.num_timesteps:
            self._evaluate()
            self._mark()

    @property
    def _taught(self) -> TaughtPPO:
        return cast("TaughtPPO", self.model)

    def _evaluate(self) -> None:
        self._taught.evaluated = self.num_timesteps
        policy = cast("NetworkPolicy", self.model.policy)
        agent = PolicyAgent(policy.network, "policy", self._config.eval_actions)
        played = play(agent, self._config.game(), self._config.game_options(), self._deals)
        for name in played.outcomes.dtype.names:
            self.logger.record(f"eval/{name}", float(played.column(name).mean()))
        self._evaluated(self.num_timesteps, played)
