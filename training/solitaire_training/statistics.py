"""Intervals for shares and means."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the interval's length."""
        return (self.high - self.low) / 2


def share(successes: NDArray[np.float64]) -> Estimate:
    """Estimates a probability from 0s and 1s, with Wilson's score interval at level 95 %."""
    if len(successes) == 0:
        return Estimate(float("nan"), float("nan"), float("nan"))
    result = stats.binomtest(int(successes.sum()), len(successes))
    interval = result.proportion_ci(LEVEL, method="wilson")
    return Estimate(float(result.statistic), float(interval.low), float(interval.high))


def mean(values: NDArray[np.float64]) -> Estimate:
    """Estimates an expectation, with a bootstrap interval (percentile, 2,000 resamples) at level 95 %."""
    centre = float(values.mean()) if len(values) else float("nan")
    if len(values) < 2 or np.ptp(values) == 0:
        return Estimate(centre, centre, centre)
    result = stats.bootstrap(
        (values,), np.mean, n_resamples=2_000, batch=50, confidence_level=LEVEL, method="percentile", rng=0
    )
    return Estimate(centre, float(result.confidence_interval.low), float(result.confidence_interval.high))


def blocks(values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Adds up consecutive blocks, [n] -> [n // size]; values left over at the end are not used."""
    whole = len(values) // size * size
    sums: NDArray[np.float64] = values[:whole].reshape(-1, size).sum(axis=1)
    return sums
