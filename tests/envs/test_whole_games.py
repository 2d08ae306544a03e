"""The environments against the plain-Python rules in tests/reference, a game at a time.

Compared at each step: the legal moves as text, the reward, the end and the outcome.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pytest

import solitaire_envs  # noqa: F401  # registers the environments
from tests.environments import few
from tests.envs.klondike_moves import in_words
from tests.reference import klondike, pyramid, tour_infernale

PYRAMID_GAMES = 60
TOUR_GAMES = 30
KLONDIKE_GAMES = 12
STOCK_MOVES = ("draw", "redeal")

PYRAMID_OPTIONS: list[dict[str, Any]] = [
    {},
    {"passes": 1},
    {"passes": 2, "stock_waste_pairs": False},
    {"passes": 5},
    {"stock_waste_pairs": False},
    {"goal": "pyramid"},
    {"goal": "pyramid", "passes": 1, "stock_waste_pairs": False},
    {"goal": "pyramid", "passes": 4},
]
TOUR_OPTIONS: list[dict[str, Any]] = [
    {"max_moves": 200},
    {"max_moves": 200, "passes": 1},
    {"max_moves": 200, "passes": 2},
    {"max_moves": 200, "piles": 5},
    {"max_moves": 200, "piles": 5, "passes": 1},
    {"max_moves": 200, "piles": 5, "passes": 3},
]
KLONDIKE_OPTIONS: list[dict[str, Any]] = [
    {"max_moves": 300},
    {"draw": 1},
    {"draw": 1, "returns": False},
    {"passes": 3},
    {"draw": 1, "passes": 1, "returns": False},
    {"returns": False, "passes": 2},
]


class Klondike:
    """The reference, with moves in the environment's words."""

    def __init__(self, deck: list[str], **options: Any) -> None:
        self.game = klondike.Game(deck, **options)
        self.tableau = self.game.face_up

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def moves(self) -> list[str]:
        """The legal moves; a king that may go on any of several empty piles once."""
        return list(dict.fromkeys(in_words(self.game, move) for move in self.game.moves()))

    def play(self, move: str) -> float:
        """Plays the first move that reads so."""
        return self.game.play(next(one for one in self.game.moves() if in_words(self.game, one) == move))


def new_env(name: str, options: dict[str, Any]) -> Any:
    return gymnasium.make(name, disable_env_checker=True, illegal_action="raise", **options).unwrapped


def shuffled_decks(rng: random.Random) -> Iterator[list[str]]:
    deck = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    while True:
        rng.shuffle(deck)
        yield list(deck)


def normal(move: str) -> str:
    """The two cards of a pair in one order; `same` of the reference says the same of two moves, more slowly."""
    return "+".join(sorted(move.split("+")))


def legal_actions(env: Any, info: dict[str, Any], game: Any) -> dict[str, list[int]]:
    """The environment's legal actions by their text, which has to be the reference's moves and no others."""
    actions: dict[str, list[int]] = {}
    for action in info["action_mask"].nonzero()[0].tolist():
        actions.setdefault(normal(env.move_text(action)), []).append(action)
    moves = [normal(move) for move in game.moves()]
    assert len(set(moves)) == len(moves)
    assert set(actions) == set(moves)
    for move, alike in actions.items():
        # Only empty piles are alike.
        assert len(alike) == (game.tableau.count([]) if move.endswith(">empty") else 1)
    return actions


def stock_moves(moves: list[str]) -> list[str]:
    return [move for move in moves if move in STOCK_MOVES]


def player(boldness: float, rng: random.Random) -> Callable[[list[str]], str]:
    """Plays a uniform move; or, the bolder the more often, one that takes cards off, else one of the stock."""

    def choose(moves: list[str]) -> str:
        if rng.random() >= boldness:
            return rng.choice(moves)
        off = [move for move in moves if move.endswith(">F") or (">" not in move and move not in STOCK_MOVES)]
        return rng.choice(off or stock_moves(moves) or moves)

    return choose


def play_both(env: Any, game: Any, rng: random.Random, choose: Callable[[list[str]], str]) -> list[str]:
    """One game on both sides, to the end; returns its moves."""
    _, info = env.reset(options={"deck": " ".join(game.deck)})
    played: list[str] = []
    ended = False
    while not ended:
        actions = legal_actions(env, info, game)
        move = choose(sorted(actions))
        if rng.random() < 0.1:
            for text in (move, "+".join(reversed(move.split("+")))):
                assert env.parse_move(text) in actions[move]
        _, reward, terminated, truncated, info = env.step(rng.choice(actions[move]))
        assert reward == game.play(move), move
        played.append(move)
        ended = game.over
        assert (terminated, truncated) == (ended and not cut_short(game), cut_short(game)), f"{len(played)} moves"
        outcome = info if ended else env.outcome()
        assert (outcome["won"], outcome["score"], outcome["passes"]) == (game.won, game.score, game.current_pass)
        assert outcome["moves"] == len(played)
        assert outcome.get("cleared") == getattr(game, "cleared", None)
    if not cut_short(game):
        assert not info["action_mask"].any()
    return played


def cut_short(game: Any) -> bool:
    """Whether the moves have run out; Pyramid knows no limit."""
    return bool(getattr(game, "truncated", False))


@pytest.mark.parametrize("options", PYRAMID_OPTIONS, ids=str)
def test_pyramid(options: dict[str, Any]) -> None:
    env, rng = new_env("solitaire/Pyramid-v0", options), random.Random(f"Pyramid {options}")
    cleared = 0
    for index, deck in zip(range(PYRAMID_GAMES), shuffled_decks(rng), strict=False):
        game = pyramid.Game(deck, **options)
        play_both(env, game, rng, player((0.0, 0.9, 1.0)[index % 3], rng))
        cleared += game.cleared
    assert cleared or options.get("passes") == 1, "too few games were played to see a cleared pyramid"


@pytest.mark.parametrize("options", TOUR_OPTIONS, ids=str)
def test_tour_infernale(options: dict[str, Any]) -> None:
    env, rng = new_env("solitaire/TourInfernale-v0", options), random.Random(f"Tour {options}")
    for index, deck in zip(range(TOUR_GAMES), shuffled_decks(rng), strict=False):
        game = tour_infernale.Game(deck, **options)
        play_both(env, game, rng, player((0.0, 0.7, 0.9)[index % 3], rng))


@pytest.mark.parametrize("options", few(KLONDIKE_OPTIONS, 2), ids=str)
def test_klondike(options: dict[str, Any]) -> None:
    env, rng = new_env("solitaire/Klondike-v0", options), random.Random(f"Klondike {options}")
    won = 0

    def climb(moves: list[str]) -> str:
        return rng.choice([move for move in moves if move.endswith(">F")] or moves)

    for index, deck in zip(range(KLONDIKE_GAMES), shuffled_decks(rng), strict=False):
        game = Klondike(deck, **options)
        play_both(env, game, rng, climb if index % 3 else player(0.5, rng))
        won += game.won
    assert won or options != {"draw": 1}, "too few games were played to see a win"


@pytest.mark.parametrize(("options", "won"), [({}, True), ({"passes": 1}, False)])
def test_the_limit_of_moves_hides_no_ending(options: dict[str, Any], won: bool) -> None:
    """A game is won or lost, then played again with the limit at its very last move, and one before that."""
    rng = random.Random(1)
    for deck in shuffled_decks(rng):
        game = tour_infernale.Game(deck, **options)
        played = play_both(new_env("solitaire/TourInfernale-v0", options), game, rng, player(0.8, rng))
        if not game.truncated and game.won == won:
            break
    for limit, ending in ((len(played), (True, False)), (len(played) - 1, (False, True))):
        env = new_env("solitaire/TourInfernale-v0", {**options, "max_moves": limit})
        game = tour_infernale.Game(deck, **options, max_moves=limit)
        env.reset(options={"deck": " ".join(deck)})
        for move in played[:limit]:
            terminated, truncated = env.step(env.parse_move(move))[2:4]
            game.play(move)
            assert (terminated, truncated) == (game.over and not game.truncated, game.truncated)
        assert (terminated, truncated) == ending


def test_default_limit_of_moves() -> None:
    rng = random.Random(2)
    game = tour_infernale.Game(next(shuffled_decks(rng)))
    env = new_env("solitaire/TourInfernale-v0", {})
    assert len(play_both(env, game, rng, lambda moves: stock_moves(moves)[0])) == 1000
