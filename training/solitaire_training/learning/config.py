"""The settings of a training run: one frozen dataclass, from defaults, a YAML file and the command line."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_type_hints

from solitaire_agents.network_config import MAX_SIZE, NetworkConfig
from solitaire_agents.trained import POLICY, VALUES, read_card
from solitaire_envs.catalogue import find_entry
from solitaire_envs.checks import check_value, short
from solitaire_envs.game import Game, Options, make_options


def setting(default: Any, doc: str, *, minimum: float = 0.0, maximum: float = float("inf")) -> Any:
    """Declares a field of a configuration; ``doc`` is its help on the command line."""
    return field(default=default, metadata={"doc": doc, "minimum": minimum, "maximum": maximum})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What all kinds of training have in common.

    Raises:
        ValueError: A value is of the wrong type or out of range, or the environment or one of its options is unknown.
    """

    command: ClassVar[str]
    """Whose settings they are."""
    form: ClassVar[str]
    """Format of the card of what is trained."""
    free: ClassVar[tuple[str, ...]]
    """What may change when a run goes on."""

    env: str = setting("solitaire/Pyramid-v0", "environment id")
    options: Mapping[str, Any] = field(default_factory=dict, metadata={"doc": "options of the game, NAME=VALUE"})
    seed: int = setting(0, "seed of deals, network and sampling", maximum=2**32 - 1)

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for spec in fields(self):
            if spec.name != "options":
                check_value(spec.name, getattr(self, spec.name), hints[spec.name], spec.metadata)
        self.game_options()

    def game(self) -> Game:
        """Returns the game of the environment."""
        return find_entry(self.env).game

    def game_options(self) -> Options:
        """Returns the options of the game: the environment's preset, then this configuration's own."""
        entry = find_entry(self.env)
        return make_options(entry.game.options, {**entry.preset, **self.options})

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as plain values."""
        return asdict(self)

    def fixed(self) -> dict[str, Any]:
        """Returns the fields that may not change when a run goes on."""
        return {name: value for name, value in self.to_json().items() if name not in self.free}


SettingsT = TypeVar("SettingsT", bound=Settings)


@dataclass(frozen=True, kw_only=True)
class TrainConfig(Settings):
    """The settings of ``solitaire-rl train``.

    Raises:
        ValueError: As `Settings`; or a batch would have a single step.
    """

    command: ClassVar[str] = "train"
    form: ClassVar[str] = POLICY
    free: ClassVar[tuple[str, ...]] = ("total_steps", "threads", "device", "precision", "checkpoint_minutes")

    total_steps: int = setting(
        20_000_000, "steps of PPO in all; at discount 1 a move without a choice is none", minimum=1
    )
    start_from: str = setting(
        "", "policy to start from, of the same game and network: its folder, or its name if it comes with the package"
    )
    teacher: str = setting("", "agent to imitate before PPO begins: a name, or the folder of a policy")
    teacher_steps: int = setting(
        4_000_000, "steps of the warm start; at discount 1 a move without a choice is none", minimum=1
    )
    teacher_epochs: int = setting(1, "passes over each window of them", minimum=1)
    teacher_learning_rate: float = setting(
        1e-3, "Adam's step size at the start of imitation; a tenth at its end", maximum=1.0
    )
    teacher_slices: int = setting(
        1,
        "slices that the games of imitation are cut into; each is played by itself, so that workers can share them",
        minimum=1,
        maximum=100_000,
    )
    threads: int = setting(
        1, "threads of the network's arithmetic; more pay only on idle cores", minimum=1, maximum=1_024
    )
    device: Literal["auto", "cpu", "cuda"] = setting("auto", "its device: auto is cuda where there is one")
    precision: Literal["auto", "float32", "bfloat16"] = setting(
        "auto", "of the network's products in training: auto is bfloat16 where the hardware multiplies it"
    )

    num_envs: int = setting(1_024, "games played side by side", minimum=1, maximum=1_000_000)
    n_steps: int = setting(64, "steps of each environment between updates", minimum=1, maximum=1_000_000)
    batch_size: int = setting(4_096, "samples in a gradient step", minimum=2)
    n_epochs: int = setting(3, "passes over each rollout", minimum=1)
    learning_rate: float = setting(1e-3, "Adam's step size at the start", maximum=1.0)
    learning_rate_end: float = setting(1e-4, "and at the end; linear between", maximum=1.0)
    clip_range: float = setting(0.2, "PPO's clip of the probability ratio", maximum=1.0)
    ent_coef: float = setting(0.01, "weight of the entropy bonus")
    vf_coef: float = setting(0.5, "weight of the value loss")
    max_grad_norm: float = setting(0.5, "clip of the gradient's norm")
    gamma: float = setting(1.0, "discount; episodes are finite and the rewards exact", maximum=1.0)
    gae_lambda: float = setting(0.95, "lambda of generalised advantage estimation", maximum=1.0)
    reward_scale: float = setting(0.05, "rewards are multiplied by it, to keep values near 1")

    token_width: int = setting(32, "width of the network's place tokens", minimum=1, maximum=MAX_SIZE)
    message_width: int = setting(8, "width of a message from one token to another", minimum=1, maximum=MAX_SIZE)
    rounds: int = setting(3, "rounds of messages between place tokens", minimum=0, maximum=MAX_SIZE)
    summary_width: int = setting(12, "width of a token's summary for the table layers", minimum=1, maximum=MAX_SIZE)
    trunk_width: int = setting(256, "width of its table layers", minimum=1, maximum=MAX_SIZE)
    trunk_layers: int = setting(2, "number of its table layers", minimum=1, maximum=MAX_SIZE)

    eval_every: int = setting(2_000_000, "steps between evaluations on validation deals", minimum=1)
    eval_deals: int = setting(2_000, "validation deals in each, at most 10,000", minimum=1, maximum=10_000)
    eval_actions: Literal["greedy", "sample"] = setting("greedy", "actions in them: greedy, or sample")
    checkpoint_minutes: float = setting(2.0, "minutes between checkpoints")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.num_envs * self.n_steps % self.batch_size == 1:  # whose advantage cannot be normalised: weights of NaN
            raise ValueError(
                f"expected num_envs * n_steps and batch_size that leave no batch of one step, "
                f"got {self.num_envs} * {self.n_steps} and {self.batch_size}"
            )

    def network(self) -> NetworkConfig:
        """Returns the sizes of the network."""
        return NetworkConfig(**{spec.name: getattr(self, spec.name) for spec in fields(NetworkConfig)})


@dataclass(frozen=True, kw_only=True)
class ValuesConfig(Settings):
    """The settings of ``solitaire-rl train-values``."""

    command: ClassVar[str] = "train-values"
    form: ClassVar[str] = VALUES
    free: ClassVar[tuple[str, ...]] = ("games", "threads", "checkpoint_minutes")

    env: str = setting("solitaire/TourInfernaleOnePass-v0", "environment id")
    games: int = setting(60_000, "games of self-play in all", minimum=1)
    games_per_update: int = setting(1_000, "games between updates of the network", minimum=1, maximum=100_000)
    explore: float = setting(0.01, "share of choices that are random", maximum=1.0)
    td_lambda: float = setting(0.8, "weight of what came later against the value of the next choice", maximum=1.0)
    batch_size: int = setting(512, "choices in a gradient step", minimum=1)
    learning_rate: float = setting(1e-3, "Adam's step size at the start", maximum=1.0)
    learning_rate_end: float = setting(3e-5, "and at the end; linear between", maximum=1.0)
    threads: int = setting(1, "threads that play; the result does not depend on them", minimum=1, maximum=1_024)
    eval_every: int = setting(20_000, "games between evaluations on validation deals", minimum=1)
    eval_deals: int = setting(1_000, "validation deals in each, at most 10,000", minimum=1, maximum=10_000)
    checkpoint_minutes: float = setting(2.0, "minutes between checkpoints")


def check_same(expected: Mapping[str, Any], got: Mapping[str, Any], where: str) -> None:
    """Checks settings against those of what goes on, such as a run.

    Raises:
        ValueError: A setting differs; the first is named.
    """
    for name, value in expected.items():
        if got.get(name) != value:
            raise ValueError(f"expected {name} {short(value)}, as in {where}; got {short(got.get(name))}")


def load_config(path: Path | None, overrides: Mapping[str, Any]) -> TrainConfig:
    """Builds the configuration from its defaults, then a YAML file, then overrides.

    Raises:
        ValueError: The file cannot be read, is no YAML mapping, or has an unknown key; or as `TrainConfig`.
    """
    return load_settings(TrainConfig, path, overrides)


def resumed_settings(kind: type[SettingsT], folder: Path) -> SettingsT:
    """Returns the settings of the run in a folder.

    Raises:
        ValueError: The folder holds no run of this kind, or its description is damaged.
    """
    card = read_card(folder, kind.form)
    try:
        return kind(**card["hyperparameters"])
    except (KeyError, TypeError) as error:
        raise ValueError(
            f"{folder}: expected the hyperparameters of a run of this version, got: {short(str(error))}"
        ) from None


def change_on_resume(config: SettingsT, file: Path | None, overrides: Mapping[str, Any]) -> SettingsT:
    """Returns the settings to resume a run with.

    Args:
        config: The settings of the run so far.
        file: A YAML file of settings; None: those of the run so far.
        overrides: Settings that take precedence.

    Raises:
        ValueError: A setting differs from the run's that is not free to change.
    """
    asked = load_settings(type(config), file, overrides) if file else replace(config, **overrides)
    check_same(config.fixed(), asked.fixed(), "the run so far, with --resume")
    return asked


def load_settings(kind: type[SettingsT], path: Path | None, overrides: Mapping[str, Any]) -> SettingsT:
    """Builds settings of a kind as `load_config` does, and raises as it does."""
    values = {} if path is None else read_yaml(path)
    known = [spec.name for spec in fields(kind)]
    for key in values:
        if key not in known:
            raise ValueError(f"{path}: expected a setting of `solitaire-rl {kind.command} --help`, got {short(key)}")
    merged = {**values, **{key: value for key, value in overrides.items() if key != "options"}}
    merged["options"] = {**_mapping(path, values.get("options") or {}), **overrides.get("options", {})}
    return kind(**merged)


def read_yaml(path: Path) -> dict[str, Any]:
    """Reads a YAML mapping.

    Raises:
        ValueError: The file cannot be read or is no YAML mapping.
    """
    from solitaire_training.learning.yaml_file import parse_yaml  # noqa: PLC0415  # arguments alone need no YAML

    try:
        content = parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"expected a YAML file at {path}, got: {error}") from None
    return _mapping(path, content)


def _mapping(path: Path | None, content: object) -> dict[str, Any]:
    if not isinstance(content, dict) or not all(isinstance(key, str) for key in content):
        raise ValueError(f"{path}: expected a mapping of names to values, got {short(content)}")
    return content
