"""Draws the pictures of docs/images: `python docs/pictures.py`."""

import os
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents.catalogue import find_agent

IMAGES = Path(__file__).parent / "images"
DEAL = 7


def table_after(env_id: str, agent_name: str, moves: int, render_mode: str) -> Any:
    """Returns an environment in which an agent has played some moves of the deal."""
    env: Any = gymnasium.make(env_id, render_mode=render_mode).unwrapped
    observation, info = env.reset(options={"deal": DEAL})
    agent = find_agent(agent_name, env.game, env.options)
    for _ in range(moves):
        action = agent.act(observation[None], info["action_mask"][None].astype(np.bool_))[0]
        observation, *_, info = env.step(action)
    return env


def main() -> None:
    """Draws a table of each game as a picture, and one in its window."""
    for env_id, agent, moves in (("solitaire/Pyramid-v0", "careful", 18), ("solitaire/TourInfernale-v0", "tidy", 60)):
        env = table_after(env_id, agent, moves, "rgb_array")
        (IMAGES / f"{env.game.name}.png").write_bytes(env._repr_png_())
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    table_after("solitaire/Pyramid-v0", "careful", 12, "human")
    import pygame  # noqa: PLC0415  # it looks for its screen when imported

    pygame.image.save(pygame.display.get_surface(), IMAGES / "window.png")


if __name__ == "__main__":
    main()
