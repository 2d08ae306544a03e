"""The exact solver of La tour infernale against exhaustive search and against the environment."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.kit import Solved, Status
from solitaire_agents.tour_infernale.position import spell_out
from solitaire_agents.tour_infernale.solver import api as solver
from solitaire_agents.tour_infernale.solver.guided import GuidedSearch
from solitaire_agents.tour_infernale.solver.search import Effort, Search
from solitaire_agents.tour_infernale.solving import TourInfernaleSolver
from solitaire_envs import klondike
from solitaire_envs import tour_infernale as game
from solitaire_envs.cards import deck_of_deal
from solitaire_envs.engine import Engine
from solitaire_envs.game import option
from solitaire_envs.imagination import imagine_games
from solitaire_envs.series import TourInfernaleSprintOptions
from tests.agents.tour_infernale.positions import Position
from tests.reference import tour_infernale_search as oracle

MEMORY = solver.new_memory(16)
DEALT = Position.dealt(range(52))


def solve(position: Position, passes: int | None = 1, max_nodes: int | None = None) -> Solved:
    return solver.solve(position.state, position.options(passes), max_nodes=max_nodes, memory=MEMORY)


def dealt(deal: int) -> Position:
    """Returns the position that a deal with six piles begins with."""
    return Position.dealt(deck_of_deal(deal))


def scatter(piles: int, passes: int, seed: int) -> Position:
    """Makes up a position of few cards, whether or not play leads there."""
    rng = random.Random(seed)
    foundations = [rng.randint(8, 11) for _ in range(4)]
    cards = [13 * suit + rank for suit in range(4) for rank in range(foundations[suit], 13)]
    rng.shuffle(cards)
    tableau: list[list[int]] = [[] for _ in range(piles)]
    talon: list[int] = []
    for card in cards:
        fitting = [pile for pile in tableau if not pile or pile[-1] % 13 == card % 13 + 1]
        if fitting and rng.random() < 0.5:
            rng.choice(fitting).append(card)
        else:
            talon.append(card)
    cut = rng.choice((0, rng.randint(0, len(talon)), len(talon)))
    return Position(
        tableau=tuple(map(tuple, tableau)),
        foundations=tuple(foundations),
        waste=tuple(talon[:cut]),
        stock=tuple(talon[cut:]),
        pass_number=rng.randint(1, passes),
    )


def state_of(position: Position) -> oracle.State:
    return oracle.State(
        position.tableau,
        position.foundations,
        position.stock[::-1],
        position.waste[::-1],
        position.pass_number,
    )


def met_in_play(deal: int, piles: int, rng: random.Random) -> Position:
    """Plays a deal until few cards are left in the stock: by a rule and some moves at random, or all at random."""
    few, position = rng.randint(0, 4), Position.dealt(deck_of_deal(deal), piles)
    if rng.random() < 0.3:
        options = game.TourInfernaleOptions(piles=piles, passes=1)
        agent, engine = find_agent("thrifty", game.GAME, options), Engine(game.GAME, options, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0] and engine.states.stock_size[0] > few:
            engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))
        few, position = rng.randint(0, few), Position.of_state(engine.states[0], piles)
    while len(position.stock) > few:
        moves = after(position, 1)
        position = rng.choices(moves, [_liking(position, one) for one in moves])[0]
    return position


def _liking(position: Position, new: Position) -> float:
    """Returns the weight of a move: cards go up, or from waste to tableau, more often than the next one is drawn."""
    if sum(new.foundations) > sum(position.foundations):
        return 20
    return 0.5 if len(new.stock) < len(position.stock) else 3 if len(new.waste) < len(position.waste) else 1


def after(position: Position, passes: int) -> list[Position]:
    """Returns the positions after each legal move, but for those from pile to pile that lead nowhere new."""
    before = state_of(position)._replace(piles=tuple(sorted(position.tableau)))
    return [position_of(state) for state in oracle.next_states(before, passes) if state != before]


def position_of(state: oracle.State) -> Position:
    return Position(
        tableau=state.piles,
        foundations=state.foundations,
        stock=state.stock[::-1],
        waste=state.waste[::-1],
        pass_number=state.pass_number,
    )


def replay(position: Position, actions: Sequence[int], passes: int) -> oracle.State:
    """Plays a line, in action numbers, by the rules of the oracle."""
    piles = [list(pile) for pile in position.tableau]
    state = state_of(position)._replace(piles=tuple(sorted(position.tableau)))
    for action in actions:
        source, target = game.ACTIONS[action]
        after = list(oracle.next_states(state, passes))
        if action in (game.DRAW, game.REDEAL):
            state = after[0]
            assert state.pass_number == position.pass_number or passes > 1
            continue
        card = state.waste[-1] if source == game.WASTE else piles[source].pop()
        if target != game.FOUNDATION:
            piles[target].append(card)
        state = next(
            new
            for new in after
            if new.piles == tuple(sorted(map(tuple, piles))) and new.stock == state.stock and new != state
        )
    return state


def agreed(piles: int, passes: int, seeds: Iterable[int]) -> dict[Status, int]:
    """Counts the answers for made-up positions, of which each agrees with exhaustive search and each win replays."""
    answers = {Status.SOLVED: 0, Status.IMPOSSIBLE: 0}
    for seed in seeds:
        position = scatter(piles, passes, seed)
        truth = oracle.winnable(state_of(position), passes, 20_000)
        if truth is None:
            continue
        found = solve(position, passes=passes)
        assert found.status.answer == truth, (seed, position)
        answers[found.status] += 1
        if truth:
            assert oracle.won(replay(position, found.actions, passes))
        else:
            assert not found.actions
    return answers


@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize("piles", [1, 2, 3])
def test_made_up_positions_agree_with_exhaustive_search(piles: int, passes: int) -> None:
    answers = agreed(piles, passes, range(120))
    assert min(answers.values()) >= (5 if passes < 3 else 1)


@pytest.mark.slow
@pytest.mark.parametrize("piles", [1, 2, 3, 4])
def test_10_000_made_up_positions_agree_with_exhaustive_search(piles: int) -> None:
    answers = agreed(piles, 1, range(1_000, 3_700))
    print(answers)
    assert sum(answers.values()) >= 2_500


def agreed_late(deals: Iterable[int], max_states: int) -> dict[Status, int]:
    """Counts the answers for late positions of play in the last pass, with five and six piles; checks them likewise."""
    answers = dict.fromkeys(Status, 0)
    for deal in deals:
        for piles in (5, 6):
            position = met_in_play(deal, piles, random.Random(deal))
            truth = oracle.winnable(state_of(position), 1, max_states)
            if truth is None:
                continue
            found = solve(position, max_nodes=100_000)
            assert found.status.answer in (None, truth), (deal, piles, position)
            assert oracle.won(replay(position, found.actions, 1)) == (found.status is Status.SOLVED)
            answers[found.status] += 1
    return answers


def test_late_positions_agree_with_exhaustive_search() -> None:
    answers = agreed_late(range(12), 50_000)
    assert min(answers[Status.SOLVED], answers[Status.IMPOSSIBLE]) >= 5


@pytest.mark.slow
def test_thousands_of_late_positions_agree_with_exhaustive_search() -> None:
    answers = agreed_late(range(10_000, 14_000), 3_000_000)
    print(answers)
    assert min(answers[Status.SOLVED], answers[Status.IMPOSSIBLE]) >= 1_500


def play(deal: int, actions: Sequence[int], **options: Any) -> Engine:
    """Plays a line in the environment; fails on an illegal move."""
    engine = Engine(game.GAME, game.TourInfernaleOptions(max_moves=None, **options), 1)
    engine.deal_numbers([deal])
    for action in actions:
        assert action in engine.legal_actions(0)
        engine.step(np.array([action]))
    return engine


@pytest.mark.parametrize(("piles", "passes"), [(6, 1), (6, 2), (5, 1), (5, 3), (6, None)])
def test_wins_replay_in_the_environment(piles: int, passes: int | None) -> None:
    solved = 0
    for deal in range(8):
        found = solve(Position.dealt(deck_of_deal(deal), piles), passes=passes, max_nodes=1_000_000)
        if found.status is Status.SOLVED:
            assert play(deal, found.actions, piles=piles, passes=passes).outcome(0)["won"]
            solved += 1
    assert solved >= 4


@pytest.mark.parametrize(("passes", "most_nodes", "moves"), [(1, 700_000, 225), (2, 700_000, 172), (None, 0, 130)])
def test_searches_no_more_than_ever_for_lines_as_short(passes: int | None, most_nodes: int, moves: int) -> None:
    found = [solve(start, passes=passes, max_nodes=300_000) for start in map(dealt, range(8))]
    solved = [one for one in found if one.status is Status.SOLVED]
    assert len(solved) >= 7
    assert sum(one.nodes for one in found) <= most_nodes
    assert np.mean([len(one.actions) for one in solved]) <= moves


@pytest.mark.parametrize(("piles", "drawn", "at_least"), [(6, 0, 16), (6, 8, 1), (6, 46, 0), (5, 0, 8)])
def test_guided_searches_win_what_they_say(piles: int, drawn: int, at_least: int) -> None:
    """Every line wins by the environment's rules, from any position in the last pass."""
    wins = 0
    for deal in range(20):
        engine = play(deal, [game.DRAW] * drawn, passes=1, piles=piles)
        start = Position.of_state(engine.states[0], piles)
        for action in spell_out(engine.states[0], engine.options, GuidedSearch(start.start).run(8, 10**9)):
            assert action in engine.legal_actions(0)
            engine.step(np.array([action]))
        wins += bool(engine.outcome(0)["won"])
        assert engine.outcome(0)["won"] or engine.states.stock_size[0] == 52 - piles - drawn
    assert wins >= at_least


@pytest.mark.slow
def test_a_wider_guided_search_wins_more() -> None:
    wins = []
    for width in (1, 64):
        searches = [GuidedSearch(dealt(deal).start) for deal in range(40, 60)]
        wins.append(sum(bool(search.run(width, 10**9)) for search in searches))
    assert 14 <= wins[0] < wins[1] >= 19


def test_a_guided_search_keeps_to_its_limit() -> None:
    search = GuidedSearch(DEALT.start)
    assert search.run(100, 1_000) == []
    assert 1_000 <= search.nodes < 10_000


def test_among_equally_good_positions_the_first_are_kept() -> None:
    """Not those that the processor's way to sort happens to put first: labels are the same on every machine."""
    search = Search(DEALT.start, 1, MEMORY)
    MEMORY.found[:1_000] = 0
    MEMORY.found["rating"][:1_000] = np.arange(1_000) % 3
    MEMORY.found["a"][:1_000] = range(1_000)
    MEMORY.progress["found"] = 1_000
    search._keep_best(400)
    assert MEMORY.found["a"][:400].tolist() == sorted([*range(2, 1_000, 3), *range(1, 200, 3)])


def test_solves_from_positions_met_in_play() -> None:
    actions = solve(dealt(3)).actions
    for length in (10, len(actions) // 2, len(actions) - 5):
        engine = play(3, actions[:length], passes=1)
        position = Position.of_state(engine.states[0], piles=6)
        found = solve(position)
        assert found.status is Status.SOLVED
        assert play(3, [*actions[:length], *found.actions], passes=1).outcome(0)["won"]


def test_a_won_position_needs_no_move() -> None:
    position = Position(tableau=((),) * 6, stock=(), foundations=(13, 13, 13, 13))
    assert solve(position) == Solved(Status.SOLVED, None, 0)


def test_a_king_over_its_queen_in_the_waste_needs_a_free_pile_or_another_pass() -> None:
    """The pile holds the king of clubs; the waste, from its top, KD, QD, QC."""
    position = Position(tableau=((12,),), stock=(), waste=(25, 24, 11), foundations=(11, 11, 13, 13))
    assert solve(position).status is Status.IMPOSSIBLE
    found = solve(position, passes=2)
    assert found.actions == [1, 0, 2, 3, 0, 2, 0, 2]
    with_pile = replace(position, tableau=((12,), ()))
    assert solve(with_pile).actions == [6, 2, 2, 3, 5]


def test_what_was_cut_off_proves_nothing() -> None:
    """A search that keeps one position of each stage finds no win here, though there is one."""
    for deal in range(3):
        search = Search(dealt(deal).start, 1, MEMORY)
        assert search.run(Effort(1, 5, 20), 1_000_000) == (Status.UNKNOWN, [])


def test_a_limit_ends_a_search_without_a_guess() -> None:
    assert solve(dealt(0), max_nodes=10).status is Status.UNKNOWN


def test_the_same_question_has_the_same_answer() -> None:
    lines = [solve(dealt(5), max_nodes=100_000) for _ in range(2)]
    assert all(one == other for one, other in pairwise(lines))


def test_wrong_arguments() -> None:
    engine, options = play(0, [], passes=1), game.TourInfernaleOptions(passes=1)
    shown = imagine_games(game.GAME, options, engine.buffers.observations)
    for state, goal, message in (
        (shown.states[0], "win", "expected a state whose cards are all known .*, got hidden cards"),
        (replace(DEALT, pass_number=2).state, "win", "expected a state of pass 1 to 1, got pass 2"),
        (np.zeros(1, klondike.STATE)[0], "win", "expected a state of tour_infernale, got "),
        (DEALT.state, "wins", "expected a goal among win; got 'wins': did you mean win?"),
    ):
        with pytest.raises(ValueError, match=message):
            solver.solve(state, options, goal=goal)


@dataclass(frozen=True, kw_only=True)
class _WithReserve(game.TourInfernaleOptions):
    """A game with a rule that the solver has never heard of."""

    reserve: int = option(0, "Cards in reserve.", minimum=0)


@pytest.mark.parametrize(
    "options",
    [
        game.TourInfernaleOptions(),
        game.TourInfernaleOptions(piles=5, passes=3, objective="score", information="table"),
        TourInfernaleSprintOptions(passes=1, max_moves=None, budget=300),
        _WithReserve(piles=5, passes=2),
    ],
    ids=str,
)
def test_known_options(options: game.TourInfernaleOptions) -> None:
    TourInfernaleSolver().check(options)


def test_unknown_rules_are_refused() -> None:
    options = _WithReserve(reserve=2)
    makers = (
        (TourInfernaleSolver().check, "the solver"),
        (partial(find_agent, "oracle", game.GAME), "oracle"),
        (partial(find_agent, "planner", game.GAME), "planner"),
    )
    for make, who in makers:
        with pytest.raises(ValueError, match=f"expected reserve=0 for {who}; got 2"):
            make(options)
