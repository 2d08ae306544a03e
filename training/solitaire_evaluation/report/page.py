"""Writes the report of a comparison: one self-contained page, and its plots as files."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from solitaire_agents.files import write_whole
from solitaire_envs.catalogue import check_named, find_entry
from solitaire_envs.game import Game
from solitaire_evaluation import store
from solitaire_evaluation.agent_specs import AgentSpec, check_source, trained_folder
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec
from solitaire_evaluation.labels import label_deals, remarks
from solitaire_evaluation.learning_curve import read_evaluations
from solitaire_evaluation.metrics import meanings
from solitaire_evaluation.report import plots
from solitaire_evaluation.report.repeat import agent_grid, command_of, provenance_grid, summary_of
from solitaire_evaluation.report.replays import Replayer, deals_to_show, ranked_agents, to_script
from solitaire_evaluation.report.tables import (
    CAPTION,
    PAIRED,
    caption_for,
    difference_grid,
    metric_grid,
    title_of,
)
from solitaire_evaluation.store import Results, load_results

_PAGE, PLOTS = "report.html", "plots"
MAX_PLAYERS = 12
"""Agents per environment whose games are shown, at most."""
MAX_DRAWN = 20
"""Agents in the plots of an environment, at most."""
Say = Callable[[str], None]
"""Called with a line of text on the progress."""


def write_report(folder: Path, say: Say = lambda what: None) -> Path:
    """Writes ``report.html`` and ``plots/`` into a folder of results; returns the path of the page.

    Args:
        folder: A folder that `compare` has written.
        say: Called with lines of text on the progress.

    Raises:
        ValueError: The folder holds no results, damaged ones, those of an older version, or those of an unnamed module.
    """
    found = load_results(folder)
    result = found.result
    for env in result["environments"]:
        check_named(folder / store.RESULT, env)
    for agent in result["agents"]:
        check_source(folder / store.RESULT, agent["source"])
    colours = plots.colours_of(found.agents["name"])
    script = _text("cards.js") + _text("report.js")
    page = _template().render(
        title="Solitaire agents compared",
        summary=summary_of(result),
        policy=_security_policy(script),
        style=Markup(_text("report.css")),
        script=Markup(script),
        environments=[_environment(folder, found.of(env), env, colours, say) for env in result["environments"]],
        colours={
            title_of({"agent": row["name"], "fair": row["fair"]}): colours[row["name"]] for row in result["agents"]
        },
        command=command_of(result),
        provenance=provenance_grid(result),
        agents=agent_grid(result),
    )
    write_whole(folder / _PAGE, page.encode())
    return folder / _PAGE


def _security_policy(script: str) -> str:
    """Returns a Content-Security-Policy that allows nothing but the page's own script and styles."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = f"script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _template() -> Any:
    environment = Environment(loader=PackageLoader("solitaire_evaluation.report"), autoescape=True, trim_blocks=True)
    return environment.get_template("report.html")


def _text(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


# --- One environment --------------------------------------------------------------------------------------------------


def _environment(folder: Path, found: Results, env: str, colours: Mapping[str, str], say: Say) -> dict[str, Any]:
    """Returns what the template shows of one environment."""
    result = found.result
    env_spec = make_env_spec(env, result["environments"][env])
    deals = found.outcomes["deal"].unique().astype(np.uint64)
    labels = label_deals(env_spec, deals)
    agents = {agent.name: agent for agent in store.read_agent_specs(folder, env)}
    drawn = {agent.name: agent for agent in ranked_agents(found.outcomes, agents)[:MAX_DRAWN]}
    games, about_games = _games(env_spec, found.outcomes, labels, agents, say)
    say(f"{env}: tables and plots")
    options = ", ".join(f"{name} {value}" for name, value in result["environments"][env].items())
    return {
        "env": env,
        "id": _slug(env),
        "options": f"{result['deals']['count']:,} deals; {options}",
        "remarks": [*remarks(result["labels"][env], deals), *_left_out(len(drawn), len(agents))],
        **_tables(env_spec.game, found, len(deals), env_spec.aim),
        "plots": list(_plots(folder, env, found, labels, drawn, colours)),
        "games": games,
        "players": list(dict.fromkeys(game["agent"] for game in games)),
        "about_games": about_games,
        "script": Markup(to_script(games)),
    }


def _left_out(drawn: int, agents: int) -> list[str]:
    """Returns a remark if there are too many agents for the plots."""
    return [f"The plots show {drawn} of {agents:,} agents, in the order of the games below."] * (drawn < agents)


def _tables(game: Game, found: Results, deals: int, aim: str) -> dict[str, Any]:
    metrics, differences, meaning = found.metrics, found.differences, meanings(game)
    names = metrics["metric"].unique()
    return {
        "metrics": metric_grid(metrics, found.agents, deals, aim),
        "caption": CAPTION + caption_for(metrics),
        "meanings": "; ".join(f"{name}: {meaning[name]}" for name in names),
        "baseline": differences["baseline"].iloc[0] if len(differences) else "",
        "differences": difference_grid(differences, aim),
        "paired": PAIRED,
    }


def _games(
    env_spec: EnvSpec, outcomes: pd.DataFrame, labels: pd.DataFrame, agents: Mapping[str, AgentSpec], say: Say
) -> tuple[list[dict[str, Any]], str]:
    """Returns some games of each agent, won and lost, and why games of other agents are missing."""
    games, missing = list[dict[str, Any]](), []
    for agent in ranked_agents(outcomes, agents)[:MAX_PLAYERS]:
        try:
            replayer = Replayer(env_spec, agent)
        except ValueError as error:  # its folder may be gone; the metrics do not need it
            missing.append(str(error))
            continue
        for deal, why in deals_to_show(outcomes, labels, agent.name).items():
            say(f"{env_spec.env}: {agent.name} plays deal {deal}")
            games.append(replayer.play(deal, why))
    return games, "; ".join(missing)


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-")


# --- Its plots --------------------------------------------------------------------------------------------------------


def _plots(
    folder: Path,
    env: str,
    found: Results,
    labels: pd.DataFrame,
    agents: Mapping[str, AgentSpec],
    colours: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """Yields the plots for the page, and writes them as files."""
    outcomes = found.outcomes[found.outcomes["agent"].isin(agents)]
    drawn = plots.Plots(outcomes, found.metrics, labels, colours)
    figures: dict[str, Figure | None] = {
        "Deals won": drawn.shares_won(),
        "Scores": drawn.scores(),
        "Won, by solver nodes": drawn.by_difficulty(),
        "Regret": drawn.regret(),
        **_learning_curves(find_entry(env).game, agents, colours),
    }
    for title, figure in figures.items():
        if figure is not None:
            content = dict(plots.save(figure))
            for suffix, data in content.items():
                path = folder / PLOTS / f"{_slug(env)}-{_slug(title)}.{suffix}".lower()
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, data)
            yield {
                "title": title,
                "svg": Markup(_inline(content["svg"].decode(), _slug(env + title), f"{title}: {env}")),
            }


def _learning_curves(game: Game, agents: Mapping[str, AgentSpec], colours: Mapping[str, str]) -> dict[str, Figure]:
    folders = {name: folder for name, agent in agents.items() if (folder := trained_folder(agent, game))}
    known = {name: points for name, folder in folders.items() if (points := read_evaluations(folder))}
    if not known:
        return {}
    return {
        f"Learning curves: {name}": plots.learning_curves(known, name, colours) for name in ("score", "won", "moves")
    }


def _inline(svg: str, prefix: str, title: str) -> str:
    """Returns an SVG picture for the page: with a title, the page's own colours, and ids that no other picture has."""
    body = svg[svg.index("<svg") :]
    body = body.replace(plots.INK, "var(--ink)").replace(plots.LINE, "var(--line)")
    body = re.sub(
        r"<svg([^>]*)>",
        rf'<svg role="img" aria-label="{escape(title)}"\1><title>{escape(title)}</title>',
        body,
        count=1,
    )
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", body)
