"""What a value network is shown of a position of Pyramid, what plays by it, and what its games teach."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_agents.pyramid.by_value import PyramidByValue
from solitaire_agents.pyramid.hindsight import rate_moves
from solitaire_agents.pyramid.position import imagine
from solitaire_agents.pyramid.self_play import PyramidSelfPlay
from solitaire_agents.pyramid.solver.api import new_memory
from solitaire_agents.pyramid.values import (
    INPUTS,
    MOST_ON,
    inputs_after,
    mirror_image,
    new_chooser,
    play_on,
    value_after,
)
from solitaire_agents.value_network import ValueNetwork, value_shapes
from solitaire_envs import pyramid
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.pyramid import GAME, KING, NO_PLACE, REDEAL, SECOND, UNSEEN, PyramidOptions
from solitaire_training.evaluation.play import play

DEALS = np.arange(2**41, 2**41 + 20, dtype=np.uint64)
WIN, SCORE = PyramidOptions(objective="win"), PyramidOptions()
_play_on = entry_point("test of values")(play_on.py_func)  # type: ignore[attr-defined]
_inputs_after = entry_point("test of values")(inputs_after.py_func)  # type: ignore[attr-defined]
_value_after = entry_point("test of values")(value_after.py_func)  # type: ignore[attr-defined]
PLACES = 28 + 2 * 24 + 1
STOCK, UNSEEN_COUNTS = GAME.slots("stock"), GAME.slots("unseen")
MIRROR = mirror_image()


def random_network(seed: int) -> ValueNetwork:
    """Returns a network that values the mirror image of a position as much."""
    rng = np.random.default_rng(seed)
    arrays = {name: rng.normal(size=shape) * 0.1 for name, shape in value_shapes(INPUTS).items()}
    arrays["rows"] += arrays["rows"][MIRROR[:-1]]
    return ValueNetwork(**{name: array.astype(np.float32) for name, array in arrays.items()})


NETWORK = random_network(0)


def positions(seed: int, options: PyramidOptions = WIN) -> list[tuple[NDArray[np.int16], NDArray[np.bool_]]]:
    """Returns what is seen in the games of some random players, and what is legal there."""
    rng, engine, seen = np.random.default_rng(seed), Engine(GAME, options, 4), []
    engine.deal_numbers(rng.integers(2**41, 2**42, 4).astype(np.uint64))
    while not engine.states.ended.all():
        masks = engine.buffers.action_masks
        rows = np.flatnonzero(~engine.states.ended)
        seen += [(engine.buffers.observations[row].copy(), masks[row].copy()) for row in rows]
        engine.step((masks * rng.random(masks.shape)).argmax(axis=1))
    return seen


def inputs(observation: NDArray[np.int16], action: int) -> list[int]:
    chooser = new_chooser(NETWORK)
    n = _inputs_after(chooser, observation, action)
    assert n <= MOST_ON
    return sorted(chooser.on[:n].tolist())


# --- Positions --------------------------------------------------------------------------------------------------------


def test_the_position_after_a_move_is_what_the_game_shows_but_for_the_next_card() -> None:
    rng, engine, after = np.random.default_rng(0), Engine(GAME, WIN, 8), np.zeros(GAME.observation_size, np.int64)
    engine.deal_numbers(DEALS[:8])
    turned_up = 0
    while not engine.states.ended.all():
        before, masks = engine.buffers.observations.copy(), engine.buffers.action_masks
        rows, actions = np.flatnonzero(~engine.states.ended), (masks * rng.random(masks.shape)).argmax(axis=1)
        engine.step(actions)
        for row in rows:
            _play_on(before[row], actions[row], after)
            shown = engine.buffers.observations[row].astype(np.int64)
            top = shown[STOCK.start]
            if after[STOCK.start] == UNSEEN:  # turned up since
                shown[STOCK.start] = UNSEEN
                shown[UNSEEN_COUNTS.start + top - 1] += 1
                turned_up += 1
            hidden = np.flatnonzero(shown[STOCK] == UNSEEN)
            if shown[UNSEEN_COUNTS].sum() == 1:  # it can be told
                shown[STOCK.start + hidden[0]] = after[STOCK.start + hidden[0]]
                shown[UNSEEN_COUNTS] = 0
            assert shown.tolist() == after.tolist()
    assert turned_up > 50


@pytest.mark.parametrize("seed", range(5))
def test_no_input_names_a_rank(seed: int) -> None:
    """Ranks that change places in pairs, and the two of a pair, are not told apart."""
    rng, seen = np.random.default_rng(seed), positions(seed)
    for index in rng.integers(0, len(seen), 20):
        observation, mask = seen[index]
        new_name = np.arange(UNSEEN + 1)
        for low, other in enumerate(rng.permutation(KING // 2) + 1, start=1):
            swapped = other if rng.random() < 0.5 else KING - other
            new_name[low], new_name[KING - low] = swapped, KING - swapped
        renamed = observation.copy()
        renamed[: GAME.slots("pass").start] = new_name[observation[: GAME.slots("pass").start]]
        for rank in range(1, KING + 1):
            renamed[UNSEEN_COUNTS.start + new_name[rank] - 1] = observation[UNSEEN_COUNTS.start + rank - 1]
        for action in np.flatnonzero(mask):
            assert inputs(observation, action) == inputs(renamed, action)


def test_inputs_are_in_range_and_tell_positions_apart() -> None:
    seen = [tuple(inputs(row, int(np.flatnonzero(mask)[0]))) for row, mask in positions(7, SCORE)]
    assert all(0 <= min(one) <= max(one) < INPUTS for one in seen)
    assert len(set(seen)) > 0.95 * len(seen)


def test_the_matches_are_those_of_the_game() -> None:
    """There is an input for each pair of cards that the rules could ever allow, one of them known."""
    pairs, chooser = PLACES * (PLACES - 1) // 2, new_chooser(NETWORK)
    for observation, mask in positions(3)[::9]:
        n = _inputs_after(chooser, observation, int(np.flatnonzero(mask)[-1]))
        places = [place for place in range(PLACES - 1) if 0 < chooser.after[place] < UNSEEN]
        cards, hidden = chooser.after[places].tolist(), chooser.after[UNSEEN_COUNTS]
        expected = sum(int(hidden[KING - rank - 1]) for rank in cards if rank < KING)
        for (place, rank), (other, partner) in combinations(zip(places, cards, strict=True), 2):
            expected += rank + partner == KING and not (
                other < pyramid.PYRAMID_SIZE and other in pyramid.all_covers(place)
            )
        assert sum(one < 2 * pairs for one in chooser.on[:n].tolist()) == expected


def test_the_mirror_image_of_inputs_is_that_of_the_position() -> None:
    image = [row * (row + 1) // 2 + row - column for row in range(7) for column in range(row + 1)]
    changed = 0
    for observation, mask in positions(4):
        mirrored = observation.copy()
        mirrored[:28] = observation[image]
        for action in np.flatnonzero(mask[: REDEAL + 1]):  # neither touches the pyramid
            before, after = inputs(observation, action), inputs(mirrored, action)
            assert sorted(MIRROR[before]) == after
            changed += before != after
    assert changed > 50
    assert MIRROR[INPUTS] == INPUTS


# --- Play -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [WIN, SCORE, PyramidOptions(passes=1, goal="pyramid", stock_waste_pairs=False)])
def test_the_highest_value_is_chosen(options: PyramidOptions) -> None:
    agent, chooser, choices = PyramidByValue(options, NETWORK), new_chooser(NETWORK), 0
    for observation, mask in positions(5, options):
        action = int(agent.act(observation[None], mask[None])[0])
        legal = np.flatnonzero(agent.without_lost(observation[None], mask[None])[0])
        kings = [one for one in legal if one > REDEAL and SECOND[one] == NO_PLACE]
        if kings:
            assert action == kings[0]
        else:
            values = [_value_after(chooser, observation, one) for one in legal]
            assert action == legal[int(np.argmax(values))]
            choices += len(legal) > 1
    assert choices > 20


@pytest.mark.parametrize("options", [WIN, SCORE])
def test_people_are_told_the_values_that_it_chooses_by(options: PyramidOptions) -> None:
    agent, chooser, left_out = PyramidByValue(options, NETWORK), new_chooser(NETWORK), 0
    for observation, mask in positions(6, options):
        judged, kept = agent.judge(observation, mask, 8), agent.without_lost(observation[None], mask[None])[0]
        assert judged.unit == ("chance" if options is WIN else "worth")
        for action, (mean, error) in enumerate(zip(judged.means, judged.errors, strict=True)):
            if kept[action]:
                assert mean == pytest.approx(1 / (1 + np.exp(-_value_after(chooser, observation, action))))
            elif mask[action]:
                assert mean == 0
                left_out += 1
            assert np.isnan(mean) == np.isnan(error) == (not mask[action])
    assert left_out > 0


def test_no_win_is_thrown_away_by_the_bounds() -> None:
    """Of the moves that are left out, none wins, unless one that is kept is known to win."""
    agent, memory, left_out, saved = PyramidByValue(WIN, NETWORK), new_memory(8), 0, 0
    for deal in range(12):
        engine = Engine(GAME, WIN, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0]:
            observation, mask = engine.buffers.observations, engine.buffers.action_masks
            action = pyramid.DRAW if mask[0, pyramid.DRAW] else int(np.flatnonzero(mask[0])[0])
            if observation[0, UNSEEN_COUNTS].sum() == 0:
                kept = agent.without_lost(observation, mask)
                ratings = rate_moves(*imagine(observation), mask, WIN, 1_000, memory)
                wins = ratings == 1
                assert not wins.any() or (wins & kept).any()
                assert not (mask & ~kept & wins).any() or (kept <= wins).all()
                left_out, saved = left_out + (mask & ~kept).sum(), saved + wins.any()
                action = int(ratings.argmax())
            else:
                assert np.array_equal(agent.without_lost(observation, mask), mask)
            engine.step(np.array([action]))
    assert min(left_out, saved) > 50


def test_every_game_is_legal_to_its_end() -> None:
    for options in (WIN, SCORE, PyramidOptions(passes=5, information="open"), PyramidOptions(max_moves=30)):
        assert len(play(PyramidByValue(options, NETWORK), GAME, options, DEALS).outcomes) == len(DEALS)


def test_hidden_cards_change_no_decision() -> None:
    rng, agent = np.random.default_rng(1), PyramidByValue(WIN, NETWORK)
    for drawn in (0, 5, 15, 22):
        deck, chosen = rng.permutation(52).astype(np.uint8), set()
        for _ in range(5):
            rng.shuffle(deck[28 + drawn + 1 :])
            engine = Engine(GAME, WIN, 1)
            engine.deal_decks(deck[None])
            for _ in range(drawn):
                engine.step(np.array([pyramid.DRAW]))
            chosen.add(int(agent.act(engine.buffers.observations, engine.buffers.action_masks)[0]))
        assert len(chosen) == 1


def test_the_table_alone_is_not_enough() -> None:
    with pytest.raises(ValueError, match="expected information='memory', .* got 'table'"):
        PyramidByValue(PyramidOptions(information="table"), NETWORK)
    assert find_agent("best", GAME, PyramidOptions(information="table")).name == "best"


# --- Self-play --------------------------------------------------------------------------------------------------------


def taught(options: PyramidOptions, explore: float, mix: float, deals: Any = DEALS) -> Any:
    return PyramidSelfPlay().play(options, NETWORK, deals, explore, mix, 1)


def chances(lessons: Any) -> NDArray[np.float64]:
    """Returns the values of the positions that lessons are about, 0..1."""
    rows, bias, second, second_bias, last, last_bias = (np.asarray(array, np.float64) for array in NETWORK)
    values = []
    for row in lessons.inputs:
        first = np.maximum(rows[row[row < INPUTS]].sum(axis=0) + bias, 0)
        values.append(np.maximum(first @ second + second_bias, 0) @ last + last_bias[0])
    return np.asarray(1 / (1 + np.exp(-np.array(values))))


@pytest.mark.parametrize("options", [WIN, SCORE])
def test_the_result_teaches_all_moves(options: PyramidOptions) -> None:
    for deal in DEALS[:5]:
        lessons = taught(options, 0.0, 1.0, deal[None])
        outcome = play(PyramidByValue(options, NETWORK), GAME, options, deal[None]).outcomes[0]
        expected = outcome["won"] if options is WIN else (outcome["score"] + 52) / 102
        assert lessons.targets == pytest.approx(float(expected), abs=1e-6)
        assert lessons.won == outcome["won"]


def test_the_next_value_teaches_the_move_before() -> None:
    lessons = taught(WIN, 0.0, 0.0, DEALS[:1])
    values = chances(lessons)
    assert lessons.targets[:-1] == pytest.approx(values[1:], abs=1e-4)


def test_a_random_move_does_not_teach_the_move_before() -> None:
    """With nothing but random moves the targets are the best values, not what came."""
    lessons = taught(WIN, 1.0, 1.0, DEALS[:1])
    values = chances(lessons)
    assert (lessons.targets[:-1] >= values[1:] - 1e-4).all()
    assert (lessons.targets[:-1] > values[1:] + 1e-4).any()


def test_half_of_the_choices_are_taught_in_the_mirror_image() -> None:
    one, other = (PyramidSelfPlay().play(WIN, NETWORK, DEALS, 0.0, 1.0, seed).inputs for seed in (1, 2))
    same = (one == other).all(axis=1)
    images = np.sort(MIRROR[one], axis=1) == np.sort(other, axis=1)
    assert (same | images.all(axis=1)).all()
    assert 0.4 < same.mean() < 0.6


def test_games_and_seeds() -> None:
    one, again = taught(WIN, 0.5, 0.5), taught(WIN, 0.5, 0.5)
    assert np.array_equal(one.inputs, again.inputs)
    assert np.array_equal(one.targets, again.targets)
    other = PyramidSelfPlay().play(WIN, NETWORK, DEALS, 0.5, 0.5, 2)
    assert len(one.targets) != len(other.targets) or not np.array_equal(one.inputs, other.inputs)


def test_random_moves_are_legal_and_of_all_kinds() -> None:
    lessons = taught(SCORE, 1.0, 0.9, np.arange(2**41, 2**41 + 200, dtype=np.uint64))
    assert len(lessons.inputs) == len(lessons.targets) > 1_000
    assert 0 <= lessons.targets.min() <= lessons.targets.max() <= 1
