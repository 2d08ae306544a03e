"""The commands `envs`, `agents` and `completion`, and `--version`."""

import re
import subprocess
from importlib.metadata import version

import pytest

from solitaire_agents.catalogue import agents_of
from solitaire_envs.catalogue import CATALOGUE, GAMES
from solitaire_evaluation.descriptions import first_sentence, rules_of, values_of_option
from solitaire_training.commands.listing import SHELLS
from solitaire_training.commands.main import main


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    return text


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["--version"])
    assert exit_info.value.code == 0
    assert capsys.readouterr().out == f"solitaire-rl {version('solitaire-rl')}\n"


def test_all_environments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "envs").splitlines()
    for env, entry in CATALOGUE.items():
        (line,) = (line for line in lines if line.startswith(env + " "))
        assert line.split()[-1] == str(entry.game.num_actions(entry.game.options(**entry.preset)))
    assert "passes=1" in next(line for line in lines if "OnePass" in line)
    assert "  no " in next(line for line in lines if "FreeCell" in line)
    assert " 66.2 " in next(line for line in lines if "Pyramid-v0" in line)


def test_one_environment_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "envs", "solitaire/TourInfernaleOnePass-v0")
    assert text.startswith("solitaire/TourInfernaleOnePass-v0: La tour infernale\n")
    assert "45 actions, 230 slots" in text
    rows = [line.split()[:2] for line in text.splitlines()]
    assert ["passes", "1"] in rows
    assert ["piles", "6"] in rows
    assert any(row[0] == "score" for row in rows if row)


def test_values_of_options() -> None:
    game = GAMES["pyramid"]
    assert values_of_option(game, "goal") == "all, pyramid"
    assert values_of_option(game, "stock_waste_pairs") == "True, False"
    assert values_of_option(game, "passes") == "1..10,000"
    assert values_of_option(game, "max_moves") == "1..1,000,000,000, None"
    assert values_of_option(GAMES["klondike"], "draw") == "1, 3"


@pytest.mark.parametrize("env", ["solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0"])
def test_each_agent_says_what_it_is(env: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "agents", env)
    slow = ["oracle", "planner", "patient"]
    for name, make in agents_of(CATALOGUE[env].game).items():
        (line,) = (line for line in text.splitlines() if line.startswith(name + " "))
        sentence = first_sentence(make)
        assert len(sentence) > 20
        assert sentence.endswith(".")
        assert "partial" not in sentence
        assert sentence[:10] in line
        assert line.split()[-2:] == [
            "no" if name == "oracle" else "yes",
            "slow" if name in slow else "fast",
        ]


def test_without_an_environment_the_agents_of_each_game_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "agents")
    for env, shipped in (
        ("solitaire/Pyramid-v0", "`best` is one of pyramid-win, pyramid-score; each"),
        ("solitaire/TourInfernale-v0", "`best` is one of tour-infernale; each"),
        ("solitaire/Klondike-v0", "`best` is one of klondike; each"),
    ):
        alone = printed(capsys, "agents", env)
        assert alone in text
        assert ("`best` is one of" in alone) == bool(shipped)
        assert shipped in " ".join(alone.split())
    assert printed(capsys, "agents", "--option", "passes=1").count("\nuniform ") == 3
    assert main(["agents", "--option", "goal=pyramid"]) == 2  # of Pyramid alone
    said = capsys.readouterr()
    assert "got 'goal'" in said.err
    assert said.out == ""


def test_an_agent_that_does_not_play_under_some_options(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "agents", "solitaire/Pyramid-v0", "--option", "information=table")
    for name in ("patient", "planner", "best"):
        own = text[text.index(f"\n{name} ") :].replace(" - ", " ")
        assert re.search(rf"Not here: .*{name};? got 'table'", " ".join(own.split()))
    assert "`best` is one of" not in text


def test_rules_are_the_rule_card() -> None:
    assert rules_of(GAMES["pyramid"]).startswith("Pyramid, also known as")
    series = rules_of(GAMES["pyramid_par"])
    assert "Moves\n    Discard two" in series
    assert "par series" in series


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_commands_and_choices(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("compare", "--agents", "planner", "solitaire/PyramidPar-v0", "pyramid-win", "total-steps"):
        assert word in script


def test_completion_works_in_bash(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    ask = "COMP_WORDS=(solitaire-rl com); COMP_CWORD=1; _shtab_solitaire_rl; echo ${COMPREPLY[@]}"
    answer = subprocess.run(
        ["bash", "-c", capsys.readouterr().out + ask], capture_output=True, text=True, check=True
    ).stdout
    assert answer.split() == ["compare", "completion"]
