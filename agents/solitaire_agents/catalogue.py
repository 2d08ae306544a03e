"""The table of agents: game -> kit. Other packages add theirs with `register_kit`."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from solitaire_agents.base import Agent
from solitaire_agents.choices import Choices
from solitaire_agents.kit import Kit, Labels, MakeAgent, Solver, Status
from solitaire_agents.klondike.kit import KIT as KLONDIKE
from solitaire_agents.oracle import Oracle
from solitaire_agents.piles.kit import make_kit
from solitaire_agents.pyramid.kit import KIT as PYRAMID
from solitaire_agents.tour_infernale.kit import KIT as TOUR_INFERNALE
from solitaire_agents.trained import CARD, SHIPPED, read_card, read_network, shipped_for
from solitaire_agents.trained_agent import Calibration, TrainedAgent
from solitaire_agents.tree_planner import TreePlanner
from solitaire_agents.uniform import UniformAgent
from solitaire_agents.uses import LEARNED, MEMORY_NEEDED, NO_INFLUENCE, Use, Uses, check_uses
from solitaire_envs.catalogue import import_named
from solitaire_envs.checks import check_shape, did_you_mean, short, some_of
from solitaire_envs.deals import read_label_file
from solitaire_envs.game import Game, Options
from solitaire_envs.piles.games import DECLARED
from solitaire_envs.register import Register

KITS: Final = Register[Kit]()
"""Name of a game -> its kit."""
LANGUAGES_OF_AGENTS = Path(__file__).parent / "languages"
"""The folder of catalogues for the agents that every game has."""


def register_kit(kit: Kit) -> None:
    """Adds the kit of a game. Call it where your package is imported, after `register_game`.

    Raises:
        ValueError: The game is a series, or has a kit already.
    """
    if kit.game.base is not None:
        raise ValueError(f"expected the kit of {kit.game.root.name}, got one of the series {kit.game.name}")
    if KITS.get(kit.game.name, kit) is not kit:
        raise ValueError(f"expected one kit for {kit.game.name}, got a second")
    KITS[kit.game.name] = kit


def kit_of(game: Game) -> Kit:
    """Returns the kit of a game, or of the game that a series is made of; an empty one if there is none."""
    return KITS.get(game.root.name) or Kit(game=game.root)


def agents_of(game: Game) -> Mapping[str, MakeAgent]:
    """Returns the agents of a game by name."""
    kit = kit_of(game)
    agents = {"uniform": _uniform, **kit.agents}
    if kit.trained:
        agents.setdefault("planner", partial(_planner, kit))
    if kit.solver is not None:
        stand_in = next(iter(kit.agents.values()), _uniform)
        agents.setdefault("oracle", partial(_oracle, kit.solver, stand_in, kit.game))
    if kit.trained:
        agents["best"] = partial(_best, kit)
    return agents


def uses_of(game: Game, name: str) -> Uses | None:
    """Returns how an agent of a game treats its options; None if nothing is declared.

    Args:
        game: The game, or a series of it.
        name: One of `agents_of`, or 'trained', 'solver' or 'labels'.
    """
    kit = kit_of(game)
    searching = name == "planner" and name not in kit.agents and bool(kit.trained)
    if (name in ("best", "trained") or searching) and kit.choices is not None:
        learned = dict.fromkeys(kit.choices(kit.game.options()).rules, LEARNED)
        return {**OF_LEARNERS, **learned, **kit.uses.get("best" if searching else name, {})}
    return kit.uses.get(name)


OF_LEARNERS: Uses = {
    "information": MEMORY_NEEDED,
    "max_moves": Use("no influence; not below the limit of its training", False, least=lambda options: math.inf),
    "objective": NO_INFLUENCE,
}
"""How trained agents treat the options that all games have, if the kit does not say otherwise."""


def _uniform(options: Any) -> Agent:
    """Plays every legal action with the same probability."""
    return UniformAgent()


def _oracle(solver: Callable[[], Solver], otherwise: MakeAgent, game: Game, options: Any) -> Agent:
    """Plays by the exact solver, all cards known."""
    return Oracle(game, options, solver(), otherwise(options))


def _best(kit: Kit, options: Any, name: str = "best") -> TrainedAgent:
    """Plays by the trained agent that comes with the package for these rules; without search."""
    choices = _choices(kit, options, name)
    cards = shipped_for(kit.game, kit.trained, choices, name)
    folder = max(cards, key=lambda one: _has_aim(cards[one], options))  # of equals the first
    return _load(folder, cards[folder], kit.game, choices, options, name)


def _planner(kit: Kit, options: Any) -> Agent:
    """Searches over sampled orders of the hidden cards, guided by `best`; plays exactly once all is known."""
    aim = {"objective": "win"} if hasattr(options, "objective") else {}  # whatever the objective
    return guided_by(_best(kit, replace(options, **aim), "planner"))


def guided_by(agent: TrainedAgent, simulations: int | None = None) -> TreePlanner:
    """Returns the planner that a trained agent guides.

    Args:
        agent: The agent.
        simulations: Most simulations for each decision; None: as many as the planner of the game's kit.

    Raises:
        ValueError: It was trained for another objective, so its values are no guide.
    """
    choices, folder, calibration = agent.choices, agent.folder, agent.calibration
    if calibration is None:
        raise ValueError(f"expected an agent that was trained for this objective to guide a search, got {agent.name!r}")
    kit = kit_of(choices.game)
    if folder is not None and folder.parent == SHIPPED:
        calibration = kit.calibrations.get(folder.name, calibration)
    return TreePlanner(
        choices,
        agent.network,
        simulations=kit.simulations if simulations is None else simulations,
        solver=kit.finisher(choices.options),
        calibration=calibration,
        folder=folder,
    )


def folder_of(name: str, game: Game) -> Path:
    """Returns the folder of a trained agent: that of the package's agent with this name, or else `name` itself."""
    return SHIPPED / name if name in kit_of(game).trained else Path(name)


def choices_of(game: Game, options: Options) -> Choices:
    """Returns how learners see a game, or the game that a series is made of. They learn under any limit of moves.

    Raises:
        ValueError: No agent can be trained for the game, or not under the options.
    """
    return _choices(kit_of(game), replace(options, max_moves=None), "trained agents")


def _choices(kit: Kit, options: Any, who: str, trained_with: float = math.inf) -> Choices:
    """As `choices_of`, for an agent that was trained with a limit of moves; infinity: only higher limits are known."""
    if kit.choices is None:
        raise ValueError(f"expected a game that declares its choices, {_games_with('choices')}; got {kit.game.name}")
    uses = uses_of(kit.game, "trained") or {}
    check_uses({**uses, "max_moves": uses["max_moves"].from_number(trained_with)}, options, who)
    return kit.choices(options)


def advisers_of(game: Game, options: Options) -> list[str]:
    """Returns the names of the agents that may give hints, the strongest first; 'uniform' only if there is no other."""
    return list(kit_of(game).advisers(options)) or list(agents_of(game))[::-1]


@cache
def solver_of(game: Game) -> Solver:
    """Returns the solver of a game, always the same one.

    Raises:
        ValueError: The game has none, or is a series.
    """
    make = KITS[game.name].solver if game.name in KITS else None  # a series is not one deal
    if make is None:
        raise ValueError(f"expected a game with a solver, {_games_with('solver')}; got {short(game.name)}")
    return make()


@cache
def labels_of(game: Game) -> Labels:
    """Returns the labels of a game.

    Raises:
        ValueError: The game has none.
    """
    make = KITS[game.name].labels if game.name in KITS else None
    if make is None:
        raise ValueError(
            f"expected a game whose deals can be labelled, {_games_with('labels')}; got {short(game.name)}"
        )
    return make()


def labels_under(game: Game, options: Options) -> Labels:
    """Returns the labels of a game under some rules.

    Raises:
        ValueError: There are none.
    """
    labels = labels_of(game)
    found = labels.under(options)
    if found is labels:  # one table, for the rules that it names
        check_uses(uses_of(game, "labels") or {}, options, "the labels")
    return found


def label_file(game: Game, options: Options) -> Path | None:
    """Returns the path of the labelled test deals for some rules, which may be missing; None: there are none."""
    return None if kit_of(game).labels is None or game.base else labels_of(game).file(options)


@cache
def share_winnable(game: Game, options: Options) -> tuple[float, float] | None:
    """Returns the share of the labelled test deals that can be won with all cards known; None: it is not known.

    Returns:
        The least and the most that it can be, since some deals may be open.
    """
    path = label_file(game, options)
    if path is None or not path.exists():
        return None
    known = labels_of(game).winnable(read_label_file(path))
    return float((known == Status.SOLVED).mean()), float((known != Status.IMPOSSIBLE).mean())


def _games_with(part: str) -> str:
    names = [name for name, kit in KITS.items() if getattr(kit, part) is not None]
    return f"one of {some_of(names)}"


def find_agent(name: str, game: Game, options: Options) -> Agent:
    """Returns an agent by its name.

    Args:
        name: One of `agents_of`; or a trained agent that comes with the package, or the folder of one; or
            ``module:attribute``, a class or function that takes the options and returns an agent.
        game: The game to play.
        options: Its options.

    Raises:
        ValueError: There is no such agent for the game.
    """
    if not isinstance(name, str):
        raise ValueError(f"expected the name of an agent, got {short(name)}")
    if not isinstance(options, game.root.options):
        raise ValueError(f"expected options of {game.name}, {game.options.__name__}, got {short(options)}")
    agents = agents_of(game)
    if name in agents:
        uses = uses_of(game, name)
        if uses is not None:
            check_uses(uses, options, name)
        return agents[name](options)
    folder = folder_of(name, game)
    if folder.is_dir():
        return load_trained(folder, game, options, name)
    if ":" in name:
        return _build_named(name, options)
    known = [*agents, *kit_of(game).trained]
    raise ValueError(
        f"expected an agent of {game.name} among {', '.join(known)}, the folder of a trained agent or module:agent; "
        f"got {short(name)}{did_you_mean(name, [*known, *_folders_beside(name)])}"
    )


def _folders_beside(name: str) -> list[str]:
    """Returns the folders of trained agents that a text may have been meant to name."""
    with suppress(OSError, ValueError):
        return [str(card.parent) for card in Path(name).parent.glob(f"*/{CARD}")]
    return []


def load_trained(folder: Path, game: Game, options: Options, name: str, **how: Any) -> TrainedAgent:
    """Loads a trained agent.

    Args:
        folder: Its folder.
        game: The game that it has to play, or a series of it.
        options: The options that it has to play under.
        name: Its name in results.
        **how: ``mode`` and ``bounds`` of `TrainedAgent`.

    Raises:
        ValueError: As `choices_of` and `read_network`.
    """
    card = read_card(folder)
    limit = card["options"].get("max_moves") if game.base is None else None  # a series has more moves than a deal
    check_shape(folder / CARD, int | None, limit, "options.max_moves")
    choices = _choices(kit_of(game), options, name, math.inf if limit is None else limit)
    return _load(folder, card, game.root, choices, options, name, **how)


def _load(
    folder: Path, card: Mapping[str, Any], game: Game, choices: Choices, options: Options, name: str, **how: Any
) -> TrainedAgent:
    network = read_network(folder, game, choices, card)
    calibration: Calibration | None = None
    if _has_aim(card, options):  # else its values are those of another objective
        calibration = Calibration(*card["calibration"][card["rules"].index(dict(choices.rules))])
    return TrainedAgent(choices, network, name, calibration=calibration, folder=folder, **how)


def _has_aim(card: Mapping[str, Any], options: Options) -> bool:
    """Returns whether the agent of a card was trained for the objective of the options."""
    return bool(card["options"].get("objective") == getattr(options, "objective", None))


def _build_named(name: str, options: Options) -> Agent:
    module, _, attribute = name.partition(":")
    make: Callable[[Any], Any] | None = getattr(import_named(module), attribute, None)
    try:
        agent = make(options) if callable(make) else None
    except TypeError as error:  # a function that does not take the options
        raise ValueError(f"expected {name} to build an Agent from options, got {error!s:.200}") from error
    if not isinstance(agent, Agent):
        got = f"no {attribute!r} in it" if make is None else type(agent).__name__
        raise ValueError(f"expected {name} to be a class or function that returns an Agent, got {got}")
    return agent


register_kit(PYRAMID)
register_kit(TOUR_INFERNALE)
register_kit(KLONDIKE)
for _declared in DECLARED:
    KITS.later(_declared.name, partial(make_kit, _declared))
