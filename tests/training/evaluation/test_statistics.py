"""Intervals cover the truth as often as they say, on simulated data."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_evaluation.statistics import (
    Estimate,
    blocks,
    holm,
    interquartile_mean,
    mean,
    paired_mean,
    paired_share,
    share,
)
from tests.environments import few

REPETITIONS = 2_000
Values = NDArray[np.float64]


def covered(estimate: Callable[[np.random.Generator], Estimate], truth: float) -> float:
    random = np.random.default_rng(20)
    inside = 0
    for _ in range(REPETITIONS):
        found = estimate(random)
        inside += found.low <= truth <= found.high
    return inside / REPETITIONS


def scores(random: np.random.Generator, size: int) -> Values:
    """Two humps and a long tail, as scores of Pyramid have."""
    lost, cleared = -random.gamma(4.0, 4.0, size), random.choice([20.0, 35.0, 50.0], size, p=[0.5, 0.4, 0.1])
    return np.where(random.random(size) < 0.3, cleared, lost).round(1)


TRUE_SCORE = 0.3 * (0.5 * 20 + 0.4 * 35 + 0.1 * 50) - 0.7 * 16


@pytest.mark.parametrize(("successes", "deals"), [(1, 10), (0, 20), (300, 400)])
def test_wilson_intervals_are_those_of_his_formula(successes: int, deals: int) -> None:
    z, rate = 1.959964, successes / deals
    centre, shrunk = rate + z**2 / (2 * deals), 1 + z**2 / deals
    half = z * np.sqrt(rate * (1 - rate) / deals + (z / (2 * deals)) ** 2)
    found = share(np.repeat([1.0, 0.0], [successes, deals - successes]))
    expected = (rate, (centre - half) / shrunk, (centre + half) / shrunk)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-6)


def test_counts_give_the_same_bootstrap_as_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = scores(np.random.default_rng(0), 3_000).round()
    counted = mean(values)
    monkeypatch.setattr("solitaire_evaluation.statistics.COST_OF_COUNT", 1_000_000)
    drawn = mean(values)
    assert counted.value == drawn.value
    assert counted != drawn
    assert abs((counted.high - counted.low) / (drawn.high - drawn.low) - 1) < 0.05


def paired_outcomes(random: np.random.Generator, gained: float, lost: float, deals: int) -> tuple[Values, Values]:
    kind = random.choice(4, deals, p=[gained, lost, 0.2, 0.8 - gained - lost])
    return np.isin(kind, [0, 2]).astype(float), np.isin(kind, [1, 2]).astype(float)


def test_over_five_seeds_the_interval_is_their_range() -> None:
    """It covers a symmetric truth in all but 2 of 2^5 cases: 93.75 %."""
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert interquartile_mean([values]) == Estimate(14 / 3, 1.0, 16.0)


def test_seeds_are_drawn_again_within_their_environment() -> None:
    """Each is as good as the others there, so nothing varies."""
    assert interquartile_mean([np.ones(5), np.full(5, 9.0)]) == Estimate(5.0, 5.0, 5.0)


def test_no_interval_over_fewer_than_five_seeds() -> None:
    found = interquartile_mean([np.array([1.0, 2.0, 4.0, 9.0])])
    assert found.value == 3.0
    assert np.isnan([found.low, found.high]).all()


def test_p_values_of_shares_come_from_the_deals_that_differ() -> None:
    """Of 40 deals nine were won by us only, and one by them only: 2 * (1 + 10) / 2^10."""
    ours, theirs = np.repeat([1.0, 0.0, 1.0, 0.0], [9, 1, 20, 10]), np.repeat([0.0, 1.0, 1.0, 0.0], [9, 1, 20, 10])
    assert paired_share(ours, theirs).p_value == pytest.approx(22 / 1024)
    assert paired_share(ours, theirs).estimate.value == 0.2
    assert paired_share(theirs, ours).estimate.value == -0.2


def test_p_values_of_scores_are_those_of_pairs() -> None:
    """One point better on deals that differ by thousands."""
    easy = np.arange(20.0) * 1_000
    found = paired_mean(easy + 1 + np.tile([0.5, -0.5], 10), easy)
    assert found.p_value < 1e-6
    assert (found.estimate.value, found.estimate.low > 0.7, found.estimate.high < 1.3) == (1.0, True, True)


def test_blocks_that_are_not_whole_are_left_out() -> None:
    assert blocks(np.arange(8.0), 3).tolist() == [3.0, 12.0]
    assert blocks(np.arange(2.0), 3).tolist() == []


def test_holm() -> None:
    assert holm([0.01, 0.02, 0.03]) == [0.03, 0.04, 0.04]
    assert holm([0.01, 0.04, float("nan"), 0.03])[:2] == [0.03, 0.06]
    assert holm([0.04, 0.04]) == [0.08, 0.08]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_estimates_of_little() -> None:
    nothing = np.array([])
    assert np.isnan(share(nothing).value)
    assert np.isnan(mean(nothing).value)
    assert np.isnan(mean(np.ones(1)).low)
    assert mean(np.ones(5)) == Estimate(1.0, 1.0, 1.0)
    assert paired_share(np.ones(9), np.ones(9)).p_value == 1.0
    assert paired_mean(np.ones(9), np.ones(9)).p_value == 1.0
    one = paired_mean(np.ones(1), np.ones(1))
    assert one.estimate.value == 0
    assert np.isnan([one.estimate.low, one.estimate.high, one.p_value]).all()


@pytest.mark.parametrize(("probability", "deals"), few([(0.02, 1_000), (0.2, 300), (0.65, 600)]))
def test_wilson_intervals_cover(probability: float, deals: int) -> None:
    coverage = covered(lambda random: share((random.random(deals) < probability).astype(float)), probability)
    assert 0.93 <= coverage <= 0.97


@pytest.mark.parametrize("deals", few([12, 100]))
def test_bootstrap_intervals_of_means_cover(deals: int) -> None:
    assert 0.93 <= covered(lambda random: mean(random.normal(3.0, 2.0, deals)), 3.0) <= 0.97


@pytest.mark.slow
def test_bootstrap_intervals_of_skewed_means_cover() -> None:
    assert 0.93 <= covered(lambda random: mean(scores(random, 100)), TRUE_SCORE) <= 0.97


def test_paired_bootstrap_intervals_cover() -> None:
    def difference(random: np.random.Generator) -> Estimate:
        shared = scores(random, 100)  # how easy the deals are: common to both
        return paired_mean(shared + random.normal(1.5, 3.0, 100), shared + random.normal(0.0, 5.0, 100)).estimate

    assert 0.93 <= covered(difference, 1.5) <= 0.97


@pytest.mark.parametrize(("gained", "lost", "deals"), few([(0.02, 0.01, 1_000), (0.12, 0.08, 400), (0.3, 0.05, 60)]))
def test_intervals_of_paired_shares_cover(gained: float, lost: float, deals: int) -> None:
    def difference(random: np.random.Generator) -> Estimate:
        ours, theirs = paired_outcomes(random, gained, lost, deals)
        return paired_share(ours, theirs).estimate

    assert 0.93 <= covered(difference, gained - lost) <= 0.97


@pytest.mark.parametrize("seeds", few([((6,),), ((10,),), ((5, 5),), ((10, 10),)]))
def test_intervals_over_training_seeds_cover(seeds: tuple[int, ...]) -> None:
    def over_seeds(random: np.random.Generator) -> Estimate:
        return interquartile_mean([random.normal(2.0, 1.0, count) for count in seeds])

    assert 0.93 <= covered(over_seeds, 2.0) <= 0.97


@pytest.mark.slow
def test_p_values_of_equals_are_seldom_small() -> None:
    random = np.random.default_rng(3)
    wins = [paired_share(*paired_outcomes(random, 0.1, 0.1, 300)).p_value for _ in range(1_000)]
    points = [paired_mean(scores(random, 50), scores(random, 50)).p_value for _ in range(1_000)]
    assert np.mean(np.array(wins) < 0.05) < 0.065
    assert np.mean(np.array(points) < 0.05) < 0.065
