"""Choices of a game that declares only what is seen after a move."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solitaire_agents.choices import HIGHEST, Choices, copy, slot_choices
from solitaire_agents.choosing import kernels_of, new_sheet
from solitaire_agents.network import random_network
from solitaire_agents.pyramid.choices import play_on
from solitaire_agents.self_play import play_games
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine
from solitaire_envs.game import Slots
from solitaire_envs.jit import entry_point, kernel
from solitaire_evaluation.play import play
from tests.agents.test_choosing import read


@kernel
def _after(observation: Any, action: int, after: Any) -> None:
    copy(observation, after)
    after[0] = action
    after[3] += 10 * action


def tiny_choices() -> Choices:
    """Returns choices of a game with two cards of 0..3, a counter, and a balance that may be negative."""
    slots = (("cards", 2, 3, 0), ("counter", 1, 10_000, 0), ("balance", 1, 20, -5))
    game: Any = SimpleNamespace(
        observation=tuple(Slots(name=name, size=size, high=high, low=low, doc="") for name, size, high, low in slots),
        observation_size=4,
        num_actions=lambda options: 3,
    )
    return slot_choices(game, None, _after, lambda outcomes: outcomes)


def test_each_value_of_each_slot_has_an_input_of_its_own() -> None:
    choices = tiny_choices()
    describe = entry_point("test of choices")(choices.describe.py_func)  # type: ignore[attr-defined]
    count = entry_point("test of choices")(choices.count.py_func)  # type: ignore[attr-defined]
    storage, on = choices.new_storage(), np.zeros(choices.most_on, np.int64)
    assert choices.inputs == 4 + 4 + (HIGHEST + 1) + 21
    mask = np.array([True, False, True])
    for cards, counter, balance in (((0, 0), 0, 0), ((3, 2), 5, 20), ((1, 3), HIGHEST + 1, -5), ((2, 1), 9_999, -15)):
        assert count(storage, np.array([*cards, counter, balance], np.int16), mask) == 2
        for k, action in enumerate((0, 2)):
            assert describe(storage, k, on) == 4
            after = min(max(balance + 10 * action, 0), 20)
            assert on.tolist() == [action, 4 + cards[1], 8 + min(counter, HIGHEST), 8 + HIGHEST + 1 + after]


def test_legal_moves_are_the_candidates_and_each_is_one_move() -> None:
    choices = tiny_choices()
    rows, counts = np.zeros((3, choices.row_size), np.uint16), np.zeros(3, np.int64)
    lines, lengths = np.zeros((3, 3, 1), np.int16), np.zeros((3, 3), np.int64)
    masks = np.array([[True, False, True], [False, True, False], [True, True, True]])
    kernels_of(choices, "tiny").write(
        random_network(choices.inputs, (1, 1), 0),
        new_sheet(choices),
        np.arange(3),
        np.zeros((3, 4), np.int16),
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
    assert [sorted([*shared, *one]) for one in own] == [sorted([a, 4, 8, 72 + 10 * a]) for a in range(3)]


def test_a_row_has_room_for_all_candidates_even_if_they_share_nothing() -> None:
    choices = tiny_choices()
    assert choices.row_size >= 2 + 3 + 3 * 4


OPTIONS = pyramid.PyramidOptions(passes=1, objective="win")


@pytest.mark.slow  # `tests/examples/test_golf.py` trains by such choices, too
def test_such_choices_are_enough_to_learn_and_to_play_by() -> None:
    def worth(outcomes: Any) -> Any:
        return np.asarray(outcomes["won"], np.float32)

    choices = slot_choices(pyramid.GAME, OPTIONS, play_on, worth)
    network = random_network(choices.inputs, (8, 4), 0)
    deals = np.arange(30, dtype=np.uint64)
    lessons = play_games(pyramid.GAME, OPTIONS, choices, network, deals, explore=0.1, td_lambda=0.9, seed=0)
    assert len(lessons.inputs) == len(lessons.targets) > 300
    assert (lessons.inputs < choices.inputs).all()  # one for each slot
    agent = TrainedAgent(pyramid.GAME, choices, network, "tiny")
    assert len(play(agent, pyramid.GAME, OPTIONS, deals).outcomes) == 30


@pytest.mark.parametrize("most", [1, 2, 5])
def test_further_candidates_are_left_out(most: int) -> None:
    choices = slot_choices(pyramid.GAME, OPTIONS, play_on, lambda outcomes: outcomes)
    storage = choices.new_storage()
    few = replace(choices, most_candidates=most, new_storage=lambda: storage._replace(candidates=np.zeros(most, int)))
    engine = Engine(pyramid.GAME, OPTIONS, 1)
    engine.deal_decks([np.r_[np.arange(21), [5, 6, 5, 6, 5, 6, 12], np.arange(24)]])  # 9 pairs match in the last row
    masks = engine.buffers.action_masks
    assert masks.sum() > 5
    rows, counts = np.zeros((1, few.row_size), np.uint16), np.zeros(1, np.int64)
    lines, lengths = np.zeros((1, most, 1), np.int16), np.zeros((1, most), np.int64)
    arrays = (engine.buffers.observations, masks, rows, counts, lines, lengths)
    kernels_of(few, "pyramid").write(random_network(few.inputs, (1, 1), 0), new_sheet(few), np.array([0]), *arrays)
    assert counts[0] == most
    assert lines[0, :, 0].tolist() == np.flatnonzero(masks[0])[:most].tolist()
