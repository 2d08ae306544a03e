"""Small training runs."""

from pathlib import Path
from typing import Any

from solitaire_training.learning.config import TrainConfig
from solitaire_training.learning.train import train

TINY: dict[str, Any] = {
    "num_envs": 16,
    "n_steps": 8,
    "batch_size": 64,
    "n_epochs": 1,
    "token_width": 4,
    "trunk_width": 8,
    "trunk_layers": 1,
    "eval_every": 256,
    "eval_deals": 8,
    "checkpoint_minutes": 0.0,
    "device": "cpu",
}


def quiet_train(config: TrainConfig, folder: Path, **kwargs: Any) -> int:
    return train(config, folder, progress_bar=False, say=lambda line: None, **kwargs)
