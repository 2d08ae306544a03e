"""Draws tables as text."""

from solitaire_envs.engine import Engine


def render_ansi(engine: Engine, index: int) -> str:
    """Returns the table of one environment as text."""
    return engine.game.name
