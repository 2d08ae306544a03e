"""Plain rules for La tour infernale."""

from collections.abc import Callable
from typing import Any

from solitaire_agents.base import Agent, RuleAgent, first_legal
from solitaire_envs.jit import kernel
from solitaire_envs.tour_infernale import FOUNDATION, TARGET, WASTE, SOURCE, DRAW


@kernel
def foundation_only(observation: Any, mask: Any) -> int:
    for action in range(2, len(mask)):
        if mask[action] and TARGET[action] == FOUNDATION:
            return action
    return first_legal(mask)


@kernel
def greedy(observation: Any, mask: Any) -> int:
    for action in range(2, len(mask)):
        if mask[action] and TARGET[action] == FOUNDATION:
            return action
    for action in range(2, len(mask)):
        if mask[action] and SOURCE[action] == WASTE:
            return action
    return first_legal(mask)


AGENTS: dict[str, Callable[[], Agent]] = {
    "foundation-only": lambda: RuleAgent("foundation-only", foundation_only),
    "greedy": lambda: RuleAgent("greedy", greedy),
}
