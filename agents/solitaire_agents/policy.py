"""Trained policies: saved as ``policy.safetensors`` and ``policy.json``, loaded as agents. No pickle anywhere."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.files import write_whole
from solitaire_agents.kit import Kit
from solitaire_agents.network_config import MAX_SIZE, NetworkConfig
from solitaire_agents.networks import PlaceNetwork, build_network
from solitaire_envs.checks import check_shape, short
from solitaire_envs.game import Game, Options, make_options

FORMAT = "solitaire-rl policy 2"
WEIGHTS, CARD = "policy.safetensors", "policy.json"
SHAPE = {
    "game": str,
    "options": dict,
    "observation_size": int,
    "num_actions": int,
    "network": dict,
    "hyperparameters": dict | None,
}
"""Of the card."""
BATCH = 128
"""Positions that the network is asked about at a time: so few that what it computes stays in the processor's cache."""
SHIPPED = Path(__file__).with_name("policies")
"""Folder of the policies that come with the package, each with its model card."""


class PolicyAgent(Agent):
    """Plays by a network.

    Args:
        network: The network.
        name: Its name in results.
        mode: 'greedy' takes the likeliest action, 'sample' draws one by its probability.
        folder: Where it was loaded from.
    """

    quick = True

    def __init__(
        self, network: PlaceNetwork, name: str, mode: Literal["greedy", "sample"] = "greedy", folder: Path | None = None
    ) -> None:
        self.network = network
        self.name = name
        self.mode = mode
        self.folder = folder
        self.memoryless = mode == "greedy"
        self.stochastic = mode == "sample"
        self.saturates = network.view.saturates
        self.seed(0)

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of the modules of the network, and of how it sees the game."""
        return __name__, type(self.network.view).__module__

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers."""
        self._generator = torch.Generator().manual_seed(seed)

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Returns a legal action for each row; the network is asked only where there is a choice."""
        actions: Actions = action_masks.argmax(axis=1)
        asked = np.flatnonzero(action_masks.sum(axis=1) > 1)
        for start in range(0, len(asked), BATCH):
            rows = asked[start : start + BATCH]
            actions[rows] = self._choose(observations[rows], action_masks[rows])
        return actions

    @torch.inference_mode()
    def _choose(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        network = self.network
        tokens, trunk = network.encode(torch.as_tensor(observations).to(network.value.weight.device))
        logits = network.logits(tokens, trunk).cpu()
        logits = logits.masked_fill(~torch.as_tensor(action_masks), -torch.inf)
        if self.mode == "sample":
            noise = torch.rand(logits.shape, generator=self._generator).clamp_(min=1e-20)
            logits = logits - torch.log(-torch.log(noise))  # Gumbel's trick: the argmax is then a draw
        actions: Actions = logits.argmax(1).numpy().astype(np.int64)
        return actions


def save_policy(
    folder: Path,
    network: PlaceNetwork,
    game: Game,
    options: Options,
    about: Mapping[str, Any],
    *,
    weights: Mapping[str, Tensor] | None = None,
) -> None:
    """Writes a policy; each file is replaced whole or not at all.

    Args:
        folder: Made if missing.
        network: The network.
        game: The game it plays.
        options: The options it was trained under.
        about: What else belongs on its card: environment id, hyperparameters, versions, ...
        weights: Other weights than those that the network has now.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = game.root  # a series is played by the policies of its game
    card = {
        "format": FORMAT,
        "game": root.name,
        "options": {name: getattr(options, name) for name in root.options.__dataclass_fields__},
        "observation_size": root.observation_size,
        "num_actions": game.num_actions(options),
        "network": network.config.to_json(),
        **about,
    }
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in (weights or network.state_dict()).items()}
    write_whole(folder / WEIGHTS, save(whole))
    write_whole(folder / CARD, (json.dumps(card, indent=2) + "\n").encode())


def load_policy(folder: Path, kit: Kit, num_actions: int) -> PolicyAgent:
    """Loads a policy as an agent.

    Args:
        folder: The policy folder.
        kit: The kit of the game that it has to play.
        num_actions: Number of actions of that game, under its options.

    Raises:
        ValueError: The folder holds no policy, a damaged one, or one of another game.
    """
    card, game = read_card(folder), kit.game
    if card["game"] != game.name or card["num_actions"] != num_actions:
        raise ValueError(
            f"{folder}: expected a policy of {game.name} with {num_actions} actions, "
            f"got one of {card['game']:.80} with {short(card['num_actions'])}"
        )
    if card["observation_size"] != game.observation_size:
        raise ValueError(
            f"{folder}: expected a policy over {game.observation_size} observation slots, "
            f"got {short(card['observation_size'])}"
        )
    with torch.device("meta"):  # shapes without memory: a card may claim any size
        expected = _build_from_card(folder, card, kit).state_dict()
    weights = _read_weights(folder / WEIGHTS, {name: tuple(tensor.shape) for name, tensor in expected.items()})
    network = _build_from_card(folder, card, kit)
    network.load_state_dict(weights)
    network.eval()
    return PolicyAgent(network, str(folder), folder=folder)


def load_shipped(name: str, kit: Kit, num_actions: int) -> PolicyAgent:
    """Loads a policy that comes with the package, to be played as it was evaluated in training.

    Raises:
        ValueError: It plays another game.
    """
    loaded = load_policy(SHIPPED / name, kit, num_actions)
    mode = read_card(SHIPPED / name)["hyperparameters"]["eval_actions"]
    return PolicyAgent(loaded.network, "best", mode, loaded.folder)


def read_card(folder: Path) -> dict[str, Any]:
    """Reads the card of a policy.

    Raises:
        ValueError: There is no such file, or it is damaged or foreign.
    """
    path = folder / CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"expected a policy's description at {path}, got: {error}") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        got = card.get("format") if isinstance(card, dict) else type(card).__name__
        raise ValueError(f"{path}: expected format {FORMAT!r}, got {short(got)}")
    check_shape(path, SHAPE, card)
    return card


def _build_from_card(folder: Path, card: dict[str, Any], kit: Kit) -> PlaceNetwork:
    sizes = card["network"]
    known = set(NetworkConfig.__dataclass_fields__)
    good = all(type(size) is int and (name != "rounds") <= size <= MAX_SIZE for name, size in sizes.items())
    if set(sizes) != known or not good:
        raise ValueError(
            f"{folder / CARD}: expected sizes {sorted(known)} of 1..{MAX_SIZE} in 'network', got {short(sizes)}"
        )
    make_options(kit.game.options, card["options"])
    return build_network(kit, card["num_actions"], NetworkConfig(**sizes))


def _read_weights(path: Path, expected: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
    try:
        weights: dict[str, Tensor] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ValueError(f"expected a whole safetensors file at {path}, got: {error}") from None
    got = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    for name in sorted(expected.keys() | got.keys()):
        if expected.get(name) != got.get(name):
            raise ValueError(f"{path}: expected tensor {name!r} of shape {expected.get(name)}, got {got.get(name)}")
        if weights[name].dtype != torch.float32 or not weights[name].isfinite().all():
            got_instead = "values that are not finite" if weights[name].is_floating_point() else ""
            raise ValueError(
                f"{path}: expected tensor {name!r} of finite float32, got {weights[name].dtype} {got_instead}".rstrip()
            )
    return weights
