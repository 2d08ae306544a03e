"""What the network sees of Pyramid, computed once more in plain Python."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from solitaire_agents.pyramid.view import PyramidView
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import COVERS, GAME, NUM_ACTIONS, PyramidOptions, all_covers

KING, PYRAMID = 13, 28
COVERED_BY = [[i for i in range(PYRAMID) if covers >> i & 1] for covers in COVERS.tolist()]
RELATED = [[i for i in range(PYRAMID) if i in all_covers(place) or place in all_covers(i)] for place in range(PYRAMID)]
PLACES = range(PYRAMID + 2)
FEATURES = ("available", "covering", "partners", "lonely", "hopeless", "playable", "wanted", "freed")
FIRST_FEATURE = 14 + 9  # behind the rank and the row


@cache
def observations() -> Any:
    """Returns positions at every stage of some games."""
    engine, agent, seen = Engine(GAME, PyramidOptions(), 5), UniformAgent(), []
    engine.deal_numbers(range(5))
    for _ in range(64):
        seen.append(engine.buffers.observations.copy())
        masks = engine.buffers.action_masks
        engine.step(np.where(masks.any(axis=1), agent.act(seen[-1], masks | ~masks.any(axis=1, keepdims=True)), 0))
    return np.concatenate(seen[::8])


class Table:
    """A table as a person looks at it."""

    def __init__(self, row: Any) -> None:
        shown = {name: row[GAME.slots(name)].tolist() for name in ("pyramid", "stock", "waste", "unseen")}
        self.ranks = [*shown["pyramid"], shown["stock"][0], shown["waste"][0]]
        known = [rank for name in ("pyramid", "stock", "waste") for rank in shown[name] if 0 < rank <= KING]
        self.left = [known.count(rank) + shown["unseen"][rank - 1] for rank in range(1, KING + 1)]

    def covers_of(self, place: int) -> list[int]:
        return [i for i in COVERED_BY[place] if self.ranks[i]] if place < PYRAMID else []

    def is_available(self, place: int) -> bool:
        return self.ranks[place] > 0 and not self.covers_of(place)

    def matches(self, place: int) -> Iterator[int]:
        """Yields the cards of the pyramid with which a card adds up to 13."""
        rank = self.ranks[place]
        yield from (i for i in range(PYRAMID) if 0 < rank < KING and self.ranks[i] == KING - rank)

    def partners(self, place: int) -> int:
        rank = self.ranks[place]
        if not 0 < rank < KING:
            return 0
        never = [i for i in self.matches(place) if place < PYRAMID and i in RELATED[place]]
        return self.left[KING - rank - 1] - len(never)

    def is_lonely(self, place: int) -> bool:
        return 0 < self.ranks[place] < KING and self.partners(place) <= 1

    def features(self, place: int) -> dict[str, float]:
        freed = [i for i in range(PYRAMID) if self.ranks[i] and self.covers_of(i) == [place]]
        return {
            "available": self.is_available(place),
            "covering": len(self.covers_of(place)),
            "partners": self.partners(place) / 2,
            "lonely": self.is_lonely(place),
            "hopeless": self.is_lonely(place) and self.partners(place) <= 0,
            "playable": self.is_available(place) * sum(self.is_available(i) for i in self.matches(place)),
            "wanted": sum(self.is_lonely(i) for i in self.matches(place)),
            "freed": self.is_available(place) * len(freed),
        }


@cache
def expected() -> list[list[dict[str, float]]]:
    return [[Table(row).features(place) for place in PLACES] for row in observations()]


@pytest.mark.parametrize("feature", FEATURES)
def test_each_place_is_seen_as_it_is(feature: str) -> None:
    places, _, _ = PyramidView(NUM_ACTIONS)(torch.as_tensor(observations()))
    found = places[:, :, FIRST_FEATURE + FEATURES.index(feature)].tolist()
    wanted = [[float(place[feature]) for place in places] for places in expected()]
    assert found == wanted
    assert len({value for values in wanted for value in values}) > 1


def test_relations_join_what_matches_covers_and_stands_above() -> None:
    seen = observations()[::5]
    _, _, relations = PyramidView(NUM_ACTIONS)(torch.as_tensor(seen))
    for row, found in zip(seen, relations.tolist(), strict=True):
        table = Table(row)
        for one in range(PYRAMID):
            matches = set(table.matches(one))
            for other in range(PYRAMID):
                both = table.ranks[one] > 0 and table.ranks[other] > 0
                match = other in matches
                assert [relation[other] for relation in found[one]] == [
                    match,
                    match and other in RELATED[one],
                    both and other in COVERED_BY[one],
                    both and one in COVERED_BY[other],
                    0.25 * (both and other in all_covers(one)),
                ]


def test_the_table_counts_the_cards_of_each_rank() -> None:
    seen = observations()
    _, table, _ = PyramidView(NUM_ACTIONS)(torch.as_tensor(seen))
    assert table[:, 4 * KING : 5 * KING].tolist() == [Table(row).left for row in seen]
