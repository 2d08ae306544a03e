"""The settings of a training run: a frozen dataclass, filled from defaults, a YAML file and the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_type_hints

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.catalogue import folder_of
from solitaire_agents.network import MAX_WIDTH
from solitaire_agents.trained import CARD, read_card
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.catalogue import check_named, choose_deals, find_entry
from solitaire_envs.checks import check_value, short
from solitaire_envs.game import Game, Options, make_options


def setting(default: Any, doc: str, *, minimum: float = 0.0, maximum: float = float("inf")) -> Any:
    """Declares a field of a configuration; ``doc`` is its help on the command line."""
    return field(default=default, metadata={"doc": doc, "minimum": minimum, "maximum": maximum})


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """The settings of ``solitaire-rl train``.

    Raises:
        ValueError: A value is of the wrong type or out of range, the environment or one of its options is unknown, or
            the settings leave nothing to do.
    """

    env: str = setting("solitaire/Pyramid-v0", "environment id")
    options: Mapping[str, Any] = field(default_factory=dict, metadata={"doc": "options of the game, NAME=VALUE"})
    option_sets: Sequence[Mapping[str, Any]] = field(
        default_factory=list,
        metadata={"doc": "sets of options, played in equal shares, each added to `options`; evaluations use the first"},
    )
    seed: int = setting(0, "seed of deals, network and sampling", maximum=2**32 - 1)
    deals: int | str | Sequence[int] | None = setting(
        None, "training deals to draw from: the first N, FIRST-LAST, or a file of deal numbers"
    )
    winnable: bool = setting(False, "draw only from the labelled training deals that can be won")
    difficulty: Sequence[float] | None = setting(
        None, "draw only from a band of the labelled training deals, LOW,HIGH of 0 (easiest) to 1"
    )

    algorithm: Literal["ppo", "self-play"] = setting("ppo", "masked PPO, or self-play without it: TD(lambda) of values")
    start_from: str = setting(
        "",
        "trained agent to start from, of the same game: its folder, or its name if it comes with the package; several, "
        "with + between, are joined into one network, as wide as all together, whose outputs are the means of theirs",
    )
    start_scale: float = setting(
        1.0, "factor of the logits with which PPO starts, those of `start_from` or of self-play", maximum=1e6
    )
    width: int = setting(256, "width of the network's first layer", minimum=1, maximum=MAX_WIDTH)
    second_width: int = setting(32, "width of its second layer, of each head", minimum=1, maximum=MAX_WIDTH)

    games: int = setting(0, "games of self-play; for PPO, those before it begins")
    games_per_update: int = setting(2_000, "games between updates of the network", minimum=1, maximum=100_000)
    explore: float = setting(0.01, "share of the choices in self-play that are random", maximum=1.0)
    td_lambda: float = setting(0.8, "lambda of TD(lambda): 0 learns the next value, 1 the result", maximum=1.0)
    self_play_batch_size: int = setting(1_024, "choices in a gradient step of self-play", minimum=1)
    self_play_learning_rate: float = setting(2e-3, "Adam's step size at the start of self-play", maximum=1.0)
    self_play_learning_rate_end: float = setting(3e-5, "and at its end; linear between", maximum=1.0)

    total_steps: int = setting(
        6_000_000,
        "steps of PPO in all, rounded up to whole rollouts of num_envs * n_steps; a step is a decision",
        minimum=1,
    )
    shortlist: int = setting(
        0, "candidates of a choice that PPO sees: those of highest value by its first network; 0: all", maximum=10_000
    )
    bounds: bool = setting(
        True, "PPO leaves out moves that the game's bounds prove to be mistakes, as trained agents do at play"
    )
    num_envs: int = setting(512, "games of PPO played side by side", minimum=1, maximum=1_000_000)
    n_steps: int = setting(48, "decisions in each game between updates", minimum=1, maximum=1_000_000)
    batch_size: int = setting(2_048, "decisions in a gradient step of PPO", minimum=2)
    n_epochs: int = setting(2, "passes over each rollout", minimum=1)
    learning_rate: float = setting(2e-3, "Adam's step size at the start of PPO", maximum=1.0)
    learning_rate_end: float = setting(1e-4, "and at its end; linear between", maximum=1.0)
    clip_range: float = setting(0.2, "PPO's clip of the probability ratio", maximum=1.0)
    ent_coef: float = setting(0.012, "weight of the entropy bonus at the start", maximum=1e6)
    ent_coef_end: float = setting(0.003, "and at the end; linear between", maximum=1e6)
    vf_coef: float = setting(2.0, "weight of the value loss", maximum=1e6)
    max_grad_norm: float = setting(0.5, "clip of the gradient's norm")
    gae_lambda: float = setting(0.95, "lambda of generalised advantage estimation", maximum=1.0)

    threads: int = setting(1, "threads that play in self-play, and that compute in PPO", minimum=1, maximum=1_024)
    device: Literal["cpu", "cuda"] = setting("cpu", "where PPO's network computes: cpu, or cuda for an NVIDIA GPU")
    eval_every: int = setting(1_000_000, "decisions between evaluations on validation deals", minimum=1)
    eval_deals: int = setting(2_000, "validation deals in each, at most 10,000", minimum=1, maximum=10_000)
    checkpoint_minutes: float = setting(2.0, "minutes between checkpoints")

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for spec in fields(self):
            if spec.name not in ("options", "option_sets", "deals", "difficulty"):
                check_value(spec.name, getattr(self, spec.name), hints[spec.name], spec.metadata)
        if any((deals < FIRST_RANDOM_DEAL).any() for deals in self.all_deals()):
            raise ValueError(f"expected deals to be training deals, 2**63 and above, got others: {short(self.deals)}")
        self._make_plain()
        sets = len(self.all_options())
        for name in ("games_per_update", "num_envs"):
            if (got := getattr(self, name)) < sets:
                raise ValueError(f"expected {name} of {sets} or more, as there are option_sets, got {got}")
        if self.algorithm == "self-play" and self.games == 0:
            raise ValueError("expected games of 1 or more for self-play, got 0")
        if self.num_envs * self.n_steps % self.batch_size == 1:  # its advantage cannot be normalised: NaN weights
            raise ValueError(
                f"expected num_envs * n_steps and batch_size that leave no batch of one step, "
                f"got {self.num_envs} * {self.n_steps} and {self.batch_size}"
            )

    def _make_plain(self) -> None:
        """Converts tuples, arrays and paths to the plain values that a file of settings would hold."""
        if isinstance(self.option_sets, tuple):
            object.__setattr__(self, "option_sets", list(self.option_sets))
        if isinstance(self.deals, PathLike):
            object.__setattr__(self, "deals", str(self.deals))
        elif isinstance(self.deals, Sequence | np.ndarray) and not isinstance(self.deals, str):
            object.__setattr__(self, "deals", [int(number) for number in self.deals])
        if self.difficulty is not None:
            object.__setattr__(self, "difficulty", [float(share) for share in self.difficulty])

    def game(self) -> Game:
        """Returns the game of the environment."""
        return find_entry(self.env).game

    def game_options(self) -> Options:
        """Returns the game's options in evaluations: the preset, then `options`, then the first of `option_sets`."""
        return self.all_options()[0]

    def all_options(self) -> list[Options]:
        """Returns the options of the game under each of the option sets."""
        entry = find_entry(self.env)
        if not isinstance(self.option_sets, list | tuple) or not all(isinstance(s, Mapping) for s in self.option_sets):
            raise ValueError(f"expected option_sets to be a list of options, got {short(self.option_sets)}")
        sets = self.option_sets or [{}]
        return [make_options(entry.game.options, {**entry.preset, **self.options, **each}) for each in sets]

    def start_folders(self) -> list[Path]:
        """Returns the folders of the agents to start from."""
        return [folder_of(name, self.game()) for name in self.start_from.split("+")] if self.start_from else []

    def chosen_deals(self) -> dict[str, Any]:
        """Returns the settings that choose the deals to draw from, as keyword arguments."""
        return {name: getattr(self, name) for name in ("deals", "winnable", "difficulty")}

    def all_deals(self) -> list[NDArray[np.uint64]]:
        """Returns the list of deals to draw from, uint64 [n], under each of the option sets."""
        return [choose_deals(self.game(), options, **self.chosen_deals()) for options in self.all_options()]

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as plain values."""
        return asdict(self)

    def fixed(self) -> dict[str, Any]:
        """Returns the settings that may not change when a run is resumed."""
        return {name: value for name, value in self.to_json().items() if name not in FREE}


FREE = ("total_steps", "games", "threads", "device", "checkpoint_minutes")
"""Settings that may change when a run is resumed."""


def check_settings(expected: Mapping[str, Any], got: Mapping[str, Any], where: str) -> None:
    """Checks that settings agree with those of a run or a study that is resumed.

    Raises:
        ValueError: They differ; the message names the first such setting.
    """
    for name, value in expected.items():
        if got.get(name) != value:
            raise ValueError(f"expected {name} {short(value)}, as in {where}; got {short(got.get(name))}")


def resumed_settings(folder: Path) -> TrainConfig:
    """Returns the settings of the run in a folder.

    Raises:
        ValueError: The folder holds no run, or its card is damaged or names a module that the user has not named.
    """
    settings: Any = read_card(folder).get("hyperparameters")
    check_named(folder / CARD, (settings or {}).get("env"))
    try:
        return TrainConfig(**settings)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{folder / CARD}: expected the hyperparameters of a run of this version, got: {error!s:.300}"
        ) from None


def change_on_resume(config: TrainConfig, file: Path | None, overrides: Mapping[str, Any]) -> TrainConfig:
    """Returns the settings to resume a run with.

    Args:
        config: The settings of the run so far.
        file: A YAML file of settings; None: those of the run so far.
        overrides: Settings that take precedence.

    Raises:
        ValueError: A setting outside `FREE` differs from the run's.
    """
    asked = load_config(file, overrides) if file else replace(config, **overrides)
    check_settings(config.fixed(), asked.fixed(), "the run so far, with --resume")
    return asked


def load_config(path: Path | None, overrides: Mapping[str, Any]) -> TrainConfig:
    """Builds the configuration from its defaults, then a YAML file, then overrides.

    Raises:
        ValueError: The file cannot be read, is no YAML mapping, has an unknown key, or names a module that the user has
            not named; or as `TrainConfig`.
    """
    values: dict[str, Any] = {}
    if path is not None:
        from solitaire_training.yaml_file import read_yaml  # noqa: PLC0415  # a command without a file needs no YAML

        values = _mapping(path, read_yaml(path))
    check_named(path, values.get("env"))
    known = [spec.name for spec in fields(TrainConfig)]
    for key in values:
        if key not in known:
            raise ValueError(f"{path}: expected a setting of `solitaire-rl train --help`, got {short(key)}")
    merged = {**values, **{key: value for key, value in overrides.items() if key != "options"}}
    merged["options"] = {**_mapping(path, values.get("options") or {}), **overrides.get("options", {})}
    return TrainConfig(**merged)


def _mapping(path: Path | None, content: object) -> dict[str, Any]:
    if not isinstance(content, dict) or not all(isinstance(key, str) for key in content):
        raise ValueError(f"{path}: expected a mapping of names to values, got {short(content)}")
    return content
