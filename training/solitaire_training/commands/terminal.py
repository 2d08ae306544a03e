"""The commands ``play``, ``watch`` and ``replay``."""

import argparse
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from solitaire_training.commands.arguments import (
    DEFAULT_ENV,
    add_data_argument,
    add_game_arguments,
    add_import_argument,
    chosen_env_spec,
    import_chosen,
    number,
    whole,
)

if TYPE_CHECKING:
    from solitaire_agents.base import Agent
    from solitaire_envs.game import Game, Options
    from solitaire_training.commands.session import GameSession


def _add_play(parser: argparse.ArgumentParser) -> None:
    _add_deal(parser)
    parser.add_argument("--agent", help="who gives the hints (default: the strongest that is installed)")


def _add_watch(parser: argparse.ArgumentParser) -> None:
    _add_deal(parser)
    parser.add_argument("--agent", required=True, help="name, folder of a trained agent or module:agent")
    parser.add_argument("--seconds", type=number(0, 60), default=0.5, help="pause after each move (default 0.5)")
    parser.add_argument("--save", type=Path, help="write the transcript here")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a transcript; human:NAME lists a person's games, human:NAME/7 is that on deal 7")
    parser.add_argument("--env", default=DEFAULT_ENV, help="environment of a person's game")
    add_data_argument(parser)
    add_import_argument(parser)
    parser.add_argument("--every-move", action="store_true", help="show the table after each move")


def _add_deal(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser)
    parser.add_argument("--deal", type=whole(0, 2**64 - 1), help="deal number (default: a random one)")


def _play(chosen: argparse.Namespace) -> None:
    from contextlib import suppress
    from functools import cache

    from solitaire_training.commands.screen import play_in_terminal

    with suppress(ImportError):
        import readline  # noqa: F401  # so that the arrow keys edit lines and bring back earlier ones

    env_spec = chosen_env_spec(chosen.env, chosen.options)
    game, options = env_spec.game, env_spec.options
    named = _find_agent(chosen.agent, game, options) if chosen.agent else None
    play_in_terminal(_new_session(chosen, game, options), cache(lambda: named or _adviser(game, options)))


def _adviser(game: "Game", options: "Options") -> "Agent":
    """Returns the strongest agent for hints: one that is fair, plays under these options, and is installed."""
    from solitaire_agents.catalogue import advisers_of

    for name in advisers_of(game, options):
        try:
            agent = _find_agent(name, game, options)
        except (ValueError, ModuleNotFoundError):
            continue
        if agent.fair:
            return agent
    return _find_agent("uniform", game, options)


def _watch(chosen: argparse.Namespace) -> None:
    from solitaire_agents.files import check_writable
    from solitaire_training.commands.screen import watch_in_terminal

    env_spec = chosen_env_spec(chosen.env, chosen.options)
    game, options = env_spec.game, env_spec.options
    if chosen.save:
        check_writable(chosen.save)
    agent = _find_agent(chosen.agent, game, options)
    session = _new_session(chosen, game, options)
    watch_in_terminal(session, agent, chosen.seconds)
    if chosen.save:
        session.save(chosen.save)
        print(f"written to {chosen.save}")


def _replay(chosen: argparse.Namespace) -> None:
    from solitaire_evaluation.people import is_human
    from solitaire_training.commands.screen import read_transcript, replay_in_terminal

    import_chosen(chosen)
    if is_human(chosen.file) and "/" not in chosen.file:
        _list_games(chosen)
        return
    text = _human_transcript(chosen) if is_human(chosen.file) else read_transcript(Path(chosen.file))
    replay_in_terminal(text, every_move=chosen.every_move)


def _list_games(chosen: argparse.Namespace) -> None:
    from solitaire_evaluation.agent_specs import HUMAN
    from solitaire_evaluation.people import Games

    games = Games(chosen.data).finished(chosen.file.removeprefix(HUMAN))
    if not games:
        raise ValueError(f"expected finished games of {chosen.file}, got none: `solitaire-rl serve`")
    for game in games:
        told = f"score {game.outcome['score']}   {len(game.transcript.moves)} moves   {game.finished}"
        print(f"{game.env}   deal {game.deal}   {told}")


def _human_transcript(chosen: argparse.Namespace) -> str:
    from solitaire_evaluation.agent_specs import HUMAN
    from solitaire_evaluation.people import Games

    player, _, deal = chosen.file.removeprefix(HUMAN).partition("/")
    for game in Games(chosen.data).finished(player, chosen.env):
        if str(game.deal) == deal:
            return game.transcript.to_text()
    raise ValueError(
        f"expected a finished game of {player} in {chosen.env} on deal {deal}, got none: see human:{player}"
    )


def _find_agent(name: str, game: "Game", options: "Options") -> "Agent":
    from solitaire_agents.catalogue import find_agent
    from solitaire_evaluation.pool import use_one_torch_thread

    agent = find_agent(name, game, options)
    use_one_torch_thread()
    return agent


def _new_session(chosen: argparse.Namespace, game: "Game", options: "Options") -> "GameSession":
    from solitaire_envs.cards import check_deal
    from solitaire_training.commands.session import GameSession

    deal = secrets.randbits(63) if chosen.deal is None else check_deal(chosen.deal)
    return GameSession(game, options, deal)


ARGUMENTS = {"play": (_add_play, _play), "watch": (_add_watch, _watch), "replay": (_add_replay, _replay)}
