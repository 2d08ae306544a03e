"""Agents that play the games of `solitaire_envs`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solitaire_agents.base import Agent, GameBatch, RuleAgent
    from solitaire_agents.catalogue import find_agent, register_kit
    from solitaire_agents.kit import Kit, Labels, Solved, Solver, Status, rule_agents

__all__ = [
    "Agent",
    "GameBatch",
    "Kit",
    "Labels",
    "RuleAgent",
    "Solved",
    "Solver",
    "Status",
    "find_agent",
    "register_kit",
    "rule_agents",
]
_MODULES = {
    **dict.fromkeys(("Agent", "GameBatch", "RuleAgent"), "base"),
    **dict.fromkeys(("find_agent", "register_kit"), "catalogue"),
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that a module does not import all the others."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  # as above

    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'kit')}"), name)
