"""The commands ``envs``, ``agents`` and ``completion``."""

import argparse
from typing import TYPE_CHECKING

from solitaire_training.commands.arguments import add_option_argument, chosen_env_spec

if TYPE_CHECKING:
    from solitaire_evaluation.env_spec import EnvSpec

SHELLS = ("bash", "zsh", "tcsh", "fish")


def _add_envs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("env", nargs="?", help="environment id: shows its options and what is reported of an episode")


def _add_agents(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "env", nargs="?", help="environment id, or module:id (default: one of each game with agents of its own)"
    )
    add_option_argument(parser)


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help='for example: eval "$(solitaire-rl completion bash)"')


# --- Environments -----------------------------------------------------------------------------------------------------


def _envs(chosen: argparse.Namespace) -> None:
    from solitaire_agents.catalogue import share_winnable
    from solitaire_envs.catalogue import CATALOGUE
    from solitaire_evaluation.report.text import Grid, print_grid

    if chosen.env:
        _show_env(chosen)
        return
    rows = []
    for env, entry in CATALOGUE.items():
        options = entry.game.options(**entry.preset)
        preset = ", ".join(f"{name}={value}" for name, value in entry.preset.items()) or "-"
        found = share_winnable(entry.game, options)
        winnable = "-" if found is None else " to ".join(dict.fromkeys(f"{100 * each:.1f}" for each in found))
        hidden = "yes" if entry.game.unseen.stop else "no"
        rows.append([env, preset, hidden, winnable, str(entry.game.num_actions(options))])
    grid = Grid(["environment", "options", "hidden", "% winnable", "actions"], rows)
    caption = (
        "hidden: cards that the player does not see; % winnable: of the test deals, with all cards known\n"
        "`solitaire-rl envs ID` shows the options; `--env module:id` takes a game of your own"
    )
    print_grid(grid, left=3, caption=caption)


def _show_env(chosen: argparse.Namespace) -> None:
    from dataclasses import fields
    from textwrap import fill

    from solitaire_evaluation.descriptions import title_of_game, values_of_option
    from solitaire_evaluation.report.text import Grid, print_grid

    env_spec = chosen_env_spec(chosen.env, [])
    game, options = env_spec.game, env_spec.options
    print(f"{chosen.env}: {title_of_game(game)}")
    if game.words.about:
        print(fill(game.words.about, 79))
    sizes = f"{game.num_actions(options)} actions, {game.observation_size} slots of observation"
    print(f"Played for: {game.aim(options)}. {sizes}.")
    rows = [
        [spec.name, str(getattr(options, spec.name)), values_of_option(game, spec.name), spec.metadata["doc"]]
        for spec in fields(options)
    ]
    columns = ["option", "value", "allowed", "what it chooses"]
    print_grid(Grid(columns, rows), "options", left=2, wrap=columns[2:])
    outcomes = [[one.name, one.doc] for one in game.outcome_fields]
    print_grid(Grid(["name", "what it means"], outcomes), "reported of an episode", wrap=("what it means",))


# --- Agents -----------------------------------------------------------------------------------------------------------


def _agents(chosen: argparse.Namespace) -> None:
    envs = [chosen.env] if chosen.env else _one_env_of_each_game()
    for env_spec in [chosen_env_spec(env, chosen.options) for env in envs]:
        _print_agents(env_spec)


def _print_agents(env_spec: "EnvSpec") -> None:
    from solitaire_agents.catalogue import agents_of, kit_of
    from solitaire_evaluation.descriptions import first_sentence
    from solitaire_evaluation.report.text import Grid, print_grid

    rows = []
    for name, make in agents_of(env_spec.game).items():
        note, fair, speed = _about(name, env_spec)
        rows.append([name, first_sentence(make) + note, fair, speed])
    trained = ", ".join(name for name in kit_of(env_spec.game).trained if not _about(name, env_spec)[0])
    print_grid(
        Grid(["agent", "what it is", "fair", "speed"], rows),
        title=env_spec.env,
        left=4,
        caption="not fair: it sees the order of the stock; fast: hundreds of games per second or more, slow: fewer"
        + (f"\n`best` is one of {trained}; each plays by its name too" if trained else ""),
        wrap=("what it is",),
    )


def _one_env_of_each_game() -> list[str]:
    """Returns the first environment of each game that has a kit, without the declared games, which are many."""
    from solitaire_agents.catalogue import KITS
    from solitaire_envs.catalogue import CATALOGUE
    from solitaire_envs.piles.games import PILE_GAMES

    entries = {env: entry for env, entry in reversed(CATALOGUE.items()) if env not in PILE_GAMES}
    own = {name: env for env, entry in entries.items() if (name := entry.game.root.name) in KITS}
    return list(own.values())[::-1]


def _about(name: str, env_spec: "EnvSpec") -> tuple[str, str, str]:
    """Returns a note on an agent, whether it is fair, and its speed, as texts."""
    from solitaire_agents.catalogue import find_agent

    try:
        agent = find_agent(name, env_spec.game, env_spec.options)
    except ValueError as error:
        return f" Not here: {error}.", "-", "-"
    return "", "yes" if agent.fair else "no", "fast" if agent.quick else "slow"


# --- Shell completion -------------------------------------------------------------------------------------------------


def _completion(chosen: argparse.Namespace) -> None:
    import shtab

    from solitaire_training.commands.main import make_parser

    parser = make_parser()
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    choices = _choices()
    for command in commands.choices.values():
        for action in command._actions:
            if action.dest in choices and action.choices is None:
                action.choices = choices[action.dest]  # this parser only completes, so it refuses no other values
            elif action.type is not None and getattr(action.type, "__name__", "") == "Path":
                action.complete = shtab.FILE
    print(shtab.complete(parser, chosen.shell))


def _choices() -> dict[str, list[str]]:
    """Returns the values to complete: name of an argument -> its choices."""
    from solitaire_agents.catalogue import KITS, agents_of, kit_of
    from solitaire_envs.catalogue import CATALOGUE, GAMES
    from solitaire_training.recipes import recipe_names

    agents = list(dict.fromkeys(name for game in GAMES.values() for name in (*agents_of(game), *kit_of(game).trained)))
    return {
        "env": list(CATALOGUE),
        "agent": agents,
        "agents": agents,
        "baseline": agents,
        "game": list(KITS),
        "config": recipe_names(),
    }


# --- All of them ------------------------------------------------------------------------------------------------------

ARGUMENTS = {"envs": (_add_envs, _envs), "agents": (_add_agents, _agents), "completion": (_add_completion, _completion)}
