"""The one table of agents: game -> name -> how to build one."""

from collections.abc import Callable
from pathlib import Path

from solitaire_agents.base import Agent
from solitaire_agents.heuristics import pyramid, tour_infernale
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.game import Game, Options

AGENTS: dict[str, dict[str, Callable[[], Agent]]] = {
    "pyramid": {"uniform": UniformAgent, **pyramid.AGENTS},
    "tour_infernale": {"uniform": UniformAgent, **tour_infernale.AGENTS},
}


def find_agent(name: str, game: Game, options: Options) -> Agent:
    """Returns the agent of a name, or the trained policy in a folder of that name.

    Raises:
        ValueError: There is no such agent for the game and no such folder, or the folder holds no policy for the game.
    """
    builders = AGENTS.get(game.name, {})
    if name in builders:
        return builders[name]()
    if not Path(name).is_dir():
        known = ", ".join(builders)
        raise ValueError(f"expected an agent of {game.name} among {known}, or the folder of a policy; got {name!r}")
    from solitaire_agents.policy import load_policy  # noqa: PLC0415  # only a policy needs torch

    return load_policy(Path(name), game, game.num_actions(options))
