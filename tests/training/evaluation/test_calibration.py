"""Whether the chances that agents tell come true."""

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_envs.cards import FIRST_RANDOM_DEAL
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_evaluation.calibration import fit, told_and_won

WIN = PyramidOptions(objective="win")
DEALS = np.arange(FIRST_RANDOM_DEAL + 10_000, FIRST_RANDOM_DEAL + 10_400, dtype=np.uint64)


def test_a_fit_finds_slope_and_offset() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, 20_000)
    won = rng.random(20_000) < Calibration(1.5, -0.7).probabilities(logits)
    assert fit(AS_LEARNED.probabilities(logits), won.astype(float)) == pytest.approx((1.5, -0.7), abs=0.05)


@pytest.mark.parametrize("told", [[], [0.0, 1.0], [0.5]])
def test_a_fit_of_little_stays_near_what_was_learned(told: list[float]) -> None:
    assert fit(np.array(told), np.array(told)) == pytest.approx(AS_LEARNED, abs=0.1)


def test_chances_of_the_shipped_agent_come_true() -> None:
    """On deals that the fit has not seen."""
    told, won = told_and_won(find_agent("best", GAME, WIN), GAME, WIN, DEALS)
    assert len(won) > 500
    assert set(won) == {0.0, 1.0}
    assert abs(told.mean() - won.mean()) < 0.03
    low = told < 0.5
    assert abs(told[low].mean() - won[low].mean()) < 0.08  # 0.15 and more by the values as they were learned


def test_who_tells_no_chances() -> None:
    for name, options in (("uniform", WIN), ("best", PyramidOptions())):
        assert told_and_won(find_agent(name, GAME, options), GAME, options, DEALS[:3]).shape == (2, 0)
