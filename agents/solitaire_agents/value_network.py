"""Networks that say what a position is worth, small enough to be asked thousands of times in a game by kernels.

The inputs are on or off, and only those that are on are summed up; two layers follow. There is no torch in it, so that
an agent that plays by values needs no more than the base install. What the inputs mean is the game's affair.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from solitaire_agents.base import Agent
from solitaire_agents.trained import CARD, read_card, read_weights

VALUES = ""
from solitaire_envs.checks import short
from solitaire_envs.jit import kernel

if TYPE_CHECKING:
    from solitaire_agents.kit import Kit, SelfPlay

WIDTH, SECOND_WIDTH = 256, 32
"""Of the two hidden layers."""


class ValueNetwork(NamedTuple):
    """Weights, all float32."""

    rows: Any  # [inputs, WIDTH]
    bias: Any  # [WIDTH]
    second: Any  # [WIDTH, SECOND_WIDTH]
    second_bias: Any  # [SECOND_WIDTH]
    last: Any  # [SECOND_WIDTH]
    last_bias: Any  # [1]


def value_shapes(inputs: int) -> dict[str, tuple[int, ...]]:
    """Returns the shape of each array of a network with so many inputs."""
    shapes = (inputs, WIDTH), (WIDTH,), (WIDTH, SECOND_WIDTH), (SECOND_WIDTH,), (SECOND_WIDTH,), (1,)
    return dict(zip(ValueNetwork._fields, shapes, strict=True))


HIDDEN: Final = WIDTH + SECOND_WIDTH
"""Numbers of working storage that `evaluate` needs."""


@kernel
def evaluate(network: Any, on: Any, n: int, hidden: Any) -> float:
    """Returns the value of a position as a logit.

    Args:
        network: The network.
        on: int64 [n or more]: the inputs that are on.
        n: How many.
        hidden: float32 [HIDDEN], working storage.
    """
    first, second = hidden[:WIDTH], hidden[WIDTH:]
    for h in range(WIDTH):
        first[h] = network.bias[h]
    whole = n - n % 4
    for k in range(0, whole, 4):  # four at a time, as most time goes into reading and writing the sums
        a, b, c, d = network.rows[on[k]], network.rows[on[k + 1]], network.rows[on[k + 2]], network.rows[on[k + 3]]
        for h in range(WIDTH):
            first[h] += a[h] + b[h] + (c[h] + d[h])
    for k in range(whole, n):
        row = network.rows[on[k]]
        for h in range(WIDTH):
            first[h] += row[h]
    for j in range(SECOND_WIDTH):
        second[j] = network.second_bias[j]
    for h in range(WIDTH):
        if first[h] > 0:  # about half are not
            weights = network.second[h]
            for j in range(SECOND_WIDTH):
                second[j] += first[h] * weights[j]
    value = network.last_bias[0]
    for j in range(SECOND_WIDTH):
        value += network.last[j] * max(second[j], np.float32(0))
    return float(value)


def load_values(folder: Path, kit: "Kit", options: Any) -> Agent:
    """Loads an agent that plays by learned values.

    Args:
        folder: Its folder.
        kit: The kit of the game that it has to play.
        options: The game's options.

    Raises:
        ValueError: The folder holds no values, damaged ones, or those of another game or other rules.
    """
    network = load_network(folder, kit, options)
    agent = _self_play_of(kit).agent(options, network)
    agent.name, agent.folder = str(folder), folder
    return agent


def load_network(folder: Path, kit: "Kit", options: Any) -> ValueNetwork:
    """Loads a value network; its arguments and errors are those of `load_values`."""
    card, self_play = read_card(folder, VALUES), _self_play_of(kit)
    if card["game"] != kit.game.name:
        raise ValueError(f"{folder}: expected values of {kit.game.name}, got those of {card['game']:.80}")
    if card["inputs"] != self_play.inputs:
        raise ValueError(f"{folder / CARD}: expected {self_play.inputs} inputs, got {short(card['inputs'])}")
    self_play.check(options)
    for name in self_play.rules:
        known, played = card["options"].get(name), getattr(options, name)
        if known != played:
            raise ValueError(f"{folder}: expected values that were learned with {name}={played!r}, got {short(known)}")
    return ValueNetwork(**read_weights(folder, value_shapes(self_play.inputs)))


def _self_play_of(kit: "Kit") -> "SelfPlay":
    if kit.self_play is None:
        raise ValueError(f"expected a game of which values can be learned, got {kit.game.name}")
    return kit.self_play()
