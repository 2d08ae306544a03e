"""The kernels against the plain-Python rules in tests/reference: step by step, on random legal games.

Compared at each step: the legal moves, the reward, whether the game is over or truncated, the outcome, and all that the
observation tells. `STEPS` a game are played in `make test`, in `make test-slow` two million over all option sets.
"""

import itertools
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from solitaire_agents.uniform import UniformAgent
from solitaire_envs import klondike, pyramid, tour_infernale
from solitaire_envs.cards import card_text, parse_card
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from tests.envs.klondike_moves import in_words, move_of
from tests.reference.cards import deck_of
from tests.reference.klondike import Game as Klondike
from tests.reference.pyramid import Game as Pyramid
from tests.reference.tour_infernale import Game as TourInfernale

STEPS = 20_000
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
    {"piles": 5, "max_moves": 47},
    {"information": "table", "passes": 3},
    {"information": "open", "objective": "score"},
]
KLONDIKE_OPTIONS: list[dict[str, Any]] = [
    {},
    {"draw": 1},
    {"passes": 1, "objective": "score"},
    {"draw": 1, "passes": 3, "returns": False},
    {"returns": False, "max_moves": 47},
    {"information": "table", "draw": 1, "passes": 2},
    {"information": "table", "objective": "score"},
    {"information": "open", "passes": 3},
]


def rank(card: str | None) -> int:
    return 14 if card is None else parse_card(card) % 13 + 1


def number(card: str | None) -> int:
    return 53 if card is None else parse_card(card) + 1


def normal(move: str) -> str:
    return "+".join(sorted(move.split("+")))


def padded(values: Sequence[int], size: int) -> list[int]:
    return [*values, *[0] * (size - len(values))]


class Oracle:
    """What observation, reward and outcome have to be, told by the reference and by what has lain face up."""

    game: Any
    options: Any

    def __init__(self) -> None:
        self.moves = 0
        self.seen: set[str] = set()

    def play(self, move: str, action: int) -> float:
        self.moves += 1
        return float(self.game.play(move))

    def piles(self) -> tuple[list[str | None], list[str | None], set[str]]:
        """Stock and waste, top first, with None for a card that is not known; and the cards of no known place."""
        game, information = self.game, self.options.information
        stock, waste = list(game.stock), game.waste[::-1]
        if information == "open":
            return stock, waste, set()
        if information == "memory":
            self.seen |= set(waste) | self.face_up()
            hidden = set(stock) - self.seen if game.current_pass == 1 else set()
            return [None if card in hidden else card for card in stock], waste, hidden
        up = self.face_up()
        return [card if card in up else None for card in stock], [*waste[:1], *[None] * len(waste[1:])], up

    def face_up(self) -> set[str]:
        raise NotImplementedError

    def check_moves(self, texts: dict[int, str]) -> None:
        """Checks the legal moves, action -> text."""
        moves, tableau = list(texts.values()), getattr(self.game, "tableau", [])
        assert set(map(normal, moves)) == set(map(normal, self.game.moves()))
        empty = [text for text in moves if text.endswith("empty")]
        assert len(moves) - len(empty) == len(set(moves) - set(empty))
        assert all(empty.count(text) == tableau.count([]) for text in empty)


class PyramidOracle(Oracle):
    """Pyramid."""

    def __init__(self, deck: list[str], options: pyramid.PyramidOptions) -> None:
        super().__init__()
        self.options = options
        self.game = Pyramid(deck, passes=options.passes, stock_waste_pairs=options.stock_waste_pairs, goal=options.goal)
        self.cleared_in_pass = 0

    def play(self, move: str, action: int) -> float:
        reward = super().play(move, action)
        if self.game.cleared and not self.cleared_in_pass:
            self.cleared_in_pass = self.game.current_pass
        return float(self.game.won) if self.options.objective == "win" else reward

    def outcome(self) -> dict[str, Any]:
        game = self.game
        return {
            "score": game.score,
            "won": game.won,
            "cleared": game.cleared,
            "cleared_in_pass": self.cleared_in_pass,
            "passes": game.current_pass,
            "moves": self.moves,
        }

    def face_up(self) -> set[str]:
        return {*self.game.stock[:1], *self.game.waste[-1:]}

    def observation(self) -> dict[str, list[int]]:
        stock, waste, unseen = self.piles()
        cards = [card for row in self.game.rows for card in row]
        if self.options.information == "table":
            unseen = set(self.game.deck) - self.face_up() - set(cards)
        ranks = [rank(card) for card in unseen]
        return {
            "pyramid": [0 if card is None else rank(card) for card in cards],
            "stock": padded([rank(card) for card in stock], 24),
            "waste": padded([rank(card) for card in waste], 24),
            "pass": [self.game.current_pass],
            "redeals": [self.options.passes - self.game.current_pass],
            "unseen": [ranks.count(value) for value in range(1, 14)],
        }


class TourInfernaleOracle(Oracle):
    """La tour infernale."""

    def __init__(self, deck: list[str], options: tour_infernale.TourInfernaleOptions) -> None:
        super().__init__()
        self.options = options
        moves = 10**9 if options.max_moves is None else options.max_moves
        self.game = TourInfernale(deck, piles=options.piles, passes=options.passes, max_moves=moves)

    def play(self, move: str, action: int) -> float:
        before, tableau = self.game.score, self.game.tableau
        if move.endswith("empty"):  # the reference takes the first empty pile, so that has to be the one meant
            first, meant = tableau.index([]), int(tour_infernale.TARGET[action])
            reward = super().play(move, action)
            tableau[first], tableau[meant] = tableau[meant], tableau[first]
        else:
            reward = super().play(move, action)
        return float(self.game.score - before) if self.options.objective == "score" else reward

    def outcome(self) -> dict[str, Any]:
        game = self.game
        return {"score": game.score, "won": game.won, "passes": game.current_pass, "moves": self.moves}

    def face_up(self) -> set[str]:
        return set(self.game.waste[-1:])

    def observation(self) -> dict[str, list[int]]:
        game = self.game
        stock, waste, unseen = self.piles()
        if self.options.information == "table":
            unseen = {*game.stock, *game.waste} - self.face_up()
        piles = [padded([number(card) for card in pile], 13) for pile in game.tableau]
        redeals = -1 if self.options.passes is None else self.options.passes - game.current_pass
        return {
            "tableau": padded([slot for pile in piles for slot in pile], 78),
            "foundations": [len(game.foundations[suit]) for suit in "CDHS"],
            "stock": padded([number(card) for card in stock], 47),
            "waste": padded([number(card) for card in waste], 47),
            "pass": [game.current_pass],
            "redeals": [redeals],
            "unseen": [int(card_text(card) in unseen) for card in range(52)],
        }


class KlondikeOracle(Oracle):
    """Klondike."""

    def __init__(self, deck: list[str], options: klondike.KlondikeOptions) -> None:
        super().__init__()
        self.options = options
        rules = {name: getattr(options, name) for name in ("draw", "returns", "passes", "max_moves", "information")}
        self.game = Klondike(deck, **rules)

    def play(self, move: str, action: int) -> float:
        before = self.game.score
        self.moves += 1
        reward = self.game.play(move_of(action))
        return float(self.game.score - before) if self.options.objective == "score" else reward

    def outcome(self) -> dict[str, Any]:
        game = self.game
        return {"score": game.score, "won": game.won, "passes": game.current_pass, "moves": self.moves}

    def observation(self) -> dict[str, list[int]]:
        game, known = self.game, self.game.known()
        downs = [len(cards) for cards in game.face_down]
        piles = [[number(card) for card in pile] for pile in known.tableau]
        redeals = -1 if self.options.passes is None else self.options.passes - game.current_pass
        return {
            "tableau": [slot for pile, down in zip(piles, downs, strict=True) for slot in padded(pile[down:], 13)],
            "face_down": [slot for pile, cards in enumerate(piles) for slot in padded(cards[: downs[pile]], pile)],
            "foundations": [len(game.foundations[suit]) for suit in "CDHS"],
            "stock": padded([number(card) for card in known.stock], 24),
            "waste": padded([number(card) for card in known.waste[::-1]], 24),
            "pass": [game.current_pass],
            "redeals": [redeals],
            "draw": [self.options.draw],
            "returns": [int(self.options.returns)],
            "unseen": [int(card_text(card) in known.unseen) for card in range(52)],
        }

    def check_moves(self, texts: dict[int, str]) -> None:
        assert {move_of(action): text for action, text in texts.items()} == {
            move: in_words(self.game, move) for move in self.game.moves()
        }


def check_position(engine: Engine, index: int, oracle: Any) -> None:
    game, row = engine.game, engine.buffers.observations[index]
    for name, expected in oracle.observation().items():
        assert row[game.slots(name)].tolist() == expected, name
    oracle.check_moves({action: engine.move_text(index, action) for action in engine.legal_actions(index)})


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
            over, truncated = oracle.game.over, getattr(oracle.game, "truncated", False)
            assert buffers.terminated[index] == (over and not truncated)
            assert buffers.truncated[index] == truncated
            if over:
                record = buffers.outcomes[index]
                assert {name: record[name] for name in record.dtype.names} == oracle.outcome()
                oracles[index] = new_oracle(index)
            else:
                check_position(engine, index, oracle)


def run_pyramid(options: dict[str, Any], steps: int, seed: int) -> None:
    compare(pyramid.GAME, pyramid.PyramidOptions(**options), PyramidOracle, steps, seed)


def run_tour_infernale(options: dict[str, Any], steps: int, seed: int) -> None:
    compare(tour_infernale.GAME, tour_infernale.TourInfernaleOptions(**options), TourInfernaleOracle, steps, seed)


def run_klondike(options: dict[str, Any], steps: int, seed: int) -> None:
    compare(klondike.GAME, klondike.KlondikeOptions(**options), KlondikeOracle, steps, seed)


@pytest.mark.parametrize("options", PYRAMID_OPTIONS, ids=str)
def test_pyramid(options: dict[str, Any]) -> None:
    run_pyramid(options, STEPS // len(PYRAMID_OPTIONS), seed=1)


@pytest.mark.parametrize("options", TOUR_OPTIONS, ids=str)
def test_tour_infernale(options: dict[str, Any]) -> None:
    run_tour_infernale(options, STEPS // len(TOUR_OPTIONS), seed=1)


@pytest.mark.parametrize("options", KLONDIKE_OPTIONS, ids=str)
def test_klondike(options: dict[str, Any]) -> None:
    run_klondike(options, STEPS // len(KLONDIKE_OPTIONS), seed=1)


def all_sets(**choices: list[Any]) -> list[dict[str, Any]]:
    return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]


INFORMATION = ["memory", "table", "open"]
ALL_PYRAMID_OPTIONS = all_sets(
    passes=[1, 2, 3, 4],
    stock_waste_pairs=[True, False],
    goal=["all", "pyramid"],
    objective=["score", "win"],
    information=INFORMATION,
)
ALL_TOUR_OPTIONS = all_sets(
    passes=[1, 2, 3, None], piles=[5, 6], max_moves=[150, 1_000], objective=["win", "score"], information=INFORMATION
)
ALL_KLONDIKE_OPTIONS = all_sets(
    draw=[1, 3],
    returns=[True, False],
    passes=[1, 3, None],
    max_moves=[150, 1_000],
    objective=["win", "score"],
    information=INFORMATION,
)


@pytest.mark.parametrize(
    ("game", "sets"),
    [
        (pyramid.GAME, [*PYRAMID_OPTIONS, *ALL_PYRAMID_OPTIONS]),
        (tour_infernale.GAME, [*TOUR_OPTIONS, *ALL_TOUR_OPTIONS]),
        (klondike.GAME, [*KLONDIKE_OPTIONS, *ALL_KLONDIKE_OPTIONS]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_every_option_is_played_against_the_reference(game: Game, sets: list[dict[str, Any]]) -> None:
    hints, default = get_type_hints(game.options), game.options()
    for name in (spec.name for spec in fields(game.options) if (game.name, spec.name) not in ELSEWHERE):
        played = [each.get(name, getattr(default, name)) for each in sets]
        choices = [True, False] if hints[name] is bool else get_args(hints[name])
        missing = [value for value in choices if not isinstance(value, type) and value not in played]
        assert not missing, f"no option set of this file has {name}={missing[0]!r}: add one, and to tests/reference"
        assert len({*played}) > 1, f"all option sets of this file have {name}={played[0]!r}: add another value"


ELSEWHERE = (("pyramid", "max_moves"),)
"""Options tested in `test_environments.py`."""


@pytest.mark.slow
@pytest.mark.parametrize("options", ALL_PYRAMID_OPTIONS, ids=str)
def test_pyramid_for_long(options: dict[str, Any]) -> None:
    run_pyramid(options, 1_000_000 // len(ALL_PYRAMID_OPTIONS), seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("options", ALL_TOUR_OPTIONS, ids=str)
def test_tour_infernale_for_long(options: dict[str, Any]) -> None:
    run_tour_infernale(options, 1_000_000 // len(ALL_TOUR_OPTIONS), seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("options", ALL_KLONDIKE_OPTIONS, ids=str)
def test_klondike_for_long(options: dict[str, Any]) -> None:
    run_klondike(options, 1_000_000 // len(ALL_KLONDIKE_OPTIONS), seed=2)


def test_golden_decks_by_the_reference() -> None:
    for deal in (0, 1, 2**63, 2**64 - 1):
        engine = Engine(pyramid.GAME, pyramid.PyramidOptions(), 1)
        engine.deal_numbers([deal])
        assert [card_text(card) for card in engine.states.deck[0]] == deck_of(deal)
    assert np.array_equal(engine.states.deal, [2**64 - 1])
