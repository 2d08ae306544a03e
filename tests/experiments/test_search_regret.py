"""What a search's choices lose: little, if it is long."""

import numpy as np
from experiments.search_regret import study

from solitaire_agents.tree import ALWAYS, TreeEffort
from solitaire_evaluation.deals import VALIDATION_DEALS

EFFORTS = [TreeEffort(1), TreeEffort(1_000, sure=ALWAYS)]


def test_a_longer_search_loses_less() -> None:
    deals = range(VALIDATION_DEALS, VALIDATION_DEALS + 10)
    rows = [row for deal in deals for row in study(deal, "solitaire/Klondike-v0", "best", EFFORTS, 4_000)]
    regrets, simulations, _ = np.array(rows).transpose(2, 0, 1)
    assert len(regrets) > 4
    assert (regrets[:, 1] > -0.1).all()
    short, long = regrets.mean(axis=0)
    assert short > 2 * long
    assert (simulations[:, 0] == 1).all()
    assert (simulations[:, 1] == 1_000).all()
