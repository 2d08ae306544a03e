"""The files of a run that goes on: the policy, and a checkpoint from which the run goes on exactly.

A checkpoint holds everything that the rest of a run depends on, at a moment between two rollouts of PPO or two windows
of imitation: weights, optimiser, counters, random states, and the games under way.
"""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from torch import Tensor

from solitaire_agents.policy import save_policy
from solitaire_training.learning.checkpoint_file import (
    Tensors,
    named,
    optimizer_state,
    read_checkpoint,
    restore_optimizer,
    write_checkpoint,
)
from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.model import TaughtPPO, uses_bfloat16
from solitaire_training.learning.sb3_vec_env import SolitaireVecEnv
from solitaire_training.provenance import versions

COUNTERS = {"steps": "num_timesteps", "taught": "taught", "updates": "_n_updates", "evaluated": "evaluated"}
"""Name in a checkpoint -> attribute of the model."""


class Paused(Exception):  # noqa: N818  # no error
    """A run has stopped where it can go on."""


class Checkpoints:
    """Remembers the latest moment from which a run can go on, and writes it to disk now and then.

    Args:
        folder: The run's folder.
        model: The model.
        config: Its settings, with ``checkpoint_minutes``.
        revision: The revision of the code that trains it.
        pause: Whether to stop at a moment from which the run can go on.
    """

    def __init__(
        self,
        folder: Path,
        model: TaughtPPO,
        config: TrainConfig,
        revision: str | None,
        pause: Callable[[], bool] = lambda: False,
    ) -> None:
        self._folder, self._model, self._config, self._pause = folder, model, config, pause
        self._begin = self._done
        self._about = {
            "env": config.env,
            "hyperparameters": config.to_json(),
            "computed": {"device": model.device.type, "precision": "bfloat16" if uses_bfloat16(config) else "float32"},
            "versions": versions(),
            "git_revision": revision,
        }
        self._latest: Tensors = {}
        self._written = -math.inf

    @property
    def steps(self) -> int:
        """Steps of PPO at the latest moment."""
        return int(self._latest["steps"]) if self._latest else 0

    @property
    def _done(self) -> int:
        """Steps in all, with a teacher and without."""
        return int(self._model.taught + self._model.num_timesteps)

    def mark(self) -> None:
        """Remembers this moment, between two rollouts or windows.

        The first is written, and later ones where the latest on disk is older than ``checkpoint_minutes``.

        Raises:
            Paused: The run is to stop here, and has done something since it began.
        """
        self._latest = _state(self._model)
        if self._done > self._begin and self._pause():
            self.write()
            raise Paused
        if time.monotonic() - self._written >= 60 * self._config.checkpoint_minutes:
            self.write()

    def write(self) -> None:
        """Writes the policy and the checkpoint of the latest moment; each file is replaced whole or not at all."""
        if not self._latest:
            return
        config, network = self._config, self._model.policy.network
        weights = {name.removeprefix("network."): self._latest[name] for name in named(self._latest, "network.")}
        about = {**self._about, "steps": self.steps}
        save_policy(self._folder, network, config.game(), config.game_options(), about, weights=weights)
        write_checkpoint(self._folder, self._latest)
        self._written = time.monotonic()


def load_checkpoint(folder: Path, model: TaughtPPO) -> None:
    """Restores a model from a run's checkpoint.

    Raises:
        ValueError: The folder holds no checkpoint, a damaged one, or one of another network.
    """
    try:
        tensors = read_checkpoint(folder)
        for name, attribute in COUNTERS.items():
            setattr(model, attribute, int(tensors[name]))
        model.policy.network.load_state_dict(
            {name.removeprefix("network."): tensors[name] for name in named(tensors, "network.")}
        )
        restore_optimizer(model.policy.optimizer, tensors)
        _restore_games(model, tensors)
        _restore_random_states(tensors)
    except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise ValueError(f"expected a run to resume in {folder}, got: {error}") from None


# --- The state of a run as tensors ------------------------------------------------------------------------------------


def _state(model: TaughtPPO) -> Tensors:
    """Returns copies of everything that the rest of a run depends on."""
    numpy_state: Any = np.random.get_state(legacy=False)["state"]  # noqa: NPY002  # SB3 draws from it
    state = {
        **{name: torch.tensor(getattr(model, attribute)) for name, attribute in COUNTERS.items()},
        **{f"network.{name}": tensor for name, tensor in model.policy.network.state_dict().items()},
        **optimizer_state(model.policy.optimizer),
        **{f"games.{number}": _to_bytes(array) for number, array in enumerate(_env(model).games)},
        "random.torch": torch.get_rng_state(),
        "random.numpy": torch.tensor([*numpy_state["key"].tolist(), numpy_state["pos"]]),
    }
    if model.learning:
        state["starts"] = _to_bytes(model._last_episode_starts)
    if torch.cuda.is_available():
        state["random.cuda"] = torch.cuda.get_rng_state()
    return {name: tensor.detach().cpu().contiguous().clone() for name, tensor in state.items()}


def _env(model: TaughtPPO) -> SolitaireVecEnv:
    return cast("SolitaireVecEnv", model.env)


def _restore_games(model: TaughtPPO, tensors: Tensors) -> None:
    for number, array in enumerate(_env(model).games):
        _from_bytes(array, tensors[f"games.{number}"].numpy())
    if "starts" in tensors:
        starts = np.empty(model.n_envs, np.bool_)
        _from_bytes(starts, tensors["starts"].numpy())
        model._last_episode_starts = starts
        model._last_obs = _env(model).engine.buffers.observations.copy()


def _restore_random_states(tensors: Tensors) -> None:
    *keys, position = tensors["random.numpy"].tolist()
    np.random.set_state(("MT19937", np.array(keys, np.uint32), position, 0, 0.0))  # noqa: NPY002  # as above
    torch.set_rng_state(tensors["random.torch"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])


# --- Tensors and bytes ------------------------------------------------------------------------------------------------


def _to_bytes(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy())


def _from_bytes(array: NDArray[Any], content: NDArray[np.uint8]) -> None:
    """Fills an array with the bytes of one like it.

    Raises:
        ValueError: They are too many or too few.
    """
    array[...] = content.view(array.dtype).reshape(array.shape)
