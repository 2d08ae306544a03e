"""The fair planner: legal, blind to what is hidden, exact once all is known, and strong."""

from typing import Any, Literal

import numpy as np
import pytest

from solitaire_agents.pyramid import planner
from solitaire_agents.pyramid.oracle import PyramidOracle
from solitaire_agents.pyramid.planner import PatientAgent, PlannerAgent
from solitaire_agents.pyramid.position import from_state
from solitaire_agents.pyramid.solver.api import new_memory, solve
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import DRAW, GAME, PyramidOptions
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.strength import played_as

Objective = Literal["win", "score"]
OBJECTIVES: tuple[Objective, ...] = ("win", "score")
DEALS = np.arange(2**41, 2**41 + 12, dtype=np.uint64)
MEMORY = new_memory(16)


def start(decks: list[np.ndarray[Any, Any]], **options: Any) -> Engine:
    engine = Engine(GAME, PyramidOptions(**options), len(decks), autoreset="disabled")
    engine.deal_decks(decks)
    return engine


def act(agent: PatientAgent, engine: Engine) -> np.ndarray[Any, Any]:
    return agent.act(engine.buffers.observations, engine.buffers.action_masks)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "options",
    [{}, {"passes": 1}, {"passes": 2}, {"passes": 5}, {"stock_waste_pairs": False}, {"goal": "pyramid"}],
    ids=str,
)
def test_every_game_is_legal_to_its_end(objective: Objective, options: dict[str, Any]) -> None:
    rules = PyramidOptions(objective=objective, **options)
    played = play(PlannerAgent(rules, samples=2, max_nodes=50), GAME, rules, DEALS)  # an illegal move raises
    assert len(played.outcomes) == len(DEALS)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_hidden_cards_change_no_decision(objective: Objective) -> None:
    rng = np.random.default_rng(1)
    for drawn in (1, 2, 6, 12, 18):
        for _ in range(3):
            deck = rng.permutation(52).astype(np.uint8)
            others = [np.r_[deck[: 28 + drawn], rng.permutation(deck[28 + drawn :])] for _ in range(3)]
            engine = start([deck, *others])
            agents = [
                PlannerAgent(PyramidOptions(objective=objective), samples=3, max_nodes=100, seed=5) for _ in range(4)
            ]
            while engine.states.stock_size[0] >= 24 - drawn + 1:  # all that lies face up, or did, is the same for all
                seen = engine.buffers.observations[:, None], engine.buffers.action_masks[:, None]
                rows = zip(agents, *seen, strict=True)
                actions = np.array([int(agent.act(*row)[0]) for agent, *row in rows])
                assert len(set(actions.tolist())) == 1
                engine.step(actions)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_decision_depends_on_seed_and_observation_alone(objective: Objective) -> None:
    agent = PlannerAgent(PyramidOptions(objective=objective), samples=2, max_nodes=50)
    together = play(agent, GAME, PyramidOptions(), DEALS, seed=3).outcomes
    alone = np.concatenate([play(agent, GAME, PyramidOptions(), [deal], seed=3).outcomes for deal in DEALS[::-1]])
    assert np.array_equal(together, alone[::-1])


def test_the_seed_matters() -> None:
    agent = PlannerAgent(PyramidOptions(), samples=1, max_nodes=50)
    assert len({play(agent, GAME, PyramidOptions(), DEALS, seed=seed).outcomes.tobytes() for seed in range(3)}) > 1


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
                best = solve(
                    state.deck.tolist(),
                    goal="all" if objective == "win" else "score",
                    position=from_state(state),
                    memory=MEMORY,
                )
            legal = np.flatnonzero(engine.buffers.action_masks[0])
            is_random = pass_1 == "random" and best is None
            engine.step(np.array([rng.choice(legal)]) if is_random else act(agent, engine))
        assert best is not None
        outcome = engine.buffers.outcomes[0]
        assert outcome["won"] == (best.status == "solved") if objective == "win" else outcome["score"] == best.value


def test_plays_like_the_oracle_as_soon_as_one_card_is_hidden() -> None:
    """For it is known which: so a patient player draws it only where the oracle does."""
    engine, discards = Engine(GAME, PyramidOptions(), 1, autoreset="disabled"), 0
    for deal in range(2**41, 2**41 + 60):
        engine.deal_numbers([deal])
        patient, oracle = PatientAgent(PyramidOptions()), PyramidOracle(PyramidOptions())
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
    played = play(PlannerAgent(PyramidOptions()), GAME, options, DEALS)
    engine = Engine(GAME, options, len(DEALS))
    engine.deal_numbers(DEALS)
    best = [solve(state.deck.tolist(), goal="score", memory=MEMORY).value for state in engine.states]
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
    [("win", "21 won, 390 points, 1531 moves, e1c2f661"), ("score", "15 won, 597 points, 1424 moves, 28a29212")],
)
def test_plays_as_well_as_ever(objective: Objective, expected: str) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 24, dtype=np.uint64)
    assert (
        played_as(
            PlannerAgent(PyramidOptions(objective=objective), samples=6, max_nodes=300), GAME, PyramidOptions(), deals
        )
        == expected
    )


def kings_first(*kings: int) -> np.ndarray[Any, Any]:
    """Returns a deck with these kings at the top of the pyramid, where they are covered."""
    return np.array([*kings, *(card for card in range(52) if card not in kings)], dtype=np.uint8)


def test_takes_the_mean_over_the_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """A discard that is worth most in one order is worse than one that is worth something in each."""
    engine = start([kings_first(12, 25, 38, 51)])
    legal = np.flatnonzero(engine.buffers.action_masks[0])
    first, second = int(legal[0]), int(legal[-1])

    def rate(decks: Any, positions: Any, masks: Any, *_: Any) -> Any:
        ratings = np.zeros(masks.shape, np.float32)
        ratings[0, first] = 1.0
        ratings[:, second] = 0.3
        return ratings

    monkeypatch.setattr(planner, "rate_moves", rate)
    assert act(PlannerAgent(PyramidOptions(), samples=16), engine).tolist() == [second]


def test_a_move_that_is_clearly_behind_meets_no_further_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = start([kings_first(12, 25, 38, 51)])
    legal, asked = np.flatnonzero(engine.buffers.action_masks[0]), list[tuple[int, list[int]]]()

    def rate(decks: Any, positions: Any, masks: Any, *_: Any) -> Any:
        asked.append((len(decks), np.flatnonzero(masks[0]).tolist()))
        ratings = np.zeros(masks.shape, np.float32)
        ratings[:, legal[:2]] = 1.0  # the two best are alike
        ratings[:1, legal[2]] = 1.0
        return ratings

    monkeypatch.setattr(planner, "rate_moves", rate)
    assert len(legal) > 2
    assert act(PlannerAgent(PyramidOptions(), samples=16), engine).tolist() == [legal[0]]
    assert asked == [(4, legal.tolist()), (4, legal[:2].tolist()), (8, legal[:2].tolist())]


def test_samples_every_order_alike() -> None:
    """Three hidden cards behind two that are known: six orders, each as often as any other."""
    orders = np.tile(np.arange(52), (6_000, 1))
    planner._shuffle(orders, 47, 50, np.uint64(1), np.zeros(91, np.int16))
    assert (orders[:, :47] == np.arange(47)).all()
    assert (orders[:, 50:] == [50, 51]).all()
    _, counts = np.unique(orders[:, 47:50], axis=0, return_counts=True)
    assert len(counts) == 6
    assert abs(counts - 1_000).max() < 150


def test_kings_go_at_once() -> None:
    """They never do harm, so no order is sampled."""
    deck = kings_first(25, 38, 51)
    place = int(np.flatnonzero(deck == 12)[0])
    deck[[28, place]] = deck[[place, 28]]  # the king of clubs is the stock's top
    engine = start([deck])
    assert engine.move_text(0, int(act(PlannerAgent(PyramidOptions(), samples=1, max_nodes=1), engine)[0])) == "KC"


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "column", "least"), [("win", "won", 0.55), ("score", "score", 12)])
def test_strength(objective: Objective, column: str, least: float) -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 300, dtype=np.uint64)
    assert (
        play(PlannerAgent(PyramidOptions(objective=objective)), GAME, PyramidOptions(), deals).column(column).mean()
        >= least
    )
