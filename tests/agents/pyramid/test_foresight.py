"""Hindsight that is put off by a card: against the same worked out on the engine, and against hindsight itself."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.pyramid import foresight
from solitaire_agents.pyramid.foresight import Foresight
from solitaire_agents.pyramid.position import hidden_places
from solitaire_agents.pyramid.score_planner import ScorePlanner
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.pyramid import (
    DRAW,
    FIRST,
    GAME,
    NO_PLACE,
    RANK,
    REDEAL,
    SECOND,
    STATE,
    STOCK,
    STOCK_SIZE,
    PyramidOptions,
)

SCORE = PyramidOptions()
UNSEEN = GAME.slots("unseen")
_lay_out = entry_point("test of foresight")(foresight._lay_out.py_func)  # type: ignore[attr-defined]


def hidden_in(engine: Engine) -> int:
    return int(engine.buffers.observations[0, UNSEEN].sum())


def positions_of_pass_1(seed: int, deals: int) -> list[Engine]:
    """Returns engines with one game each that a random player has played on until some cards are left hidden."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(deals):
        engine, until = Engine(GAME, SCORE, 1, autoreset="disabled"), int(rng.integers(2, 24))
        engine.deal_numbers(rng.integers(2**41, 2**42, 1).astype(np.uint64))
        while hidden_in(engine) > until:
            engine.step(rng.choice(np.flatnonzero(engine.buffers.action_masks[0]), 1))
        if hidden_in(engine) > 1:
            found.append(engine)
    return found


def test_a_position_is_laid_out_as_it_is() -> None:
    for engine in positions_of_pass_1(1, 100):
        observation, state = engine.buffers.observations[0], np.zeros(1, STATE).view(np.recarray)
        hidden = engine.states.deck[0][-hidden_in(engine) :].astype(np.int64)
        _lay_out(np.asarray(state)[0], observation, hidden)
        seen, legal = np.zeros_like(observation), np.zeros(engine.num_actions, np.bool_)
        GAME.observe(SCORE.to_rules()[0], np.asarray(state)[0], seen)
        GAME.legal(SCORE.to_rules()[0], np.asarray(state)[0], legal)
        assert np.array_equal(seen, observation)
        assert np.array_equal(legal, engine.buffers.action_masks[0])
        for name in ("stock_size", "waste_size", "discarded", "current_pass", "cleared_in_pass"):
            assert state[name][0] == engine.states[name][0], name


# --- The same on the engine -------------------------------------------------------------------------------------------


def turns_up(move: int) -> bool:
    return move == DRAW or STOCK in (FIRST[move], SECOND[move])


def made_up(hidden: NDArray[np.int64], left: tuple[int, int, int], move: int) -> float:
    """Returns a rating, 0..1, which depends on the order, on the position and on the move."""
    return hash((tuple(RANK[hidden].tolist()), left, move)) % 9_973 / 9_973


def make_up_all(
    places: slice, orders: NDArray[np.int64], positions: NDArray[np.int64], mask: NDArray[np.bool_]
) -> NDArray[np.float64]:
    ratings = np.zeros((len(orders), len(mask)))
    for row, (deck, (pyramid, stock, pointer, *_)) in enumerate(zip(orders, positions.tolist(), strict=True)):
        sizes = (stock >> pointer).bit_count(), (stock & (1 << pointer) - 1).bit_count()
        for move in np.flatnonzero(mask):
            ratings[row, move] = made_up(deck[places], (pyramid, *sizes), int(move))
    return ratings


class Reference:
    """Deals each order anew, and plays it to where it is to be judged."""

    def __init__(self, engine: Engine, orders: NDArray[np.int64]) -> None:
        self.root, self.orders = engine.states.copy(), orders

    def at(self, order: int, moves: tuple[int, ...]) -> Engine:
        engine = Engine(GAME, SCORE, 1, autoreset="disabled")
        engine.deal_numbers([0])
        engine.states[:] = self.root
        stock, hidden = engine.states.stock[0], self.orders[order]
        stock[STOCK_SIZE - len(hidden) : STOCK_SIZE] = RANK[hidden]
        GAME.legal(SCORE.to_rules()[0], engine.states[0], engine.buffers.action_masks[0])
        GAME.observe(SCORE.to_rules()[0], engine.states[0], engine.buffers.observations[0])
        for move in moves:
            engine.step(np.array([move]))
        return engine

    def rating(self, order: int, moves: tuple[int, ...]) -> float:
        state = self.at(order, moves[:-1]).states[0]
        return made_up(
            self.orders[order], (int(state.pyramid), int(state.stock_size), int(state.waste_size)), moves[-1]
        )

    def choices(self, order: int, moves: tuple[int, ...]) -> list[int]:
        legal = np.flatnonzero(self.at(order, moves).buffers.action_masks[0]).tolist()
        kings = [move for move in legal if move > REDEAL and SECOND[move] == NO_PLACE]
        return kings[:1] or legal

    def worth(self, moves: tuple[int, ...]) -> float:
        everyone = list(range(len(self.orders)))
        if hidden_in(self.at(0, moves)) <= 1:
            return float(np.mean([self.rating(order, moves) for order in everyone]))
        if not turns_up(moves[-1]):
            legal = self.choices(0, moves)
            if len(moves) >= 3 and len(legal) > 1:
                legal = [move for move in legal if turns_up(move)]
            return max(self.worth((*moves, move)) for move in legal)
        seen = {order: self.at(order, moves).buffers.observations[0].tobytes() for order in everyone}
        groups = [[order for order in everyone if seen[order] == view] for view in sorted(set(seen.values()))]
        return sum(self.reply(group, moves) * len(group) for group in groups) / len(everyone)

    def reply(self, group: list[int], moves: tuple[int, ...]) -> float:
        legal = self.choices(group[0], moves)
        if SECOND[legal[0]] == NO_PLACE and legal[0] > REDEAL and not turns_up(legal[0]):
            return self.reply(group, (*moves, legal[0]))
        table = np.array([[self.rating(order, (*moves, move)) for move in legal] for order in group])
        if len(group) == 1:
            return float(table.max())
        halves = table[::2], table[1::2]
        chosen = [int(half.mean(axis=0).argmax()) for half in halves]
        return float((halves[0][:, chosen[1]].sum() + halves[1][:, chosen[0]].sum()) / len(group))


def test_as_worked_out_on_the_engine() -> None:
    depths, rng = list[int](), np.random.default_rng(3)
    for engine in positions_of_pass_1(2, 60):
        observation, planner = engine.buffers.observations[0].copy(), ScorePlanner(SCORE, samples=24, seed=7)
        decks, positions = planner._imagine(observation, 24)
        places = hidden_places(observation, positions[0])
        reference = Reference(engine, np.ascontiguousarray(decks[:, places]))
        looked = Foresight(SCORE, partial(make_up_all, places))
        for move in rng.permutation(np.flatnonzero(engine.buffers.action_masks[0]))[:3]:
            expected = reference.worth((int(move),))
            assert looked.rate(decks, positions, observation, int(move)) == pytest.approx(expected)
            depths.append(hidden_in(engine))
    assert len(depths) > 100
    assert min(depths) == 2


def test_is_no_more_than_hindsight() -> None:
    """Whoever is told later does no better. Where one card stays hidden, nothing is told that is not known."""
    less = 0
    for engine in positions_of_pass_1(4, 100):
        if hidden_in(engine) < 12:
            continue  # a random player has lost it
        observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
        planner = ScorePlanner(SCORE, samples=16, max_nodes=20_000)
        decks, positions = planner._imagine(observation, 16)
        at_once = planner._rate(decks, positions, mask).mean(axis=0)
        for move in np.flatnonzero(mask):
            if SECOND[move] == NO_PLACE and move > REDEAL:
                continue
            later = planner._foresight.rate(decks, positions, observation, int(move))
            assert later <= at_once[move] + 1e-6
            less += later < at_once[move] - 1e-6
    assert less > 10


def test_orders_are_parted_by_the_card_that_is_turned_up() -> None:
    """If what is best differs from card to card but not within, putting off the news costs nothing."""
    engine = next(e for e in positions_of_pass_1(6, 50) if hidden_in(e) > 8)
    observation = engine.buffers.observations[0]
    planner = ScorePlanner(SCORE, samples=64)
    decks, positions = planner._imagine(observation, 64)
    hidden = hidden_places(observation, positions[0])

    def rate(orders: Any, _: Any, mask: Any) -> Any:
        legal = np.flatnonzero(mask)
        ratings = np.zeros((len(orders), len(mask)))
        ratings[np.arange(len(orders)), legal[RANK[orders[:, hidden.start]] % len(legal)]] = 1.0
        return ratings

    assert Foresight(SCORE, rate).rate(decks, positions, observation, DRAW) == pytest.approx(1.0)
