"""Plain rules for Pyramid."""

from collections.abc import Callable
from typing import Any

from solitaire_agents.base import Agent, RuleAgent
from solitaire_envs.jit import kernel
from solitaire_envs.pyramid import DRAW, NUM_ACTIONS, PYRAMID_SIZE, REDEAL

KINGS = REDEAL + 1
STOCK_WASTE = KINGS + PYRAMID_SIZE + 2
WITH_STOCK = STOCK_WASTE + 1
WITH_WASTE = WITH_STOCK + PYRAMID_SIZE
IN_PYRAMID = WITH_WASTE + PYRAMID_SIZE


@kernel
def pyramid_first(observation: Any, mask: Any) -> int:
    """Kings, then any match, pyramid pairs first, else draw."""
    for start, stop in (
        (KINGS, STOCK_WASTE),
        (IN_PYRAMID, NUM_ACTIONS),
        (WITH_STOCK, IN_PYRAMID),
        (STOCK_WASTE, WITH_STOCK),
        (DRAW, KINGS),
    ):
        for action in range(start, stop):
            if mask[action]:
                return action
    return DRAW


AGENTS: dict[str, Callable[[], Agent]] = {"pyramid-first": lambda: RuleAgent("pyramid-first", pyramid_first)}
