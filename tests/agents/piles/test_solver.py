"""The solver of declared games: wins are played by the engine, losses agree with solvers that share no idea."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import labels_under
from solitaire_agents.kit import Status, dealt
from solitaire_agents.piles.dominances import Dominances, dominances_of
from solitaire_agents.piles.search import Memory, key_words, make_search, new_memory
from solitaire_agents.piles.solver import PileSolver
from solitaire_envs.cards import card_text
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.imagination import imagine_games
from solitaire_envs.piles.declaration import Build, Cells, Foundations, PileGame, Reserve, Stock, Tableau
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.piles.making import make_game
from solitaire_envs.piles.shape import PileShape
from solitaire_evaluation.solving.label_store import read_labels
from tests.environments import walk_agents
from tests.envs.test_piles import Judge, check_position
from tests.reference import piles
from tests.reference.cards import deck_of
from tests.reference.exhaustive import Exhaustive

GAMES = {game.name: game for game in PILE_GAMES.values()}
SHAPES = {declared.name: PileShape(declared) for declared in DECLARED}
NODES = 100_000
CHOICES: dict[str, tuple[Any, ...]] = {"draw": (1, 3), "passes": (1, 2, None), "returns": (False, True)}
CHOICES |= {"whole_piles": (True, False)}
FC_SOLVE, BLACK_HOLE_SOLVE = shutil.which("fc-solve"), shutil.which("black-hole-solve")


@cache
def memory_of(words: int) -> Memory:
    """Returns storage for keys of a number of words."""
    return new_memory(next(shape for shape in SHAPES.values() if key_words(shape) == words), NODES)


@cache
def solver_of(game: Game, dominances: Dominances | None = None) -> PileSolver:
    solver = PileSolver(game, SHAPES[game.name], {})
    if dominances is not None:
        vars(solver)["_search"] = make_search(game, solver.shape, dominances)
    return solver


@cache
def option_sets(game: Game) -> list[Any]:
    """Returns the options of a game under all its rules."""
    known = game.options.__dataclass_fields__
    names = [name for name in (*CHOICES, "cells") if name in known]
    cells = range(known["cells"].metadata["minimum"], known["cells"].default + 1) if "cells" in known else ()
    values = [CHOICES.get(name, tuple(cells)) for name in names]
    return [game.options(max_moves=None, **dict(zip(names, chosen, strict=True))) for chosen in product(*values)]


def answer(game: Game, options: Any, state: Any, max_nodes: int = NODES, **how: Any) -> bool | None:
    """Returns whether a position can be won; plays the line to see it win."""
    memory = memory_of(key_words(SHAPES[game.name]))
    found = solver_of(game, **how).solve(state, options, max_nodes=max_nodes, memory=memory)
    if found.status is Status.SOLVED:
        engine = engine_at(game, options, state)
        for action in found.actions:
            engine.step(np.array([action]))
            assert not engine.buffers.illegal[0]
        assert engine.outcome(0)["won"]
    return found.status.answer


def engine_at(game: Game, options: Options, state: Any) -> Engine:
    engine = Engine(game, options, 1)
    engine.deal_numbers([0])
    engine.states[0] = state
    game.legal(engine._rules[0], engine._states[0], engine.buffers.action_masks[0])
    return engine


def positions(game: Game, options: Any, deal: int) -> Iterator[Any]:
    """Yields late positions: of a game at random, and some random moves off a line that wins, if one is known."""
    engine, rng = Engine(game, options, 1), np.random.default_rng(deal)
    engine.deal_numbers([deal])
    line = solver_of(game).solve(engine.states[0], options, max_nodes=NODES).actions
    for action in line[: rng.integers(len(line) * 4 // 5, len(line))] if line else ():
        engine.step(np.array([action]))
    for move in range(10 if line else 120):
        if engine.states.ended[0]:
            return
        if move % 3 == 0 if line else move % 10 == 0 and move > 20:
            yield engine.states[0].copy()
        engine.step(rng.choice(engine.legal_actions(0), 1))


# --- Relations --------------------------------------------------------------------------------------------------------


def is_stricter(one: Any, other: Any) -> bool:
    """Returns whether every line under the first options can be played under the others."""
    for name in vars(one).keys() & {*CHOICES, "cells"}:
        less, more = getattr(one, name), getattr(other, name)
        if name == "passes":
            less, more = less or 10**6, more or 10**6
        if less > more if name in ("passes", "returns", "cells") else less < more:
            return False
    return one != other


def check_relations(game: Game, deals: Iterable[int], max_nodes: int) -> Counter[Any]:
    """More rights never win less."""
    counts: Counter[Any] = Counter()
    for deal in deals:
        answers = {}
        for options in option_sets(game):
            engine = Engine(game, options, 1)
            engine.deal_numbers([deal])
            answers[options] = answer(game, options, engine.states[0], max_nodes)
        for strict, free in product(answers, answers):
            if is_stricter(strict, free):
                assert not (answers[strict] and answers[free] is False), (game.name, deal, strict, free)
        counts.update(answers.values())
    return counts


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_more_rights_never_win_less(name: str) -> None:
    check_relations(GAMES[name], range(4), 5_000)


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_the_reference_agrees_all_along_a_win(name: str) -> None:
    """Random play hardly ever comes to late positions, where whole runs go up for example."""
    game, options, won = GAMES[name], GAMES[name].options(max_moves=None), 0
    for deal in range(150):
        if won == 3:
            break
        engine = Engine(game, options, 1, autoreset="disabled")
        engine.deal_numbers([deal])
        found = solver_of(game).solve(engine.states[0], options, max_nodes=20_000)
        if found.status is Status.SOLVED:
            won += 1
            judge = Judge(game, deck_of(deal, SHAPES[name].game.packs), options)
            for action in found.actions:
                check_position(engine, 0, judge)
                judge.play(engine.move_text(0, action))
                engine.step(np.array([action]))
            check_position(engine, 0, judge)
            assert judge.outcome()["won"]
    assert won > 0 or name in ("spider", "forty_thieves")  # none of these deals is won that soon


# --- Other solvers ----------------------------------------------------------------------------------------------------


def check_exhaustively(game: Game, deals: Iterable[int], most: int = 20_000) -> Counter[Any]:
    """Late positions agree with a search that leaves nothing out."""
    counts: Counter[Any] = Counter()
    sets = option_sets(game)
    exhaustive: dict[Any, Exhaustive] = {}
    for deal in deals:
        options = sets[deal % len(sets)]
        whole = exhaustive.setdefault(options, Exhaustive(game, options, most))
        for state in positions(game, options, deal):
            truth = whole.winnable(state)
            if truth is not None:
                own = answer(game, options, state)
                assert own in (truth, None), (game.name, deal, options)
                counts[truth] += 1
    return counts


@pytest.mark.parametrize("name", walk_agents(GAMES))
def test_late_positions_agree_with_exhaustive_search(name: str) -> None:
    counts = check_exhaustively(GAMES[name], range(20))
    assert counts[True] + counts[False] > 5


@pytest.mark.parametrize(
    "name", walk_agents([name for name, game in GAMES.items() if any(dominances_of(SHAPES[game.name]))])
)
def test_what_is_left_out_decides_nothing(name: str) -> None:
    game = GAMES[name]
    for deal in range(12):
        options = option_sets(game)[deal % len(option_sets(game))]
        for state in positions(game, options, deal):
            whole = answer(game, options, state, dominances=Dominances(safe=False, late_draws=False))
            own = answer(game, options, state)
            assert None in (whole, own) or whole == own, (deal, options)


PRESETS = [
    ("freecell", {}, ["freecell", "-to", "01ABCDE"]),
    ("freecell", {"cells": 2}, ["freecell", "-to", "01ABCDE", "--freecells-num", "2"]),
    ("bakers_game", {}, ["bakers_game", "-to", "01ABCDE"]),
    ("eight_off", {}, ["eight_off", "-to", "01ABCDE"]),
    ("seahaven_towers", {}, ["seahaven_towers", "-to", "01ABCDE"]),
    ("simple_simon", {}, ["simple_simon"]),
]
"""Games with the rules of `fc-solve`; its single moves make every move that ours make."""
MOST_STATES = 400_000


def named(cards: Any) -> str:
    """Returns the names of cards, as both solvers read them."""
    return " ".join(card_text(int(card) - 1) for card in cards)


def piles_of(game: Game, state: Any) -> str:
    """Returns the piles, a line each."""
    sizes = SHAPES[game.name].sizes
    piles = [state.tableau[sizes.rows * pile :][: state.heights[pile]] for pile in range(sizes.piles)]
    return "".join(named(pile) + "\n" for pile in piles)


def fc_solve(game: Game, state: Any, arguments: list[str]) -> bool | None:
    """Returns what the solver `fc-solve` says; None: it gave up."""
    places = SHAPES[game.name].places
    cells = named([card for card in state.tops[places.cell : places.reserve] if card])
    board = f"Freecells: {cells}\n" * bool(cells) + piles_of(game, state)
    command = [FC_SOLVE or "", "--game", *arguments, "-mi", str(MOST_STATES), "-"]
    said = subprocess.run(command, input=board, capture_output=True, text=True, check=False).stdout
    looked_at = re.search(r"Total number of states checked is (\d+)", said)
    if "This game is solveable" in said:
        return True
    return False if looked_at and int(looked_at[1]) < MOST_STATES - 1_000 else None


@pytest.mark.slow
@pytest.mark.skipif(FC_SOLVE is None, reason="needs fc-solve (Debian: freecell-solver-bin)")
@pytest.mark.parametrize(("name", "chosen", "arguments"), PRESETS)
def test_agrees_with_fc_solve_on_500_deals(name: str, chosen: dict[str, Any], arguments: list[str]) -> None:
    game, counts = GAMES[name], Counter[Any]()
    options = game.options(max_moves=None, **chosen)
    engine = Engine(game, options, 1)
    for deal in range(500):
        engine.deal_numbers([deal])
        own, other = answer(game, options, engine.states[0]), fc_solve(game, engine.states[0], arguments)
        assert None in (own, other) or own or not other, deal  # what it does not find may be won: its moves are fewer
        counts[own, other] += 1
    print(name, chosen, dict(counts))


def black_hole_solve(game: Game, state: Any, seen: Any) -> bool | None:
    """Returns what the solver `black-hole-solve` says of an open deal; None: it gave up."""
    stock = f"Talon: {named(seen[game.slots('stock')])}\n" if SHAPES[game.name].game.stock is not None else ""
    board = stock + f"Foundations: {named(seen[game.slots('hole')])}\n" + piles_of(game, state)
    name = ["golf", "--queens-on-kings"] if game.name == "golf" else [game.name]
    command = [BLACK_HOLE_SOLVE or "", "--game", *name, "--rank-reach-prune", "--quiet", "--max-iters", "2000000", "-"]
    said = subprocess.run(command, input=board, capture_output=True, text=True, check=False).stdout
    return "Solved!" in said if re.search("Solved!|Unsolved!", said) else None


@pytest.mark.slow
@pytest.mark.skipif(BLACK_HOLE_SOLVE is None, reason="needs black-hole-solve")
@pytest.mark.parametrize("name", ["golf", "black_hole"])
def test_labels_agree_with_black_hole_solve(name: str) -> None:
    game, counts = GAMES[name], Counter[Any]()
    labels, engine = labels_under(game, game.options()), Engine(game, game.options(information="open"), 1)
    path = labels.file(game.options())
    assert path is not None
    for deal, label in read_labels(path, labels)[:, :2].tolist():
        engine.deal_numbers([deal])
        other = black_hole_solve(game, engine.states[0], engine.buffers.observations[0])
        assert other is None or label in (Status.UNKNOWN, Status.SOLVED if other else Status.IMPOSSIBLE), deal
        counts[Status(label).name, other] += 1
    assert counts.total() == 1_000
    print(name, dict(counts))


def microsoft_deck(number: int) -> Any:
    """Returns the deck of a numbered deal of Microsoft's FreeCell, uint8 [52].

    It draws cards without replacement, by the generator of Microsoft's C library, from a deck sorted by rank.
    """
    left, deck, state = list(range(52)), list[int](), number
    while left:
        state = (state * 214_013 + 2_531_011) % 2**31
        place = (state >> 16) % len(left)
        left[place], left[-1] = left[-1], left[place]
        deck.append(left.pop())
    return np.array([13 * (card % 4) + card // 4 for card in deck], np.uint8)


@pytest.mark.parametrize("most", [1, 9, 50_000, 400_000, 400_001, 2_000_000, 4_000_000, 4_000_001, 20_000_000])
def test_the_searches_share_the_limit(most: int) -> None:
    """Each gets at least one position; a limit of one stops a search at once."""
    for name, ends in (("freecell", (400_000, 4_000_000)), ("golf", (2_000_000, 20_000_000))):
        solver = PileSolver(GAMES[name], SHAPES[name], {})
        limits = [limit for _, limit in solver._searches(most)]
        assert min(limits) >= 1
        rounds = 1 + sum(most > end for end in ends)
        assert len(limits) == rounds * len(solver.weights)
        assert most <= sum(limits) < most + len(limits)


@pytest.mark.parametrize(("number", "winnable"), [(1, True), (617, True), (11_982, False)])
def test_microsofts_deals(number: int, winnable: bool) -> None:
    """Of the first 32,000 deals only number 11,982 cannot be won; 617 is known as a hard one."""
    game, engine = GAMES["freecell"], Engine(GAMES["freecell"], GAMES["freecell"].options(), 1)
    deck = microsoft_deck(number)
    if number == 1:
        assert " ".join(card_text(card) for card in deck[:8]) == "JD 2D 9H JC 5D 7H 7C 5H"
    engine.deal_decks([deck])
    assert answer(game, engine.options, engine.states[0], max_nodes=1_000_000) is winnable


TWO_PACKS = (
    PileGame(
        title="Cells",
        tableau=Tableau(deal=(23, 23, 22, 22), build=Build(suits="alternating")),
        cells=Cells(number=4, filled=4),
        reserve=Reserve(cards=10),
        packs=2,
    ),
    PileGame(title="Waste", tableau=Tableau(deal=(20,) * 2, build=Build(suits="same")), stock=Stock(), packs=2),
    PileGame(
        title="Runs",
        tableau=Tableau(deal=(26,) * 4, build=Build(suits="any"), moves="runs", run=Build(suits="same")),
        goal=Foundations(takes="runs"),
        packs=2,
        suits=2,
    ),
)
"""Made-up games in which cards look alike, with all places that a key has to tell."""


def late_position(declared: PileGame, game: Game, rng: np.random.Generator) -> Any:
    """Returns a position with most cards up; the others lie anywhere, one at most in each cell and reserve."""
    shape, row = PileShape(declared), np.zeros(game.observation_size, np.int16)
    heights = (
        13 * (np.arange(8) > 0) if shape.takes_runs else rng.integers(9, 14, 4).repeat(2)[[0, 2, 4, 6, 1, 3, 5, 7]]
    )
    row[game.slots("foundations")] = heights
    left = [13 * line + rank + 1 for line in range(8) for rank in range(heights[line], 13)]
    rng.shuffle(left)
    for name in ("cells", "reserve", "waste"):
        if any(slots.name == name for slots in game.observation):
            some = [left.pop()]
            row[game.slots(name)][: len(some)] = some
    for name, value in (("num_cells", 1), ("pass", 1), ("draw", 1)):
        if any(slots.name == name for slots in game.observation):
            row[game.slots(name)] = value
    tableau = row[game.slots("tableau")].reshape(-1, shape.sizes.rows)
    for k, card in enumerate(left):
        tableau[k % len(tableau), k // len(tableau)] = card
    return imagine_games(game, game.options(), row).states[0]


@pytest.mark.slow
@pytest.mark.parametrize("declared", TWO_PACKS, ids=lambda declared: declared.title)
def test_agrees_with_exhaustive_search_where_cards_look_alike(declared: PileGame) -> None:
    game, shape, rng = make_game(declared, __name__), PileShape(declared), np.random.default_rng(1)
    solver, options, counts = PileSolver(game, shape, {}), game.options(max_moves=None), Counter[Any]()
    whole = Exhaustive(game, options, 50_000)
    for _ in range(400):
        state = late_position(declared, game, rng)
        truth = whole.winnable(state)
        if truth is not None:
            assert solver.solve(state, options, max_nodes=NODES).status.answer in (truth, None)
            counts[truth] += 1
    print(declared.title, counts)
    assert min(counts[True], counts[False]) > 10


@pytest.mark.parametrize(("deal", "positions"), [(61, 202), (993, 460)])
def test_lost_by_the_reference_too(deal: int, positions: int) -> None:
    """Deals of Spiderette, of which more are proved lost than were published: the plain rules find no win either."""
    seen, ahead = set[Any](), [piles.Game("spiderette", deck_of(deal))]
    while ahead:
        game = ahead.pop()
        key = (*map(tuple, game.piles), tuple(game.down), tuple(game.stock))
        if key not in seen:
            seen.add(key)
            assert not game.won
            for move in game.moves():
                ahead.append(deepcopy(game))
                ahead[-1].play(move)
    assert len(seen) == positions
    spiderette = GAMES["spiderette"]
    state = dealt(spiderette, spiderette.options(), np.array([deal], np.uint64))[0]
    assert answer(spiderette, spiderette.options(), state) is False
