"""Cards that go up unasked are those that no card in play can lie on, worked out in plain Python."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import choices_of
from solitaire_agents.choices import FORCED
from solitaire_agents.piles.dominances import dominances_of, needs, safe_moves_of
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from solitaire_envs.jit import entry_point
from solitaire_envs.piles.shape import PileShape
from tests.agents.piles.test_solver import GAMES, SHAPES, option_sets
from tests.environments import few

SAFE_UP = [name for name in GAMES if dominances_of(SHAPES[name]).safe and SHAPES[name].pack.copies == 1]
QUICK = ("trigon", "somerset")


def can_lie_on(shape: PileShape, card: int) -> set[int]:
    """Returns the cards that can lie on a card; where foundations give cards back also those on these, and so on."""
    found = {int(one) for one in shape.fits[card] if one}
    return found.union(*(can_lie_on(shape, one) for one in found)) if shape.returns else found


def safe_moves(shape: PileShape, engine: Engine) -> list[int]:
    """Returns the moves of safe cards to their foundations."""
    state, found = engine.states[0], list[int]()
    up = {13 * suit + rank for suit in range(4) for rank in range(1, state["foundations"][suit] + 1)}
    for suit in range(4):
        action, card = shape.actions.up + suit, 13 * suit + int(state["foundations"][suit]) + 1
        if engine.buffers.action_masks[0, action] and can_lie_on(shape, card) <= up:
            of_waste = shape.to_waste and state["where"][card] == shape.places.waste
            if not (of_waste and engine.options.draw > 1):  # type: ignore[attr-defined]
                found.append(action)
    return found


def games_of(game: Game, shape: PileShape, deals: int) -> Iterator[Engine]:
    """Yields positions of games at random in which cards like to go up."""
    rng = np.random.default_rng(9)
    draws = [{"draw": 1}, {"draw": 3}] if shape.to_waste else [{}]
    for options in (game.options(**{**vars(each), **draw}) for each in option_sets(game) for draw in draws):
        for deal in rng.integers(2**42, 2**43, deals).astype(np.uint64):
            engine = Engine(game, options, 1, autoreset="disabled")
            engine.deal_numbers([deal])
            for _ in range(150):
                if engine.states.ended[0]:
                    break
                yield engine
                legal = np.flatnonzero(engine.buffers.action_masks[0])
                ups = legal[(legal >= shape.actions.up) & (legal < shape.actions.up + 4)]
                engine.step(rng.choice(ups if len(ups) and rng.random() < 0.7 else legal, 1))


@pytest.mark.parametrize("name", SAFE_UP)
def test_a_card_needs_all_cards_up_that_can_lie_on_it(name: str) -> None:
    shape = SHAPES[name]
    rank, line = shape.pack.rank, shape.pack.line
    for card, needed in enumerate(needs(shape)[1:53], start=1):
        above = can_lie_on(shape, card)
        assert needed.tolist() == [
            max((rank[each] for each in above if line[each] == one), default=0) for one in range(4)
        ]


@pytest.mark.parametrize("name", few(sorted(SAFE_UP, key=lambda name: name not in QUICK), len(QUICK)))
def test_the_safe_moves_are_those_of_the_definition(name: str) -> None:
    game, shape, counts = GAMES[name], SHAPES[name], [0, 0]
    kernel: Any = safe_moves_of(shape)[1]
    safe_move = entry_point("test of dominances")(kernel.py_func)
    for engine in games_of(game, shape, 12):
        expected = safe_moves(shape, engine)
        found = safe_move(engine._rules[0], engine.states[0], engine.buffers.action_masks[0])
        assert found in expected or (found == -1 and not expected)
        counts[found >= 0] += engine.buffers.action_masks[0, shape.actions.up : shape.actions.up + 4].any()
    assert min(counts) > 10 or (counts[1] > 10 and not any(can_lie_on(shape, card) for card in range(2, 14)))


def test_a_safe_card_goes_up_unasked() -> None:
    game, shape, forced = GAMES["somerset"], SHAPES["somerset"], 0
    choices = choices_of(game, game.options())
    kernels: list[Any] = [choices.count, choices.moves]
    count, moves = (entry_point("test of choices")(kernel.py_func) for kernel in kernels)
    storage, line = choices.new_storage(), np.zeros(choices.most_moves, np.int64)
    for engine in games_of(game, shape, 4):
        if expected := safe_moves(shape, engine):
            assert count(storage, engine.buffers.observations[0], engine.buffers.action_masks[0]) == FORCED
            assert moves(storage, 0, line) == 1
            assert line[0] in expected
            forced += 1
    assert forced > 10
