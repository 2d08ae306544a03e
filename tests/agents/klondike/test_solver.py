"""The exact solver against exhaustive search, against the rules, and against published shares."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent, labels_of
from solitaire_agents.kit import Solved, Status, dealt
from solitaire_agents.klondike.solver import api as solver
from solitaire_agents.klondike.solving import KlondikeSolver
from solitaire_agents.line import Line
from solitaire_envs.cards import parse_card
from solitaire_envs.engine import Engine
from solitaire_envs.game import option
from solitaire_envs.imagination import imagine_games
from solitaire_envs.klondike import GAME, KlondikeOptions
from solitaire_evaluation.play import play
from tests.agents.klondike.positions import Position, fits
from tests.reference import klondike_search as reference

MEMORY = solver.new_memory(1)
RULES = [
    (draw, returns, passes) for draw in (1, 3) for returns in (True, False) for passes in (None, None, None, 1, 2, 3)
]


def rules(draw: Any, returns: bool = True, passes: int | None = None) -> KlondikeOptions:
    return KlondikeOptions(draw=draw, returns=returns, passes=passes, max_moves=None)


def solve(state: Any, options: KlondikeOptions, max_nodes: int | None = None, memory: Any = MEMORY) -> Solved:
    return solver.solve(state, options, max_nodes=max_nodes, memory=memory)


def made_up(seed: int) -> Position:
    """Makes up a position with few cards, whether or not play leads there."""
    rng = random.Random(seed)
    ranks = rng.choice((2, 3, 3, 4, 4, 5))
    lowest = rng.choice((13 - ranks, rng.randint(0, 13 - ranks)))  # in half of them there are kings
    ends, heights = [0] * 4, [0] * 4
    for suit in range(4):
        ends[suit] = lowest + ranks - (rng.random() < 0.25)
        heights[suit] = min(ends[suit], max(0, lowest + rng.choice((0, 0, 0, 0, 1, -1))))
    for suit in rng.sample(range(4), rng.choice((0, 0, 1, 2))):
        ends[suit] = heights[suit] = rng.choice((0, lowest, ends[suit]))
    cards = [13 * suit + rank for suit in range(4) for rank in range(heights[suit], ends[suit])]
    rng.shuffle(cards)
    talon, cards = cards[: (size := rng.randint(0, min(9, len(cards))))], cards[size:]
    piles = rng.sample(range(7), rng.choice((1, 2, 2, 3, 3, 4, 7)))
    down: list[tuple[int, ...]] = [()] * 7
    up: list[tuple[int, ...]] = [()] * 7
    for card in cards:
        fitting = [pile for pile in piles if up[pile] and fits(card, up[pile][-1])]
        if fitting and rng.random() < 0.6:
            up[rng.choice(fitting)] += (card,)
            continue
        pile = rng.choice(piles)
        if up[pile] and len(down[pile]) == pile:  # no room
            pile = rng.choice([pile for pile in range(7) if not up[pile] or len(down[pile]) < pile])
        if up[pile]:
            down[pile] = (card, *down[pile])
        else:
            up[pile] = (card,)
    waste = rng.randint(0, len(talon))
    return Position(
        face_down=tuple(down),
        face_up=tuple(up),
        stock=tuple(talon[waste:]),
        waste=tuple(talon[:waste][::-1]),
        foundations=tuple(heights),
    )


def state_of(position: Position) -> reference.State:
    piles = (reference.Pile(*pile) for pile in zip(position.face_down, position.face_up, strict=True))
    return reference.State(
        tuple(sorted(piles)),
        position.foundations,
        position.stock[::-1],
        position.waste[::-1],
        position.pass_number,
    )


def check_line(position: Position, actions: Sequence[int], options: KlondikeOptions) -> None:
    """Plays a line by the environment's kernels, each move one of the reference's, and sees it win."""
    line, state = Line(GAME, options, position.state), state_of(position)
    for action in actions:
        assert line.mask[action]
        line.play(action)
        after = state_of(Position.of_state(line.state))
        after = after._replace(pass_number=1) if options.passes is None else after
        assert after in list(reference.next_states(state, options.draw, options.returns, options.passes))
        state = after
    assert reference.won(state)


def agree(seed: int, most_states: int) -> bool | None:
    """Settles one made-up position both ways; returns the truth."""
    position, (draw, returns, passes) = made_up(seed), RULES[seed % len(RULES)]
    truth = reference.winnable(state_of(position), draw, returns, passes, most_states)
    if truth is not None:
        options = rules(draw, returns, passes)
        found = solve(position.state, options)
        assert found.status.answer == truth, (seed, position, options)
        if truth:
            check_line(position, found.actions, options)
    return truth


def test_small_positions_agree_with_exhaustive_search() -> None:
    truths = [agree(seed, 1_000) for seed in range(480)]
    assert truths.count(True) > 300
    assert truths.count(False) > 60


@pytest.mark.slow
def test_thousands_of_positions_agree_with_exhaustive_search() -> None:
    truths = [agree(seed, 5_000) for seed in range(1_000, 5_000)]
    assert truths.count(None) < 400


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("piles", [("7D QS 4H 5C KS", "5H", "6C", "8D", "9D", "TD", "JD"), ("4H 5C 6D 5H", "7D")])
def test_a_place_is_made_for_the_card_that_needs_it(draw: int, piles: tuple[str, ...]) -> None:
    """In the first, one pile has to be emptied for the king; in the second, the six of clubs has to come first."""
    cards = [()] * (7 - len(piles)) + [tuple(parse_card(card) for card in pile.split()) for pile in piles[::-1]]
    start = Position(
        face_down=tuple(pile[:-1] for pile in cards),
        face_up=tuple(pile[-1:] for pile in cards),
        stock=() if len(piles) == 7 else (parse_card("6C"),),
        foundations=(4, 6, 3, 11) if len(piles) == 7 else (4, 5, 3, 0),
    )
    for returns in (True, False):
        found = solve(start.state, rules(draw, returns))
        assert found.status is Status.SOLVED
        check_line(start, found.actions, rules(draw, returns))


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize(("returns", "passes"), [(True, None), (False, None), (True, 4)])
def test_every_line_of_full_deals_wins_in_the_environment(draw: Any, returns: bool, passes: int | None) -> None:
    options = rules(draw, returns, passes)
    engine, wins = Engine(GAME, options, 1), 0
    for deal in range(12):
        engine.deal_numbers([deal])
        found = solve(engine.states[0], options, 20_000)
        for action in found.actions:
            assert action in engine.legal_actions(0)
            engine.step(np.array([action]))
        wins += found.status is Status.SOLVED
        assert engine.outcome(0)["won"] == (found.status is Status.SOLVED)
    assert wins >= 4


def solve_all(deals: Any, draw: int, max_nodes: int | None = None) -> Any:
    """Returns a row for each deal: status, moves of the line, nodes."""
    found = [solve(state, rules(draw), max_nodes) for state in dealt(GAME, rules(draw), deals)]
    return np.array([(one.status, len(one.actions), one.nodes) for one in found])


def test_share_of_deals_that_can_be_won() -> None:
    """Published: 90.48 % with one card a draw, 81.95 % with three."""
    deals = np.arange(100, dtype=np.uint64)
    one = solve_all(deals, 1)[:, 0]
    three = solve_all(deals, 3, 20_000)[:, 0]
    assert (one != Status.UNKNOWN).all()
    assert 0.84 < (one == Status.SOLVED).mean() < 0.97
    assert (three == Status.SOLVED).mean() < 0.9 < (three != Status.IMPOSSIBLE).mean() + 0.15
    assert not ((three == Status.SOLVED) & (one == Status.IMPOSSIBLE)).any()  # what three cards a draw can do, one can


def test_a_limit_of_nodes_proves_nothing() -> None:
    deals = np.arange(20, dtype=np.uint64)
    whole = solve_all(deals, 1)[:, 0]
    for most in (0, 1, 20):
        limited = solve_all(deals, 1, most)[:, 0]
        known = limited != Status.UNKNOWN
        assert (limited == whole)[known].all()
        assert not known.all()


def test_searches_no_more_than_ever() -> None:
    deals = np.arange(40, dtype=np.uint64)
    assert int(solve_all(deals, 1)[:, 2].sum()) == 304586


def test_a_tiny_table_costs_time_only() -> None:
    tiny = MEMORY._replace(table=np.zeros(8, np.int64))
    for state in dealt(GAME, rules(1), np.arange(30, dtype=np.uint64)):
        answers = [solve(state, rules(1), 3_000, memory).status for memory in (MEMORY, tiny)]
        assert answers[0] == answers[1] or Status.UNKNOWN in answers


def test_verdict_of_a_game_in_play() -> None:
    options, klondike = KlondikeOptions(), KlondikeSolver()
    engine = Engine(GAME, options, 1)
    engine.deal_numbers([0])
    found = klondike.solve(engine.states[0], options)
    assert found.status is Status.SOLVED
    for action in found.actions[: len(found.actions) // 2]:
        engine.step(np.array([action]))
    verdict = klondike.verdict(engine.states[0], options, lost=False)
    assert verdict is not None
    assert verdict.status is Status.SOLVED
    assert verdict.actions
    known = klondike.verdict(engine.states[0], options, lost=True)
    assert known is not None
    assert known.status is Status.IMPOSSIBLE


def test_labels() -> None:
    deals = np.arange(5, dtype=np.uint64)
    for draw in (1, 3):
        labels = labels_of(GAME).under(KlondikeOptions(draw=draw))  # type: ignore[arg-type]
        rows = labels.label(deals)
        assert rows[:, 0].tolist() == deals.tolist()
        assert set(rows[:, 1].tolist()) <= {*Status}
        options = KlondikeOptions(draw=draw)  # type: ignore[arg-type]
        assert labels.file(options) == labels.file(replace(options, max_moves=None, objective="score"))
    assert labels.file(KlondikeOptions()) != labels.file(KlondikeOptions(draw=1))
    assert labels.file(KlondikeOptions(returns=False)) is labels.file(KlondikeOptions(max_moves=100)) is None


@pytest.mark.parametrize("draw", [1, 3])
def test_the_oracle_wins_what_can_be_won(draw: Any) -> None:
    options, deals = KlondikeOptions(draw=draw), np.arange(8, dtype=np.uint64)
    won = play(find_agent("oracle", GAME, options), GAME, options, deals).outcomes["won"]
    found = solve_all(deals, draw, 1_000_000)
    assert won.tolist() == (found[:, 0] == Status.SOLVED).tolist()


def test_the_oracle_plays_in_pass_53() -> None:
    """In observations 53 also stands for a card that nobody has seen."""
    options = KlondikeOptions(information="open")
    engine = Engine(GAME, options, 1)
    engine.deal_numbers([0])
    row = engine.buffers.observations.copy()
    row[0, GAME.slots("pass")] = 53
    (action,) = find_agent("oracle", GAME, KlondikeOptions()).act(row, engine.buffers.action_masks)
    assert engine.buffers.action_masks[0, action]


def test_wrong_arguments() -> None:
    engine, options = Engine(GAME, KlondikeOptions(), 1), rules(3, passes=2)
    engine.deal_numbers([0])
    state = engine.states[0].copy()
    shown = imagine_games(GAME, KlondikeOptions(), engine.buffers.observations).states[0]
    late = replace(Position.of_state(state), pass_number=3).state
    for wrong, goal, message in (
        (shown, "win", "expected a state whose cards are all known .*, got hidden cards"),
        (late, "win", "expected a state of pass 1 to 2, got pass 3"),
        (state, "score", "expected a goal among win; got 'score'"),
    ):
        with pytest.raises(ValueError, match=message):
            solver.solve(wrong, options, goal=goal)


@dataclass(frozen=True, kw_only=True)
class RulesToCome(KlondikeOptions):
    jokers: int = option(0, "Cards that go with any other.", minimum=0)


def test_options_that_it_does_not_know() -> None:
    known = RulesToCome(draw=1, returns=False, passes=3, objective="score", information="open")
    for check, who in ((partial(find_agent, "oracle", GAME), "oracle"), (KlondikeSolver().check, "the solver")):
        check(known)
        with pytest.raises(ValueError, match=f"expected jokers=0 for {who}; got 2"):
            check(RulesToCome(jokers=2))
