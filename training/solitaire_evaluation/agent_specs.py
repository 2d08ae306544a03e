"""Finds the agents named on the command line, and records exactly which agents they are.

    careful                     an agent of the catalogue, in each game that has it
    best                        the trained agent that comes with the package, chosen by the game and its options
    pyramid-win                 a trained agent that comes with the package
    runs/pyramid                the trained agent in a folder, in the game that it was trained for
    runs/pyramid@sample         the same agent, which draws its moves by their probabilities
    runs/pyramid@no-bounds      the same agent, which may also play moves that are proved to be mistakes
    runs/pyramid@search         a planner that its network guides, through sampled orders of the hidden cards
    runs/pyramid@search200      with at most 200 simulations for each decision, not 1,000 (La tour infernale: 50)
    human:ada                   a person, with the games that they finished in the browser
    ppo=runs/seed-*             agents trained by one recipe with several training seeds; also runs/a+runs/b

If there are several environments, each agent takes part in those whose game it plays.
"""

import glob
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import agents_of, find_agent, folder_of, guided_by, kit_of
from solitaire_agents.trained import CARD, WEIGHTS, read_card
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.catalogue import GAMES, NAMED, check_named
from solitaire_envs.checks import check_shape, short
from solitaire_envs.game import Game, Options
from solitaire_evaluation.provenance import hash_files
from solitaire_evaluation.source_hash import in_order, source_files

HUMAN = "human:"
"""Prefix of a person's name. That person's finished games take part; see `people`."""
MODES: Mapping[str, Mapping[str, Any]] = {"@sample": {"mode": "sample"}, "@no-bounds": {"bounds": False}}
"""Suffix of a trained agent's name -> the arguments of `TrainedAgent` that it stands for."""
SEARCH = "@search"
"""Suffix of a trained agent's name that stands for a `TreePlanner` with its network; a number after it says how many
simulations it has. No colon is between them, since that would name a module."""
SUFFIX = re.compile(rf"({'|'.join(MODES)}|{SEARCH}[0-9]*)$")
MOST_SIMULATIONS = 100_000
"""Most that a name may ask for: their tree takes about a gigabyte."""
UNFAIR = "*"
"""Mark after the name of an agent that is not fair."""


@dataclass(frozen=True, kw_only=True)
class AgentSpec:
    """One agent in one environment."""

    name: str
    """Name in the results, unique within an environment."""
    group: str
    """Name of the recipe that the agent is a training seed of; for other agents, their own name."""
    source: str
    """Name in the catalogue, ``module:agent`` or folder of a trained agent, perhaps followed by `MODES` or `SEARCH`."""
    fair: bool
    stochastic: bool
    """Whether it draws random numbers."""
    quick: bool
    """Whether it plays hundreds of games per second, not a few."""
    training_seed: int | None
    """None for agents that were not trained."""
    sha256: str
    """Hash of the agent's sources and its name; for a trained agent, of its two files and modes instead of its name."""

    @property
    def title(self) -> str:
        """The name, marked if the agent is not fair."""
        return self.name if self.fair else self.name + UNFAIR


def find_agent_specs(
    texts: Sequence[str],
    game: Game,
    options: Options,
    *,
    skip: bool = False,
    people: Mapping[str, AgentSpec] | None = None,
) -> list[AgentSpec]:
    """Returns the agents that play a game.

    Args:
        texts: Agents as on the command line.
        game: The game.
        options: Its options.
        skip: Leave out agents of other games and people without games, instead of raising an error.
        people: Text -> person, for those texts that name a person with games.

    Raises:
        ValueError: There is no such agent, its files are damaged, or two agents have one name.
    """
    known = people or {}
    found = [one for text in texts for one in ([known[text]] if text in known else _find(text, game, options, skip))]
    names = [agent.name for agent in found]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"expected each agent once, got {short(repeated)} {names.count(repeated)} times")
    return found


def find_agent_spec(text: str, game: Game, options: Options) -> AgentSpec:
    """Returns the one agent that a text names.

    Raises:
        ValueError: It names several; or as `find_agent_specs`.
    """
    found, *others = find_agent_specs([text], game, options)
    if others:
        raise ValueError(f"expected one agent, got {1 + len(others)}: {text}")
    return found


def plays(text: str, game: Game) -> bool:
    """Returns whether a text, which names no person, has an agent that belongs to no other game."""
    return not all(_plays_another_game(source, game) for source in _sources_of(text)[1])


def make_agent(spec: AgentSpec, game: Game, options: Options) -> Agent:
    """Builds an agent.

    Raises:
        ValueError: It no longer exists, or has changed since, so it might play differently; or the file that the
            description comes from calls it another kind of agent than it is.
    """
    agent = _make_agent(spec.source, game, options)
    check_unchanged(spec, _hash_agent(spec.source, agent))
    for name, own in _kind(agent).items():
        if (got := getattr(spec, name)) != own:
            raise ValueError(f"expected {name} {own} of {spec.name}, as the agent itself says; got {got}")
    return agent


def trained_folder(spec: AgentSpec, game: Game) -> Path | None:
    """Returns the folder that an agent is read from; None if it comes from the catalogue or a module."""
    source, _ = _split(spec.source)
    folder = folder_of(source, game)
    return folder if source not in agents_of(game) and folder.is_dir() else None


def modes_of(source: str) -> str:
    """Returns the modes at the end of an agent's source."""
    return "".join(_split(source)[1])


def check_unchanged(spec: AgentSpec, sha256: str) -> None:
    """Checks that an agent still has the same hash.

    Raises:
        ValueError: It has changed.
    """
    if sha256 != spec.sha256:
        raise ValueError(
            f"expected {spec.name} with sha256 {spec.sha256[:12]}…, as compared so far, "
            f"got {sha256[:12]}…: it has changed"
        )


def check_source(where: object, source: str) -> None:
    """Checks that an agent in a file of results comes from no module but those that the user has named.

    Raises:
        ValueError: It comes from another module.
    """
    if not source.startswith(HUMAN) and not Path(_split(source)[0]).is_dir():
        check_named(where, source)


def is_here(spec: AgentSpec, game: Game) -> bool:
    """Returns whether an agent in a file of results can be built: from the catalogue, a folder or a named module."""
    source, _ = _split(spec.source)
    module, colon, _ = source.rpartition(":")
    return source in _names(game) or Path(source).is_dir() or (bool(colon) and module in NAMED)


def check_name(name: str) -> None:
    """Checks that a name has no special meaning in a terminal, a table or a plot.

    Raises:
        ValueError: It has a control character, square brackets or a dollar sign.
    """
    if not name.isprintable() or set(name) & set("[]$"):
        raise ValueError(f"expected an agent's name without [, ], $ and control characters, got {short(name)}")


def check_names(specs: Iterable[AgentSpec]) -> None:
    """Checks that no agent has the name of a recipe, since the tables could not distinguish them.

    Raises:
        ValueError: One has such a name.
    """
    everyone = list(specs)
    recipes = {spec.group for spec in everyone if spec.name != spec.group}
    for spec in everyone:
        if spec.name in recipes:
            raise ValueError(f"expected other names for recipes than for agents, got {short(spec.name)} for both")


# --- From text to agents ----------------------------------------------------------------------------------------------


def _find(text: str, game: Game, options: Options, skip: bool) -> Iterator[AgentSpec]:
    if text.startswith(HUMAN):
        if skip:
            return
        raise ValueError(f"expected games of {text} in {game.name} under these options, got none: `solitaire-rl serve`")
    recipe, sources = _sources_of(text)
    for source in sources:
        if not (skip and _plays_another_game(source, game)):
            group = recipe or (text if len(sources) > 1 else source)
            yield _describe(source, group, _make_agent(source, game, options))


def _sources_of(text: str) -> tuple[str, list[str]]:
    """Returns the recipe that a text names, empty if none, and its agents."""
    recipe, _, rest = text.rpartition("=")
    return recipe, [source for part in rest.split("+") for source in _expand(part)]


def _expand(text: str) -> list[str]:
    if not glob.has_magic(text):
        return [text]
    pattern, suffixes = _split(text)
    folders = sorted(glob.glob(pattern))
    if not folders:
        raise ValueError(f"expected folders that match {text!r}, got none")
    return [folder + "".join(suffixes) for folder in folders]


def _split(text: str) -> tuple[str, list[str]]:
    """Returns a name without its modes, and the modes."""
    suffixes: list[str] = []
    while suffix := SUFFIX.search(text):
        text = text[: suffix.start()]
        suffixes.insert(0, suffix[0])
    return text, suffixes


def _plays_another_game(text: str, game: Game) -> bool:
    source, _ = _split(text)
    if source in _names(game):
        return False
    if any(source in _names(other) for other in GAMES.values()):
        return True
    return Path(source).is_dir() and read_card(Path(source))["game"] != game.root.name


def _names(game: Game) -> set[str]:
    return {*agents_of(game), *kit_of(game).trained}


def _make_agent(text: str, game: Game, options: Options) -> Agent:
    if text.startswith(HUMAN):
        raise ValueError(f"expected an agent, got {text}, whose games are not played again")
    source, suffixes = _split(text)
    agent = find_agent(source, game, options)
    if not suffixes:
        return agent
    if not isinstance(agent, TrainedAgent):
        raise ValueError(f"expected a trained agent before {suffixes[0]}, got {short(source)}")
    if any(suffix.startswith(SEARCH) for suffix in suffixes):
        if len(suffixes) > 1:
            raise ValueError(f"expected {SEARCH} without other modes, got {short(text)}")
        return _make_planner(agent, suffixes[0].removeprefix(SEARCH))
    how = {name: value for suffix in suffixes for name, value in MODES[suffix].items()}
    settings = {"calibration": agent.calibration, "folder": agent.folder, **how}
    return TrainedAgent(agent.choices, agent.network, text, **settings)


def _make_planner(agent: TrainedAgent, amount: str) -> TreePlanner:
    """Builds the planner that an agent guides, with an amount of simulations, such as ``200``, or the kit's."""
    simulations = int(amount) if amount else None
    if simulations is not None and not 1 <= simulations <= MOST_SIMULATIONS:
        raise ValueError(f"expected 1 to {MOST_SIMULATIONS:,} simulations after {SEARCH}, got {short(amount)}")
    return guided_by(agent, simulations)


def _describe(source: str, group: str, agent: Agent) -> AgentSpec:
    check_name(group)
    kind = _kind(agent)
    return AgentSpec(
        name=source if group == source else f"{group}#{kind['training_seed']}" if agent.folder else group,
        group=group,
        source=source,
        sha256=_hash_agent(source, agent),
        **kind,
    )


def _kind(agent: Agent) -> dict[str, Any]:
    """Returns what an agent says of itself."""
    own = {name: getattr(agent, name) for name in ("fair", "stochastic", "quick")}
    return {**own, "training_seed": _training_seed(agent.folder) if agent.folder else None}


def _training_seed(folder: Path) -> int:
    seed = (read_card(folder).get("hyperparameters") or {}).get("seed", 0)
    check_shape(folder, int, seed, "the training seed")
    return int(seed)


def _hash_agent(source: str, agent: Agent) -> str:
    sources = in_order(frozenset[Path]().union(*map(source_files, agent.modules)))
    if agent.folder is None:
        return hash_files(sources, source)  # one module may hold several agents
    how = f"{type(agent).__name__} {modes_of(source)}"  # one network serves several agents
    return hash_files([agent.folder / CARD, agent.folder / WEIGHTS, *sources], how)
