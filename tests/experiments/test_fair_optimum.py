"""The experiment about the optimum of fair play in Golf goes on where it was stopped."""

from pathlib import Path

import numpy as np
import pytest
from experiments.fair_optimum import GOLF, fair_agent, measure, play_orders, read_rows

from solitaire_agents.kit import dealt
from solitaire_agents.piles.fair_optimum import fair_optimum
from solitaire_envs.piles.games import PILE_GAMES
from solitaire_envs.piles.shape import PileShape


def test_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    measure([3], 16, path)
    whole = path.read_text()
    path.write_text(f"{whole}1,16,0.")
    measure([3, 0], 16, path)
    assert path.read_text().startswith(whole)
    assert {deal: bound for deal, (_, bound, _) in read_rows(path).items()} == {3: 1, 0: 0}
    with pytest.raises(ValueError, match="^expected .*rows.csv to have rows with told=8$"):
        measure([1], 8, path)
    path.write_text("deal,bound\n")
    with pytest.raises(ValueError, match="^expected .*rows.csv to have columns deal, told, bound, seconds$"):
        read_rows(path)


def test_agents_that_see_the_stock_are_refused() -> None:
    with pytest.raises(ValueError, match="^expected agents that do not see the stock, got oracle$"):
        fair_agent("oracle")


@pytest.mark.slow
def test_a_fair_agent_wins_less_than_the_best() -> None:
    game, deal = PILE_GAMES[GOLF.env_id], 78
    (state,) = dealt(game, game.options(), np.array([deal], np.uint64))
    (share,) = play_orders(fair_agent("greedy"), [deal], 1_000)
    assert 0 < share < fair_optimum(PileShape(GOLF), state) < 1
