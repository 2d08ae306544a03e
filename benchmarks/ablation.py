"""What each part of the Pyramid network brings: the warm start of the recipe, again and again without one of them.

    .venv/bin/python benchmarks/ablation.py --teacher-steps 500_000 --seeds 3 --out runs/ablation

All variants but those with fewer rounds have the same number of weights: what is left out is set to zero. Each is
judged by its greedy play on validation deals. A run that is done is not repeated.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from solitaire_agents import networks
from solitaire_agents.catalogue import find_agent
from solitaire_agents.networks import PyramidView
from solitaire_agents.policy import PolicyAgent, write_whole
from solitaire_training.config import TrainConfig, load_config, parse_int
from solitaire_training.evaluate import VALIDATION_DEALS, play
from solitaire_training.imitate import TaughtPPO, imitate
from solitaire_training.train import build_model

CONFIG = Path(__file__).parents[1] / "training/configs/pyramid_win.yaml"
COUNTED, MATCHES, PILES = slice(23, 31), slice(31, 59), slice(59, 107)
"""Features of a place: what is counted for it, which places it matches, which cards of stock and waste."""
DEALS = range(VALIDATION_DEALS, VALIDATION_DEALS + 4_000)


def blind(places: list[slice], relations: list[int]) -> type[PyramidView]:
    """Returns the view without some features of places and some relations."""

    class Blind(PyramidView):
        def forward(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            seen, table, related = super().forward(observations)
            for columns in places:
                seen[:, :, columns] = 0
            related[..., relations] = 0
            return seen, table, related

    return Blind


def without_pairs(model: TaughtPPO) -> None:
    """Leaves each action a logit of its own only: none is read off the two cards."""
    query: Any = model.policy.network.query
    torch.nn.init.zeros_(query.weight)
    query.requires_grad_(requires_grad=False)


def as_it_is(model: TaughtPPO) -> None:
    """Leaves the network as it is."""


VARIANTS: dict[str, tuple[type[PyramidView], int, Callable[[TaughtPPO], None]]] = {
    "the whole network": (PyramidView, 2, as_it_is),
    "one round of hearing": (PyramidView, 1, as_it_is),
    "no rounds": (PyramidView, 0, as_it_is),
    "no relation of matching": (blind([], [0, 1]), 2, as_it_is),
    "no relations of covering": (blind([], [1, 2, 3, 4]), 2, as_it_is),
    "nothing counted": (blind([COUNTED], []), 2, as_it_is),
    "no places of partners": (blind([MATCHES, PILES], []), 2, as_it_is),
    "cards and rows alone": (blind([COUNTED, MATCHES, PILES], [0, 1, 2, 3, 4]), 2, as_it_is),
    "no logits of pairs": (PyramidView, 2, without_pairs),
}
"""Name -> the view, the number of rounds, and what is done to the model."""


def run(name: str, config: TrainConfig) -> dict[str, float]:
    view, rounds, change = VARIANTS[name]
    config = replace(config, rounds=rounds)
    networks.PyramidView = view  # type: ignore[misc]  # build_network looks it up there
    model = build_model(config)
    change(model)
    imitate(model, find_agent(config.teacher, config.game(), config.game_options()), config, lambda text: None)
    played = play(PolicyAgent(model.policy.network, name), config.game(), config.game_options(), DEALS)
    return {field: float(played.column(field).mean()) for field in ("won", "score")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher-steps", type=parse_int, default=500_000)
    parser.add_argument("--seeds", type=int, default=3, help="training runs of each variant")
    parser.add_argument("--out", type=Path, default=Path("runs/ablation"), help="folder of the runs' results")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    chosen.out.mkdir(parents=True, exist_ok=True)
    config = load_config(CONFIG, {"teacher_steps": chosen.teacher_steps})
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
