"""Draws the pictures of docs/images, in which `best` plays: `python docs/pictures.py`."""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from PIL import Image

from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import CATALOGUE

IMAGES = Path(__file__).parent / "images"
DEAL = 7
"""The deal of the pictures that do not move."""
LONGEST = 150
"""Moves of an animated game, at most."""
WIDTH = 420
COLOURS = 64
STEP_MS, LAST_MS = 400, 3_000


def learned() -> list[str]:
    """Returns the first environment of each game whose rules `best` has learned."""
    chosen: dict[str, str] = {}
    for env_id, entry in CATALOGUE.items():
        env: Any = gymnasium.make(env_id).unwrapped
        try:
            find_agent("best", env.game, env.options)
        except ValueError:  # nobody has learned these rules
            continue
        chosen.setdefault(entry.game.root.name, env_id)
    return list(chosen.values())


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


def halfway(env_id: str) -> Any:
    """Returns an environment in which `best` has played half of the deal."""
    env: Any = gymnasium.make(env_id).unwrapped
    agent = find_agent("best", env.game, env.options)
    infos = sum(1 for _ in play(env, agent, DEAL))
    next(islice(play(env, agent, DEAL), infos // 2, None))
    return env


def animate(env_id: str) -> None:
    """Writes the first deal that `best` wins in few moves, as an animation."""
    env: Any = gymnasium.make(env_id, render_mode="rgb_array", max_moves=LONGEST).unwrapped
    agent = find_agent("best", env.game, replace(env.options, max_moves=None))  # the limit only chooses short games
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
    env_ids = learned()
    for env_id in env_ids:
        env = halfway(env_id)
        (IMAGES / f"{env.game.name}.png").write_bytes(env._repr_png_())
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    gymnasium.make(env_ids[0], render_mode="human").reset(options={"deal": DEAL})
    import pygame  # noqa: PLC0415  # it looks for its screen when imported

    pygame.image.save(pygame.display.get_surface(), IMAGES / "window.png")
    for env_id in env_ids:
        animate(env_id)


if __name__ == "__main__":
    main()
