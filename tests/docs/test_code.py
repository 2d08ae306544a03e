"""The code of README and the documentation runs, and the commands there are commands that exist."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from solitaire_agents.catalogue import agents_of
from solitaire_envs.catalogue import find_entry
from solitaire_training.commands.arguments import DEFAULT_ENV
from solitaire_training.commands.main import COMMANDS, make_parser
from solitaire_training.recipes import find_recipe
from solitaire_training.yaml_file import read_yaml
from tests.docs.pages import PAGES, ROOT, blocks, commands, name_of
from tests.environments import few
from tests.readme import shortened_python

ELSEWHERE = "docs/your-own-game.md"
"""Its code needs the package Golf; `tests/examples/test_golf.py` runs it."""
RUN = [page for page in PAGES if blocks(page, "python") and name_of(page) != ELSEWHERE]
LONG = ("docs/libraries.md", "docs/text-agents.md")
CODE = few(sorted(RUN, key=lambda page: name_of(page) in LONG), len(RUN) - len(LONG))
COMMAND_LINES = [(name_of(page), line) for page in PAGES for line in commands(page)]


@pytest.mark.parametrize("page", CODE, ids=name_of)
def test_the_code_of_a_page_runs_as_a_file(page: Path, tmp_path: Path) -> None:
    """All its blocks make one file; one that begins with a file's name becomes that file too."""
    for block in blocks(page, "python"):
        if file := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / file[1]).write_text(block, encoding="utf-8")
    (tmp_path / "page.py").write_text(shortened_python("\n".join(blocks(page, "python"))), encoding="utf-8")
    environment = {
        **os.environ,
        "MINARI_DATASETS_PATH": str(tmp_path / "datasets"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-W", "error::DeprecationWarning:__main__", "page.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_pages_with_code_are_found() -> None:
    """So that the tests here cannot pass because they find nothing."""
    assert len(RUN) >= 8
    assert set(LONG) <= set(map(name_of, RUN))
    assert blocks(ROOT / ELSEWHERE, "python")
    assert sum(line.startswith("solitaire-rl ") for _, line in COMMAND_LINES) >= 30


def programs(name: str) -> list[tuple[str, str]]:
    return [(page, line) for page, line in COMMAND_LINES if line.startswith(f"{name} ")]


@pytest.mark.parametrize(("page", "line"), programs("solitaire-rl"))
def test_commands_are_accepted(page: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = shlex.split(line)[1:]
    if arguments[-1] == "--help" or arguments == [arguments[0]]:
        assert arguments[0] in COMMANDS
        return
    try:
        chosen = make_parser(arguments[:1]).parse_args(["0" if word == "N" else word for word in arguments])
    except (SystemExit, ValueError) as error:
        pytest.fail(f"{page}: {line}\n{error} {capsys.readouterr().err}")
    env, agents = getattr(chosen, "env", None), getattr(chosen, "agents", None)
    if isinstance(env, str) and isinstance(agents, str) and "golf" not in env:
        known = {name for one in env.split(",") for name in agents_of(find_entry(one).game)}
        named = {agent for agent in agents.split(",") if not set(agent) & set(":/=@")}
        assert named <= known | {"mine"}


def objective(arguments: list[str]) -> str:
    """Returns the objective of a command; training takes it from the recipe too."""
    chosen = make_parser(arguments[:1]).parse_args(arguments)
    recipe = read_yaml(find_recipe(chosen.config)) if getattr(chosen, "config", None) else {}
    env = str(getattr(chosen, "env", None) or recipe.get("env") or DEFAULT_ENV).partition(",")[0]
    entry, given = find_entry(env), dict(option.split("=") for option in chosen.options)
    options = {**entry.preset, **recipe.get("options", {}), **given}
    return str(options.get("objective") or entry.game.options().objective)


TRAINED = [
    (name_of(page), arguments, trained, compared)
    for page in PAGES
    for arguments in (shlex.split(line)[1:] for line in commands(page) if line.startswith("solitaire-rl train "))
    for trained in [arguments[arguments.index("--out") + 1] if "--out" in arguments else ""]
    for compared in (shlex.split(line)[1:] for line in commands(page) if line.startswith("solitaire-rl compare "))
    if trained
    and re.search(rf"(?<![\w/]){re.escape(trained)}(?![\w/-])", " ".join(compared))
    and "golf" not in " ".join(compared)
]


@pytest.mark.parametrize(("page", "trained", "folder", "compared"), TRAINED)
def test_an_agent_is_compared_under_the_objective_that_it_learned(
    page: str, trained: list[str], folder: str, compared: list[str]
) -> None:
    assert objective(trained) == objective(compared), f"{page}: {folder}"


def test_agents_that_are_trained_and_compared_are_found() -> None:
    assert {"README.md", "docs/getting-started.md", "docs/benchmark.md"} <= {page for page, *_ in TRAINED}


@pytest.mark.parametrize(("page", "line"), programs("make"))
def test_make_targets_exist(page: str, line: str) -> None:
    target = line.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


SOURCES = [*PAGES, *sorted((ROOT / "examples").rglob("*.py"))]
EXTRAS = [
    (name_of(path), extra)
    for path in SOURCES
    for named in re.findall(r"(?:\.|solitaire-rl)\[([\w,]+)\]", path.read_text(encoding="utf-8"))
    for extra in named.split(",")
]


@pytest.mark.parametrize(("page", "extra"), EXTRAS)
def test_extras_exist(page: str, extra: str) -> None:
    assert re.search(rf"^{extra} = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)


def test_scripts_exist() -> None:
    lines = "\n".join(line for _, line in COMMAND_LINES)
    scripts = set(re.findall(r"\b(?:examples|benchmarks|experiments|docs)/[\w/]+\.py\b", lines))
    assert len(scripts) >= 8
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page: Path) -> None:
    """Those in the text; `make docs` checks what is made of it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", text):
        assert (page.parent / target).exists(), target
