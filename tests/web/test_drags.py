"""Declared games on the page, by mouse, touch and keyboard; runs that are dragged, by real touch events too."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from solitaire_envs.catalogue import CATALOGUE
from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PHONE, PYRAMID, WIDE, Player, ServerProcess, between

pytestmark = NEEDS_CHROMIUM
DECLARED = [f"solitaire/{name}-v0" for name in ("FreeCell", "Golf", "Canfield", "Spiderette", "Yukon")]
KLONDIKE, YUKON = "solitaire/Klondike-v0", DECLARED[-1]
WAYS, LANGUAGES = ("by_mouse", "by_drag", "by_keyboard"), ("en", "de", "fr")
SHORT = 8
"""Moves of a game."""


@pytest.mark.parametrize(("number", "way"), few([(number, number % len(WAYS)) for number in range(len(DECLARED))]))
def test_a_declared_game_to_its_end(server: ServerProcess, open_page: Any, number: int, way: int) -> None:
    env, language = DECLARED[number], LANGUAGES[(number + way) % 3]
    settings = PHONE if WAYS[way] == "by_drag" else WIDE
    page = open_page(server.address(env, number, max_moves=SHORT), locale=language, **settings)
    play_on(Player(page, env, number, language, max_moves=SHORT), WAYS[way])
    page.wait_for_selector("#end:not([hidden])")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "way"), list(product(range(len(CATALOGUE)), (*WAYS, "by_touch"))))
def test_each_environment_by_each_hand(server: ServerProcess, open_page: Any, number: int, way: str) -> None:
    env, language = list(CATALOGUE)[number], LANGUAGES[number % 3]
    touch = way in ("by_drag", "by_touch")
    settings = {**(PHONE if touch else WIDE), "reduced_motion": "reduce"}  # the test does not see cards fly
    page = open_page(server.address(env, 5, max_moves=3 * SHORT), locale=language, **settings)
    play_on(Player(page, env, 5, language, max_moves=3 * SHORT), way)
    page.wait_for_selector("#end:not([hidden])")


@pytest.mark.parametrize("env", few([KLONDIKE, PYRAMID, ONE_PASS]))
def test_cards_are_dragged_by_touch(server: ServerProcess, open_page: Any, env: str) -> None:
    page = open_page(server.address(env, 3, max_moves=SHORT), **PHONE)
    play_on(Player(page, env, 3, max_moves=SHORT), "by_drag")


def play_on(player: Player, way: str) -> None:
    """Plays a game to its end."""
    rng = np.random.default_rng(1)
    player.expect()
    while not player.over:
        getattr(player, way)(player.choose(rng)[1])
        player.expect()


@pytest.mark.slow
@pytest.mark.parametrize("touch", [False, True])
def test_a_run_is_carried_whole(server: ServerProcess, open_page: Any, touch: bool) -> None:
    page = open_page(server.address(YUKON, 3), **(PHONE if touch else WIDE))
    player = Player(page, YUKON, 3)
    legal = [player.engine.game.gestures(player.engine.states[0], one)[0] for one in player.engine.legal_actions(0)]
    source, target = next(one for one in legal if ", card " in one.source)
    pile, depth = source.split(", card ")
    shown = page.locator(f'#board g[data-place="{pile}"], #board g[data-place^="{pile}, card"]')
    run = shown.count() - int(depth) + 1
    assert run > 1
    bright = shown.nth(int(depth) - 1).locator(".rim").get_attribute("fill")
    assert bright == shown.last.locator(".rim").get_attribute("fill")  # what moves is not drawn as what lies below
    if touch:
        player.by_drag([legal[0]._replace(source=source, target=target)])
        assert player.carried == run
    else:
        start, end = player.middles(source, target)
        page.mouse.move(*start)
        page.mouse.down()
        places = "groups => groups.map(group => group.getAttribute('transform').match(/[-\\d.]+/g).map(Number))"
        before = page.locator("#board g[data-place]").evaluate_all(places)
        for point in between(start, end):
            page.mouse.move(*point)
        after = page.locator("#board .held").evaluate_all(places)
        assert len(after) == run
        assert len({round(at[0]) for at in after}) == 1  # one above the other
        assert all(at not in before for at in after)
        page.mouse.up()
    move = next(
        one
        for one in player.engine.legal_actions(0)
        if player.engine.game.gestures(player.engine.states[0], one)[0] == (source, target)
    )
    player.engine.step(np.array([move]))
    player.expect()
