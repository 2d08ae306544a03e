"""Small training runs."""

from pathlib import Path
from typing import Any

from solitaire_training.config import TrainConfig
from solitaire_training.run import train

TINY: dict[str, Any] = {
    "num_envs": 16,
    "n_steps": 8,
    "batch_size": 64,
    "n_epochs": 1,
    "width": 8,
    "second_width": 4,
    "games_per_update": 20,
    "eval_every": 256,
    "eval_deals": 8,
    "checkpoint_minutes": 0.0,
}


def quiet_train(config: TrainConfig, folder: Path, **kwargs: Any) -> int:
    return train(config, folder, **{"progress_bar": False, "say": lambda line: None, **kwargs})
