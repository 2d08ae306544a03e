"""Whether the chances that agents state come true: the stated chances of positions, beside the share that was won.

    .venv/bin/python experiments/calibration.py --env solitaire/Klondike-v0 --agents best
    .venv/bin/python experiments/calibration.py --option objective=win --agents best,planner --deals 500
    .venv/bin/python experiments/calibration.py --env solitaire/Klondike-v0 --agents planner --deals 500 --fit

An agent plays validation deals and is asked for its chances meanwhile (`told_and_won`). A table in Markdown has a row
for each tenth that the answers fall into: how many there are, their mean, and the share of these games that it won.
The last row has all answers, and the mean error: the difference of the two columns, over the tenths by their numbers of
positions. `--fit` prints the slope and the offset by which an agent would have to correct what it tells now, 1 and 0 if
it is right.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.checks import read_whole
from solitaire_evaluation.agent_specs import find_agent_specs, make_agent
from solitaire_evaluation.calibration import fit, told_and_won
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_training.commands.arguments import chosen_env_spec

TENTHS = 10


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
    parser.add_argument("--fit", action="store_true", help="print a fit to training deals instead")
    parser.add_argument("--samples", type=read_whole, default=32, help="orders that a planner samples (default 32)")
    chosen = parser.parse_args()
    env_spec = chosen_env_spec(chosen.env, chosen.option)
    game, options = env_spec.game, env_spec.options
    deals = np.arange(chosen.deals, dtype=np.uint64) + np.uint64(FIRST_RANDOM_DEAL if chosen.fit else VALIDATION_DEALS)
    for spec in find_agent_specs(chosen.agents.split(","), game, options):
        told = told_and_won(make_agent(spec, game, options), game, options, deals, chosen.samples)
        if not told.size:
            print(f"{spec.name} tells no chances under these rules", flush=True)
        else:
            print(fit(*told) if chosen.fit else table(spec.name, told), flush=True)


if __name__ == "__main__":
    main()
