"""What each part of the Pyramid network brings: the warm start of the recipe, again and again without one of them.

    .venv/bin/python benchmarks/ablation.py --teacher-steps 500_000 --seeds 3 --out runs/ablation

All variants but those with fewer rounds have the same number of weights: what is left out is set to zero. Each is
judged by its greedy play on validation deals. A run that is done is not repeated.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import torch
from torch import Tensor

from solitaire_agents.catalogue import find_agent
from solitaire_agents.files import write_whole
from solitaire_agents.networks import PlaceNetwork
from solitaire_agents.policy import PolicyAgent
from solitaire_training.commands.arguments import parse_int
from solitaire_training.evaluation.deals import VALIDATION_DEALS
from solitaire_training.evaluation.play import play
from solitaire_training.learning.config import TrainConfig, load_config
from solitaire_training.learning.imitate import imitate
from solitaire_training.learning.model import build_model
from solitaire_training.learning.recipes import find_recipe

COUNTED, MATCHES, PILES = slice(23, 31), slice(31, 59), slice(59, 107)
"""Features of a place: what is counted for it, which places it matches, which cards of stock and waste."""
DEALS = range(VALIDATION_DEALS, VALIDATION_DEALS + 4_000)


Change = Callable[[PlaceNetwork], object]


def without(places: Sequence[slice], relations: Sequence[int]) -> Change:
    """Blinds a network to some features of places and to some relations."""

    def hide(view: object, inputs: object, seen: tuple[Tensor, Tensor, Tensor]) -> None:
        for columns in places:
            seen[0][:, :, columns] = 0
        seen[2][:, :, relations] = 0

    return lambda network: network.view.register_forward_hook(hide)


VARIANTS: dict[str, tuple[int, Change]] = {
    "the whole network": (3, without([], [])),
    "two rounds": (2, without([], [])),
    "one round": (1, without([], [])),
    "no rounds": (0, without([], [])),
    "no relation of matching": (3, without([], [0, 1])),
    "no relations of covering": (3, without([], [1, 2, 3, 4])),
    "nothing counted": (3, without([COUNTED], [])),
    "no places of partners": (3, without([MATCHES, PILES], [])),
    "cards and rows alone": (3, without([COUNTED, MATCHES, PILES], [0, 1, 2, 3, 4])),
}
"""Name -> number of rounds, and what is done to the network."""


def run(name: str, config: TrainConfig) -> dict[str, float]:
    """Trains a variant; returns the share won and the mean score."""
    rounds, change = VARIANTS[name]
    config = replace(config, rounds=rounds)
    model = build_model(config, find_agent(config.teacher, config.game(), config.game_options()))
    change(model.policy.network)
    imitate(model, config, lambda text: None)
    played = play(PolicyAgent(model.policy.network, name), config.game(), config.game_options(), DEALS)
    return {field: float(played.column(field).mean()) for field in ("won", "score")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher-steps", type=parse_int, default=500_000)
    parser.add_argument("--seeds", type=int, default=3, help="training runs of each variant")
    parser.add_argument("--out", type=Path, default=Path("runs/ablation"), help="folder of the runs' results")
    chosen = parser.parse_args()
    if chosen.seeds < 1:
        parser.error(f"expected at least one seed, got {chosen.seeds}")
    torch.set_num_threads(1)
    chosen.out.mkdir(parents=True, exist_ok=True)
    config = load_config(find_recipe("pyramid-win"), {"teacher_steps": chosen.teacher_steps})
    found: dict[str, list[dict[str, float]]] = {name: [] for name in VARIANTS}
    for seed in range(chosen.seeds):
        for name in VARIANTS:
            path = chosen.out / f"{name.replace(' ', '-')}-{chosen.teacher_steps}-{seed}.json"
            if not path.exists():
                write_whole(path, json.dumps(run(name, replace(config, seed=seed))).encode())
            found[name].append(json.loads(path.read_text(encoding="utf-8")))
            print(f"seed {seed}, {name}: {found[name][-1]}", flush=True)
    print(f"\n{'variant':28}{'won':>8}{'of seeds':>18}{'score':>8}")
    for name, runs in found.items():
        won, score = ([one[field] for one in runs] for field in ("won", "score"))
        print(f"{name:28}{mean(won):8.1%}{f'{min(won):.1%}-{max(won):.1%}':>18}{mean(score):8.2f}")


if __name__ == "__main__":
    main()
