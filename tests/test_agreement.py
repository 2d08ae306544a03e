"""The kernels against the plain-Python rules in tests/reference: step by step, on random legal games.

Compared at each step: the legal moves, the reward, whether the game is over or truncated, the outcome, and all that the
observation tells. `STEPS` a game are played in `make test`, ten times as many in `make test-slow`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from solitaire_agents.uniform import UniformAgent
from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import card_text, parse_card
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from tests.reference.cards import deck_of
from tests.reference.pyramid import Pyramid
from tests.reference.tour_infernale import TourInfernale

STEPS = 1_000_000
BATCH = 64

PYRAMID_OPTIONS: list[dict[str, Any]] = [
    {},
    {"passes": 1},
    {"passes": 5},
    {"passes": 2, "stock_waste_pairs": False},
    {"goal": "pyramid"},
    {"information": "table"},
    {"information": "open", "goal": "pyramid", "stock_waste_pairs": False},
    {"objective": "win", "passes": 4},
]
TOUR_OPTIONS: list[dict[str, Any]] = [
    {},
    {"passes": 1},
    {"passes": 2, "piles": 5},
    {"piles": 5, "max_moves": 137},
    {"information": "table", "passes": 3},
    {"information": "open", "objective": "score"},
]


def rank(card: str | None) -> int:
    return 14 if card is None else parse_card(card) % 13 + 1


def number(card: str | None) -> int:
    return 53 if card is None else parse_card(card) + 1


def padded(values: Sequence[int], size: int) -> list[int]:
    return [*values, *[0] * (size - len(values))]


class PyramidOracle:
    """What the observation, reward and outcome of Pyramid have to be, told by the reference."""

    def __init__(self, deck: list[str], options: pyramid.PyramidOptions) -> None:
        self.options = options
        self.game = Pyramid(deck, passes=options.passes, stock_waste_pairs=options.stock_waste_pairs, goal=options.goal)

    def play(self, move: str, action: int) -> float:
        reward = self.game.play(move)
        return float(self.game.won) if self.options.objective == "win" else reward

    def outcome(self) -> dict[str, Any]:
        game = self.game
        return {
            "score": game.score,
            "won": game.won,
            "cleared": game.cleared,
            "cleared_in_pass": game.cleared_in_pass,
            "passes": game.passes_used,
            "moves": game.moves,
        }

    def observation(self) -> dict[str, list[int]]:
        game, information = self.game, self.options.information
        stock, waste = list(game.known_stock()), list(game.waste)
        unseen = [rank(card) for card in game.unseen()]
        if information == "open":
            stock, unseen = list(game.stock), []
        elif information == "table":
            stock = [*stock[:1], *[None] * len(stock[1:])]
            waste = [*waste[:1], *[None] * len(waste[1:])]
            face_up = [card for card in [*game.pyramid, *stock[:1], *waste[:1]] if card is not None]
            unseen = [rank(card_text(card)) for card in range(52) if card_text(card) not in face_up]
        return {
            "pyramid": [0 if card is None else rank(card) for card in game.pyramid],
            "stock": padded([rank(card) for card in stock], 24),
            "waste": padded([rank(card) for card in waste], 24),
            "pass": [game.passes_used],
            "redeals": [self.options.passes - game.passes_used],
            "unseen": [unseen.count(value) for value in range(1, 14)],
        }


class TourInfernaleOracle:
    """The same for La tour infernale."""

    def __init__(self, deck: list[str], options: tour_infernale.TourInfernaleOptions) -> None:
        self.options = options
        moves = 10**9 if options.max_moves is None else options.max_moves
        self.game = TourInfernale(deck, piles=options.piles, passes=options.passes, max_moves=moves)
        self.up = 0

    def play(self, move: str, action: int) -> float:
        pile = int(tour_infernale.TARGET[action]) if move.endswith("empty") else None
        reward = self.game.play(move, pile)
        before, self.up = self.up, sum(self.game.foundations.values())
        return float(self.up - before) if self.options.objective == "score" else reward

    def outcome(self) -> dict[str, Any]:
        game = self.game
        score = sum(game.foundations.values())
        return {"score": score, "won": game.won, "passes": game.passes_used, "moves": game.moves}

    def observation(self) -> dict[str, list[int]]:
        game, information = self.game, self.options.information
        stock, waste, unseen = list(game.known_stock()), list(game.waste), set(game.unseen())
        if information == "open":
            stock, unseen = list(game.stock), set()
        elif information == "table":
            unseen = {*game.stock, *waste[1:]}
            stock, waste = [None] * len(stock), [*waste[:1], *[None] * len(waste[1:])]
        piles = [padded([number(card) for card in pile], 13) for pile in game.tableau]
        redeals = -1 if self.options.passes is None else self.options.passes - game.passes_used
        return {
            "tableau": padded([slot for pile in piles for slot in pile], 78),
            "foundations": [game.foundations[suit] for suit in "CDHS"],
            "stock": padded([number(card) for card in stock], 47),
            "waste": padded([number(card) for card in waste], 47),
            "pass": [game.passes_used],
            "redeals": [redeals],
            "unseen": [int(card_text(card) in unseen) for card in range(52)],
        }


def check_position(engine: Engine, index: int, oracle: Any) -> None:
    game, row = engine.game, engine.buffers.observations[index]
    for name, expected in oracle.observation().items():
        assert row[game.slots(name)].tolist() == expected, name
    texts = [engine.move_text(index, action) for action in engine.legal_actions(index)]
    assert sorted(texts) == sorted(oracle.game.legal_moves())


def compare(game: Game, options: Any, oracle_type: Any, steps: int, seed: int) -> None:
    engine = Engine(game, options, BATCH, autoreset="same_step")
    engine.seed(range(seed, seed + BATCH))
    engine.deal_next()
    agent = UniformAgent(seed)

    def new_oracle(index: int) -> Any:
        oracle = oracle_type(deck_of(int(engine.states.deal[index])), options)
        check_position(engine, index, oracle)
        return oracle

    oracles = [new_oracle(index) for index in range(BATCH)]
    for _ in range(steps // BATCH):
        actions = agent.act(engine.buffers.observations, engine.buffers.action_masks)
        moves = [engine.move_text(index, int(action)) for index, action in enumerate(actions)]
        buffers = engine.step(actions)
        for index, oracle in enumerate(oracles):
            assert buffers.rewards[index] == oracle.play(moves[index], int(actions[index]))
            assert buffers.terminated[index] == oracle.game.over
            assert buffers.truncated[index] == oracle.game.truncated
            if oracle.game.over or oracle.game.truncated:
                record = buffers.outcomes[index]
                assert {name: record[name] for name in record.dtype.names} == oracle.outcome()
                oracles[index] = new_oracle(index)
            else:
                check_position(engine, index, oracle)


def run_pyramid(options: dict[str, Any], steps: int, seed: int) -> None:
    compare(pyramid.GAME, pyramid.PyramidOptions(**options), PyramidOracle, steps, seed)


def run_tour_infernale(options: dict[str, Any], steps: int, seed: int) -> None:
    compare(tour_infernale.GAME, tour_infernale.TourInfernaleOptions(**options), TourInfernaleOracle, steps, seed)


@pytest.mark.parametrize("options", PYRAMID_OPTIONS, ids=str)
def test_pyramid(options: dict[str, Any]) -> None:
    run_pyramid(options, STEPS // len(PYRAMID_OPTIONS), seed=1)


@pytest.mark.parametrize("options", TOUR_OPTIONS, ids=str)
def test_tour_infernale(options: dict[str, Any]) -> None:
    run_tour_infernale(options, STEPS // len(TOUR_OPTIONS), seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("options", PYRAMID_OPTIONS, ids=str)
def test_pyramid_for_long(options: dict[str, Any]) -> None:
    run_pyramid(options, 5 * STEPS // len(PYRAMID_OPTIONS), seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("options", TOUR_OPTIONS, ids=str)
def test_tour_infernale_for_long(options: dict[str, Any]) -> None:
    run_tour_infernale(options, 5 * STEPS // len(TOUR_OPTIONS), seed=2)


def test_golden_decks_by_the_reference() -> None:
    for deal in (0, 1, 2**63, 2**64 - 1):
        engine = Engine(pyramid.GAME, pyramid.PyramidOptions(), 1)
        engine.deal_numbers([deal])
        assert [card_text(card) for card in engine.states.deck[0]] == deck_of(deal)
    assert np.array_equal(engine.states.deal, [2**64 - 1])
