"""The command ``record``: games of an agent as a Minari dataset."""

import argparse
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from solitaire_training.commands.arguments import (
    add_data_argument,
    add_game_arguments,
    add_jobs_argument,
    chosen_env_spec,
    whole,
)

if TYPE_CHECKING:
    from minari.data_collector import EpisodeBuffer

    from solitaire_evaluation.agent_specs import AgentSpec
    from solitaire_evaluation.env_spec import EnvSpec

MAX_RECORDED = 1_000_000
MAX_STEPS = 2**15 - 1
"""Steps of a game, at most: Minari cuts longer games, and treats the rest as the next game."""
ROOT = "MINARI_DATASETS_PATH"
"""The variable by which Minari finds its datasets."""


def _add_record(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser)
    parser.add_argument("--agent", required=True, help="name, folder of a trained agent, module:agent or human:NAME")
    parser.add_argument(
        "--deals", type=whole(1, MAX_RECORDED), help="number of games, on training deals; not for a person"
    )
    add_data_argument(parser)
    parser.add_argument("--first", type=whole(0, 2**62), default=0, help="place of the first training deal (default 0)")
    parser.add_argument("--seed", type=whole(0, 2**32 - 1), default=0, help="seed of agents that draw random numbers")
    add_jobs_argument(parser)
    parser.add_argument("--dataset", required=True, help="its id, such as mine/game/agent-v0")


def _record(chosen: argparse.Namespace) -> None:
    import warnings

    import minari

    from solitaire_evaluation.people import is_human

    env_spec = chosen_env_spec(chosen.env, chosen.options)
    _check_id(chosen.dataset)
    agent, games = (_human_games if is_human(chosen.agent) else _agent_games)(env_spec, chosen)
    games.sort(key=lambda game: game.options["deal"])
    longest = max(len(game.actions) for game in games)
    if longest > MAX_STEPS:
        raise ValueError(f"expected games of at most {MAX_STEPS:,} moves, got one of {longest:,}: --option max_moves")
    with _whole(chosen.dataset), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Minari warns if there is no author's address
        minari.create_dataset_from_buffers(
            chosen.dataset,
            games,
            env=_make_env(env_spec),
            algorithm_name=agent.title,
            description=_description(env_spec, agent),
            data_format="arrow",
            requirements=["solitaire-rl"],
        )
    won, steps = (sum(of_game) for of_game in zip(*map(_won_and_steps, games), strict=True))
    print(f"{len(games):,} games, {won:,} won, {steps:,} steps: minari.load_dataset({chosen.dataset!r})")


@contextmanager
def _whole(dataset: str) -> Iterator[None]:
    """Lets Minari write a dataset into a hidden folder, which gets its place when it is complete.

    Raises:
        ValueError: Another process is recording this dataset, or has recorded it meanwhile.
    """
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.namespace import create_namespace, list_local_namespaces
    from minari.storage import get_dataset_path

    from solitaire_agents.files import locked

    root, place, name = get_dataset_path(), get_dataset_path(dataset), dataset.replace("/", "+")
    hidden, before = root / f".{name}.recording", os.environ.get(ROOT)
    with locked(root / f".{name}"):
        shutil.rmtree(hidden, ignore_errors=True)  # what a recording has left that was killed
        hidden.mkdir()
        try:
            os.environ[ROOT] = str(hidden)
            yield
        finally:
            del os.environ[ROOT]
            os.environ.update({} if before is None else {ROOT: before})
        _check_new(dataset)
        namespace, *_ = parse_dataset_id(dataset)
        if namespace is not None and namespace not in list_local_namespaces():
            create_namespace(namespace)
        (hidden / dataset).rename(place)
        shutil.rmtree(hidden)


def _agent_games(env_spec: "EnvSpec", chosen: argparse.Namespace) -> "tuple[AgentSpec, list[EpisodeBuffer]]":
    import numpy as np
    from tqdm import tqdm

    from solitaire_envs.cards import FIRST_RANDOM_DEAL
    from solitaire_evaluation.agent_specs import find_agent_spec
    from solitaire_evaluation.record import record_games

    if chosen.deals is None:
        raise ValueError("expected --deals, the number of games")
    agent = find_agent_spec(chosen.agent, env_spec.game, env_spec.options)
    deals = np.uint64(FIRST_RANDOM_DEAL + chosen.first) + np.arange(chosen.deals, dtype=np.uint64)
    with tqdm(total=len(deals), unit=" games", leave=False, disable=None, delay=1) as bar:
        games = []
        for game in record_games(env_spec, agent, deals, seed=chosen.seed, jobs=chosen.jobs):
            games.append(game)
            bar.update()
    return agent, games


def _human_games(env_spec: "EnvSpec", chosen: argparse.Namespace) -> "tuple[AgentSpec, list[EpisodeBuffer]]":
    """Returns a person and all their finished games, except those given up before the first move."""
    from solitaire_envs.deals import list_deals
    from solitaire_evaluation.people import COUNTED_DEALS, deals_of_people, games_of, human_specs
    from solitaire_evaluation.record import record_human_game

    deals = deals_of_people([chosen.agent], [env_spec], list_deals(COUNTED_DEALS), chosen.data)
    person = human_specs([chosen.agent], env_spec, deals, chosen.data)[chosen.agent]
    games = [game for game in games_of(chosen.agent, env_spec, deals, chosen.data).values() if game.transcript.moves]
    if not games:
        raise ValueError(f"expected finished games of {chosen.agent} with moves, got none")
    return person, [record_human_game(env_spec, game) for game in games]


def _won_and_steps(game: "EpisodeBuffer") -> tuple[int, int]:
    return int(game.infos["won"][-1, 0]), len(game.actions)


def _check_id(dataset: str) -> None:
    """Checks an id before games are played.

    Raises:
        ValueError: It is not a dataset id, or this dataset exists already.
    """
    from minari.dataset.minari_dataset import parse_dataset_id

    try:
        parse_dataset_id(dataset)
    except (TypeError, ValueError):  # TypeError: the id has no version
        raise ValueError(f"expected a dataset id such as mine/game/agent-v0, got {dataset!r}") from None
    _check_new(dataset)


def _check_new(dataset: str) -> None:
    from minari.storage import get_dataset_path

    if get_dataset_path(dataset).exists():
        raise ValueError(f"expected a new dataset, got {dataset!r}, which is there: minari delete {dataset}")


def _make_env(env_spec: "EnvSpec") -> Any:
    from dataclasses import asdict

    import gymnasium

    from solitaire_evaluation.env_spec import options_not_preset

    return gymnasium.make(env_spec.env, **options_not_preset(env_spec.env, asdict(env_spec.options)))


def _description(env_spec: "EnvSpec", agent: "AgentSpec") -> str:
    from solitaire_evaluation.people import is_human

    deals = "test" if is_human(agent.name) else "training"
    return (
        f"Games of {agent.title} (SHA-256 {agent.sha256[:12]}) in {env_spec.env}, on {deals} deals. "
        "Infos: action_mask, deal, and the outcome as it would be if the game ended there. "
        'env.reset(options={"deal": int(episode.infos["deal"][0, 0])}) deals an episode again.'
    )


ARGUMENTS = {"record": (_add_record, _record)}
