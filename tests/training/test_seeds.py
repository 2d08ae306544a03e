"""The frozen lists of deals: their bytes are pinned, for results are compared through them."""

import hashlib

import numpy as np
import pytest

import solitaire_seeds
from solitaire_agents.catalogue import labels_of
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.catalogue import GAMES
from solitaire_evaluation.deals import TEST_DEALS, VALIDATION_DEALS
from solitaire_evaluation.solving.label_store import read_labels

SEEDS = solitaire_seeds.FOLDER
LISTS = {
    "pyramid-test.csv": ("pyramid", TEST_DEALS, 10_000),
    "pyramid-validation.csv": ("pyramid", VALIDATION_DEALS, 10_000),
    "tour-infernale-one-pass-test.csv": ("tour_infernale", TEST_DEALS, 10_000),
    "pyramid-train.csv.gz": ("pyramid", FIRST_RANDOM_DEAL, 12_300),
    "tour-infernale-one-pass-train.csv.gz": ("tour_infernale", FIRST_RANDOM_DEAL, 290),
}


def test_checksums() -> None:
    lines = (SEEDS / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    told = {name: checksum for checksum, name in (line.split() for line in lines)}
    assert told == {name: hashlib.sha256((SEEDS / name).read_bytes()).hexdigest() for name in LISTS}


@pytest.mark.parametrize("name", LISTS)
def test_the_lists_are_whole(name: str) -> None:
    game, first, count = LISTS[name]
    rows = read_labels(SEEDS / name, labels_of(GAMES[game]))
    assert rows[:, 0].astype(np.uint64).tolist() == list(range(first, first + count))


@pytest.mark.parametrize("name", LISTS)
def test_some_labels_made_anew(name: str) -> None:
    game, first, _ = LISTS[name]
    labels = labels_of(GAMES[game])
    deals = first + np.arange(40, 43, dtype=np.uint64)
    made, stored = labels.label(deals), read_labels(SEEDS / name, labels)[40:43]
    if game == "tour_infernale":  # which of equally good positions its search keeps depends on the processor
        made, stored = made[:, :-1], stored[:, :-1]
    assert made.tolist() == stored.tolist()
