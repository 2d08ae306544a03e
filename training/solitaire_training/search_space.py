"""What `tune` may search."""

from collections.abc import Mapping, Sequence

from solitaire_envs.checks import did_you_mean, short
from solitaire_training.config import TrainConfig

SPACE: Mapping[str, tuple[float, float] | Sequence[int | float]] = {
    "learning_rate": (5e-5, 4e-3),
    "ent_coef": (3e-4, 3e-2),
    "self_play_learning_rate": (2e-4, 4e-3),
    "td_lambda": [0.6, 0.8, 0.9, 1.0],
    "explore": [0.0, 0.01, 0.02, 0.05],
    "batch_size": [512, 1_024, 2_048, 4_096],
    "n_epochs": [1, 2, 3, 4],
    "num_envs": [256, 512, 1_024],
    "n_steps": [24, 48, 96],
    "clip_range": [0.1, 0.15, 0.2, 0.3],
    "gae_lambda": [0.9, 0.95, 0.98, 1.0],
    "vf_coef": [0.5, 1.0, 2.0, 4.0],
}
"""Setting -> its lowest and highest value, searched on a logarithmic scale; or a list to choose from."""


def check_search(config: TrainConfig, settings: Sequence[str], trials: int, goal: str) -> str:
    """Checks what `tune` is asked for; returns the goal, which by default is what players maximise.

    Raises:
        ValueError: An argument is out of range.
    """
    goal = goal or config.game().aim(config.game_options())
    if trials < 1:
        raise ValueError(f"expected at least 1 trial, got {trials}")
    unknown = next((name for name in settings if name not in SPACE), None)
    if not settings or len(set(settings)) < len(settings) or unknown is not None:
        got = short(", ".join(settings) or "none") if unknown is None else short(unknown) + did_you_mean(unknown, SPACE)
        raise ValueError(f"expected settings to search among {', '.join(SPACE)}, each once; got {got}")
    for name in settings:
        if isinstance(SPACE[name], tuple) and not getattr(config, name) > 0:
            raise ValueError(f"expected {name} above 0 to search from, got {getattr(config, name)}")
    fields = [one.name for one in config.game().outcome_fields]
    if goal.removeprefix("-") not in fields:
        got = short(goal) + did_you_mean(goal.removeprefix("-"), fields)
        raise ValueError(f"expected a goal among {', '.join(fields)}, or one with a minus before it; got {got}")
    return goal
