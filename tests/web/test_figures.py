"""The page of one's own figures, and the file that takes the games to another browser."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.environments import few
from tests.web.driver import NEEDS_CHROMIUM, ONE_PASS, PHONE, PYRAMID, ServerProcess, open_sheet
from tests.web.test_end import end_by_hand

pytestmark = NEEDS_CHROMIUM
SCORES = (50, -8, 12, -60, 30, 0, -24, 50, 50, -20)
"""Par over the last six is made after the games 6, 8, 9 and 10 of these, not after 7."""
TIMES = (300, 10, 125, 10, 61, 10, 10, 3_700, 59, 10)
PASSES_2 = {"env": ONE_PASS, "options": {"passes": 2}}
Content = dict[str, Any]


def games_of(first_deal: int = 100) -> list[Content]:
    return [
        {
            "deal": str(first_deal + place),
            "won": score > 10,
            "score": score,
            "at": 1_790_000_000_000 + place,
            "seconds": seconds,
        }
        for place, (score, seconds) in enumerate(zip(SCORES, TIMES, strict=True))
    ]


def file_of(*tables: Content) -> Content:
    return {"kind": "solitaire-rl games", "version": 1, "tables": list(tables)}


def keep(tables: list[Content]) -> str:
    """Returns a script by which a browser has kept games."""
    calls = []
    for one in tables:
        options, games = (json.dumps(one[part], separators=(",", ":")) for part in ("options", "games"))
        name = f"solitaire-rl games {one['env']} {options}"
        calls.append(f"localStorage.setItem({json.dumps(name)}, {json.dumps(games)});")
    return "if (location.protocol === 'http:' && !localStorage.length) {" + "".join(calls) + "}"


KEPT = [{"env": PYRAMID, "options": {}, "games": games_of()}, {**PASSES_2, "games": games_of()[:3]}]


def facts(page: Any) -> dict[str, str]:
    names, texts = (page.locator(f"#figures-facts {tag}").all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(names, texts, strict=True))


def give(page: Any, content: Any, tmp_path: Path) -> str:
    """Gives a file to the dialog; returns what the dialog says of it."""
    file = tmp_path / "games.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    page.evaluate("() => { document.getElementById('figures-said').textContent = ''; }")
    page.set_input_files("#figures-load", file)
    page.wait_for_function("() => document.getElementById('figures-said').textContent")
    return str(page.locator("#figures-said").inner_text())


def all_kept(page: Any) -> dict[str, str]:
    """Returns what the browser keeps of games."""
    found: dict[str, str] = page.evaluate("() => ({ ...localStorage })")
    return {name: text for name, text in found.items() if " games " in name}


def test_figures_of_the_games_kept(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT))
    page.click("#figures-open")
    assert facts(page) == {
        "Games": "10",
        "Won": "5 (50.0 %)",
        "Wins in a row": "0",
        "Most wins in a row": "2",
        "Fastest wins": "0:59, 1:01, 2:05",
        "Best score": "50",
        "Mean score": "8.0",
        "Par over the last 6": "yes, 86",
    }
    assert page.locator("#figures-graphs svg").count() == 2
    assert page.locator("#figures-graphs rect.won").count() == 5
    assert page.locator("#figures-graphs circle.won").count() == 4
    assert "made after 4 of 5 games" in page.locator("#figures-graphs").inner_text()
    rows = page.locator("#figures-tables tbody tr").all_inner_texts()
    assert [row.split("\t")[1:] for row in rows] == [["10", "5 (50.0 %)"], ["3", "2 (66.7 %)"]]
    page.get_by_role("button", name="La tour infernale, one pass, Passes through the stock: 2").click()
    assert (facts(page)["Games"], facts(page)["Wins in a row"]) == ("3", "1")
    assert page.locator("#figures-graphs svg").count() == 1  # no par in this game


def test_a_game_that_has_ended_is_among_the_figures(server: ServerProcess, open_page: Any) -> None:
    page = end_by_hand(open_page, server)
    page.click("#figures-open")
    assert (facts(page)["Games"], facts(page)["Fastest wins"]) == ("1", "\N{EN DASH}")
    assert page.locator("#figures-heading").inner_text().endswith(": 2")  # the option


def test_games_go_to_another_browser_by_a_file(server: ServerProcess, open_page: Any, tmp_path: Path) -> None:
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT))
    page.click("#figures-open")
    with page.expect_download() as download:
        page.click("#figures-save")
    assert download.value.suggested_filename.endswith(".json")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert json.loads(text) == file_of(*KEPT)
    other = open_page(
        server.address(PYRAMID, 7), script=keep([{**KEPT[0], "games": games_of()[-2:] + games_of(500)[:1]}])
    )
    other.click("#figures-open")
    assert give(other, text, tmp_path) == "11 games added."
    assert facts(other)["Games"] == "11"
    assert other.locator("#tally tr").first.inner_text().split() == ["Games", "11"]
    kept = all_kept(other)
    assert [game["at"] for game in json.loads(kept[f"solitaire-rl games {PYRAMID} {{}}"])] == sorted(
        [game["at"] for game in games_of()] + [games_of()[0]["at"]]
    )
    assert give(other, text, tmp_path) == "0 games added."
    assert all_kept(other) == kept


def change(path: str, value: Any) -> Callable[[Content], None]:
    """Returns what puts a value at a path such as ``tables 0 env``."""

    def act(content: Any) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split()]
        for part in way:
            content = content[part]
        content[last] = value

    return act


def remove(path: str) -> Callable[[Content], None]:
    def act(content: Any) -> None:
        *way, last = [int(part) if part.isdigit() else part for part in path.split()]
        for part in way:
            content = content[part]
        del content[last]

    return act


GAME = "tables 1 games 2"
WRONG = [
    (change("kind", "other"), "This is not a file of games"),
    (change("version", 2), "This is not a file of games"),
    (change("more", 1), "This is not a file of games"),
    (change("tables", {}), "This is not a file of games"),
    (change("tables 1", 5), "Table 2: expected env, options and games, got 5."),
    (change("tables 1 env", "solitaire/Poker-v0"), 'Table 2: this page does not have the game "solitaire/Poker-v0".'),
    (change("tables 1 options", []), "Table 2: the options are []."),
    (change("tables 1 options", {"passes": 2.5}), 'Table 2: this game has no option "passes" of 2.5.'),
    (change("tables 1 options", {"jokers": 2}), 'Table 2: this game has no option "jokers" of 2.'),
    (change("tables 0 options", PASSES_2["options"] | {"objective": "x"}), 'no option "objective" of "x"'),
    (change(GAME, None), "Table 2, game 3: expected a game, got null."),
    (change(f"{GAME} deal", "007"), 'Table 2, game 3: "deal" cannot be "007".'),
    (change(f"{GAME} deal", str(2**64)), f'Table 2, game 3: "deal" cannot be "{2**64}".'),
    (change(f"{GAME} deal", "100"), "Table 2, game 3: deal 100 is there twice."),
    (change(f"{GAME} won", 1), 'Table 2, game 3: "won" cannot be 1.'),
    (change(f"{GAME} score", "12"), 'Table 2, game 3: "score" cannot be "12".'),
    (change(f"{GAME} seconds", -1), 'Table 2, game 3: "seconds" cannot be -1.'),
    (change(f"{GAME} at", 9e15), 'Table 2, game 3: "at" cannot be 9000000000000000.'),
    (change(f"{GAME} <b>", 1), 'Table 2, game 3: "<b>" cannot be 1.'),
    (change(f"{GAME} note", "x" * 99), 'Table 2, game 3: "note" cannot be "xxx'),
    (change(f"{GAME} constructor", {"a": 1}), 'Table 2, game 3: "constructor" cannot be {"a":1}.'),
    (change(f"{GAME} constructor", 1), 'Table 2, game 3: "constructor" cannot be 1.'),
    (change(f"{GAME} __proto__", 1), 'Table 2, game 3: "__proto__" cannot be 1.'),
    (remove(f"{GAME} seconds"), 'Table 2, game 3: "seconds" cannot be nothing.'),
    (lambda content: content["tables"].append(content["tables"][0]), "Table 3: it is there twice."),
]


def test_a_file_with_one_fault_changes_nothing(server: ServerProcess, open_page: Any, tmp_path: Path) -> None:
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT))
    page.click("#figures-open")
    kept = all_kept(page)
    for wrong, said in WRONG:
        content = copy.deepcopy(file_of({**KEPT[0], "games": games_of(900)}, KEPT[1]))
        wrong(content)
        told = give(page, content, tmp_path)
        assert told.startswith("Nothing was added. "), said
        assert said in told
        assert "\n" not in told
        assert all_kept(page) == kept
    assert give(page, "[1", tmp_path) == "Nothing was added. This is not a JSON file."
    assert "too large" in give(page, " " * 10_000_001, tmp_path)
    assert all_kept(page) == kept


def test_more_games_than_are_kept_push_out_none_of_ones_own(
    server: ServerProcess, open_page: Any, tmp_path: Path
) -> None:
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT))
    page.click("#figures-open")
    kept = all_kept(page)
    later = [{**games_of()[0], "deal": str(deal), "at": 1_790_000_001_000} for deal in range(1_000, 11_000)]
    told = give(page, file_of(KEPT[1], {**KEPT[0], "games": later}), tmp_path)
    assert told == ("Nothing was added. Table 2: with these there would be 10010 games, and at most 10000 are kept.")
    assert all_kept(page) == kept
    assert give(page, file_of({**KEPT[0], "games": later[10:]}), tmp_path) == "9990 games added."


def test_without_room_nothing_is_overwritten(server: ServerProcess, open_page: Any, tmp_path: Path) -> None:
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT))
    page.click("#figures-open")
    kept = all_kept(page)
    page.evaluate("""() => {
        let left = 1;
        const set = Storage.prototype.setItem;
        Storage.prototype.setItem = function (name, text) {
            if (name.includes(" games ") && left-- === 0) throw new DOMException("full", "QuotaExceededError");
            set.call(this, name, text);
        };
    }""")
    told = give(page, file_of({**KEPT[0], "games": games_of(900)}, {**PASSES_2, "games": games_of(900)}), tmp_path)
    assert told == "Nothing was added. This browser has no room for these games."
    assert all_kept(page) == kept


def test_the_dialog_by_keyboard(server: ServerProcess, open_page: Any) -> None:
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT))
    page.focus("#figures-open")
    page.keyboard.press("Enter")
    page.wait_for_selector("#figures[open]")
    inside = "() => document.getElementById('figures').contains(document.activeElement)"
    assert page.evaluate(inside)
    page.keyboard.press("d")  # the game behind it does not move
    page.get_by_role("button", name="La tour infernale, one pass").focus()
    page.keyboard.press("Enter")
    assert facts(page)["Games"] == "3"
    assert page.evaluate("() => document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Escape")
    page.wait_for_selector("#figures", state="hidden")
    assert page.evaluate("() => document.activeElement.id") == "figures-open"
    assert "move 0 " in page.locator("#board .status").inner_text()


@pytest.mark.parametrize(
    ("scheme", "language"), few([("light", "de"), ("dark", "fr"), ("dark", "de"), ("light", "fr")], 2)
)
def test_axe_finds_nothing_and_nothing_overflows(
    server: ServerProcess, open_page: Any, scheme: str, language: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(server.address(PYRAMID, 7), script=keep(KEPT), color_scheme=scheme, locale=language, **PHONE)
    open_sheet(page)
    page.click("#figures-open")
    assert facts(page)[{"de": "Siege in Folge", "fr": "Victoires de suite"}[language]] == "0"
    assert page.evaluate(
        "() => { const box = document.getElementById('figures'); return box.scrollWidth <= box.clientWidth; }"
    )
    assert axe.run(page).violations_count == 0
    sizes = page.evaluate("""() => [...document.querySelectorAll('#figures-graphs svg')]
        .map(svg => 12 * svg.clientWidth / svg.viewBox.baseVal.width)""")
    assert min(sizes) >= 10  # pixels of the letters in a graph
