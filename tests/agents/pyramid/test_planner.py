"""The fair planner: legal, blind to what is hidden, exact once all is known, and strong."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_agents.kit import Status, dealt
from solitaire_agents.pyramid import planner
from solitaire_agents.pyramid.planner import LITTLE, POINTS, PatientAgent, PlannerAgent
from solitaire_agents.pyramid.solver.api import new_memory, solve
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_envs.pyramid_table import DRAW
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.fairness import check_hidden_cards_change_no_decision, check_that_seed_and_observation_decide
from tests.agents.strength import played_as
from tests.environments import few

Objective = Literal["win", "score"]
OBJECTIVES: tuple[Objective, ...] = ("win", "score")
DEALS = np.arange(2**41, 2**41 + 12, dtype=np.uint64)
MEMORY = new_memory(16)
WIN, SCORE = PyramidOptions(objective="win"), PyramidOptions()


def start(decks: list[np.ndarray[Any, Any]], **options: Any) -> Engine:
    engine = Engine(GAME, PyramidOptions(**options), len(decks), autoreset="disabled")
    engine.deal_decks(decks)
    return engine


def act(agent: PatientAgent, engine: Engine) -> np.ndarray[Any, Any]:
    return agent.act(engine.buffers.observations, engine.buffers.action_masks)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "options",
    few([{}, {"goal": "pyramid"}, {"passes": 1}, {"passes": 2}, {"passes": 5}, {"stock_waste_pairs": False}], 2),
    ids=str,
)
def test_every_game_is_legal_to_its_end(objective: Objective, options: dict[str, Any]) -> None:
    rules = PyramidOptions(objective=objective, **options)
    played = play(PlannerAgent(rules, samples=6, max_nodes=50), GAME, rules, DEALS)  # an illegal move raises
    assert len(played.outcomes) == len(DEALS)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_hidden_cards_change_no_decision(objective: Objective) -> None:
    rules = PyramidOptions(objective=objective)
    check_hidden_cards_change_no_decision(
        lambda: PlannerAgent(rules, samples=6, max_nodes=50, seed=5), GAME, rules, (29, 30, 34, 40, 46)
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_decision_depends_on_seed_and_observation_alone(objective: Objective) -> None:
    rules = PyramidOptions(objective=objective)
    check_that_seed_and_observation_decide(lambda: PlannerAgent(rules, samples=2, max_nodes=50), GAME, rules, DEALS)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("pass_1", ["planned", "patient", "random"])
def test_optimal_once_all_is_known(objective: Objective, pass_1: str) -> None:
    rules, rng = PyramidOptions(objective=objective), np.random.default_rng(2)
    agent = PatientAgent(rules) if pass_1 == "patient" else PlannerAgent(rules, samples=2, max_nodes=50)
    engine = Engine(GAME, PyramidOptions(), 1, autoreset="disabled")
    for deal in DEALS:
        engine.deal_numbers([deal])
        state, best = engine.states[0], None
        while not engine.states.ended[0]:
            if best is None and state.unseen.sum() <= 1:
                best = solve(state, rules, goal="win" if objective == "win" else "score", memory=MEMORY)
            legal = np.flatnonzero(engine.buffers.action_masks[0])
            is_random = pass_1 == "random" and best is None
            engine.step(np.array([rng.choice(legal)]) if is_random else act(agent, engine))
        assert best is not None
        outcome = engine.buffers.outcomes[0]
        assert (
            outcome["won"] == (best.status is Status.SOLVED) if objective == "win" else outcome["score"] == best.value
        )


def test_plays_like_the_oracle_as_soon_as_one_card_is_hidden() -> None:
    """For it is known which: so a patient player draws it only where the oracle does."""
    engine, discards = Engine(GAME, PyramidOptions(), 1, autoreset="disabled"), 0
    for deal in range(2**41, 2**41 + 60):
        engine.deal_numbers([deal])
        patient, oracle = PatientAgent(PyramidOptions()), find_agent("oracle", GAME, PyramidOptions())
        while engine.states.unseen[0].sum() > 1:
            engine.step(act(patient, engine))
        observations = np.zeros_like(engine.buffers.observations)
        GAME.observe(PyramidOptions(information="open").to_rules()[0], engine.states[0], observations[0])
        expected = oracle.act(observations, engine.buffers.action_masks)
        assert act(patient, engine) == expected
        discards += int(expected[0] != DRAW)
    assert discards > 1


def test_with_the_stock_open_it_plays_perfectly() -> None:
    options = PyramidOptions(information="open")
    played = play(PlannerAgent(options), GAME, options, DEALS)
    best = [solve(state, options, goal="score", memory=MEMORY).value for state in dealt(GAME, options, DEALS)]
    assert played.outcomes["score"].tolist() == best


def test_expects_perfect_memory() -> None:
    engine = start([np.arange(52, dtype=np.uint8)], information="table")
    engine.step(np.array([0]))
    engine.step(np.array([0]))
    with pytest.raises(ValueError, match="expected observations of what a player with perfect memory knows"):
        act(PlannerAgent(PyramidOptions()), engine)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="expected at least one sample"):
        PlannerAgent(PyramidOptions(), samples=0)


@pytest.mark.parametrize(
    ("objective", "expected"),
    [("win", "21 won, 390 points, 1531 moves, e1c2f661"), ("score", "16 won, 592 points, 1416 moves, 5914ff14")],
)
def test_plays_as_well_as_ever(objective: Objective, expected: str) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 24, dtype=np.uint64)
    agent = PlannerAgent(PyramidOptions(objective=objective), samples=6, max_nodes=300)
    assert played_as(agent, GAME, SCORE, deals) == expected


def kings_first(*kings: int) -> np.ndarray[Any, Any]:
    """Returns a deck with these kings at the top of the pyramid, where they are covered."""
    return np.array([*kings, *(card for card in range(52) if card not in kings)], dtype=np.uint8)


def test_takes_the_mean_over_the_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """A discard that is worth most in one order is worse than one that is worth something in each."""
    engine = start([kings_first(12, 25, 38, 51)])
    legal = np.flatnonzero(engine.buffers.action_masks[0])
    first, second = int(legal[0]), int(legal[-1])

    def rate(states: Any, masks: Any, *_: Any) -> Any:
        ratings = np.zeros(masks.shape, np.float32)
        ratings[0, first] = 1.0
        ratings[:, second] = 0.3
        return ratings

    monkeypatch.setattr(planner, "rate_moves", rate)
    assert act(PlannerAgent(PyramidOptions(), samples=16), engine).tolist() == [second]


def test_a_move_that_is_clearly_behind_meets_no_further_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = start([kings_first(12, 25, 38, 51)])
    legal, asked = np.flatnonzero(engine.buffers.action_masks[0]), list[tuple[int, list[int]]]()

    def rate(states: Any, masks: Any, *_: Any) -> Any:
        asked.append((len(states), np.flatnonzero(masks[0]).tolist()))
        ratings = np.zeros(masks.shape, np.float32)
        ratings[:, legal[:2]] = 1.0  # the two best are alike
        ratings[:1, legal[2]] = 1.0
        return ratings

    monkeypatch.setattr(planner, "rate_moves", rate)
    assert len(legal) > 2
    assert act(PlannerAgent(WIN, samples=16), engine).tolist() == [legal[0]]
    assert asked == [(4, legal.tolist()), (4, legal[:2].tolist()), (8, legal[:2].tolist())]


def test_samples_every_order_alike() -> None:
    """Three hidden cards: six orders, each as often as any other."""
    orders = np.tile(np.arange(3), (6_000, 1))
    planner._shuffle(orders, np.uint64(1), np.zeros(91, np.int16))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert abs(counts - 1_000).max() < 150


def test_kings_go_at_once() -> None:
    """They never do harm, so no order is sampled."""
    deck = kings_first(25, 38, 51)
    place = int(np.flatnonzero(deck == 12)[0])
    deck[[28, place]] = deck[[place, 28]]  # the king of clubs is the stock's top
    engine = start([deck])
    assert engine.move_text(0, int(act(PlannerAgent(PyramidOptions(), samples=1, max_nodes=1), engine)[0])) == "KC"


# --- The score --------------------------------------------------------------------------------------------------------


def hidden_in(engine: Engine) -> int:
    return int(engine.buffers.observations[0, GAME.slots("unseen")].sum())


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


def table(*moves: list[float]) -> NDArray[np.float64]:
    """Returns ratings, made of points for each move."""
    return np.array(moves, np.float64).T / POINTS.most


def test_a_move_goes_where_it_is_unlikely_to_be_better_by_more_than_a_little() -> None:
    best, clearly_worse, alike = [5.0, 7.0] * 32, [0.0, 2.0] * 32, [5.0, 7.0] * 32
    sometimes_better = [25.0, -14.0] * 32
    found, kept = PlannerAgent(SCORE)._promising(
        table(best, clearly_worse, alike, sometimes_better), np.ones(4, np.bool_)
    )
    assert found == 0  # of equals the first
    assert kept.tolist() == [True, False, False, True]
    assert PlannerAgent(SCORE)._promising(table(best, clearly_worse), np.array([False, True]))[0] == 1


def test_few_orders_that_are_alike_prove_little() -> None:
    behind = LITTLE  # in each order
    for orders, stays in ((2, True), (64, False)):
        points = table([behind] * orders, [0.0] * orders)
        assert PlannerAgent(SCORE)._promising(points, np.ones(2, np.bool_))[1].tolist() == [True, stays]


def test_a_move_that_is_dropped_meets_no_further_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, asked = PlannerAgent(SCORE, samples=16), list[tuple[int, int]]()
    engine = start([kings_first(12, 25, 38, 51)])
    legal = np.flatnonzero(engine.buffers.action_masks[0])
    assert len(legal) > 2

    def rate(states: Any, mask: Any, max_nodes: int) -> Any:
        asked.append((len(states), int(mask.sum())))
        ratings = np.zeros((len(states), len(mask)))
        ratings[:, legal[0]] = np.linspace(0.5, 1.0, len(states))
        ratings[:, legal[1]] = np.linspace(1.0, 0.5, len(states))
        return ratings

    monkeypatch.setattr(agent, "_rate", rate)
    agent.act(engine.buffers.observations, engine.buffers.action_masks)
    assert [orders for orders, _ in asked] == [2, 2, 4, 8]
    assert [moves for _, moves in asked] == [len(legal), 2, 2, 2]


def test_tells_the_score_to_expect() -> None:
    """As a share of the way from -52 to 50; once all is known there is no error."""
    agent = PlannerAgent(SCORE)
    for engine in positions_of_pass_1(5, 20):
        observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
        judgement = agent.action_values(observation, mask, 8)
        assert judgement.unit == "return"
        assert np.isnan(judgement.means[~mask]).all()
        points = judgement.means[mask] * 102 - 52
        assert ((points >= -12.001) & (points <= 50.001)).all()  # nothing within reach; all, and in pass 1
        ratings = agent._rate(agent._imagine(observation, 8), mask, 1_000).mean(axis=0)[mask]
        assert np.allclose(points, 62 * ratings - 12)
        while not engine.states.ended[0]:
            engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks))
            if hidden_in(engine) <= 1 and engine.buffers.action_masks[0].any():
                late = agent.action_values(engine.buffers.observations[0], engine.buffers.action_masks[0], 8)
                assert np.nanmax(late.errors) == 0
                break


@pytest.mark.slow
def test_in_one_pass_it_leaves_few_cards() -> None:
    rules, deals = replace(SCORE, passes=1), np.arange(2**41, 2**41 + 60, dtype=np.uint64)
    agents = PlannerAgent(rules, samples=8, max_nodes=50), find_agent("careful", GAME, rules)
    planned, careful = (play(agent, GAME, rules, deals).column("score").mean() for agent in agents)
    assert planned > careful + 1


def test_with_few_passes_patience_is_no_virtue() -> None:
    with pytest.raises(ValueError, match="expected passes of 3 or more for patient; got 2"):
        find_agent("patient", GAME, replace(SCORE, passes=2))


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "column", "least"), [("win", "won", 0.55), ("score", "score", 12)])
def test_strength(objective: Objective, column: str, least: float) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 300, dtype=np.uint64)
    agent = PlannerAgent(PyramidOptions(objective=objective))
    assert play(agent, GAME, SCORE, deals).column(column).mean() >= least
