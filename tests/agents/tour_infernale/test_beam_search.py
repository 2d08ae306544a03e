"""The beam search of La tour infernale: against an exhaustive search, and in whole games."""

import numpy as np
import pytest

from solitaire_agents.base import ActionMasks, Actions, Observations
from solitaire_agents.catalogue import find_agent
from solitaire_agents.oracle import Oracle
from solitaire_agents.tour_infernale.beam_search import beam_search
from solitaire_agents.tour_infernale.solving import TourInfernaleSolver
from solitaire_envs.game import Options, make_options
from solitaire_envs.series import SPRINT
from solitaire_envs.tour_infernale import GAME, TourInfernaleOptions
from solitaire_evaluation.play import play
from tests.agents.strength import played_as
from tests.agents.tour_infernale.positions import Position
from tests.environments import few
from tests.reference.tour_infernale_search import State, fewest_moves

DEALS = np.arange(2**41, 2**41 + 6, dtype=np.uint64)


def found_and_fewest(rng: np.random.Generator, piles: int, heights: tuple[int, ...]) -> tuple[int, int]:
    """Moves that the search finds, and the fewest there are, where only cards above these are left, dealt anew."""
    cards = [13 * suit + rank for suit, height in enumerate(heights) for rank in range(height, 13)]
    deck = [int(card) for card in rng.permutation(cards)]
    tableau, stock = deck[:piles], deck[piles:]
    least = fewest_moves(
        State(piles=tuple((card,) for card in tableau), foundations=heights, stock=tuple(stock[::-1]), waste=()),
        max_states=100_000,
    )
    assert least is not None
    start = Position(tableau=tuple((card,) for card in tableau), stock=tuple(stock), foundations=(*heights,))
    return len(beam_search(start.state, start.options(None), width=50)), least


@pytest.mark.parametrize(
    ("piles", "heights"),
    few([(2, (13, 13, 11, 6)), (1, (13, 13, 8, 8)), (2, (13, 13, 8, 8)), (1, (13, 13, 13, 4)), (2, (13, 13, 13, 4))]),
)
def test_finds_the_fewest_moves_of_few_cards(piles: int, heights: tuple[int, ...]) -> None:
    rng = np.random.default_rng(piles)
    pairs = [found_and_fewest(rng, piles, heights) for _ in range(20)]
    assert all(found == least for found, least in pairs), pairs


@pytest.mark.slow
@pytest.mark.parametrize("piles", [5, 6])
def test_takes_far_fewer_moves_than_a_rule(piles: int) -> None:
    options = TourInfernaleOptions(piles=piles)
    by_rule, by_search = (
        play(find_agent(name, GAME, options), GAME, options, DEALS[:5]) for name in ("swift", "oracle")
    )
    assert by_search.outcomes["won"].all()
    assert (by_search.outcomes["moves"] <= by_rule.outcomes["moves"]).all()
    assert by_search.column("moves").mean() < by_rule.column("moves").mean() - 10


def test_takes_as_few_moves_as_ever() -> None:
    options = TourInfernaleOptions()
    assert (
        played_as(find_agent("oracle", GAME, options), GAME, options, DEALS) == "6 won, 312 points, 762 moves, 2f81f94f"
    )


class _Distracted(Oracle):
    """Makes every 25th move badly, the last that is legal, and has to find its way anew."""

    calls = 0

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        self.calls += 1
        if self.calls % 25:
            return super().act(observations, action_masks)
        return np.array([np.flatnonzero(mask)[-1] for mask in action_masks])


def test_goes_on_from_any_position() -> None:
    options = TourInfernaleOptions(max_moves=300)
    assert play(_Distracted(GAME, options, TourInfernaleSolver()), GAME, options, DEALS[:2]).outcomes["won"].all()


@pytest.mark.slow
def test_sprints() -> None:
    options: Options = make_options(SPRINT.options, {"budget": 300})
    assert (play(find_agent("oracle", SPRINT, options), SPRINT, options, DEALS[:2]).outcomes["score"] == 2).all()
