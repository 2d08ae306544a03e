"""Deals under control: what environments draw from."""

import copy
import gzip
import pickle
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from scipy.stats import chisquare

from solitaire_agents import find_agent
from solitaire_envs import pyramid
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.catalogue import CATALOGUE, LABELLED, choose_deals
from solitaire_envs.deals import LabelledDeals, list_deals
from solitaire_evaluation.play import play
from solitaire_training.sb3_vec_env import SolitaireVecEnv

PYRAMID = "solitaire/Pyramid-v0"
ONE_PASS = "solitaire/TourInfernaleOnePass-v0"
TOUR = "solitaire/TourInfernale-v0"
PAR = "solitaire/PyramidPar-v0"
LISTED = [7, 2**64 - 1, 3, 10**6, 2**63]


def single(**arguments: Any) -> Any:
    return gymnasium.make(PYRAMID, disable_env_checker=True, **arguments).unwrapped


def vector(**arguments: Any) -> Any:
    return gymnasium.make_vec(PYRAMID, **{"num_envs": 3, "autoreset_mode": "SameStep", **arguments}).unwrapped


def dealt(env: Any, resets: int) -> list[int]:
    return [env.reset() and env.deal for _ in range(resets)]


def played(engine: Any, step: Any, episodes: int) -> list[list[int]]:
    """Plays the first legal actions; returns the deals of each environment, in their order."""
    found = [[int(deal)] for deal in engine.states.deal]
    while min(map(len, found)) < episodes:
        step(engine.buffers.action_masks.argmax(axis=1))
        ended = engine.buffers.terminated | engine.buffers.truncated
        for index in np.flatnonzero(ended).tolist():
            found[index].append(int(engine.states.deal[index]))
    return [deals[:episodes] for deals in found]


@pytest.mark.parametrize(
    ("deals", "listed"),
    [
        (3, [2**63, 2**63 + 1, 2**63 + 2]),
        (np.int64(1), [2**63]),
        ("2", [2**63, 2**63 + 1]),
        ("4-6", [4, 5, 6]),
        (range(9, 3, -2), [9, 7, 5]),
        (range(2**64 - 2, 2**64), [2**64 - 2, 2**64 - 1]),
        (LISTED, LISTED),
        ((5, 5), [5, 5]),
        (np.array(LISTED, np.uint64), LISTED),
        (np.array([2, 1], ">i4"), [2, 1]),
        (None, []),
    ],
)
def test_lists(deals: Any, listed: list[int]) -> None:
    found = list_deals(deals)
    assert found.tolist() == listed
    assert found.dtype == np.uint64


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deals.txt", b"7\n18446744073709551615\n\n7\n"),
        ("deals.csv", b"\xef\xbb\xbfdeal,nodes\r\n7,1\r\n18446744073709551615,-2\r\n7,3\r\n"),
        ("deals.csv.gz", gzip.compress(b"deal,nodes\n7,1\n18446744073709551615,2\n7,3\n", mtime=0)),
    ],
)
@pytest.mark.parametrize("kind", [str, Path])
def test_files(name: str, content: bytes, kind: Any, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert list_deals(kind(tmp_path / name)).tolist() == [7, 2**64 - 1, 7]


KINDS = "expected deals to be a number of deals, or a range, a list or a file of deal numbers, got "
MANY = "expected deals to be 1 to 10,000,000 numbers, got "
NUMBERS = "expected deals to be deal numbers, integers of 0..2**64 - 1, got "
BAND = "expected difficulty to be (low, high) with 0 <= low < high <= 1, got "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0}, MANY + "0"),
        ({"deals": -3}, MANY + "-3"),
        ({"deals": 10**7 + 1}, MANY + "10000001"),
        ({"deals": []}, MANY + "0"),
        ({"deals": range(0)}, MANY + "0"),
        ({"deals": range(0, 2**64, 3)}, MANY + "10000001"),
        ({"deals": np.zeros(0, int)}, MANY + "0"),
        ({"deals": 16.0}, KINDS + "16.0"),
        ({"deals": True}, KINDS + "True"),
        ({"deals": {1, 2}}, KINDS + "{1, 2}"),
        ({"deals": b"16"}, KINDS + "b'16'"),
        ({"deals": bytearray(b"16")}, KINDS + "bytearray(b'16')"),
        ({"deals": memoryview(b"16")}, KINDS + "<memory at "),
        ({"deals": np.zeros(3)}, KINDS + "array([0., 0., 0.])"),
        ({"deals": np.zeros((2, 2), int)}, KINDS),
        ({"deals": [1, -1]}, NUMBERS + "-1 among them"),
        ({"deals": [1, 2.0]}, NUMBERS + "2.0 among them"),
        ({"deals": [True]}, NUMBERS + "True among them"),
        ({"deals": [2**64]}, NUMBERS),
        ({"deals": range(-1, 3)}, NUMBERS + "-1 among them"),
        ({"deals": np.array([4, -2])}, NUMBERS + "-2 among them"),
        ({"deals": "nowhere.csv"}, KINDS + "'nowhere.csv': "),
        ({"winnable": 1}, "expected winnable to be True or False, got 1"),
        ({"winnable": None}, "expected winnable to be True or False, got None"),
        *(
            ({"difficulty": wrong}, BAND)
            for wrong in [0.5, (0,), (0.5, 0.5), (0.5, 0.2), (-0.1, 1), (0, 1.5), "01", (0, "1"), (False, True)]
        ),
        ({"difficulty": (0, float("nan"))}, BAND + "(0, nan)"),
        (
            {"deals": 5, "winnable": True},
            "expected either deals or winnable, got both: each chooses the list of deals",
        ),
        ({"deals": 5, "winnable": True, "difficulty": (0, 1)}, "expected either deals or winnable and difficulty"),
        ({"difficulty": (0, 1e-9)}, "expected difficulty to choose at least one deal, got none"),
    ],
)
def test_what_is_refused_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            make(PYRAMID, **arguments)
    game, options = CATALOGUE[PYRAMID].game, pyramid.PyramidOptions()
    sb3 = SolitaireVecEnv(game, options, 2, deals=4)
    for env in (single(deals=4), vector(deals=4)):
        env.reset(seed=5)
        before = [array.tobytes() for array in (*env.engine.arrays, env.engine.deals)]
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            env.reset(seed=9, options=arguments)
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            env.set_deals(**arguments)
        assert [array.tobytes() for array in (*env.engine.arrays, env.engine.deals)] == before
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        sb3.set_deals(**arguments)
    assert len(sb3.engine.deals) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it has no numbers"),
        (b"deal\n", "it has no numbers"),
        (b"1\n-2\n", "expected a deal number in place 2, got '-2'"),
        (b"1\n2.5\n", "expected a deal number in place 2, got '2.5'"),
        (b"\xff\xfe", "decode"),
    ],
)
def test_wrong_files(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "deals.txt").write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        single(deals=tmp_path / "deals.txt")
    assert "\n" not in str(raised.value)
    (tmp_path / "deals.gz").write_bytes(gzip.compress(b"5\n" * 99)[:-9])
    with pytest.raises(ValueError, match=re.escape(KINDS)):
        single(deals=tmp_path / "deals.gz")


@pytest.mark.parametrize(
    ("env_id", "arguments", "message"),
    [
        (PAR, {"deals": 5}, "expected deals for a game of single deals, got the series pyramid_par"),
        (PAR, {"winnable": True}, "expected winnable for a game of single deals, got the series pyramid_par"),
        (TOUR, {"winnable": True}, r"expected winnable under rules .*, pyramid with .*; got tour_infernale with {}"),
        (PYRAMID, {"passes": 2, "difficulty": (0, 1)}, r"expected difficulty under .*; got pyramid with {'passes': 2}"),
        (ONE_PASS, {"max_moves": 999, "winnable": True}, "got tour_infernale with {'max_moves': 999, 'passes': 1}"),
    ],
)
def test_other_rules(env_id: str, arguments: dict[str, Any], message: str) -> None:
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match=message):
            make(env_id, **arguments)


# --- Drawing ----------------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_deals_are_drawn_alike() -> None:
    """Each place of the list, by resets and by the engine's own dealing."""
    envs = vector(num_envs=2_000, deals=[*range(10), 9])
    counts = np.zeros(10)
    envs.reset(seed=0)
    for _ in range(5):
        envs.reset()
        counts += np.bincount(envs.engine.states.deal.astype(int), minlength=10)
    found = np.array(played(envs.engine, envs.step, 6))[:, 1:]
    for seen in (counts, np.bincount(found.ravel(), minlength=10)):
        assert chisquare(seen, np.array([1] * 9 + [2]) * 10_000 / 11).pvalue > 0.01
    pairs = np.zeros((10, 10))
    np.add.at(pairs, (found[:, 0], found[:, 1]), 1)
    shares = np.array([1] * 9 + [2]) / 11
    assert chisquare(pairs.ravel(), 2_000 * np.outer(shares, shares).ravel()).pvalue > 0.01


def test_all_training_deals_are_drawn_by_default() -> None:
    env, envs = single(), vector()
    env.reset(seed=0)
    assert [env.deal, *dealt(env, 2)] == [16294208416658607535, 17183658559049131508, 9710989056326321487]
    envs.reset(seed=0)
    deals = {deal for own in played(envs.engine, envs.step, 20) for deal in own}
    assert len(deals) == 60
    assert min(deals) >= FIRST_RANDOM_DEAL


def test_one_seed_one_sequence_of_deals() -> None:
    """Single, vector in each mode, with threads and SB3."""
    deals, expected = [11, 22, 33, 44, 55, 66, 77], []
    for seed in (5, 6, 7):
        env = single(deals=deals)
        env.reset(seed=seed)
        expected.append([env.deal, *dealt(env, 5)])
    assert len(set(map(tuple, expected))) == 3
    for arguments in ({}, {"threads": 2}, {"autoreset_mode": "NextStep"}):
        envs = vector(deals=deals, **arguments)
        envs.reset(seed=5)
        found = [[int(deal)] for deal in envs.engine.states.deal]
        while min(map(len, found)) < 6:
            before = envs.engine.states.moves.copy()
            envs.step(envs.action_masks().argmax(axis=1))
            for index in np.flatnonzero(envs.engine.states.moves < before).tolist():
                found[index].append(int(envs.engine.states.deal[index]))
        assert [each[:6] for each in found] == expected
    sb3 = SolitaireVecEnv(CATALOGUE[PYRAMID].game, pyramid.PyramidOptions(), 3, deals=deals)
    seeds = sb3.seed(5)
    sb3.reset()
    for seed, found in zip(seeds, played(sb3.engine, sb3.step, 6), strict=True):
        env.reset(seed=seed)
        assert [env.deal, *dealt(env, 5)] == found


def test_a_reset_or_a_call_changes_what_is_drawn_from_then_on() -> None:
    env, envs = single(), vector()
    env.reset(seed=1, options={"deals": [5]})
    assert [env.deal, *dealt(env, 3)] == [5] * 4
    env.reset(options={"deal": 9})
    assert env.deal == 9
    assert dealt(env, 2) == [5, 5]
    env.reset(options={"deals": None})
    assert env.deal >= FIRST_RANDOM_DEAL
    envs.reset(seed=1)
    envs.reset(options={"deals": range(5, 6), "reset_mask": np.array([False, True, False])})
    assert (envs.engine.states.deal == 5).tolist() == [False, True, False]
    assert [deals[1:] for deals in played(envs.engine, envs.step, 3)] == [[5, 5]] * 3
    envs.set_deals([8])
    assert [deals[1:] for deals in played(envs.engine, envs.step, 3)] == [[8, 8]] * 3
    with pytest.raises(ValueError, match=r"expected reset options .*; got {'deal': 1, 'deals': 2}"):
        env.reset(options={"deal": 1, "deals": 2})


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_and_states_draw_on(way: Any) -> None:
    env = single(deals=list(range(50)))
    env.set_deals(range(50, 99))
    env.reset(seed=3)
    twin, state, after = way(env), env.get_state(), dealt(env, 30)
    assert set(after) <= set(range(50, 99))
    assert dealt(twin, 30) == after
    env.set_state(state)
    assert dealt(env, 30) == after
    other = single(deals=range(50, 99))
    other.set_state(pickle.loads(pickle.dumps(state)))
    assert dealt(other, 30) == after


# --- What is known of training deals ----------------------------------------------------------------------------------


def labelled(tmp_path: Path) -> LabelledDeals:
    rows = ["deal,won,best,nodes", "10,1,35,9", "11,0,-3,1", "12,2,35,4", "13,1,50,7", "14,0,-3,1", "15,1,20,2"]
    (tmp_path / "made.csv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    return LabelledDeals(
        file=tmp_path / "made.csv.gz",
        under="",
        fits=lambda options: True,
        winnable="won",
        difficulty=lambda columns: (-columns["best"], columns["nodes"]),
    )


@pytest.mark.parametrize(
    ("winnable", "difficulty", "chosen"),
    [
        (False, (0, 1), [10, 11, 12, 13, 14, 15]),
        (True, (0, 1), [10, 12, 13, 15]),
        (False, (0, 0.5), [10, 12, 13]),
        (False, (0.5, 1), [11, 14, 15]),
        (False, (0, 1 / 6), [13]),
        (False, (1 / 6, 2 / 6), [12]),
        (False, (4 / 6, 5 / 6), [11]),
        (True, (0.5, 0.75), [10]),
        (True, (0.75, 1), [15]),
    ],
)
def test_bands(winnable: bool, difficulty: Any, chosen: list[int], tmp_path: Path) -> None:
    assert labelled(tmp_path).choose(winnable=winnable, difficulty=difficulty).tolist() == chosen


@pytest.mark.parametrize("env_id", [PYRAMID, ONE_PASS])
def test_the_package_has_labels(env_id: str) -> None:
    """Bands are a partition, easier first, of the first training deals."""
    entry = CATALOGUE[env_id]
    options = entry.game.options(**entry.preset)
    everything = choose_deals(entry.game, options, difficulty=(0, 1))
    assert everything.tolist() == list(range(2**63, 2**63 + len(everything)))
    ends = np.linspace(0, 1, 8)
    bands = [choose_deals(entry.game, options, difficulty=band) for band in pairwise(ends)]
    assert sorted(np.concatenate(bands).tolist()) == everything.tolist()
    with gzip.open(LABELLED[entry.game.name].file, "rt") as file:
        file.readline()
        rows = np.loadtxt(file, np.uint64, delimiter=",", usecols=0)
    assert rows.tolist() == everything.tolist()


@pytest.mark.compiled
def test_bands_of_one_pass_become_harder_for_a_rule() -> None:
    entry = CATALOGUE[ONE_PASS]
    options, shares = entry.game.options(**entry.preset), []
    for band in pairwise((0, 0.25, 0.5, 0.75, 0.96, 1)):
        deals = choose_deals(entry.game, options, difficulty=band)[:400]
        shares.append(play(find_agent("thrifty", entry.game, options), entry.game, options, deals).column("won").mean())
    assert all(easy > hard for easy, hard in pairwise(shares)), shares


def test_winnable_deals_can_be_won() -> None:
    env = single(winnable=True, difficulty=(0.2, 0.3), information="table", objective="win")
    env.reset(seed=0)
    winnable = choose_deals(env.game, env.options, winnable=True)
    assert set(dealt(env, 20)) <= set(winnable.tolist())
    assert len(winnable) < len(choose_deals(env.game, env.options, difficulty=(0, 1)))


@pytest.mark.parametrize(
    "deals",
    [range(5, 9), range(5, 30, 3), np.array([7, 8]), [np.uint64(2**63)], (3, 4), np.int64(10), Path("deals.txt")],
    ids=str,
)
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_specs_with_deals_are_plain(deals: Any, make: Any, tmp_path: Path) -> None:
    """So that JSON takes them, as in Minari's data sets; and they name the same deals."""
    if isinstance(deals, Path):
        deals = tmp_path / deals
        deals.write_text("5\n6\n")
    env = make("solitaire/Pyramid-v0", deals=deals, passes=np.int64(2))
    again = make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.options == env.unwrapped.options
    for _ in range(3):
        assert np.array_equal(env.reset(seed=4)[0], again.reset(seed=4)[0])
    assert env.unwrapped.deal == again.unwrapped.deal if make is gymnasium.make else True


@pytest.mark.parametrize("text", ["100-50", "7-6"])
def test_a_range_that_goes_down_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"expected deals FIRST-LAST from a lower to a higher number, got '{text}'"):
        list_deals(text)
