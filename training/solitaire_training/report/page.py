"""Writes a comparison as one self-contained page, and its pictures as files."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from matplotlib.figure import Figure

from solitaire_agents.files import write_whole
from solitaire_training.evaluation import store as results
from solitaire_training.evaluation.agent_specs import SAMPLE, Contestant
from solitaire_training.evaluation.labels import label_deals, remarks
from solitaire_training.evaluation.metrics import MEANINGS
from solitaire_training.evaluation.store import Arena, make_arena, own_options, read_json
from solitaire_training.learning.train import read_evaluations
from solitaire_training.report import plots
from solitaire_training.report.replays import Showcase, choose_agent, choose_deals, to_script
from solitaire_training.report.tables import CAPTION, PAIRED, Grid, caption_for, difference_grid, figure_grid, title_of

PAGE, PICTURES = "report.html", "plots"


@dataclass(frozen=True, kw_only=True)
class Data:
    """What a folder of results holds."""

    about: Mapping[str, Any]
    outcomes: pd.DataFrame
    figures: pd.DataFrame
    differences: pd.DataFrame


def write_report(folder: Path) -> Path:
    """Writes ``report.html`` and ``plots/`` into a folder of results; returns the page.

    Raises:
        ValueError: The folder holds no results, or damaged ones.
    """
    data = _read(folder)
    pages = [_environment(folder, data, env) for env in data.about["environments"]]
    about = data.about
    page = _template().render(
        title="Solitaire agents compared",
        summary=_summary(about),
        style=Markup(_text("report.css")),
        script=Markup(_text("report.js")),
        environments=pages,
        command=_command(about),
        provenance=_provenance(about),
        agents=_agents(about),
    )
    write_whole(folder / PAGE, page.encode())
    return folder / PAGE


def _read(folder: Path) -> Data:
    about = read_json(folder / results.RESULT)
    tables = {}
    for name in (results.OUTCOMES, results.FIGURES, results.DIFFERENCES):
        try:
            tables[name] = pd.read_parquet(folder / name)
        except (OSError, ValueError) as error:
            raise ValueError(f"expected a table of results at {folder / name}, got: {error}") from None
    outcomes, figures, differences = tables.values()
    return Data(about=about, outcomes=outcomes, figures=figures, differences=differences)


def _template() -> Any:
    environment = Environment(loader=PackageLoader("solitaire_training.report"), autoescape=True, trim_blocks=True)
    environment.globals["table"] = _table_html
    return environment.get_template("report.html")


def _text(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def _table_html(grid: Grid, kind: str = "figures") -> Markup:
    head = Markup("").join(Markup("<th>{}</th>").format(name) for name in grid.columns)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                Markup('<td data-label="{}">{}</td>').format(name, cell)
                for name, cell in zip(grid.columns, row, strict=True)
            )
        )
        for row in grid.rows
    )
    return Markup('<table class="{}"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>').format(kind, head, body)


# --- One environment --------------------------------------------------------------------------------------------------


def _environment(folder: Path, data: Data, env: str) -> dict[str, Any]:
    arena = make_arena(env, data.about["environments"][env])
    outcomes, figures, differences = (
        table[table["env"] == env] for table in (data.outcomes, data.figures, data.differences)
    )
    deals = outcomes["deal"].unique().astype(np.uint64)
    labels = label_deals(arena, deals)
    contestants = {one.name: one for one in results.read_contestants(folder, env)}
    games, about_games = _games(arena, outcomes, labels, contestants)
    options = ", ".join(f"{name} {value}" for name, value in data.about["environments"][env].items())
    agents = pd.DataFrame([row for row in data.about["agents"] if row["env"] == env])
    return {
        "env": env,
        "id": _slug(env),
        "options": f"{data.about['deals']['count']:,} deals; {options}",
        "remarks": list(remarks(data.about["labels"][env], deals)),
        "results": figure_grid(figures, agents, len(deals)),
        "caption": CAPTION + caption_for(figures),
        "meanings": "; ".join(f"{name}: {MEANINGS[name]}" for name in figures["figure"].unique() if name in MEANINGS),
        "baseline": differences["baseline"].iloc[0] if len(differences) else "",
        "differences": difference_grid(differences),
        "paired": PAIRED,
        "plots": list(_plots(folder, env, plots.Plots(outcomes, figures, labels), contestants.values())),
        "games": games,
        "about_games": about_games,
        "script": Markup(to_script(games)),
    }


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-")


def _plots(
    folder: Path, env: str, drawn: plots.Plots, contestants: Iterator[Contestant] | Any
) -> Iterator[dict[str, Any]]:
    """Yields the pictures for the page, and writes them as files."""
    pictures: dict[str, Figure | None] = {
        "Deals won": drawn.shares_won(),
        "Scores": drawn.scores(),
        "Won, by difficulty for the solver": drawn.by_difficulty("solver nodes"),
        "Won, by blockers in the pyramid": drawn.by_difficulty("blockers"),
        "Regret": drawn.regret(),
        **_learning_curves(list(contestants)),
    }
    for title, figure in pictures.items():
        if figure is not None:
            content = dict(plots.save(figure))
            for ending, data in content.items():
                path = folder / PICTURES / f"{_slug(env)}-{_slug(title)}.{ending}".lower()
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, data)
            yield {"title": title, "svg": Markup(_inline(content["svg"].decode(), _slug(env + title)))}


def _inline(svg: str, prefix: str) -> str:
    """Returns a picture to stand in a page: without the XML header, with ids that no other picture has."""
    body = svg[svg.index("<svg") :]
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", body)


def _learning_curves(contestants: Sequence[Contestant]) -> dict[str, Figure]:
    curves = {one.name: read_evaluations(Path(one.source.removesuffix(SAMPLE))) for one in contestants}
    told = {name: points for name, points in curves.items() if points}
    if not told:
        return {}
    return {f"Learning curves: {name}": plots.learning_curves(told, name) for name in ("score", "won", "moves")}


def _games(
    arena: Arena, outcomes: pd.DataFrame, labels: pd.DataFrame, contestants: dict[str, Contestant]
) -> tuple[list[dict[str, Any]], str]:
    chosen = choose_agent(outcomes, contestants)
    try:
        showcase = Showcase(arena, chosen)
    except ValueError as error:  # the policy's folder is gone: the figures stand all the same
        return [], str(error)
    games = [showcase.play(deal, why) for deal, why in choose_deals(outcomes, labels, chosen.name)]
    return games, f"They are played by {chosen.title}."


# --- What it takes to repeat it ---------------------------------------------------------------------------------------


def _summary(about: Mapping[str, Any]) -> str:
    agents = {row["name"] for row in about["agents"]}
    envs, deals = about["environments"], about["deals"]
    return (
        f"{len(agents)} agents in {len(envs)} environment{'s' * (len(envs) > 1)}, all on the same "
        f"{deals['count']:,} deals (numbers {deals['first']:,} to {deals['last']:,}), with 95 % intervals."
    )


def _command(about: Mapping[str, Any]) -> str:
    groups: dict[str, list[str]] = {}
    for row in about["agents"]:
        sources = groups.setdefault(row["group"], [])
        sources += [row["source"]] if row["source"] not in sources else []
    agents = [group if sources == [group] else f"{group}={'+'.join(sources)}" for group, sources in groups.items()]
    chosen = {name: value for env in about["environments"] for name, value in own_options(about, env).items()}
    options = "".join(f" --option {name}={value}" for name, value in chosen.items())
    baseline = f" --baseline {about['baseline']}" if about.get("baseline") else ""
    deals = about["deals"]
    whole = deals["first"] == 0 and deals["last"] == deals["count"] - 1
    lines = [
        f"solitaire-rl compare --env {','.join(about['environments'])}{options}",
        f"--agents {shlex.quote(','.join(agents))}",
        f"--deals {deals['count'] if whole else 'FILE'} --seed {about['seed']}{baseline} --out DIR",
    ]
    return " \\\n    ".join(lines)


def _provenance(about: Mapping[str, Any]) -> Grid:
    rows = [
        ["git revision", str(about["git_revision"])],
        ["deals, SHA-256", about["deals"]["sha256"]],
        ["environments, SHA-256", about["environments_sha256"]],
        ["options", json.dumps(about["environments"])],
        ["labels", json.dumps(about["labels"])],
        ["versions", ", ".join(f"{name} {version}" for name, version in about["versions"].items())],
        ["hardware", ", ".join(f"{name} {value}" for name, value in about["hardware"].items())],
    ]
    return Grid(["what", "value"], rows)


def _agents(about: Mapping[str, Any]) -> Grid:
    rows = []
    for row in about["agents"]:
        name = title_of({"agent": row["name"], "fair": row["fair"]})
        seed = "" if row["training_seed"] is None else f", training seed {row['training_seed']}"
        told = f"{row['source']}{seed}; shown: {row['information']}; SHA-256 {row['sha256']}"
        rows.append([name, row["env"], told])
    return Grid(["agent", "environment", "what it is"], rows)
