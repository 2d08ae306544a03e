"""Golden playthroughs: games of many environments, written out move by move for a person to read.

`make playthroughs` writes them anew; `tests/test_playthroughs.py` compares. A change in a rule, a reward, a heuristic
or a drawing shows as a difference in text.
"""

from pathlib import Path

import numpy as np

from solitaire_agents.catalogue import find_agent
from solitaire_envs.catalogue import find_entry
from solitaire_envs.engine import Engine
from solitaire_envs.render import render_ansi
from tests.environments import QUICK

FOLDER = Path(__file__).parent
AGENTS = {"pyramid": "careful", "tour_infernale": "thrifty"}
DEALS = {"solitaire/Pyramid-v0": 44, "solitaire/TourInfernale-v0": 18, "solitaire/TourInfernaleOnePass-v0": 4}
"""Deals that the agents win, the second after a redeal; those of the other environments do not matter."""
MAX_MOVES = 150


def file_of(env_id: str) -> Path:
    """Returns where the playthrough of an environment is kept."""
    return FOLDER / f"{env_id.partition('/')[2]}.txt"


def playthrough(env_id: str) -> str:
    """Plays a deal, or the first moves of it, and tells of every position and reward."""
    entry, deal = find_entry(env_id), DEALS.get(env_id, 2026)
    options = entry.game.options(**entry.preset)
    name = AGENTS.get(entry.game.root.name, "uniform")
    engine, agent = Engine(entry.game, options, 1), find_agent(name, entry.game, options)
    engine.deal_numbers([deal])
    lines = [f"environment: {env_id}", f"options: {options}", f"deal: {deal}", f"agent: {name}"]
    buffers = engine.buffers
    while not engine.states.ended[0] and engine.states.moves[0] < MAX_MOVES:
        action = int(agent.act(buffers.observations, buffers.action_masks)[0])
        lines += ["", render_ansi(engine, 0), f"> {engine.move_text(0, action)} (action {action})"]
        engine.step(np.array([action]))
        lines.append(f"reward {buffers.rewards[0]:g}")
    lines += ["", render_ansi(engine, 0), f"outcome: {engine.outcome(0)}", ""]
    return "\n".join(lines)


def write_all() -> None:
    """Writes the playthroughs."""
    for env_id in QUICK:
        file_of(env_id).write_text(playthrough(env_id), encoding="utf-8")
