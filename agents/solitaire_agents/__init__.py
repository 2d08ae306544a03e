"""Agents that play the games of `solitaire_envs`."""

from typing import Any

_PUBLIC = {
    "Agent": "base",
    "Kit": "kit",
    "Labels": "kit",
    "RuleAgent": "base",
    "Solved": "kit",
    "Solver": "kit",
    "find_agent": "catalogue",
    "register_kit": "catalogue",
}
__all__ = list(_PUBLIC)  # the names of the table


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first asked for: a module of this package needs none of the others."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  # as above

    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
