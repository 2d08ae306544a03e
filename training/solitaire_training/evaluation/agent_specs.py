"""Who takes part in a comparison: agents as they are named on the command line, and what exactly each of them is.

    careful                     an agent of the catalogue, in each game that has it
    best                        the policy that comes with the package for the game and what it is played for
    runs/pyramid                the policy in a folder, in the game it was trained for
    runs/pyramid@sample         the same, drawing its moves by their probabilities instead of taking the likeliest
    ppo=runs/seed-*             runs of one recipe under several training seeds; also runs/a+runs/b

A name that another game knows is left out where several environments are played.
"""

import ast
import glob
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import agents_of, find_agent
from solitaire_agents.policy import CARD, WEIGHTS, PolicyAgent, read_card
from solitaire_envs.catalogue import GAMES
from solitaire_envs.game import Game, Options
from solitaire_training.provenance import hash_files

SAMPLE = "@sample"
UNFAIR = "*"
"""Stands behind the name of an agent that is shown more than a fair player knows."""


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One agent in one environment."""

    name: str
    """As told in results: unlike those of all others in the environment."""
    group: str
    """Recipe whose training seeds it is one of; else the name."""
    source: str
    """Name in the catalogue, or folder of a policy, perhaps with `SAMPLE` behind it."""
    fair: bool
    quick: bool
    """Whether it plays hundreds of games a second, not a few."""
    training_seed: int | None
    """None for agents that were not trained."""
    sha256: str
    """Of the policy's two files; of the sources that another agent is made of, and its name in the catalogue."""

    @property
    def title(self) -> str:
        """The name, marked if the agent is not fair."""
        return self.name if self.fair else self.name + UNFAIR


def find_contestants(specs: Sequence[str], game: Game, options: Options, *, skip: bool = False) -> list[Contestant]:
    """Returns those who play a game.

    Args:
        specs: As on the command line.
        game: The game.
        options: Its options.
        skip: Leave out those who play another game; else they are an error.

    Raises:
        ValueError: There is no such agent, its files are damaged, or two contestants have one name.
    """
    found = [contestant for spec in specs for contestant in _find(spec, game, options, skip)]
    names = [contestant.name for contestant in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"expected each agent once, got {twice!r} {names.count(twice)} times")
    return found


def make_agent(contestant: Contestant, game: Game, options: Options) -> Agent:
    """Builds the agent that a contestant is.

    Raises:
        ValueError: It is gone, or has changed since, and would play other games.
    """
    agent = _make_agent(contestant.source, game, options)
    check_unchanged(contestant, _hash_agent(contestant.source, agent))
    return agent


def check_unchanged(contestant: Contestant, sha256: str) -> None:
    """Compares a contestant with what goes by its name now.

    Raises:
        ValueError: They differ.
    """
    if sha256 != contestant.sha256:
        raise ValueError(
            f"expected {contestant.name} with sha256 {contestant.sha256[:12]}…, as compared so far, "
            f"got {sha256[:12]}…: it has changed"
        )


def check_names(contestants: Iterable[Contestant]) -> None:
    """Sees to it that no agent goes by the name of a recipe, whose rows would be taken for each other.

    Raises:
        ValueError: One does.
    """
    everyone = list(contestants)
    recipes = {one.group for one in everyone if one.name != one.group}
    for one in everyone:
        if one.name in recipes:
            raise ValueError(f"expected other names for recipes than for agents, got {one.name!r} for both")


def _make_agent(source: str, game: Game, options: Options) -> Agent:
    agent = find_agent(source.removesuffix(SAMPLE), game, options)
    if not source.endswith(SAMPLE):
        return agent
    if not isinstance(agent, PolicyAgent):
        raise ValueError(f"expected the folder of a policy before {SAMPLE}, got {source!r}")
    return PolicyAgent(agent.network, source, "sample", agent.folder)


def _find(spec: str, game: Game, options: Options, skip: bool) -> Iterator[Contestant]:
    label, _, rest = spec.rpartition("=")
    sources = [source for text in rest.split("+") for source in _expand(text)]
    for source in sources:
        if not (skip and _plays_another_game(source, game)):
            group = label or (spec if len(sources) > 1 else source)
            yield _describe(source, group, _make_agent(source, game, options))


def _describe(source: str, group: str, agent: Agent) -> Contestant:
    folder = agent.folder if isinstance(agent, PolicyAgent) else None
    seed = (read_card(folder).get("hyperparameters") or {}).get("seed", 0) if folder else None
    return Contestant(
        name=source if group == source else f"{group}#{seed}" if folder else group,
        group=group,
        source=source,
        fair=agent.fair,
        quick=agent.quick,
        training_seed=seed,
        sha256=_hash_agent(source, agent),
    )


def _hash_agent(source: str, agent: Agent) -> str:
    sources = sorted(frozenset().union(*map(_sources, agent.modules)))
    if not isinstance(agent, PolicyAgent) or agent.folder is None:
        return hash_files(sources, source)  # one module may hold several agents
    return hash_files([agent.folder / CARD, agent.folder / WEIGHTS, *sources], SAMPLE * (agent.mode == "sample"))


def _expand(text: str) -> list[str]:
    if not glob.has_magic(text):
        return [text]
    mode = SAMPLE if text.endswith(SAMPLE) else ""
    found = sorted(glob.glob(text.removesuffix(SAMPLE)))
    if not found:
        raise ValueError(f"expected folders that match {text!r}, got none")
    return [folder + mode for folder in found]


def _plays_another_game(source: str, game: Game) -> bool:
    folder = Path(source.removesuffix(SAMPLE))
    if source in agents_of(game):
        return False
    if any(source in agents_of(other) for other in GAMES.values()):
        return True
    return folder.is_dir() and read_card(folder)["game"] != game.root.name


@cache
def _sources(module: str) -> frozenset[Path]:
    """Returns the file of a module, and those of all modules of these packages that it imports, and they import."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        spec = importlib.util.find_spec(name) if name not in found and name.startswith("solitaire_") else None
        if spec is None or spec.origin is None:
            continue
        found[name] = Path(spec.origin)
        waiting += _imports(found[name])
    return frozenset(found.values()) or frozenset({Path(sys.modules[module].__file__ or "")})


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (name for alias in node.names if _is_module(name := f"{node.module}.{alias.name}"))


def _is_module(name: str) -> bool:
    """Whether there is such a module: `from solitaire_envs import pyramid` brings one, `... import GAMES` does not."""
    package = name.rpartition(".")[0]
    if not name.startswith("solitaire_") or not hasattr(sys.modules.get(package), "__path__"):
        return False
    return importlib.util.find_spec(name) is not None
