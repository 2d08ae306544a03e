"""Trained policies: networks that choose moves, saved to a folder and loaded as agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from solitaire_agents.base import ActionMasks, Actions, Agent, Observations
from solitaire_agents.kit import Kit
from solitaire_agents.network_config import MAX_SIZE, NetworkConfig
from solitaire_agents.networks import PlaceNetwork, build_network
from solitaire_agents.trained import CARD, POLICY, SHIPPED, read_card, read_weights, write_trained
from solitaire_envs.checks import short
from solitaire_envs.game import Game, Options, make_options

BATCH = 128
"""Positions that the network is asked about at a time: so few that what it computes stays in the processor's cache."""


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
    card = {
        "observation_size": game.root.observation_size,
        "num_actions": game.num_actions(options),
        "network": network.config.to_json(),
        **about,
    }
    whole = {
        name: tensor.detach().cpu().contiguous().numpy() for name, tensor in (weights or network.state_dict()).items()
    }
    write_trained(folder, POLICY, game, options, card, whole)


def load_policy(folder: Path, kit: Kit, num_actions: int) -> PolicyAgent:
    """Loads a policy as an agent.

    Args:
        folder: The policy folder.
        kit: The kit of the game that it has to play.
        num_actions: Number of actions of that game, under its options.

    Raises:
        ValueError: The folder holds no policy, a damaged one, or one of another game.
    """
    card, game = read_card(folder, POLICY), kit.game
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
    weights = read_weights(folder, {name: tuple(tensor.shape) for name, tensor in expected.items()})
    network = _build_from_card(folder, card, kit)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
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
