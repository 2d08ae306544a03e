"""Choices of a game that declares only what is seen after a move."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solitaire_agents.choices import HIGHEST, Choices, copy, slot_choices, wins
from solitaire_agents.choosing import kernels_of, new_scratch
from solitaire_agents.network import random_network
from solitaire_agents.self_play import play_games
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options, Slots, state_dtype
from solitaire_envs.jit import entry_point, kernel
from solitaire_evaluation.play import play
from tests.agents.made_up import GAME
from tests.agents.test_choosing import read

TINY_STATE = state_dtype([("shown", "i4", 6)])


@kernel
def _imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    copy(observation, state.shown)


@kernel
def _apply(rules: Any, state: Any, action: int) -> float:
    state.shown[0] = action
    state.shown[3] += 10 * action
    return 0.0


@kernel
def _observe(rules: Any, state: Any, observation: Any) -> None:
    copy(state.shown, observation)


TINY = replace(
    GAME,
    name="tiny",
    state=TINY_STATE,
    observation=tuple(
        Slots(name=name, size=size, high=high, low=low, doc="")
        for name, size, high, low in (
            ("cards", 2, 3, 0),
            ("counter", 1, 10_000, 0),
            ("balance", 1, 20, -5),
            ("unseen", 2, 1, 0),
        )
    ),
    num_actions=lambda options: 3,
    apply=_apply,
    observe=_observe,
    imagine=_imagine,
)
"""A game with two cards of 0..3, where 3 is unseen, a counter, and a balance that may be negative."""


def tiny_choices() -> Choices:
    return slot_choices(TINY, Options(), wins)


def test_each_value_of_each_slot_has_an_input_of_its_own() -> None:
    choices = tiny_choices()
    describe = entry_point("test of choices")(choices.describe.py_func)  # type: ignore[attr-defined]
    count = entry_point("test of choices")(choices.count.py_func)  # type: ignore[attr-defined]
    storage, on = choices.new_storage(), np.zeros(choices.most_on, np.int64)
    assert choices.inputs == 4 + 4 + (HIGHEST + 1) + 21 + 2 + 2
    mask = np.array([True, False, True])
    for cards, counter, balance in (((0, 0), 0, 0), ((3, 2), 5, 20), ((1, 3), HIGHEST + 1, -5), ((2, 1), 9_999, -15)):
        assert count(storage, np.array([*cards, counter, balance, 1, 0], np.int16), mask) == 2
        for k, action in enumerate((0, 2)):
            assert describe(storage, k, on) == 6
            after = min(max(balance + 10 * action, 0), 20)
            last = 8 + HIGHEST + 1
            assert on.tolist() == [action, 4 + cards[1], 8 + min(counter, HIGHEST), last + after, last + 22, last + 23]


def test_legal_moves_are_the_candidates_and_each_is_one_move() -> None:
    choices = tiny_choices()
    rows, counts = np.zeros((3, 30), np.uint16), np.zeros(3, np.int64)
    lines, lengths = np.zeros((3, 3, 1), np.int16), np.zeros((3, 3), np.int64)
    masks = np.array([[True, False, True], [False, True, False], [True, True, True]])
    kernels_of(choices).write(
        random_network(choices.inputs, (1, 1), 0),
        new_scratch(choices),
        np.arange(3),
        np.zeros((3, 6), np.int16),
        masks,
        rows,
        counts,
        lines,
        lengths,
    )
    assert counts.tolist() == [2, 1, 3]
    assert [lines[i, : counts[i], 0].tolist() for i in range(3)] == [[0, 2], [1], [0, 1, 2]]
    assert all((lengths[i, : counts[i]] == 1).all() for i in range(3))
    shared, own = read(rows[2])
    assert [sorted([*shared, *one]) for one in own] == [sorted([a, 4, 8, 72 + 10 * a, 93, 95]) for a in range(3)]


def test_a_card_that_may_be_unseen_after_a_move_has_an_input_for_that() -> None:
    """Where a game shows ranks 1..2, 3 stands for an unseen card, even in slots that never show one."""
    game = replace(TINY, observation=(replace(TINY.observation[0], high=2), *TINY.observation[1:]))
    assert slot_choices(game, Options(), wins).inputs == tiny_choices().inputs


OPTIONS = pyramid.PyramidOptions(passes=1, objective="win")


@pytest.mark.slow  # `tests/examples/test_golf.py` trains by such choices, too
def test_such_choices_are_enough_to_learn_and_to_play_by() -> None:
    choices = slot_choices(pyramid.GAME, OPTIONS, wins)
    network = random_network(choices.inputs, (8, 4), 0)
    deals = np.arange(30, dtype=np.uint64)
    lessons = play_games(OPTIONS, choices, network, deals, explore=0.1, td_lambda=0.9, seed=0)
    assert len(lessons.inputs) == len(lessons.targets) > 300
    assert (lessons.inputs < choices.inputs).all()  # one for each slot
    agent = TrainedAgent(choices, network, "tiny")
    assert len(play(agent, pyramid.GAME, OPTIONS, deals).outcomes) == 30


@pytest.mark.parametrize("most", [1, 2, 5])
def test_further_candidates_are_left_out(most: int) -> None:
    choices = slot_choices(pyramid.GAME, OPTIONS, wins)
    storage = choices.new_storage()
    few = replace(choices, most_candidates=most, new_storage=lambda: storage._replace(candidates=np.zeros(most, int)))
    engine = Engine(pyramid.GAME, OPTIONS, 1)
    engine.deal_decks([np.r_[np.arange(21), [5, 6, 5, 6, 5, 6, 12], np.arange(24)]])  # 9 pairs match in the last row
    masks = engine.buffers.action_masks
    assert masks.sum() > 5
    rows, counts = np.zeros((1, 2_000), np.uint16), np.zeros(1, np.int64)
    lines, lengths = np.zeros((1, most, 1), np.int16), np.zeros((1, most), np.int64)
    arrays = (engine.buffers.observations, masks, rows, counts, lines, lengths)
    kernels_of(few).write(random_network(few.inputs, (1, 1), 0), new_scratch(few), np.array([0]), *arrays)
    assert counts[0] == most
    assert lines[0, :, 0].tolist() == np.flatnonzero(masks[0])[:most].tolist()
