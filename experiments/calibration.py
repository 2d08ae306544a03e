"""Whether the chances that agents tell come true: what they told at a table, beside what became of the game.

    .venv/bin/python experiments/calibration.py --env solitaire/Klondike-v0 --agents best
    .venv/bin/python experiments/calibration.py --option objective=win --agents best,planner --deals 500

An agent plays validation deals. Before one move in thirty, drawn at random, it is asked for the chance to win by its
best move; answers of 0 do not count, as most moves of some games are made when the agent has given up. A table in
Markdown has a row for each tenth that the answers fall into: how many there are, their mean, and the share of these
games that the agent won. The last row has all answers, and the mean error: the difference of the two columns, over the
tenths by their numbers of positions. (Positions are not drawn for each game, as games that are lost may be longer.)
"""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.catalogue import find_entry
from solitaire_envs.checks import read_whole
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options, make_options
from solitaire_evaluation.agent_specs import find_agent_specs, make_agent
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_training.commands.arguments import parse_options

ASKED = 1 / 30
"""Share of the moves before which an agent is asked."""
TENTHS = 10


def ask(agent: Agent, game: Game, options: Options, deals: int, samples: int) -> NDArray[np.float64]:
    """Returns the chances told and whether the games were won, [2, n]; n is 0 if the agent tells no chances."""
    engine, random = Engine(game, agent.shown(options), deals), np.random.default_rng(0)
    engine.deal_numbers(np.arange(VALIDATION_DEALS, VALIDATION_DEALS + deals, dtype=np.uint64))
    agent.seed(0)
    asked: list[tuple[int, NDArray[np.int16], NDArray[np.bool_]]] = []
    actions, playing = np.zeros(deals, np.int64), np.arange(deals)
    while len(playing):
        for index in playing[random.random(len(playing)) < ASKED].tolist():
            seen = engine.buffers.observations[index], engine.buffers.action_masks[index]
            asked.append((index, seen[0].copy(), seen[1].copy()))
        actions[playing] = agent.choose(engine, playing)
        engine.step(actions)
        playing = np.flatnonzero(~engine.states.ended)
    won, told = engine.buffers.outcomes["won"], []
    for index, observation, mask in asked:
        values = agent.action_values(observation, mask, samples)
        if values is None or values.unit != "chance":
            return np.empty((2, 0))
        told.append((np.nanmax(values.means), won[index]))
    found = np.array(told, np.float64).T
    return found[:, found[0] > 0]


def table(name: str, told: NDArray[np.float64]) -> str:
    """Returns the table of an agent."""
    chances, won = told
    tenths = np.minimum((chances * TENTHS).astype(int), TENTHS - 1)
    lines, error = [f"| {name}: told | positions | mean | won |", "|---|---|---|---|"], 0.0
    for tenth in range(TENTHS):
        inside = tenths == tenth
        if inside.any():
            mean, share = chances[inside].mean(), won[inside].mean()
            error += inside.mean() * abs(mean - share)
            lines.append(f"| {10 * tenth} to {10 * tenth + 10} % | {inside.sum():,} | {mean:.1%} | {share:.1%} |")
    lines.append(f"| all; mean error {error:.1%} | {len(won):,} | {chances.mean():.1%} | {won.mean():.1%} |")
    return "\n".join(lines)


def main() -> None:
    """Prints a table for each agent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="solitaire/Pyramid-v0", help="environment id (default solitaire/Pyramid-v0)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the game")
    parser.add_argument("--agents", default="best", help="names, with commas between (default best)")
    parser.add_argument("--deals", type=read_whole, default=1_000, help="validation deals to play (default 1,000)")
    parser.add_argument("--samples", type=read_whole, default=32, help="orders that a planner samples (default 32)")
    chosen = parser.parse_args()
    entry = find_entry(chosen.env)
    settings: dict[str, Any] = {**entry.preset, **parse_options(entry.game, chosen.option)}
    options = make_options(entry.game.options, settings)
    for spec in find_agent_specs(chosen.agents.split(","), entry.game, options):
        told = ask(make_agent(spec, entry.game, options), entry.game, options, chosen.deals, chosen.samples)
        print(table(spec.name, told) if told.size else f"{spec.name} tells no chances under these rules", flush=True)


if __name__ == "__main__":
    main()
