"""Draws the pictures of docs/images: `python docs/pictures.py`. In the animations `best` plays."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from PIL import Image

import solitaire_envs  # noqa: F401  # registers the environments
from solitaire_agents.catalogue import find_agent

IMAGES = Path(__file__).parent / "images"
DEAL = 7
STILL_DEAL_AGENTS = (
    ("solitaire/Pyramid-v0", "careful", 18),
    ("solitaire/TourInfernale-v0", "thrifty", 60),
    ("solitaire/Klondike-v0", "careful", 60),
)
ANIMATED = ("solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0", "solitaire/Klondike-v0")
LONGEST = 150
"""Moves of an animated game, at most."""
WIDTH = 420
COLOURS = 64
STEP_MS, LAST_MS = 400, 3_000


def play(env: Any, agent: Any, deal: int) -> Iterator[dict[str, Any]]:
    """Plays a deal; yields the info before each move and at the end."""
    agent.seed(deal)  # so that a deal played again is the same game
    observation, info = env.reset(options={"deal": deal})
    yield info
    ended = False
    while not ended:
        action = agent.act(observation[None], info["action_mask"][None].astype(np.bool_))[0]
        observation, _, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
        yield info


def table_after(env_id: str, agent_name: str, moves: int, render_mode: str) -> Any:
    """Returns an environment in which an agent has played some moves of the deal."""
    env: Any = gymnasium.make(env_id, render_mode=render_mode).unwrapped
    agent = find_agent(agent_name, env.game, env.options)
    for _, _ in zip(range(moves + 1), play(env, agent, DEAL), strict=False):
        pass
    return env


def animate(env_id: str) -> None:
    """Writes the first deal that `best` wins in few moves, as an animation."""
    env: Any = gymnasium.make(env_id, render_mode="rgb_array", max_moves=LONGEST).unwrapped
    agent = find_agent("best", env.game, env.options)
    for deal in count():
        *_, last = play(env, agent, deal)
        if last["won"]:
            break
    frames = [small(env.render()) for _ in play(env, agent, deal)]
    palette = together(frames[:: len(frames) // 6]).quantize(COLOURS)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [STEP_MS] * len(others) + [LAST_MS]
    first.save(IMAGES / f"{env.game.name}.gif", save_all=True, append_images=others, duration=times, loop=0)


def together(frames: list[Image.Image]) -> Image.Image:
    """Returns pictures of one size below each other, from which one palette is made for all."""
    return Image.fromarray(np.concatenate([np.array(frame) for frame in frames]))


def small(picture: Any) -> Image.Image:
    """Returns a picture of a table, smaller."""
    image = Image.fromarray(picture)
    return image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)


def main() -> None:
    """Draws a table of each game as a picture, one in its window, and animates a game of each."""
    for env_id, agent, moves in STILL_DEAL_AGENTS:
        env = table_after(env_id, agent, moves, "rgb_array")
        (IMAGES / f"{env.game.name}.png").write_bytes(env._repr_png_())
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    table_after("solitaire/Pyramid-v0", "careful", 12, "human")
    import pygame  # noqa: PLC0415  # it looks for its screen when imported

    pygame.image.save(pygame.display.get_surface(), IMAGES / "window.png")
    for env_id in ANIMATED:
        animate(env_id)


if __name__ == "__main__":
    main()
