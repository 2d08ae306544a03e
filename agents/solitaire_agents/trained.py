"""The files of a trained agent: its weights, ``agent.safetensors``, and its card, ``agent.json``. No pickle."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from solitaire_agents.choices import Choices
from solitaire_agents.files import write_whole
from solitaire_agents.network import MAX_WIDTH, Network, network_shapes, widths_of
from solitaire_envs.checks import check_shape, short
from solitaire_envs.game import Game, Options

WEIGHTS, CARD = "agent.safetensors", "agent.json"
FORMAT = "solitaire-rl agent 1"
SHAPE = {
    "game": str,
    "options": dict,
    "rules": [dict],
    "calibration": [[float]],
    "inputs": int,
    "widths": [int],
    "hyperparameters": dict | None,
}
"""Entries of the card, and their types."""
LFS = b"version https://git-lfs"
"""The beginning of a file that stands for one that Git LFS has not fetched."""
SHIPPED = Path(__file__).with_name("shipped")
"""Folder of the trained agents that come with the package, each with its card."""
Weights = dict[str, NDArray[np.float32]]
NUMBERS = (np.float32, np.float16)
"""Types allowed in a file of weights; half precision halves its size."""


def read_card(folder: Path) -> dict[str, Any]:
    """Reads the card of a trained agent.

    Raises:
        ValueError: The file is missing or damaged, or is not a card.
    """
    path = folder / CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"expected the card of a trained agent at {path}, got: {_what_it_is(path) or error}") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        got = card.get("format") if isinstance(card, dict) else type(card).__name__
        raise ValueError(f"{path}: expected format {FORMAT!r}, got {short(got)}")
    check_shape(path, SHAPE, card)
    widths = card["widths"]
    if len(widths) != 2 or not all(1 <= width <= MAX_WIDTH for width in widths):
        raise ValueError(f"{path}: expected two widths of 1..{MAX_WIDTH}, got {short(widths)}")
    lines = card["calibration"]
    if len(lines) != len(card["rules"]) or not all(len(each) == 2 and np.isfinite(each).all() for each in lines):
        raise ValueError(f"{path}: expected two finite numbers as the calibration of each rule set, got {short(lines)}")
    return card


def has_learned(card: Mapping[str, Any], choices: Choices) -> bool:
    """Returns whether the agent of a card has learned the rules under which choices are made."""
    return dict(choices.rules) in card["rules"]


def shipped_for(game: Game, names: Sequence[str], choices: Choices, who: str) -> dict[Path, dict[str, Any]]:
    """Returns the trained agents of the package that have learned the rules under which choices are made.

    Args:
        game: The game.
        names: Names of its trained agents.
        choices: The choices.
        who: Name of the agent that plays by one of them, for the message.

    Returns:
        The folder of each -> its card, in the order of the names.

    Raises:
        ValueError: None of them has learned the rules.
    """
    cards = {SHIPPED / name: read_card(SHIPPED / name) for name in names}
    known = {folder: card for folder, card in cards.items() if has_learned(card, choices)}
    if not known:
        raise ValueError(
            f"expected rules for {who} that a trained agent of {game.name} has learned, {_all_words(*cards.values())}; "
            f"got {in_words(choices.rules)}"
        )
    return known


def read_network(folder: Path, game: Game, choices: Choices, card: Mapping[str, Any] | None = None) -> Network:
    """Reads the network of a trained agent.

    Args:
        folder: Its folder.
        game: The game that it has to play; not a series.
        choices: The choices of the game, under the options that it has to play under.
        card: Its card, if that has been read already.

    Raises:
        ValueError: The folder does not hold a trained agent, or its files are damaged, or it was trained for another
            game, inputs or rules.
    """
    card = read_card(folder) if card is None else card
    if card["game"] != game.name:
        raise ValueError(f"{folder}: expected an agent of {game.name}, got one of {card['game']:.80}")
    if card["inputs"] != choices.inputs:
        raise ValueError(f"{folder / CARD}: expected {choices.inputs} inputs, got {short(card['inputs'])}")
    if not has_learned(card, choices):
        raise ValueError(
            f"{folder}: expected an agent that has learned {in_words(choices.rules)}; got one of {_all_words(card)}"
        )
    shapes = network_shapes(choices.inputs, tuple(card["widths"]))
    return Network(**read_weights(folder, shapes))


def in_words(rules: Mapping[str, Any]) -> str:
    """Returns rules as text."""
    return ", ".join(f"{name}={value!r}" for name, value in rules.items()) or "the game"


def _all_words(*cards: Mapping[str, Any]) -> str:
    return short(" or ".join(in_words(rules) for card in cards for rules in card["rules"]))


def read_weights(folder: Path, expected: Mapping[str, tuple[int, ...]]) -> Weights:
    """Reads the weights of a trained agent.

    Args:
        folder: Its folder.
        expected: Name of a tensor -> its shape.

    Raises:
        ValueError: The file is missing or damaged, or its tensors have other names or shapes, are not float32 or
            float16, or are not finite.
    """
    path = folder / WEIGHTS
    try:
        weights: Weights = load_file(path)
    except (OSError, SafetensorError, KeyError, ValueError) as error:  # KeyError: a type that NumPy does not know
        raise ValueError(f"expected a whole safetensors file at {path}, got: {_what_it_is(path) or error}") from None
    for name in sorted(expected.keys() | weights.keys()):
        got = weights[name].shape if name in weights else None
        if got is None or expected.get(name) != got:
            raise ValueError(f"{path}: expected tensor {name!r} of shape {expected.get(name)}, got {got}")
        known = weights[name].dtype in NUMBERS
        if not known or not np.isfinite(weights[name]).all():
            which = f"{weights[name].dtype}{' values that are not finite' if known else ''}"
            raise ValueError(f"{path}: expected tensor {name!r} of finite float32 or float16, got {which}")
    return {name: weight.astype(np.float32) for name, weight in weights.items()}


def _what_it_is(path: Path) -> str:
    """Returns what stands in place of a file, if that is easily told; else an empty text."""
    if path.is_dir():
        return "a folder"
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(LFS)) == LFS:
            return "a pointer of Git LFS, not the file itself: `git lfs pull` fetches it"
    return ""


def write_trained(
    folder: Path,
    game: Game,
    options: Options,
    rules: Sequence[Mapping[str, Any]],
    calibration: Sequence[Sequence[float]],
    about: Mapping[str, Any],
    network: Network,
) -> None:
    """Writes the files of a trained agent, in half precision; each is replaced whole or not at all.

    Args:
        folder: Made if missing.
        game: The game it plays; a series is played by the agents of its game.
        options: The options it was trained under.
        rules: The `Choices.rules` that it has learned, one for each set of options in its training.
        calibration: Of its values, under each of these (`Calibration`).
        about: More entries for its card: environment id, hyperparameters, versions, ...
        network: Its network.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = game.root
    card = {
        "format": FORMAT,
        "game": root.name,
        "options": {name: getattr(options, name) for name in root.options.__dataclass_fields__},
        "rules": [dict(each) for each in rules],
        "calibration": [list(each) for each in calibration],
        "inputs": len(network.rows),
        "widths": list(widths_of(network)),
        "hyperparameters": None,
        **about,
    }
    arrays = {name: np.ascontiguousarray(array.astype(np.float16)) for name, array in network._asdict().items()}
    write_whole(folder / WEIGHTS, save(arrays))
    write_whole(folder / CARD, (json.dumps(card, indent=2) + "\n").encode())
