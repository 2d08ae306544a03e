"""An environment with its options."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from solitaire_envs.catalogue import find_entry
from solitaire_envs.game import Game, Options, make_options


@dataclass(frozen=True, kw_only=True)
class EnvSpec:
    """One environment with its options."""

    env: str
    """Environment id."""
    options: Options
    """All options of the game."""

    @property
    def game(self) -> Game:
        """The game."""
        return find_entry(self.env).game

    @property
    def aim(self) -> str:
        """The field of the outcome that players maximise."""
        return self.game.aim(self.options)


def make_env_spec(env: str, options: Mapping[str, Any]) -> EnvSpec:
    """Returns an environment with some of its preset options replaced.

    Raises:
        ValueError: There is no such environment or option.
    """
    entry = find_entry(env)
    return EnvSpec(env=env, options=make_options(entry.game.options, {**entry.preset, **options}))


def options_not_preset(env: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options that differ from the environment's own."""
    defaults = asdict(make_env_spec(env, {}).options)
    return {name: value for name, value in options.items() if defaults[name] != value}
