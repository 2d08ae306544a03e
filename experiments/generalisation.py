"""How well agents that learn on few deals, or under few rules, play others: PPO and self-play, five seeds each.

    .venv/bin/python experiments/generalisation.py deals --out results/generalisation
    .venv/bin/python experiments/generalisation.py rules --out results/generalisation

Agents of Pyramid learn to win from nothing, with the same budget each. 'deals': on the first 16, 64, ... training deals
or on all; they play their own deals, 1,000 at most, and as many test deals. 'rules': under one number of passes or
several; they play test deals under each number. The bounds are off, in training and at play. What is in the folder is
not trained again, so a study that was stopped goes on. The tables are printed; `docs/figures.py` draws the first.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from study import kept, told

from solitaire_agents.catalogue import choices_of
from solitaire_agents.network import Network
from solitaire_agents.trained import read_network
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs import pyramid
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.checks import read_whole
from solitaire_evaluation.play import play
from solitaire_training.config import TrainConfig
from solitaire_training.run import train

SIZES = {"16": 16, "64": 64, "256": 256, "1024": 1_024, "4096": 4_096, "all": None}
PASSES = (1, 2, 3, 5)
RULES = {"3": [3], "2": [2], "1 and 5": [1, 5], "1, 2, 3 and 5": [1, 2, 3, 5]}
ALGORITHMS = ("ppo", "self-play")
TEST_DEALS = 1_000


class Trial(NamedTuple):
    """An agent to be trained."""

    study: str
    algorithm: str
    trained_on: str
    """Deals or passes."""
    seed: int
    changes: dict[str, Any]
    """Settings that make the difference."""

    @property
    def name(self) -> str:
        """Name of its folder."""
        return f"{self.study}-{self.algorithm}-{self.trained_on.replace(', ', '-').replace(' and ', '-')}-{self.seed}"


def trials(study: str, seeds: int) -> Iterator[Trial]:
    """Yields the trials of a study, all of one seed before the next."""
    variants: dict[str, dict[str, Any]] = (
        {name: {"deals": size} for name, size in SIZES.items()}
        if study == "deals"
        else {name: {"option_sets": [{"passes": each} for each in passes]} for name, passes in RULES.items()}
    )
    for seed in range(seeds):
        for algorithm in ALGORITHMS:
            for name, changes in variants.items():
                yield Trial(study, algorithm, name, seed, changes)


def learn(trial: Trial, folder: Path, steps: int, games: int) -> None:
    """Trains the agent of a trial."""
    budget: dict[str, Any] = {"total_steps": steps} if trial.algorithm == "ppo" else {"games": games}
    config = TrainConfig(
        env="solitaire/Pyramid-v0",
        options={"objective": "win"},
        algorithm=trial.algorithm,  # type: ignore[arg-type]
        seed=trial.seed,
        bounds=False,
        num_envs=256,
        n_steps=32,
        games_per_update=250,
        eval_every=10**9,
        eval_deals=1,
        **budget,
        **trial.changes,
    )
    train(config, folder, resume=(folder / "checkpoint.safetensors").exists(), progress_bar=False, say=lambda _: None)


def share_won(network: Network, passes: int, deals: Any) -> float:
    """Returns the share of deals that a network wins under a number of passes, learned or not, without the bounds."""
    options = options_with(passes)
    agent = TrainedAgent(choices_of(pyramid.GAME, options), network, "agent", bounds=False)
    return float(play(agent, pyramid.GAME, options, deals).column("won").mean())


def options_with(passes: int) -> pyramid.PyramidOptions:
    """Returns the rules with a number of passes."""
    return pyramid.PyramidOptions(objective="win", passes=passes)


def evaluate(trial: Trial, folder: Path) -> dict[str, float]:
    """Returns what the agent of a trial wins on the deals, or under the rules, that it is asked for."""
    test, of_rules = np.arange(TEST_DEALS, dtype=np.uint64), trial.study == "rules"
    learned = options_with(RULES[trial.trained_on][0] if of_rules else 3)
    network = read_network(folder, pyramid.GAME, choices_of(pyramid.GAME, learned))
    if of_rules:
        return {f"passes={passes}": share_won(network, passes, test) for passes in PASSES}
    own = np.arange(min(SIZES[trial.trained_on] or TEST_DEALS, TEST_DEALS), dtype=np.uint64) + FIRST_RANDOM_DEAL
    return {"own deals": share_won(network, 3, own), "test deals": share_won(network, 3, test)}


def find(trial: Trial, folder: Path, steps: int, games: int) -> dict[str, float]:
    """Trains and evaluates the agent of a trial."""
    learn(trial, folder, steps, games)
    return evaluate(trial, folder)


def run(study: str, out: Path, seeds: int, steps: int, games: int) -> pd.DataFrame:
    """Trains and evaluates what is missing; returns a row for each trial and each thing that it was asked."""
    rows = []
    for trial in trials(study, seeds):
        folder = out / trial.name
        for asked, won in kept(folder / "results.json", partial(find, trial, folder, steps, games)).items():
            rows.append((trial.algorithm, trial.trained_on, trial.seed, asked, won))
    return pd.DataFrame(rows, columns=["algorithm", "trained on", "seed", "played", "won"])


def table(results: pd.DataFrame) -> str:
    """Returns the means over seeds as a table in Markdown, from five seeds on with 95 % intervals."""
    columns = list(dict.fromkeys(results["played"]))
    lines = ["| " + " | ".join(["algorithm", "trained on", *columns]) + " |", "|" + "---|" * (2 + len(columns))]
    for (algorithm, trained_on), group in results.groupby(["algorithm", "trained on"], sort=False):
        cells = [told(group.loc[group["played"] == asked, "won"], ".1%") for asked in columns]
        lines.append("| " + " | ".join([algorithm, trained_on, *cells]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Runs a study and prints its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("deals", "rules"))
    parser.add_argument("--out", type=Path, required=True, help="folder of the agents")
    parser.add_argument("--seeds", type=read_whole, default=5, help="training seeds (default 5)")
    parser.add_argument("--steps", type=read_whole, default=800_000, help="decisions of PPO (default 800,000)")
    parser.add_argument("--games", type=read_whole, default=40_000, help="games of self-play (default 40,000)")
    chosen = parser.parse_args()
    results = run(chosen.study, chosen.out, chosen.seeds, chosen.steps, chosen.games)
    print(table(results))


if __name__ == "__main__":
    main()
