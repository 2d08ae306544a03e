"""What the Gymnasium environments share: their specification, spaces, arguments and messages."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields
from os import PathLike
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from solitaire_envs.checks import did_you_mean, short
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.render import render_ansi

IllegalAction = Literal["ignore", "raise"]
MAX_STREAM = 2**63 - 1
"""Largest seed that `reset` draws for a stream of deals when it gets none."""


class PlainSpec:
    """The specification that Gymnasium sets in an environment, with plain values as keywords, so that JSON takes it."""

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """What `gymnasium.make` built it from; None: it was built otherwise."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            spec.kwargs = {name: _plain(value) for name, value in spec.kwargs.items()}
        self._spec = spec


def find_draw(render_mode: str | None, allowed: Sequence[str]) -> Callable[[Engine, int], Any] | None:
    """Returns the function that draws the table of one environment, (engine, index) -> text or picture, or None.

    Raises:
        ValueError: The mode is not one of those allowed.
        gymnasium.error.DependencyNotInstalled: It needs a library that is not installed.
    """
    if render_mode is None:
        return None
    if render_mode not in allowed:
        raise ValueError(f"expected render_mode None or among {', '.join(allowed)}; got {short(render_mode)}")
    if render_mode == "ansi":
        return render_ansi
    from solitaire_envs.picture import render_rgb  # noqa: PLC0415  # needs Pillow, which the games do without

    return render_rgb


def observation_space(game: Game, *, privileged: bool = False) -> spaces.Space[Any]:
    """Returns the space of one observation, int16 [O]; with ``privileged``, of its two parts."""
    box = spaces.Box(*game.bounds, dtype=np.int16)
    return spaces.Dict({"observation": box, "privileged": deepcopy(box)}) if privileged else box


def both_parts(observation: NDArray[np.int16], privileged: NDArray[np.int16], *, copy: bool = True) -> Any:
    """Returns the observations [..., O]; with the privileged part, if it is [..., O] and not [..., 0]."""
    if not privileged.size:
        return observation.copy() if copy else observation
    parts = {"observation": observation, "privileged": privileged}
    return {name: part.copy() for name, part in parts.items()} if copy else parts


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, range) and value.step == 1:
        return f"{value.start}-{value.stop - 1}"  # shorter than its numbers, which may be millions
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def options_of_keywords(game: Game, keywords: dict[str, Any]) -> Options:
    """Builds the options of a game from the keywords of an environment.

    Raises:
        TypeError: A keyword is not an option of the game. The message has Python's own words, 'got an unexpected
            keyword argument', since some libraries try keywords and look for them.
        ValueError: A value is not allowed.
    """
    known = [spec.name for spec in fields(game.options)]
    for name in keywords:
        if name not in known:
            raise TypeError(
                f"expected options among {', '.join(known)}; got an unexpected keyword argument {name!r}"
                f"{did_you_mean(name, known)}"
            )
    return game.options(**keywords)


def check_actions(actions: object, num_envs: int, num_actions: int) -> NDArray[np.int64]:
    """Returns actions as kernels take them, int64 [B].

    Raises:
        ValueError: They are not B integers of 0..A - 1.
    """
    given = np.asarray(actions)
    if given.shape != (num_envs,) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"expected {num_envs} integer actions, got {given.dtype} of shape {given.shape}")
    if given.min() < 0 or given.max() >= num_actions:
        wrong = given[(given < 0) | (given >= num_actions)][0]
        raise ValueError(f"expected actions of 0..{num_actions - 1}, got {wrong}")
    return np.ascontiguousarray(given, dtype=np.int64)


def check_reset_options(options: object) -> tuple[str | None, Any]:
    """Returns which of 'deal', 'deck' and 'deals' the options of a reset set, and its value.

    The value of 'deals' is a dict, keywords of `choose_deals`.

    Raises:
        ValueError: They set more than one of them, or something else.
    """
    if options is None or (isinstance(options, Mapping) and not options):
        return None, None
    if isinstance(options, Mapping) and options.keys() <= {"deals", "winnable", "difficulty"}:
        return "deals", dict(options)
    if not isinstance(options, Mapping) or len(options) != 1 or next(iter(options)) not in ("deal", "deck"):
        raise ValueError(
            f"expected reset options {{'deal': number}}, {{'deck': text}}, or some of 'deals', 'winnable' and "
            f"'difficulty'; got {short(options)}"
        )
    return next(iter(options.items()))


def illegal_action_text(engine: Engine, index: int, action: int) -> str:
    """Returns the error message for an illegal action of one environment."""
    legal = ", ".join(f"{a} {engine.move_text(index, a)}" for a in engine.legal_actions(index))
    return f"expected a legal action, one of: {legal or '(none, the game is over)'}; got {action} " + engine.move_text(
        index, action
    )
