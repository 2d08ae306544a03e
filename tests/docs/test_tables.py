"""The tables of the documentation say what the games do."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from tests.docs.pages import PAGES, ROOT, name_of

sys.path.insert(0, str(ROOT / "docs"))
game_tables: Any = importlib.import_module("game_tables")
benchmark_tables: Any = importlib.import_module("benchmark_tables")
write_tables: Any = importlib.import_module("write_tables")
IDS = [env_id for env_id in CATALOGUE if env_id.startswith("solitaire/") and env_id not in PILE_GAMES]
"""Environments with a page of their own; the declared games share one."""


def make(env_id: str) -> Any:
    return gymnasium.make(env_id).unwrapped


def rows_of(markdown: str) -> list[list[str]]:
    """Returns the cells of a Markdown table, without its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def numbers(text: str) -> range:
    first, _, last = text.partition(" to ")
    return range(int(first), int(last or first) + 1)


def by_name(game: Any, observation: Any) -> dict[str, Any]:
    return {slots.name: observation[game.slots(slots.name)] for slots in game.observation}


def steps(env_id: str, games: int) -> Iterator[tuple[str, str, Any, Any, Any]]:
    """Plays random games; yields the words of each action, and the slots before and after, by name."""
    env, rng, words = make(env_id), np.random.default_rng(0), game_tables.action_words(env_id)
    for deal in range(games):
        observation, info = env.reset(options={"deal": deal})
        for _ in range(300):
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            move = env.move_text(action)
            after, _, *ended, info = env.step(action)
            before, now = (
                {one.name: o[env.game.slots(one.name)] for one in env.game.observation} for o in (observation, after)
            )
            yield words[action][0], move, before, now, env
            observation = after
            if any(ended):
                break


@pytest.mark.parametrize("env_id", IDS)
def test_every_action_has_one_row(env_id: str) -> None:
    markdown = game_tables.actions(env_id)
    summary, _, every = markdown.rpartition("<details>")
    rows = rows_of(every)
    assert [int(number) for number, _ in rows] == list(range(make(env_id).action_space.n))
    assert len({text for _, text in rows}) == len(rows)
    if summary:
        assert [number for span, _ in rows_of(summary) for number in numbers(span)] == list(range(len(rows)))


def test_actions_of_pyramid_do_what_their_rows_say() -> None:
    seen = set()
    for words, move, before, after, _ in steps("solitaire/Pyramid-v0", 60):
        gone = {f"at position {position}" for position in np.flatnonzero(before["pyramid"] != after["pyramid"])}
        change = {pile: int((after[pile] > 0).sum() - (before[pile] > 0).sum()) for pile in ("stock", "waste")}
        if words.startswith(("draw", "redeal")):
            assert move == words.partition(":")[0]
            assert change["stock"] == -change["waste"]
            assert not gone
            assert after["pass"] - before["pass"] == (move == "redeal")
        else:
            gone |= {f"on top of the {pile}" for pile, cards in change.items() if cards == -1}
            places = re.sub("discard the (pair|king) ", "", words).split(" and ")
            assert set(places) == gone
            assert ("king" in words) == (len(places) == 1) == move.startswith("K")
        seen.add(re.sub(r"\d+", "n", words))
    assert len(seen) == 9  # every kind of action was met


@pytest.mark.parametrize("env_id", ["solitaire/TourInfernale-v0", "solitaire/TourInfernaleSprint-v0"])
def test_actions_of_la_tour_infernale_do_what_their_rows_say(env_id: str) -> None:
    seen = set()
    for words, move, before, after, env in steps(env_id, 20):
        if env.engine.outcome(0).get("games", 0):
            continue  # a new deal
        grown = (after["tableau"] > 0).reshape(6, 13).sum(1) - (before["tableau"] > 0).reshape(6, 13).sum(1)
        grown = {f"pile {pile}": cards for pile, cards in enumerate(grown.tolist()) if cards}
        grown |= {"its foundation": n} if (n := int(after["foundations"].sum() - before["foundations"].sum())) else {}
        change = {pile: int((after[pile] > 0).sum() - (before[pile] > 0).sum()) for pile in ("stock", "waste")}
        if words.startswith(("draw", "redeal")):
            assert move == words.partition(":")[0]
            assert change["stock"] == -change["waste"] != 0
            assert not grown
        else:
            grown |= {"the waste": change["waste"]} if change["waste"] else {}
            source, target = re.fullmatch("move the top card of (.*) to (.*)", words).groups()
            assert grown == {source: -1, target: 1}
        seen.add(words)
    assert len(seen) > 40


@pytest.mark.parametrize("env_id", ["solitaire/Klondike-v0", "solitaire/KlondikeDrawOne-v0"])
def test_actions_of_klondike_do_what_their_rows_say(env_id: str) -> None:
    seen = set()
    for words, move, before, after, env in steps(env_id, 20):
        sizes, grown = [(slots["tableau"] > 0).reshape(7, 13).sum(1) for slots in (before, after)], {}
        buried = [
            [(slots["face_down"] > 0)[start : start + pile].sum() for pile, start in DOWN] for slots in (before, after)
        ]
        for pile in range(7):
            cards = int(sizes[1][pile] - sizes[0][pile] + buried[1][pile] - buried[0][pile])
            grown |= {f"pile {pile}": cards} if cards else {}
        for suit, name in enumerate(game_tables.SUIT_NAMES):
            cards = int(after["foundations"][suit]) - int(before["foundations"][suit])
            grown |= {"its foundation" if cards > 0 else f"the foundation of {name}": cards} if cards else {}
        change = {pile: int((after[pile] > 0).sum() - (before[pile] > 0).sum()) for pile in ("stock", "waste")}
        if words.startswith(("draw", "redeal")):
            assert move == words.partition(":")[0]
            assert change["stock"] == -change["waste"] != 0
            assert move == "redeal" or 1 <= change["waste"] <= env.options.draw
            assert not grown
        else:
            grown |= {"the waste": change["waste"]} if change["waste"] else {}
            what, source, target = re.fullmatch("move the (top card|cards that fit) of (.*) to (.*)", words).groups()
            assert grown.keys() == {source, target}
            assert grown[target] == -grown[source] >= 1
            assert grown[target] == 1 or what == "cards that fit"
        seen.add(words)
    assert len(seen) > 60


DOWN = [(pile, pile * (pile - 1) // 2) for pile in range(7)]
"""Number of each pile of Klondike, and its first slot of the face-down cards."""


@pytest.mark.parametrize("env_id", IDS)
def test_every_slot_has_one_row(env_id: str) -> None:
    space, named = make(env_id).observation_space, iter(CATALOGUE[env_id].game.observation)
    slots = []
    for where, name, size, values, meaning in rows_of(game_tables.observation(env_id)):
        assert name == f"`{next(named).name}`"
        assert len(numbers(where)) == int(size)
        assert meaning
        slots += numbers(where)
        assert {space.low[slot] for slot in numbers(where)} == {numbers(values)[0]}
        assert {space.high[slot] for slot in numbers(where)} == {numbers(values)[-1]}
    assert slots == list(range(space.shape[0]))


@pytest.mark.parametrize("env_id", IDS)
def test_options_and_outcome(env_id: str) -> None:
    env = make(env_id)
    rows = rows_of(game_tables.options(env_id))
    assert {name.strip("`"): value.strip("`") for name, value, *_ in rows} == {
        name: repr(value) for name, value in vars(env.options).items()
    }
    for quoted, value, allowed, _ in rows:
        name = quoted.strip("`")
        low, _, high = allowed.removesuffix(", `None`").replace(",", "").partition(" to ")
        if high:
            for right in (int(low), int(high)):
                gymnasium.make(env_id, **{name: right})
            for wrong in (int(low) - 1, int(high) + 1):
                with pytest.raises(ValueError, match=f"expected {name} "):
                    gymnasium.make(env_id, **{name: wrong})
        else:
            assert value in allowed
        assert ("None" in allowed) == accepts_none(env_id, name)
    env.reset(seed=0)
    assert [name.strip("`") for name, _ in rows_of(game_tables.outcome(env_id))] == list(env.outcome())


def accepts_none(env_id: str, name: str) -> bool:
    try:
        gymnasium.make(env_id, **{name: None})
    except ValueError:
        return False
    return True


WITH_TABLES = [page for page in PAGES if "<!-- table " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_TABLES, ids=name_of)
def test_the_tables_in_the_pages_are_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert write_tables.with_tables(text) == text, "python docs/write_tables.py writes them anew"
    assert len(write_tables.PLACE.findall(text)) == text.count("<!-- table ") == text.count("<!-- end of table -->")


def test_another_table_is_replaced() -> None:
    written = write_tables.with_tables("a\n<!-- table benchmark-games -->\nold\n<!-- end of table -->\nb\n")
    table = benchmark_tables.games("")
    assert written == f"a\n<!-- table benchmark-games -->\n\n{table}\n\n<!-- end of table -->\nb\n"


@pytest.mark.parametrize("env_id", IDS)
def test_every_environment_has_a_page_with_its_tables(env_id: str) -> None:
    page = (ROOT / "docs" / f"{game_tables.PAGES[env_id]}.md").read_text(encoding="utf-8")
    for table in ("summary", "observation", "options", "outcome"):
        assert f"<!-- table game-{table} {env_id} -->\n" in page
    first = next(one for one in IDS if CATALOGUE[one].game.root is CATALOGUE[env_id].game.root)
    actions = f"]({Path(game_tables.PAGES[first]).name}.md#actions)"
    assert (f"<!-- table game-actions {env_id} -->\n" if env_id == first else actions) in page
    assert game_tables.action_words(env_id) == game_tables.action_words(first)
    assert f"[{env_id}]" in game_tables.environments("")
    for heading in ("Rewards", "tarting state", "pisode end", "What is known", "Version history"):
        assert re.search(rf"^## .*{heading}", page, re.MULTILINE)


def test_the_page_of_the_declared_games_has_them_all() -> None:
    page = (ROOT / "docs" / "environments" / "piles.md").read_text(encoding="utf-8")
    assert "<!-- table declared-games -->\n" in page
    for record in DECLARED:
        assert f"| `{record.env_id}` |" in page
        assert f"\n### {record.title}\n" in page


@pytest.mark.parametrize("env_id", IDS)
def test_the_summary(env_id: str) -> None:
    env, text = make(env_id), game_tables.summary(env_id)
    assert f"`Discrete({env.action_space.n})`" in text
    assert f" {env.observation_space.shape[0]} slots" in text


def test_the_drawing_of_positions() -> None:
    drawn = [int(number) for number in re.findall(r"\d+", game_tables.positions(""))]
    assert drawn == list(range(28))
    assert [len(line.split()) for line in game_tables.positions("").splitlines()[1:-1]] == list(range(1, 8))
