"""Declared games against the plain-Python reference and their hand-written twins; what a declaration has to be.

Compared at each step: the legal moves, the reward, the end, the outcome, and all that the observation tells.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solitaire_agents.uniform import UniformAgent
from solitaire_envs import klondike, tour_infernale
from solitaire_envs.catalogue import CATALOGUE, GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from solitaire_envs.piles.declaration import Build, Cells, Foundations, Hole, PileGame, Stock, Tableau
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from tests.environments import FEW_DECLARED, few
from tests.envs import twins
from tests.reference import piles
from tests.reference.cards import deck_of, new_deck

STEPS, PLAIN_STEPS, MANY_STEPS, BATCH = 400, 60, 20_000, 16
ROOT = Path(__file__).parents[2]
ALL = [game.name for game in PILE_GAMES.values()]
FEW = [*FEW_DECLARED, "forty_thieves"]
"""Forty Thieves is one of them because no other notices a move that stands twice."""
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "cells": [{"cells": 0}, {"cells": 1}, {"cells": 2}, {"cells": 3}, {"cells": 4}, {"cells": 6}],
    "draw": [{"draw": 1}, {"draw": 2}, {"draw": 3, "passes": 2}, {"draw": 4, "passes": None}],
    "returns": [{"returns": False}],
    "whole_piles": [{"whole_piles": True}],
    "information": [{"information": "table"}, {"information": "open", "objective": "score"}],
    "max_moves": [{"max_moves": 40, "objective": "score"}],
}
"""Option -> the option sets that vary it."""
NUMBERS = {card: k for k, card in enumerate(new_deck(packs=2))}
"""Card -> its number, from 0."""


def option_sets(game: Game) -> list[dict[str, Any]]:
    """Returns the option sets that a game is played with."""
    known, sets = game.options.__dataclass_fields__, list[dict[str, Any]]([{}])
    for name in VARIANTS.keys() & known.keys():
        bounds = known[name].metadata
        for values in VARIANTS[name]:
            value = values[name]
            if isinstance(value, bool | str) or bounds["minimum"] <= value <= bounds["maximum"]:
                sets.append(values)
    return sorted(sets, key=str)


def number(card: str | None) -> int:
    return NUMBERS[card] + 1 if card else 0


def padded(values: list[int], size: int) -> list[int]:
    return [*values, *[0] * (size - len(values))]


class Judge:
    """What observation, reward and outcome have to be, told by the reference."""

    def __init__(self, game: Game, deck: list[str], options: Any) -> None:
        names = ("cells", "draw", "passes", "returns", "whole_piles")
        rules = {name: getattr(options, name) for name in names if hasattr(options, name)}
        self.game, self.options, self.moves = piles.Game(game.name, deck, **rules), options, 0
        self.sizes = {slots.name: slots.size for slots in game.observation}
        self.cards = new_deck(self.game.packs)

    def play(self, move: str) -> float:
        self.moves += 1
        change = self.game.play(move)
        return float(change) if self.options.objective == "score" else float(self.game.won)

    def outcome(self) -> dict[str, Any]:
        passes = {"passes": self.game.current_pass} if "waste" in self.sizes else {}
        return {"score": self.game.score, "won": self.game.won, **passes, "moves": self.moves}

    def observation(self) -> dict[str, list[int]]:
        game, sizes, information = self.game, self.sizes, self.options.information
        seen = {card for card in self.cards if information == "open" or card in game.seen}
        back = len(self.cards) + 1
        shown = lambda card: number(card) if card in seen else back  # noqa: E731
        stock, waste, unseen = [shown(card) for card in game.stock], [number(card) for card in game.waste[::-1]], set()
        if information != "open":
            unseen = set(self.cards) - seen
        if information == "table" and "waste" in sizes:
            stock, waste = [back] * len(stock), [*waste[:1], *[back] * len(waste[1:])]
            unseen |= {*game.stock, *game.waste[:-1]}
        rows = sizes["tableau"] // len(game.piles)
        both = list(zip(game.piles, game.down, game.first_down, strict=True))
        reserve = game.reserve
        redeals = -1 if game.facts.get("passes") is None else game.facts["passes"] - game.current_pass
        found = {
            "tableau": [slot for pile, down, _ in both for slot in padded(list(map(number, pile[down:])), rows)],
            "face_down": [slot for pile, down, first in both for slot in padded(list(map(shown, pile[:down])), first)],
            "hole": [number(card) for card in game.hole[-1:]],
            "foundations": [len(cards) for cards in game.foundations.values()],
            "cells": padded([number(card) for card in game.cells], sizes.get("cells", 0)),
            "num_cells": [len(game.cells)],
            "reserve": padded([shown(card) if card else 0 for card in reserve], sizes.get("reserve", 0)),
            "stock": padded(stock, sizes.get("stock", 0)),
            "waste": padded(waste, sizes.get("waste", 0)),
            "pass": [game.current_pass],
            "redeals": [redeals],
            "draw": [game.facts.get("draw", 1)],
            "returns": [int(game.facts.get("returns", False))],
            "whole_piles": [int(game.facts.get("whole_piles", False))],
            "base": [number(game.base + "C")],
            "unseen": [int(card in unseen) for card in self.cards],
        }
        return {name: found[name] for name in sizes}


def check_position(engine: Engine, index: int, judge: Judge) -> None:
    row = engine.buffers.observations[index]
    for name, expected in judge.observation().items():
        assert row[engine.game.slots(name)].tolist() == expected, name
    texts = [engine.move_text(index, action) for action in engine.legal_actions(index)]
    assert sorted(texts) == sorted(judge.game.moves())
    hidden = {judge.cards[card] for card in engine.states.deck[index][engine.game.hidden(engine.states[index])]}
    assert hidden == set(judge.cards) - judge.game.seen


def compare(game: Game, options: Any, steps: int, seed: int, batch: int = BATCH) -> None:
    engine, agent = Engine(game, options, batch, autoreset="same_step"), UniformAgent(seed)
    engine.seed(range(seed, seed + batch))
    engine.deal_next()
    packs = piles.GAMES[game.name].get("packs", 1)
    new = lambda index: Judge(game, deck_of(int(engine.states.deal[index]), packs), options)  # noqa: E731
    judges = [new(index) for index in range(batch)]
    for _ in range(steps // batch):
        actions = agent.act(engine.buffers.observations, engine.buffers.action_masks)
        moves = [engine.move_text(index, int(action)) for index, action in enumerate(actions)]
        untold = engine.states.untold.copy()
        buffers = engine.step(actions)
        for index, judge in enumerate(judges):
            assert buffers.rewards[index] == (0 if untold[index] else judge.play(moves[index])), moves[index]
            over = not judge.game.moves()
            assert buffers.terminated[index] == over
            assert buffers.truncated[index] == (judge.moves >= (options.max_moves or 10**9) and not over)
            if buffers.terminated[index] or buffers.truncated[index]:
                record = buffers.outcomes[index : index + 1]
                assert {name: record[name][0] for name in record.dtype.names} == judge.outcome()
                judges[index] = new(index)
            check_position(engine, index, judges[index])


def test_the_reference_knows_all_games_and_no_others() -> None:
    assert set(piles.GAMES) == {declared.name for declared in DECLARED}


@pytest.mark.parametrize("name", FEW)
def test_agreement(name: str) -> None:
    for options in option_sets(GAMES[name]):
        compare(GAMES[name], GAMES[name].options(**options), STEPS, seed=1)


@pytest.mark.compiled  # it chooses by itself
@pytest.mark.parametrize("games", few([(FEW,), (ALL,)]), ids=["few", "all"])
def test_games_agree_in_plain_python(games: list[str]) -> None:
    """Nothing is compiled, and a wrong index would raise."""
    command = [sys.executable, "-c", f"from tests.envs.test_piles import compare_all; compare_all({games})"]
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}
    )
    assert found.returncode == 0, found.stderr[-2_000:]
    assert int(found.stdout) >= 2 * len(games) * PLAIN_STEPS


def compare_all(names: Iterable[str]) -> None:
    """Plays games under each option set for a short while, and prints the number of steps."""
    steps = 0
    with np.errstate(over="ignore"):
        for game in (GAMES[name] for name in names):
            for options in option_sets(game):
                compare(game, game.options(**options), PLAIN_STEPS, seed=5, batch=1)
                steps += PLAIN_STEPS
    print(steps)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_agreement_for_long(name: str) -> None:
    for options in option_sets(GAMES[name]):
        compare(GAMES[name], GAMES[name].options(**options), MANY_STEPS, seed=3)


# --- The hand-written games and their twins ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "twin", "options"),
    few(
        [
            (klondike.GAME, twins.KLONDIKE, {"objective": "score"}),
            (klondike.GAME, twins.KLONDIKE, {"draw": 1, "passes": 2, "returns": False, "information": "table"}),
            (tour_infernale.GAME, twins.TOUR, {"passes": 1, "objective": "score"}),
            (tour_infernale.GAME, twins.TOUR, {}),
        ],
        1,
    ),
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_twin_plays_as_the_hand_written_game(own: Game, twin: Game, options: dict[str, Any]) -> None:
    """The same deals and the same moves in words, in both directions; what both observations have agrees."""
    first, second = (Engine(game, game.options(**options, max_moves=400), 8) for game in (own, twin))
    rng = np.random.default_rng(1)
    for deal in range(0, 40, 8):
        for engine in (first, second):
            engine.deal_numbers(range(deal, deal + 8))
        while not first.states.ended.all():
            actions = np.zeros((2, 8), np.int64)
            for index in np.flatnonzero(~first.states.ended):
                moves = [
                    {one.move_text(index, each): each for each in one.legal_actions(index)} for one in (first, second)
                ]
                assert moves[0].keys() == moves[1].keys()
                text = str(rng.choice(sorted(moves[0])))
                actions[:, index] = moves[0][text], moves[1][text]
            one, other = first.step(actions[0]), second.step(actions[1])
            for name in ("rewards", "terminated", "truncated"):
                assert np.array_equal(getattr(one, name), getattr(other, name)), name
            for name in ("foundations", "unseen", "pass", "redeals"):
                rows = [engine.buffers.observations[:, engine.game.slots(name)] for engine in (first, second)]
                assert np.array_equal(*rows), name
        assert [first.outcome(index) for index in range(8)] == [second.outcome(index) for index in range(8)]


# --- Declarations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"tableau": Tableau(deal=(7,) * 8, build=Build(suits="any"))}, "no cards to be left for the stock .*got -4"),
        ({"tableau": Tableau(deal=(7,) * 7, build=Build(suits="any"))}, "no cards to be left for the stock .*got 3"),
        ({"stock": Stock()}, "some cards to be left for the stock .*got 0"),
        ({"cells": Cells(number=1, filled=2)}, "at most 1 filled cells"),
        ({"packs": 2, "goal": Foundations(returns=True)}, "one pack for Nothing"),
        ({"packs": 2, "goal": Hole()}, "one pack for Nothing"),
        ({"suits": 1}, "four suits for Nothing"),
    ],
)
def test_facts_that_do_not_fit_together(facts: dict[str, Any], message: str) -> None:
    filled = facts["cells"].filled if "cells" in facts else 0
    tableau = Tableau(deal=(6,) * 8 + (4 - filled,), build=Build(suits="any"))
    with pytest.raises(ValueError, match=f"^expected {message}"):
        PileGame(**{"title": "Nothing", "tableau": tableau, **facts})


def test_every_record_is_an_environment_of_its_own() -> None:
    assert len({game.name for game in PILE_GAMES.values()}) == len(DECLARED) == len(PILE_GAMES) >= 24
    for env_id, game in PILE_GAMES.items():
        assert CATALOGUE[env_id].game is GAMES[game.name] is game
        options = game.options(max_moves=7)
        assert pickle.loads(pickle.dumps(options)) == options
        assert pickle.loads(pickle.dumps(game)) is game
