"""The exact optimum of fair play in Golf, against plain search."""

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import label_file
from solitaire_agents.piles.fair_optimum import fair_optimum
from solitaire_envs.deals import read_label_file
from solitaire_envs.engine import Engine
from solitaire_envs.piles.declaration import Build, Hole, PileGame, Stock, Tableau
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.piles.making import make_game
from solitaire_envs.piles.shape import PileShape
from tests.environments import few

GOLF = next(declared for declared in DECLARED if declared.title == "Golf")


def dealt(deal: int, declared: PileGame = GOLF) -> tuple[PileShape, Any]:
    """Returns a game's shape and the state of a deal."""
    game = PILE_GAMES[GOLF.env_id] if declared is GOLF else make_game(declared, __name__)
    engine = Engine(game, game.options(), 1)
    engine.deal_numbers([deal])
    return PileShape(declared), engine.states[0]


def late(rng: np.random.Generator, cards: list[int], heights: list[int], stock: int, declared: PileGame = GOLF) -> Any:
    """Returns a position with few cards, drawn from a list; ranks that are close to each other can often be won."""
    shape, state = dealt(0, declared)
    for field in ("tableau", "talon"):
        state[field] = rng.choice(cards, len(state[field]))
    state.tops[shape.places.foundation] = rng.choice(cards)
    state.heights, state.stock_size = [*heights, *[0] * (len(state.heights) - len(heights))], stock
    return shape, state


def by_search(shape: PileShape, state: Any, told: int) -> float:
    """Returns the same value by plain search over positions."""
    rows, size = shape.sizes.rows, int(state.stock_size)
    piles = tuple(
        tuple((int(card) - 1) % 13 + 1 for card in state.tableau[rows * pile : rows * pile + height])
        for pile, height in enumerate(state.heights)
    )
    stock = tuple((int(card) - 1) % 13 + 1 for card in state.talon[shape.sizes.stock - size : shape.sizes.stock])
    wrap = shape.hole is not None and shape.hole.wrap

    @cache
    def value(piles: tuple[tuple[int, ...], ...], top: int, known: tuple[int, ...], rest: tuple[int, ...]) -> float:
        if not any(piles):
            return 1
        values = [0.0]
        for place, pile in enumerate(piles):
            if pile and (abs(pile[-1] - top) == 1 or (wrap and abs(pile[-1] - top) == 12)):
                values.append(value((*piles[:place], pile[:-1], *piles[place + 1 :]), pile[-1], known, rest))
        if known:
            values.append(value(piles, known[0], known[1:], rest))
        elif rest:
            draws = [value(piles, card, (), (*rest[:at], *rest[at + 1 :])) for at, card in enumerate(rest)]
            values.append(sum(draws) / len(draws))
        return max(values)

    top = (int(state.tops[shape.places.foundation]) - 1) % 13 + 1
    return value(piles, top, stock[:told], tuple(sorted(stock[told:])))


TURNING = PileGame(
    title="Turning",
    tableau=Tableau(deal=(5,) * 7, build=Build(suits="none"), spaces="none"),
    stock=Stock(to="hole"),
    goal=Hole(wrap=True),
)


@pytest.mark.parametrize(("declared", "cards"), few([(GOLF, [1, 2, 3, 4, 5]), (TURNING, [11, 12, 13, 1, 2])]))
def test_it_agrees_with_plain_search(declared: PileGame, cards: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    values, rng = [], np.random.default_rng(1)
    for number in range(120):
        monkeypatch.setattr("solitaire_agents.piles.fair_optimum.EXACT", number % 3)
        shape, state = late(rng, cards, [3, 3, 3, 2 + number % 2], 4 + number % 2, declared)
        for told in (0, 2, int(state.stock_size)):
            values.append(fair_optimum(shape, state, told))
            assert values[-1] == pytest.approx(by_search(shape, state, told), abs=1e-6)
    assert len(set(np.round(values, 4))) > 9


def test_to_be_told_more_is_worth_no_less() -> None:
    gains, rng = 0, np.random.default_rng(1)
    for _ in range(150):
        shape, state = late(rng, [1, 2, 3, 4, 5, 6], [3, 3, 3, 3, 2], 4)
        if 0 < (fair := fair_optimum(shape, state)) < 1:
            first, values = shape.sizes.stock - 4, []
            for order in list(permutations(state.talon[first : shape.sizes.stock].tolist())):
                state.talon[first : shape.sizes.stock] = order
                values.append([fair_optimum(shape, state, told) for told in range(5)])
            means = np.mean(values, axis=0)
            assert means[0] == pytest.approx(fair, abs=1e-6)  # the order makes no difference
            assert (np.diff(means) > -1e-6).all()
            gains += means[-1] > fair + 1e-6
    assert gains > 3


@pytest.mark.slow
@pytest.mark.parametrize("deals", [range(12), range(12, 30)], ids=str)
def test_to_be_told_all_is_what_can_be_won(deals: range) -> None:
    path = label_file(PILE_GAMES[GOLF.env_id], PILE_GAMES[GOLF.env_id].options())
    assert path is not None
    labels = read_label_file(path)
    for deal in deals:
        if labels["winnable"][deal] != -1:
            assert fair_optimum(*dealt(deal), told=16) == labels["winnable"][deal]


def test_other_games_are_refused() -> None:
    freecell = next(declared for declared in DECLARED if declared.title == "FreeCell")
    with pytest.raises(ValueError, match="^expected a game with a stock, a hole and open piles alone, got FreeCell$"):
        fair_optimum(*dealt(1, freecell))
    with pytest.raises(ValueError, match=r"^expected told of 0\.\.16, got 17$"):
        fair_optimum(*dealt(1), told=17)
