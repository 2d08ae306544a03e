"""Random games by the page against the engine, position by position: `python -m tests.web.many_games [COUNT]`."""

import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from solitaire_envs.catalogue import CATALOGUE
from tests.web.driver import CHROMIUM, FLAGS, PLAY_ALL, Player, ServerProcess

MOST = 250
"""Moves of a game."""


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as drivers:
        server = ServerProcess(Path(folder))
        browser = drivers.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
        page.add_init_script(PLAY_ALL)
        positions = 0
        for number in range(count):
            env = list(CATALOGUE)[number % len(CATALOGUE)]
            page.goto("about:blank")
            page.goto(server.address(env, 20_000 + number))
            player, rng = Player(page, env, 20_000 + number), np.random.default_rng(number)
            player.expect()
            while not player.over and len(player.moves) < MOST:
                player.by_mouse(player.choose(rng)[1])
                player.expect()
            positions += len(player.moves) + 1
        server.stop()
    print(f"{count} games, {positions:,} positions: the page agrees with the engine in each")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
