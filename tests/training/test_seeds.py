"""The frozen lists of deals: their bytes are pinned, for results are compared through them."""

import hashlib

import numpy as np
import pytest

import solitaire_seeds
from solitaire_agents.catalogue import labels_under
from solitaire_agents.kit import Labels, Status
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.piles.games import DECLARED
from solitaire_evaluation.deals import TEST_DEALS, VALIDATION_DEALS
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.solving.label_store import read_labels
from tests.environments import few

SEEDS = solitaire_seeds.FOLDER
PYRAMID, ONE_PASS = "solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0"
LISTS = {
    "pyramid-test.csv": (PYRAMID, TEST_DEALS, 10_000),
    "pyramid-validation.csv": (PYRAMID, VALIDATION_DEALS, 10_000),
    "tour-infernale-one-pass-test.csv": (ONE_PASS, TEST_DEALS, 10_000),
    "klondike-draw-3-test.csv": ("solitaire/Klondike-v0", TEST_DEALS, 1_000),
    "klondike-draw-1-test.csv": ("solitaire/KlondikeDrawOne-v0", TEST_DEALS, 1_000),
    "pyramid-train.csv.gz": (PYRAMID, FIRST_RANDOM_DEAL, 100_000),
    "tour-infernale-one-pass-train.csv.gz": (ONE_PASS, FIRST_RANDOM_DEAL, 100_000),
}
for declared in DECLARED:
    if (SEEDS / f"piles/{declared.name}-test.csv").exists():  # the solver leaves too much open in the other games
        LISTS[f"piles/{declared.name}-test.csv"] = declared.env_id, TEST_DEALS, 1_000
SOME = ("pyramid-test.csv", "tour-infernale-one-pass-test.csv", "klondike-draw-3-test.csv", "piles/freecell-test.csv")
QUICK_LISTS = few(dict.fromkeys([*SOME, *LISTS]), len(SOME))


def labels_in(env: str) -> Labels:
    env_spec = make_env_spec(env, {})
    return labels_under(env_spec.game, env_spec.options)


def test_checksums() -> None:
    lines = (SEEDS / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    told = {name: checksum for checksum, name in (line.split() for line in lines)}
    assert told == {name: hashlib.sha256((SEEDS / name).read_bytes()).hexdigest() for name in LISTS}


@pytest.mark.parametrize("name", LISTS)
def test_the_lists_are_whole(name: str) -> None:
    env, first, count = LISTS[name]
    rows = read_labels(SEEDS / name, labels_in(env))
    assert rows[:, 0].astype(np.uint64).tolist() == list(range(first, first + count))


@pytest.mark.parametrize("name", QUICK_LISTS)
def test_some_labels_made_anew(name: str) -> None:
    env, *_ = LISTS[name]
    labels = labels_in(env)
    stored = read_labels(SEEDS / name, labels)[40:]
    stored = stored[stored[:, 1] != Status.UNKNOWN][:3]  # what is open may be settled by more positions
    made = labels.label(stored[:, 0].astype(np.uint64))
    if env == ONE_PASS:  # which of equally good positions its search keeps depends on the processor
        made, stored = made[:, :-1], stored[:, :-1]
    assert made.tolist() == stored.tolist()
