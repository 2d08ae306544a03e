"""What a value network is shown, and what it answers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent, kit_of
from solitaire_agents.kit import Kit
from solitaire_agents.tour_infernale.by_value import TourInfernaleByValue
from solitaire_agents.tour_infernale.position import Position
from solitaire_agents.tour_infernale.reach import FIRST, REPRESENTATIVE, find_components
from solitaire_agents.tour_infernale.values import INPUTS, MOST_ON, Chooser, choose, inputs_of, new_chooser
from solitaire_agents.trained import CARD, SHIPPED, VALUES, WEIGHTS, write_trained
from solitaire_agents.value_network import HIDDEN, ValueNetwork, evaluate, load_network, load_values, value_shapes
from solitaire_envs import pyramid
from solitaire_envs.jit import entry_point
from solitaire_envs.tour_infernale import GAME, TourInfernaleOptions
from tests.agents.tour_infernale.test_reach import random_position

ONE_PASS = TourInfernaleOptions(passes=1)
PILES = 6


def random_network(seed: int) -> ValueNetwork:
    rng = np.random.default_rng(seed)
    arrays = {name: rng.normal(size=shape) * 0.1 for name, shape in value_shapes(INPUTS).items()}
    return ValueNetwork(**{name: array.astype(np.float32) for name, array in arrays.items()})


NETWORK = random_network(0)
_evaluate = entry_point("test of values")(evaluate.py_func)  # type: ignore[attr-defined]
_choose = entry_point("test of values")(choose.py_func)  # type: ignore[attr-defined]
_inputs = entry_point("test of values")(inputs_of.py_func)  # type: ignore[attr-defined]
_find = entry_point("test of values")(find_components.py_func)  # type: ignore[attr-defined]


def chosen_in(position: Position, most: int = 100) -> tuple[Chooser, int]:
    chooser = new_chooser(NETWORK, PILES)
    found = _find(chooser.reach, position.order(), len(position.waste), PILES, most, *position.bitboard())
    return chooser, found


def dense(inputs: list[int]) -> float:
    """Computes the network's value in double precision."""
    arrays = [np.asarray(array, np.float64) for array in NETWORK]
    rows, bias, second, second_bias, last, last_bias = arrays
    hidden = np.maximum(rows[inputs].sum(axis=0) + bias, 0)
    return float(np.maximum(hidden @ second + second_bias, 0) @ last + last_bias[0])


def test_the_kernel_computes_the_network() -> None:
    rng = np.random.default_rng(1)
    for count in (0, 1, 30, MOST_ON):
        on = rng.integers(0, INPUTS, MOST_ON)
        value = _evaluate(NETWORK, on, count, np.zeros(HIDDEN, np.float32))
        assert value == pytest.approx(dense(on[:count].tolist()), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(30))
def test_each_card_is_in_one_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    position = random_position(rng, int(rng.integers(0, 40)))
    chooser, found = chosen_in(position)
    for k in range(max(found, 0)):
        n = _inputs(chooser, k, position.order(), len(position.waste))
        inputs = chooser.on[:n].tolist()
        assert n == len(set(inputs)) <= MOST_ON
        assert 0 <= min(inputs) <= max(inputs) < INPUTS
        places = [one for one in inputs if one < 52 * 13]
        assert sorted(one // 13 for one in places) == list(range(52))
        words = chooser.reach.queue[chooser.reach.components[k, REPRESENTATIVE], :3].tolist()
        up = sum(words[word] >> shift & 15 for word in (0, 1) for shift in (52, 56))
        assert sum(one % 13 == 0 for one in places) == up
        assert sum(one % 13 == 1 for one in places) == len(position.stock)


def renamed(position: Position, suits: list[int]) -> Position:
    def name(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(13 * suits[card // 13] + card % 13 for card in cards)

    return Position(
        tableau=tuple(name(pile) for pile in position.tableau),
        stock=name(position.stock),
        waste=name(position.waste),
        foundations=tuple(position.foundations[suits.index(suit)] for suit in range(4)),
    )


def test_suits_are_told_apart_by_how_far_they_are() -> None:
    """A position in which no two suits are alike is seen as the same whatever its suits are called."""
    piles = ((12, 24, 36), (51,), (11,), (23,), (9,), (49,))
    position = Position(tableau=piles, stock=tuple(sorted(set(range(52)) - {card for p in piles for card in p})))
    seen = set()
    for suits in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]):
        other = renamed(position, suits)
        chooser, found = chosen_in(other, most=1)
        assert found >= 1
        n = _inputs(chooser, 0, other.order(), 0)
        assert chooser.reach.components[0, FIRST] == chooser.reach.components[0, REPRESENTATIVE]
        seen.add(tuple(sorted(chooser.on[:n].tolist())))
    assert len(seen) == 1


def test_the_highest_value_is_chosen() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        position = random_position(rng, 12)
        chooser = new_chooser(NETWORK, PILES)
        order, drawn = position.order(), len(position.waste)
        best, value = _choose(chooser, order, drawn, *position.bitboard())
        if best < 0:
            assert value == np.inf
            continue
        values = []
        for k in range(int(chooser.reach.counters[0])):
            n = _inputs(chooser, k, order, drawn)
            values.append(dense(chooser.on[:n].tolist()))
        assert value == pytest.approx(max(values), rel=1e-4, abs=1e-4)
        assert values[best] == pytest.approx(max(values), rel=1e-4, abs=1e-4)


def test_the_order_of_the_stock_is_not_seen() -> None:
    rng = np.random.default_rng(4)
    for draws in (0, 5, 20):
        position = random_position(rng, draws)
        answers = set()
        for _ in range(3):
            chooser, order = new_chooser(NETWORK, PILES), position.order()
            drawn = len(position.waste)
            rng.shuffle(order[drawn:])
            best, value = _choose(chooser, order, drawn, *position.bitboard())
            answers.add((best, round(value, 4)))  # inputs are summed up in the order of drawing
        assert len(answers) == 1


# --- Files ------------------------------------------------------------------------------------------------------------


def save(folder: Path, **about: Any) -> None:
    write_trained(folder, VALUES, GAME, ONE_PASS, {"inputs": INPUTS, **about}, NETWORK._asdict())


def test_saved_values_are_an_agent(tmp_path: Path) -> None:
    save(tmp_path)
    agent = find_agent(str(tmp_path), GAME, ONE_PASS)
    assert isinstance(agent, TourInfernaleByValue)
    assert (agent.name, agent.folder) == (str(tmp_path), tmp_path)
    network = load_network(tmp_path, kit_of(GAME), ONE_PASS)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(NETWORK, network, strict=True))


@pytest.mark.parametrize(
    ("about", "options", "message"),
    [
        ({"inputs": 7}, ONE_PASS, f"expected {INPUTS} inputs, got 7"),
        ({"inputs": "x"}, ONE_PASS, "expected inputs to be int, got 'x'"),
        ({"game": "golf"}, ONE_PASS, "expected values of tour_infernale, got those of golf"),
        ({"options": {"piles": 5, "passes": 1}}, ONE_PASS, "expected values that were learned with piles=6, got 5"),
        ({}, TourInfernaleOptions(passes=2), "expected passes=1, got 2"),
        ({}, TourInfernaleOptions(passes=1, piles=5), "expected values that were learned with piles=5, got 6"),
    ],
)
def test_wrong_values(about: dict[str, Any], options: TourInfernaleOptions, message: str, tmp_path: Path) -> None:
    save(tmp_path, **about)
    with pytest.raises(ValueError, match=message):
        find_agent(str(tmp_path), GAME, options)


def test_a_game_without_values(tmp_path: Path) -> None:
    save(tmp_path)
    with pytest.raises(ValueError, match="expected a game of which values can be learned, got pyramid"):
        load_values(tmp_path, Kit(game=pyramid.GAME), pyramid.PyramidOptions())
    with pytest.raises(ValueError, match="expected values of pyramid, got those of tour_infernale"):
        find_agent(str(tmp_path), pyramid.GAME, pyramid.PyramidOptions())


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", None])
def test_damaged_weights(content: bytes | None, tmp_path: Path) -> None:
    save(tmp_path)
    weights = tmp_path / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-100] if content is None else content)
    with pytest.raises(ValueError, match="expected a whole safetensors file at"):
        find_agent(str(tmp_path), GAME, ONE_PASS)
    weights.unlink()
    with pytest.raises(ValueError, match="expected a whole safetensors file at"):
        find_agent(str(tmp_path), GAME, ONE_PASS)
    (tmp_path / CARD).unlink()
    with pytest.raises(ValueError, match="expected a policy's description at"):
        find_agent(str(tmp_path), GAME, ONE_PASS)


def test_a_foreign_number_type_is_refused(tmp_path: Path) -> None:
    doubled = {name: array.astype(np.float64) for name, array in NETWORK._asdict().items()}
    write_trained(tmp_path, VALUES, GAME, ONE_PASS, {"inputs": INPUTS}, doubled)
    with pytest.raises(ValueError, match="expected tensor 'bias' of finite float32 or float16, got float64"):
        find_agent(str(tmp_path), GAME, ONE_PASS)
    infinite = {**NETWORK._asdict(), "last_bias": np.array([np.nan], np.float32)}
    write_trained(tmp_path, VALUES, GAME, ONE_PASS, {"inputs": INPUTS}, infinite)
    with pytest.raises(ValueError, match="values that are not finite"):
        find_agent(str(tmp_path), GAME, ONE_PASS)


def test_the_package_has_values() -> None:
    assert load_network(SHIPPED / "tour-infernale-values", kit_of(GAME), ONE_PASS).rows.shape[0] == INPUTS
