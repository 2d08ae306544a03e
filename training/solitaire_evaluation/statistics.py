"""Intervals for shares, means, paired differences and interquartile means over training seeds.

All intervals have level 95 %. Their coverage is tested on simulated data
(tests/training/evaluation/test_statistics.py). Bootstrap intervals are percentile intervals, *expanded* as in
Hesterberg (2015, 'What Teachers Should Know About the Bootstrap'). Plain ones are too narrow for few values: over five
training seeds they would cover 90 %. For many values the two are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEVEL = 0.95
RESAMPLES = 2_000
DRAWS_AT_ONCE = 1_000_000
"""Random values drawn at a time, at most, to limit memory."""
COST_OF_COUNT = 8
"""Time to draw a count relative to the time to draw a value."""
SEEDS_FOR_INTERVAL = 5
"""Training seeds that an interval needs, at least. From fewer, no interval would be both honest and useful."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A metric with its interval; the ends are nan if there is no interval."""

    value: float
    low: float
    high: float


_UNKNOWN = Estimate(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True)
class Difference:
    """How much better one agent is than another on the same deals, with its interval and p-value."""

    estimate: Estimate
    p_value: float
    """Two-sided, not corrected for other comparisons."""


def share(successes: Values) -> Estimate:
    """Estimates a probability from 0s and 1s, with Wilson's score interval."""
    if len(successes) == 0:
        return _UNKNOWN
    result = stats.binomtest(int(successes.sum()), len(successes))
    interval = result.proportion_ci(LEVEL, method="wilson")
    return Estimate(float(result.statistic), float(interval.low), float(interval.high))


def mean(values: Values) -> Estimate:
    """Estimates an expectation, with a bootstrap interval. The same values always give the same interval."""
    if len(values) == 0:
        return _UNKNOWN
    centre = float(values.mean())
    if len(values) == 1:
        return Estimate(centre, float("nan"), float("nan"))
    free = len(values) - 1
    return _interval(centre, bootstrap_means(values), free, np.sqrt(len(values) / free))


def bootstrap_means(values: Values) -> Values:
    """Returns the means of `RESAMPLES` resamples.

    A resample's mean depends only on the counts of its distinct values, which are multinomial. If few values are
    distinct, drawing the counts gives the same bootstrap, ten times faster for thousands of scores.
    """
    random, size = np.random.default_rng(0), len(values)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) * COST_OF_COUNT <= size:
        means: Values = random.multinomial(size, counts / size, RESAMPLES) @ distinct / size
        return means
    rows = max(1, DRAWS_AT_ONCE // size)
    drawn = [
        values[random.integers(0, size, (min(rows, RESAMPLES - start), size))].mean(axis=1)
        for start in range(0, RESAMPLES, rows)
    ]
    return np.concatenate(drawn)


def paired_mean(ours: Values, theirs: Values) -> Difference:
    """Compares means over the same deals: bootstrap interval of the mean difference, p-value of the paired t-test."""
    differences = ours - theirs
    estimate = mean(differences)
    if len(differences) < 2 or np.ptp(differences) == 0:  # the t-test is undefined
        return Difference(estimate, 1.0 if len(differences) > 1 and estimate.value == 0 else float("nan"))
    return Difference(estimate, float(stats.ttest_1samp(differences, 0.0).pvalue))


def paired_share(ours: Values, theirs: Values) -> Difference:
    """Compares shares over the same deals, by the deals on which only one of the two succeeded.

    The p-value is McNemar's, exact. The interval is Bonett and Price's (2012). It adds one deal in each direction, so
    that the coverage is right even if the two hardly ever differ.
    """
    count, gained, lost = len(ours), int((ours > theirs).sum()), int((ours < theirs).sum())
    if count == 0:
        return Difference(_UNKNOWN, float("nan"))
    more, less = (gained + 1) / (count + 2), (lost + 1) / (count + 2)
    spread = np.sqrt((more + less - (more - less) ** 2) / (count + 2)) * stats.norm.ppf((1 + LEVEL) / 2)
    low, high = max(-1.0, more - less - spread), min(1.0, more - less + spread)
    p_value = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    return Difference(Estimate((gained - lost) / count, float(low), float(high)), float(p_value))


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrects p-values for multiple comparisons, by Holm's method; nan stays nan and does not count."""
    corrected, worst = [float("nan")] * len(p_values), 0.0
    order = [index for index in np.argsort(p_values).tolist() if not np.isnan(p_values[index])]
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - rank) * p_values[index]))
        corrected[index] = worst
    return corrected


def interquartile_mean(strata: Sequence[Values]) -> Estimate:
    """Estimates the mean of the middle half of training runs, with a stratified bootstrap interval.

    Args:
        strata: The runs' results, an array for each environment. The bootstrap resamples within each array.
    """
    values = np.concatenate(list(strata))
    if len(values) == 0:
        return _UNKNOWN
    centre = float(stats.trim_mean(values, 0.25))
    if min(len(runs) for runs in strata) < SEEDS_FOR_INTERVAL:
        return Estimate(centre, float("nan"), float("nan"))
    random = np.random.default_rng(0)
    drawn = [runs[random.integers(0, len(runs), (RESAMPLES, len(runs)))] for runs in strata]
    means = stats.trim_mean(np.concatenate(drawn, axis=1), 0.25, axis=1)
    return _interval(centre, means, len(values) - len(strata), 1.0)  # trimming makes up for the narrow resamples


def _interval(centre: float, resampled: Values, free: int, wider: float) -> Estimate:
    """Returns the expanded percentile interval.

    Args:
        centre: The metric.
        resampled: The metric of each resample.
        free: Degrees of freedom of Student's t distribution, which replaces the normal one.
        wider: Factor that corrects for the resamples, which vary less than the metric does.
    """
    tail = stats.norm.sf(wider * stats.t.ppf((1 + LEVEL) / 2, free))
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Estimate(centre, float(low), float(high))


def blocks(values: Values, size: int) -> Values:
    """Adds up consecutive blocks, [n] -> [n // size]; values left over at the end are not used."""
    whole = len(values) // size * size
    sums: Values = values[:whole].reshape(-1, size).sum(axis=1)
    return sums
