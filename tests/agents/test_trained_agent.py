"""Trained agents: what they play, what they tell, and which files they are refused from."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from solitaire_agents.candidate_player import BATCH
from solitaire_agents.catalogue import find_agent, load_trained
from solitaire_agents.choices import slot_choices, wins
from solitaire_agents.network import MAX_WIDTH, POLICY, VALUE, Network, random_network
from solitaire_agents.pyramid.choices import INPUTS, pyramid_choices
from solitaire_agents.trained import CARD, WEIGHTS, read_card, read_network, write_trained
from solitaire_agents.trained_agent import AS_LEARNED, Calibration, TrainedAgent
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.game import Game
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_evaluation.play import play
from tests.agents.made_up import INPUTS as FEW
from tests.agents.made_up import listed, listed_choices, random_candidates
from tests.agents.pyramid.test_choices import MIRROR, NETWORK, SCORE, WIN, asked, inputs, positions
from tests.agents.test_choosing import logit_of

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"

ONE_ACTION = np.ones(60, np.bool_)
ODD = "solitaire_agents.trained_agent"


def loud(network: Network, factor: float) -> Network:
    """Returns a network whose policy is far from uniform."""
    last = network.last.copy()
    last[POLICY] *= factor
    return network._replace(last=last)


LOUD = loud(NETWORK, 20)


def made_up_agent(**how: Any) -> TrainedAgent:
    """Returns an agent of a game whose positions list their candidates; see `made_up`."""
    return TrainedAgent(listed_choices(), loud(random_network(FEW, (8, 4), 0), 300), "made up", **how)


def agent_of(options: PyramidOptions = WIN, network: Network = LOUD, **how: Any) -> TrainedAgent:
    return TrainedAgent(pyramid_choices(options), network, "random", **how)


def chances_of(candidates: list[list[int]], network: Network) -> NDArray[np.float64]:
    logits = np.array([logit_of(network, POLICY, one) for one in candidates])
    chances: NDArray[np.float64] = np.exp(logits - logits.max())
    return chances / chances.sum()


# --- Play -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [WIN, SCORE, PyramidOptions(passes=1, goal="pyramid", stock_waste_pairs=False)])
def test_the_likeliest_candidate_is_taken(options: PyramidOptions) -> None:
    agent, choices = agent_of(options, bounds=False), 0
    for observation, mask in positions(5, options):
        action = int(agent.act(observation[None], mask[None])[0])
        moves = asked(observation, mask)
        logits = [logit_of(LOUD, POLICY, inputs(observation, move, options)) for move in moves]
        assert action == moves[int(np.argmax(logits))]
        choices += len(moves) > 1
    assert choices > 20


def test_a_position_is_rated_as_the_mean_over_both_of_its_images() -> None:
    """Of a network that tells them apart."""
    network, told_apart = loud(random_network(INPUTS, (8, 4), 5), 30), 0
    agent = agent_of(network=network, bounds=False)
    for observation, mask in positions(5)[::5]:
        moves = asked(observation, mask)
        firsts, logits = agent.rate_candidates(observation, mask)
        assert firsts.tolist() == moves
        for move, logit in zip(moves, logits, strict=True):
            on = inputs(observation, move)
            one, other = logit_of(network, POLICY, on), logit_of(network, POLICY, MIRROR[on].tolist())
            assert logit == pytest.approx((one + other) / 2, abs=1e-4)
            told_apart += abs(one - other) > 0.01
    assert told_apart > 20


def test_many_games_at_a_time_are_as_good_as_one() -> None:
    seen = positions(5) + positions(6)
    rows, masks = (np.array(arrays) for arrays in zip(*(seen * (BATCH // len(seen) + 2)), strict=True))
    assert len(rows) > BATCH
    agent = agent_of()
    together = agent.act(rows, masks)
    one_by_one = [int(agent.act(row[None], mask[None])[0]) for row, mask in seen]
    assert together[: len(seen)].tolist() == one_by_one
    assert np.array_equal(together[len(seen) : 2 * len(seen)], together[: len(seen)])
    assert together[-1] == one_by_one[(len(rows) - 1) % len(seen)]


def test_sampled_moves_are_drawn_by_their_probabilities() -> None:
    rng, agent = np.random.default_rng(1), made_up_agent(mode="sample")
    for _ in range(5):
        candidates, chances = list[list[int]](), np.ones(1)
        while not 8 < chances.max() / chances.min() < 30:
            candidates = random_candidates(rng) or [[]]
            chances = chances_of(candidates, agent.network)
        rows = np.tile(listed(candidates), (4_000, 1))
        rows[:, -1] = np.arange(4_000)  # no position twice: nothing is planned
        drawn = agent.act(rows, np.ones((4_000, 60), np.bool_)) // 10
        assert abs(np.bincount(drawn, minlength=len(chances)) / 4_000 - chances).max() < 0.025


def test_a_seed_gives_its_own_draws_again_and_greedy_agents_draw_none() -> None:
    drawn = []
    agent = agent_of(mode="sample")
    for seed in (1, 2, 1):
        drawn.append(play(agent, GAME, WIN, range(16), seed=seed).outcomes.tobytes())
    assert drawn[0] == drawn[2] != drawn[1]
    assert (agent.stochastic, agent.memoryless) == (True, False)
    greedy = agent_of()
    assert (greedy.stochastic, greedy.memoryless) == (False, True)
    assert play(greedy, GAME, WIN, range(16)).outcomes.tobytes() not in drawn


def test_a_line_is_followed_to_its_end() -> None:
    """In any number of games, though the network would begin anew in between, for what it sees is the same."""
    rng, agent = np.random.default_rng(2), made_up_agent()
    rows = []
    while len(rows) < 30:
        candidates = random_candidates(rng)
        if len(candidates) > 3:
            rows.append(listed(candidates))
            rows[-1][-1] = 100 * len(rows)
    seen, masks, played = np.array(rows), np.ones((30, 60), np.bool_), []
    for _ in range(4):
        played.append(agent.act(seen, masks))
        seen = seen.copy()
        seen[:, -1] += played[-1].astype(np.int16) + 1  # as `made_up` has it
    lengths = [min(first // 10 + 1, 3) for first in played[0].tolist()]
    assert set(lengths) == {1, 2, 3}
    for game, length in enumerate(lengths):
        first = int(played[0][game])
        assert [int(moves[game]) for moves in played[:length]] == [first + j for j in range(length)]
        assert played[length][game] == first
    agent.seed(0)  # forgets the plans
    seen = seen - seen[:, -1:] * (np.arange(seen.shape[1]) == seen.shape[1] - 1)
    assert agent.act(seen, masks).tolist() == played[0].tolist()


def test_a_position_keeps_what_was_planned_for_it_first() -> None:
    agent = made_up_agent(mode="sample")
    row, drawn = listed([[1], [2], [3], [4]])[None], set()
    for seed in range(10):
        agent.seed(seed)
        while (first := int(agent.act(row, ONE_ACTION[None])[0])) == 0:  # a line of one move is no plan
            pass
        assert all(agent.act(row, ONE_ACTION[None])[0] == first for _ in range(20))
        drawn.add(first)
    assert len(drawn) > 1


def test_where_nothing_is_left_to_gain_the_first_legal_move_is_played() -> None:
    agent, mask = made_up_agent(), np.zeros((1, 60), np.bool_)
    mask[0, [7, 9]] = True
    assert agent.act(listed([])[None], mask).tolist() == [7]
    assert agent.probabilities(listed([]), mask[0])[[7, 9]].tolist() == [0.5, 0.5]
    assert agent.value(listed([]), mask[0]) == 0


# --- What it tells ----------------------------------------------------------------------------------------------------


def test_probabilities_and_values_are_those_of_the_candidates() -> None:
    rng, agent = np.random.default_rng(4), made_up_agent()
    for _ in range(30):
        candidates = random_candidates(rng)
        if not candidates:
            continue
        chances = chances_of(candidates, agent.network)
        found = agent.probabilities(listed(candidates), ONE_ACTION)
        assert found[[10 * k for k in range(len(candidates))]] == pytest.approx(chances, abs=1e-4)
        assert found.sum() == pytest.approx(1)
        values = [1 / (1 + np.exp(-logit_of(agent.network, VALUE, one))) for one in candidates]
        assert agent.value(listed(candidates), ONE_ACTION) == pytest.approx(float(chances @ values), abs=1e-4)


@pytest.mark.parametrize("options", [WIN, SCORE])
def test_people_are_told_the_value_after_each_move(options: PyramidOptions) -> None:
    agent, left_out = agent_of(options), 0
    for observation, mask in positions(6, options):
        judged, kept = agent.action_values(observation, mask, 8), agent._kept(observation[None], mask[None])[0]
        assert judged.unit == ("chance" if options is WIN else "return")
        moves = asked(observation, kept)
        for action, (mean, error) in enumerate(zip(judged.means, judged.errors, strict=True)):
            if action in moves:
                logit = logit_of(LOUD, VALUE, inputs(observation, action, options))
                assert mean == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-4)
            elif mask[action]:
                left_out += 1
            assert np.isnan(mean) == np.isnan(error) == (action not in moves)
    assert left_out > 0


def test_a_calibration_changes_what_is_told_and_no_move() -> None:
    plain, fitted = agent_of(), agent_of(calibration=Calibration(2.0, -1.0))
    without_bounds = agent_of(calibration=Calibration(2.0, -1.0), bounds=False)
    for observation, mask in positions(6)[:40]:
        assert plain.act(observation[None], mask[None]) == fitted.act(observation[None], mask[None])
        told, as_learned, unbound = (
            agent.action_values(observation, mask, 8).means for agent in (fitted, plain, without_bounds)
        )
        some = as_learned > 0
        logits = np.log(as_learned[some] / (1 - as_learned[some]))
        assert told[some] == pytest.approx(1 / (1 + np.exp(1 - 2 * logits)), abs=1e-6)
        assert np.array_equal(unbound[some], as_learned[some])  # it was fitted to play with the bounds


def test_an_agent_tells_its_values_by_the_calibration_of_the_rules(folder: Path, tmp_path: Path) -> None:
    path = replaced(folder, tmp_path, calibration=[[2.0, 1.0], [3.0, -1.0]])
    for passes, calibration in ((3, (2.0, 1.0)), (2, (3.0, -1.0))):
        options = PyramidOptions(passes=passes, objective="win")
        assert load_trained(path, GAME, options, "x").calibration == calibration
        assert load_trained(path, GAME, replace(options, objective="score"), "x").calibration is None


def test_telling_changes_nothing_in_play() -> None:
    moves = []
    for telling in (False, True):
        agent = agent_of(mode="sample")
        moves.append([])
        for observation, mask in positions(6)[:40]:
            if telling:
                agent.action_values(observation, mask, 8)
                agent.probabilities(observation, mask)
            moves[-1].append(int(agent.act(observation[None], mask[None])[0]))
    assert moves[0] == moves[1]


def test_its_modules_are_those_of_the_network_and_the_game() -> None:
    assert {"solitaire_agents.trained_agent", "solitaire_agents.pyramid.choices"} <= set(agent_of().modules)
    by_slots = slot_choices(GAME, WIN, wins)
    agent = TrainedAgent(by_slots, random_network(by_slots.inputs, (2, 2), 0), "slots")
    assert {"solitaire_agents.choices", "solitaire_envs.pyramid"} <= set(agent.modules)


# --- Files ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of an agent of Pyramid that has learned nothing, for three passes and for two."""
    path = tmp_path_factory.mktemp("agent")
    rules = [pyramid_choices(each).rules for each in (WIN, PyramidOptions(passes=2))]
    write_trained(
        path, GAME, WIN, rules, [AS_LEARNED] * 2, {"env": "solitaire/Pyramid-v0", "hyperparameters": {"seed": 3}}, LOUD
    )
    return path


def load(folder: Path, game: Game = GAME, options: PyramidOptions = WIN) -> Network:
    return read_network(folder, game, pyramid_choices(options))


def test_files_hold_the_network_in_half_precision_and_the_card(folder: Path) -> None:
    for found, array in zip(load(folder), LOUD, strict=True):
        assert found.dtype == np.float32
        assert np.array_equal(found, array.astype(np.float16))
    assert (folder / WEIGHTS).stat().st_size < 2.1 * sum(array.size for array in LOUD)
    card = read_card(folder)
    assert (card["game"], card["inputs"], card["widths"]) == ("pyramid", INPUTS, [8, 4])
    assert card["options"]["objective"] == "win"
    assert card["hyperparameters"] == {"seed": 3}
    assert [rules["passes"] for rules in card["rules"]] == [3, 2]
    agent = find_agent(str(folder), GAME, WIN)
    assert isinstance(agent, TrainedAgent)
    assert (agent.folder, agent.name, agent.bounds) == (folder, str(folder), True)
    assert load_trained(folder, GAME, WIN, "x", mode="sample", bounds=False).mode == "sample"


def test_it_plays_without_torch(folder: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from solitaire_agents.catalogue import find_agent\n"
        "from solitaire_envs.pyramid import GAME, PyramidOptions\n"
        "from solitaire_envs.engine import Engine\n"
        "options = PyramidOptions(objective='win')\n"
        "engine, agent = Engine(GAME, options, 4), find_agent(sys.argv[1], GAME, options)\n"
        "engine.deal_numbers(range(4))\n"
        "print(agent.act(engine.buffers.observations, engine.buffers.action_masks).tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    assert len(json.loads(done.stdout)) == 4


def test_only_rules_that_it_has_learned(folder: Path) -> None:
    assert load(folder, options=PyramidOptions(passes=2, max_moves=77, information="open"))
    for options, words in (
        (PyramidOptions(passes=1), "passes=1, "),
        (PyramidOptions(goal="pyramid"), "goal='pyramid'"),
    ):
        with pytest.raises(ValueError, match=f"expected an agent that has learned .*{words}") as caught:
            load(folder, options=options)
        assert "passes=3, stock_waste_pairs=True, goal='all' or passes=2, stock" in str(caught.value)


def test_only_the_game_that_it_has_learned(folder: Path) -> None:
    with pytest.raises(ValueError, match="expected an agent of tour_infernale, got one of pyramid"):
        load(folder, tour_infernale.GAME)
    with pytest.raises(ValueError, match="expected .*agent.*got one of pyramid"):
        find_agent(str(folder), tour_infernale.GAME, tour_infernale.TourInfernaleOptions(passes=1))


def replaced(folder: Path, target: Path, **fields: Any) -> Path:
    """Copies an agent, with other fields on its card."""
    card = json.loads((folder / CARD).read_text())
    (target / CARD).write_text(json.dumps({**card, **fields}))
    (target / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes())
    return target


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": "solitaire-rl policy 2"}, "expected format 'solitaire-rl agent 1', got 'solitaire-rl policy 2'"),
        ({"format": None}, "expected format 'solitaire-rl agent 1', got None"),
        ({"game": "golf"}, "expected an agent of pyramid, got one of golf"),
        ({"game": 3}, "expected"),
        ({"inputs": INPUTS + 1}, f"expected {INPUTS} inputs, got {INPUTS + 1}"),
        ({"inputs": "many"}, "expected"),
        ({"widths": [8]}, rf"expected two widths of 1..{MAX_WIDTH}, got \[8\]"),
        ({"widths": [8, 0]}, "expected two widths of"),
        ({"widths": [8, 10**9]}, "expected two widths of"),
        ({"widths": [8, 5]}, r"expected tensor 'last' of shape \(2, 5\), got \(2, 4\)"),
        ({"rules": [], "calibration": []}, "expected an agent that has learned passes=3"),
        ({"rules": [[]]}, "expected"),
        (
            {"rules": [{"x" * 999: "y" * 999}] * 99, "calibration": [[1.0, 0.0]] * 99},
            "expected an agent that has learned passes=3",
        ),
        ({"calibration": [[1.0, 0.0]]}, "expected two finite numbers as the calibration of each rule set, got"),
        ({"calibration": [[1.0, 0.0], [1.0]]}, "expected two finite numbers as the calibration of each rule set"),
        ({"calibration": [[1.0, 0.0], [1.0, float("inf")]]}, "expected two finite numbers as the calibration"),
        ({"calibration": [[1.0, 0.0], ["1", 0.0]]}, r"expected calibration\[1\]\[0\] to be float, got '1'"),
        ({"calibration": None}, "expected calibration to be list, got None"),
        ({"hyperparameters": 3}, "expected"),
    ],
)
def test_cards_of_others(folder: Path, tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        load(replaced(folder, tmp_path, **fields))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (WEIGHTS, lambda data: data[: len(data) // 2], "expected a whole safetensors file"),
        (WEIGHTS, lambda data: b"", "expected a whole safetensors file"),
        (WEIGHTS, lambda data: b"\x80\x04pickle", "expected a whole safetensors file"),
        (WEIGHTS, None, "expected a whole safetensors file at .*, got: "),
        (CARD, lambda data: b"{", "expected the card of a trained agent at"),
        (CARD, lambda data: b"\xff\xfe", "expected the card of a trained agent at"),
        (CARD, lambda data: b"[" * 100_000, "expected the card of a trained agent at"),
        (CARD, lambda data: b"[]", "expected format 'solitaire-rl agent 1', got 'list'"),
        (CARD, None, "expected the card of a trained agent at .*, got: "),
        (
            WEIGHTS,
            lambda data: POINTER,
            "expected a whole safetensors file at .*, got: a pointer of Git LFS, not the fi",
        ),
        (
            CARD,
            lambda data: POINTER,
            "expected the card of a trained agent at .*, got: a pointer of Git LFS, not the fi",
        ),
    ],
)
def test_damaged_files(folder: Path, tmp_path: Path, file: str, content: Any, message: str) -> None:
    replaced(folder, tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content((folder / file).read_bytes()))
    with pytest.raises(ValueError, match=message) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda array: array * np.nan, "of finite float32 or float16, got float16 values that are not finite"),
        (lambda array: array + np.inf, "of finite float32 or float16"),
        (lambda array: array.astype(np.float64), "of finite float32 or float16, got float64"),
        (lambda array: array.astype(np.int32), "of finite float32 or float16, got int32"),
        (lambda array: array[:-1], r"expected tensor 'second' of shape \(2, 8, 4\), got \(1, 8, 4\)"),
        (lambda array: array.reshape(2, 4, 8), r"expected tensor 'second' of shape \(2, 8, 4\), got \(2, 4, 8\)"),
        (None, r"expected tensor 'second' of shape \(2, 8, 4\), got None"),
    ],
)
def test_weights_that_no_training_writes(folder: Path, tmp_path: Path, damage: Any, message: str) -> None:
    weights = load_file(replaced(folder, tmp_path) / WEIGHTS)
    array = weights.pop("second")
    save_file(weights if damage is None else {**weights, "second": damage(array)}, tmp_path / WEIGHTS)
    with pytest.raises(ValueError, match=message):
        load(tmp_path)


def test_a_tensor_too_many(folder: Path, tmp_path: Path) -> None:
    weights = load_file(replaced(folder, tmp_path) / WEIGHTS)
    save_file({**weights, "more": weights["bias"]}, tmp_path / WEIGHTS)
    with pytest.raises(ValueError, match=r"expected tensor 'more' of shape None, got \(8,\)"):
        load(tmp_path)


def test_single_precision_is_read_as_it_is(folder: Path, tmp_path: Path) -> None:
    replaced(folder, tmp_path)
    save_file(LOUD._asdict(), tmp_path / WEIGHTS)
    assert all(np.array_equal(found, array) for found, array in zip(load(tmp_path), LOUD, strict=True))


# --- The catalogue ----------------------------------------------------------------------------------------------------


def test_what_does_not_take_the_options_is_no_agent() -> None:
    with pytest.raises(ValueError, match="expected os:unlink to build an Agent from options, got unlink: path should"):
        find_agent("os:unlink", GAME, WIN)


def test_no_agent_is_trained_where_the_game_shows_too_little(folder: Path) -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for .*; got 'table'"):
        find_agent(str(folder), GAME, pyramid.PyramidOptions(information="table"))


@pytest.mark.parametrize("file", [WEIGHTS, CARD])
def test_a_folder_in_place_of_a_file(folder: Path, tmp_path: Path, file: str) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    (other / file).unlink()
    (other / file).mkdir()
    with pytest.raises(ValueError, match=f"expected .* at .*{file}, got: a folder"):
        load(other)


@pytest.mark.parametrize("name", [None, {}, 7, ["careful"]])
def test_what_is_no_name_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="expected the name of an agent, got "):
        find_agent(name, GAME, WIN)
    with pytest.raises(ValueError, match="expected options of pyramid, PyramidOptions, got None"):
        find_agent("careful", GAME, None)  # type: ignore[arg-type]


def test_names_that_are_nearly_right(folder: Path) -> None:
    with pytest.raises(ValueError, match="got 'carful': did you mean careful"):
        find_agent("carful", GAME, WIN)
    with pytest.raises(ValueError, match=f"did you mean {folder}"):
        find_agent(f"{folder}x", GAME, WIN)
