"""Choices that tests make up: an observation lists the candidates and their inputs."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.choices import Choices, copy, wins
from solitaire_envs.game import Game, Options, Outcome, Slots, state_dtype
from solitaire_envs.jit import kernel
from solitaire_envs.layout import Layout

MOST, LONGEST, INPUTS = 6, 9, 30
SIZE: Final = 2 + MOST * (1 + LONGEST)
"""Slots: the number of candidates; of each, how many inputs it has, and which; and a last one that changes by moves."""
ROW: Final = 2 + MOST + SIZE
"""The most numbers that stand for a choice."""


STATE = state_dtype([("shown", "i2", SIZE)])


@kernel
def _no_deal(rules: Any, state: Any) -> None:
    state.shown[:] = 0


@kernel
def _never_over(rules: Any, state: Any, mask: Any) -> bool:
    mask[:] = True
    return True


@kernel
def _apply(rules: Any, state: Any, action: int) -> float:
    state.shown[SIZE - 1] += action + 1
    return 0.0


@kernel
def _observe(rules: Any, state: Any, observation: Any) -> None:
    copy(state.shown, observation)


@kernel
def _no_outcome(rules: Any, state: Any, outcome: Any) -> None:
    outcome.won = False


@kernel
def _imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    copy(observation, state.shown)


GAME = Game(
    name="made up",
    options=Options,
    state=STATE,
    outcome=(Outcome(name="won", kind="share", doc=""),),
    observation=(Slots(name="shown", size=SIZE, high=100, doc=""),),
    num_actions=lambda options: 60,
    deal=_no_deal,
    legal=_never_over,
    apply=_apply,
    observe=_observe,
    conclude=_no_outcome,
    imagine=_imagine,
    move_text=lambda state, action: str(action),
    layout=lambda state, options, legal: Layout(spots=[], height=1),
    hidden=lambda state: np.zeros(0, np.int64),
)
"""A game that shows its state, whose last slot each move raises by one more than its number."""


class Storage(NamedTuple):
    seen: Any


@kernel
def _count(storage: Any, observation: Any, mask: Any) -> int:
    copy(observation, storage.seen)
    return int(observation[0])


@kernel
def _describe(storage: Any, k: int, on: Any) -> int:
    at = 1 + k * (1 + LONGEST)
    for j in range(storage.seen[at]):
        on[j] = storage.seen[at + 1 + j]
    return int(storage.seen[at])


@kernel
def _moves(storage: Any, k: int, line: Any) -> int:
    """Candidate k is k + 1 moves, or 3 if that is more: 10k, 10k + 1, ..."""
    n = min(k + 1, 3)
    for j in range(n):
        line[j] = 10 * k + j
    return n


def listed_choices() -> Choices:
    return Choices(
        game=GAME,
        options=Options(),
        inputs=INPUTS,
        most_on=LONGEST,
        most_candidates=MOST,
        most_moves=3,
        new_storage=lambda: Storage(np.zeros(SIZE, np.int16)),
        count=_count,
        describe=_describe,
        moves=_moves,
        normalised_return=wins,
    )


def listed(candidates: list[list[int]]) -> NDArray[np.int16]:
    """Returns the observation that lists candidates, each by its inputs."""
    row = np.zeros(SIZE, np.int16)
    row[0] = len(candidates)
    for k, inputs in enumerate(candidates):
        at = 1 + k * (1 + LONGEST)
        row[at], row[at + 1 : at + 1 + len(inputs)] = len(inputs), inputs
    return row


def random_candidates(rng: np.random.Generator) -> list[list[int]]:
    """Returns none to six candidates; many inputs are shared, and some are there twice."""
    common = rng.integers(0, INPUTS, rng.integers(0, 6)).tolist()
    found = []
    for _ in range(rng.integers(0, MOST + 1)):
        own = rng.integers(0, INPUTS, rng.integers(0, LONGEST - len(common) + 1)).tolist()
        found.append(rng.permutation([*common, *own]).astype(int).tolist())
    return found
