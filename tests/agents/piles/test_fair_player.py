"""The best fair player of Golf wins as often as the exact optimum says, and sees no hidden card."""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import find_agent
from solitaire_agents.piles.fair_optimum import fair_optimum
from solitaire_agents.piles.fair_player import FairPlayer
from solitaire_envs.engine import Engine
from solitaire_envs.game import make_options
from solitaire_envs.imagination import imagine_games
from solitaire_envs.klondike import KlondikeOptions
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.piles.shape import PileShape
from solitaire_evaluation.play import step_through

SHAPE = PileShape(next(declared for declared in DECLARED if declared.title == "Golf"))
GAME = PILE_GAMES[SHAPE.game.env_id]
OPTIONS = GAME.options()


class Position(NamedTuple):
    """A position with four cards in the stock."""

    optimum: float
    observation: NDArray[np.int16]
    shown: NDArray[np.int16]
    """The observation if the stock is shown."""


@cache
def open_positions() -> list[Position]:
    """Returns late positions in which some orders of the stock can be won, but not all: test deals played by a rule."""
    engine, met, found = Engine(GAME, OPTIONS, 1_500, privileged=True), set[int](), list[Position]()
    engine.deal_numbers(range(1_500))
    for _ in step_through(find_agent("greedy", GAME, OPTIONS), engine):
        for game in set(np.flatnonzero(engine.states.stock_size == 4).tolist()) - met:
            met.add(game)
            if engine.states[game].heights.sum() < 12 and 0 < (optimum := fair_optimum(SHAPE, engine.states[game])) < 1:
                buffers = engine.buffers
                found.append(Position(optimum, buffers.observations[game].copy(), buffers.privileged[game].copy()))
    return found


def share_won(agent: Agent, observation: NDArray[np.int16]) -> float:
    """Returns the share that an agent wins of all orders of the stock."""
    stock = 1 + np.flatnonzero(observation[GAME.unseen])
    orders = np.array(list(permutations(stock.tolist())))
    games = imagine_games(GAME, OPTIONS, np.repeat(observation[None], len(orders), axis=0), orders)
    for _ in step_through(agent, games):
        pass
    return float(games.buffers.outcomes["won"].mean())


def test_it_wins_as_often_as_the_optimum_says() -> None:
    player, greedy, behind = FairPlayer(OPTIONS), find_agent("greedy", GAME, OPTIONS), 0
    for optimum, observation, _ in open_positions():
        assert share_won(player, observation) == pytest.approx(optimum, abs=1e-6)
        behind += share_won(greedy, observation) < optimum - 1e-6
    assert behind > 1


def test_a_stock_that_is_shown_makes_no_difference() -> None:
    player, shown = FairPlayer(OPTIONS), FairPlayer(make_options(GAME.options, {"information": "open"}))
    assert len(open_positions()) > 5
    for _, observation, in_full in open_positions():
        assert (observation != in_full).any()
        mask = imagine_games(GAME, OPTIONS, observation).buffers.action_masks
        assert player.act(observation[None], mask) == shown.act(in_full[None], mask)


def test_other_games_and_observations_are_refused() -> None:
    with pytest.raises(ValueError, match="^expected information='memory' or 'open', got 'table', which hides"):
        FairPlayer(make_options(GAME.options, {"information": "table"}))
    freecell = PILE_GAMES["solitaire/FreeCell-v0"]
    with pytest.raises(ValueError, match="^expected a game with a stock, a hole and open piles alone, got FreeCell$"):
        FairPlayer(freecell.options())
    with pytest.raises(ValueError, match="^expected options of a declared game, got KlondikeOptions"):
        FairPlayer(KlondikeOptions())
