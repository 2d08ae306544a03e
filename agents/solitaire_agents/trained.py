"""The files of a trained agent: its weights, ``policy.safetensors``, and its card, ``policy.json``. No pickle anywhere.

The card's format tells a policy, whose network chooses moves, from values, whose network says what positions are worth.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from solitaire_agents.files import write_whole
from solitaire_envs.checks import check_shape, short
from solitaire_envs.game import Game, Options

WEIGHTS, CARD = "policy.safetensors", "policy.json"
POLICY, VALUES = "solitaire-rl policy 2", "solitaire-rl values 1"
"""Formats of a card."""
SHAPES: Mapping[str, Mapping[str, Any]] = {
    POLICY: {"observation_size": int, "num_actions": int, "network": dict},
    VALUES: {"inputs": int},
}
"""Of the card by its format, besides `COMMON`."""
COMMON = {"game": str, "options": dict, "hyperparameters": dict | None}
SHIPPED = Path(__file__).with_name("policies")
"""Folder of the trained agents that come with the package, each with its card."""
Weights = dict[str, NDArray[np.float32]]
NUMBERS = (np.float32, np.float16)
"""Types of the numbers in a file; half precision halves it."""


def read_card(folder: Path, *formats: str) -> dict[str, Any]:
    """Reads the card of a trained agent.

    Args:
        folder: Its folder.
        formats: Those expected; none: all that there are.

    Raises:
        ValueError: There is no such file, or it is damaged or foreign.
    """
    path, expected = folder / CARD, formats or tuple(SHAPES)
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"expected a policy's description at {path}, got: {error}") from None
    if not isinstance(card, dict) or card.get("format") not in expected:
        got = card.get("format") if isinstance(card, dict) else type(card).__name__
        raise ValueError(f"{path}: expected format {' or '.join(map(repr, expected))}, got {short(got)}")
    check_shape(path, {**COMMON, **SHAPES[card["format"]]}, card)
    return card


def read_weights(folder: Path, expected: Mapping[str, tuple[int, ...]]) -> Weights:
    """Reads the weights of a trained agent.

    Args:
        folder: Its folder.
        expected: Name of a tensor -> its shape.

    Raises:
        ValueError: There is no such file, it is damaged, or it holds other tensors than finite ones of these shapes, in
            single or half precision.
    """
    path = folder / WEIGHTS
    try:
        weights: Weights = load_file(path)
    except (OSError, SafetensorError, KeyError, ValueError) as error:  # KeyError: a type that NumPy does not know
        raise ValueError(f"expected a whole safetensors file at {path}, got: {error}") from None
    for name in sorted(expected.keys() | weights.keys()):
        got = weights[name].shape if name in weights else None
        if got is None or expected.get(name) != got:
            raise ValueError(f"{path}: expected tensor {name!r} of shape {expected.get(name)}, got {got}")
        known = weights[name].dtype in NUMBERS
        if not known or not np.isfinite(weights[name]).all():
            which = f"{weights[name].dtype}{' values that are not finite' if known else ''}"
            raise ValueError(f"{path}: expected tensor {name!r} of finite float32 or float16, got {which}")
    return {name: weight.astype(np.float32) for name, weight in weights.items()}


def write_trained(
    folder: Path, form: str, game: Game, options: Options, about: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]
) -> None:
    """Writes the files of a trained agent; each is replaced whole or not at all.

    Args:
        folder: Made if missing.
        form: The card's format.
        game: The game it plays; a series is played by the agents of its game.
        options: The options it was trained under.
        about: What else belongs on its card: what the format asks for, environment id, hyperparameters, versions, ...
        weights: Its weights, in single or half precision.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = game.root
    known = {name: getattr(options, name) for name in root.options.__dataclass_fields__}
    card = {"format": form, "game": root.name, "options": known, "hyperparameters": None, **about}
    write_whole(folder / WEIGHTS, save(dict(weights)))
    write_whole(folder / CARD, (json.dumps(card, indent=2) + "\n").encode())
