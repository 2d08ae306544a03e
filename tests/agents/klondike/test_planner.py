"""The fair planner of Klondike: legal, blind to what is hidden, exact once all is known, and strong."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_agents.choices import Choices
from solitaire_agents.choosing import new_scratch
from solitaire_agents.kit import Status, dealt
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.inputs import INPUTS
from solitaire_agents.klondike.solver.api import solve
from solitaire_agents.klondike.solving import KlondikeSolver, draw_on
from solitaire_agents.network import Network, random_network
from solitaire_agents.trained import SHIPPED, read_network
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_agents.tree import ALWAYS, Tree, TreeEffort, best_edge, new_tree, searching
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.klondike import AT, GAME, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, REDEAL
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.fairness import check_hidden_cards_change_no_decision, check_that_seed_and_observation_decide
from tests.environments import few

DEALS = np.arange(2**41, 2**41 + 8, dtype=np.uint64)
OPTIONS, OPEN = KlondikeOptions(), KlondikeOptions(information="open")
RANDOM = random_network(INPUTS, (64, 16), 0)
TRAINED = read_network(SHIPPED / "klondike", GAME, klondike_choices(OPTIONS))
ONE_BY_ONE = KlondikeOptions(draw=1, passes=3)
CHOICES, OF_OPEN = klondike_choices(OPTIONS), klondike_choices(OPEN)
SEARCH = searching(CHOICES)
_enter, _look, _expand = (
    entry_point("test of the tree")(kernel.py_func)  # type: ignore[attr-defined]
    for kernel in (SEARCH.enter, SEARCH.look, SEARCH.expand)
)


def quick(
    options: KlondikeOptions = OPTIONS,
    network: Network = TRAINED,
    simulations: int = 24,
    calibration: Calibration = AS_LEARNED,
) -> TreePlanner:
    to_win = klondike_choices(replace(options, objective="win"))
    return TreePlanner(to_win, network, simulations=simulations, solver=KlondikeSolver(), calibration=calibration)


def searched(
    row: Any, network: Network, simulations: int, sure: float = ALWAYS, seed: int = 0, choices: Choices = CHOICES
) -> tuple[int, Tree]:
    """Searches from an observation; returns the best edge and the tree."""
    tree, scratch = new_tree(choices, simulations), new_scratch(choices, network)
    return SEARCH.search(network, scratch, tree, TreeEffort(simulations, 1.0, sure), np.uint64(seed), row), tree


def positions(options: KlondikeOptions, moves: int) -> list[Any]:
    """Returns observations of games after some random moves."""
    rng, engine, found = np.random.default_rng(3), Engine(GAME, options, 6), []
    engine.deal_numbers(DEALS[:6])
    for _ in range(moves):
        found.extend(engine.buffers.observations.copy())
        engine.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in engine.buffers.action_masks]))
    return found


@pytest.mark.parametrize("options", [OPTIONS, ONE_BY_ONE, KlondikeOptions(returns=False, objective="score")], ids=str)
@pytest.mark.parametrize(("network", "games"), few([(RANDOM, 3), (TRAINED, 8)]), ids=["random", "trained"])
def test_every_game_is_legal_to_its_end(options: KlondikeOptions, network: Network, games: int) -> None:
    played = play(quick(options, network), GAME, options, DEALS[:games])  # an illegal move raises
    assert len(played.outcomes) == games


def test_hidden_cards_change_no_decision() -> None:
    check_hidden_cards_change_no_decision(quick, GAME, OPTIONS, (28, 31, 37, 46))


def test_a_plan_depends_on_seed_and_observation_alone() -> None:
    check_that_seed_and_observation_decide(quick, GAME, OPTIONS, DEALS[:4])


def enter_any(tree: Tree, row: NDArray[np.int16], rng: np.random.Generator) -> int:
    """Goes to the world with the hidden cards in random order; returns how many there are."""
    hidden = np.flatnonzero(row[-NUM_CARDS:]) + 1
    tree.cards[: len(hidden)] = rng.permutation(hidden)
    _enter(tree, row, len(hidden))
    return len(hidden)


@pytest.mark.parametrize("options", [OPTIONS, KlondikeOptions(draw=1), ONE_BY_ONE], ids=str)
def test_worlds_that_look_alike_share_a_node(options: KlondikeOptions) -> None:
    rng, tree, keys = np.random.default_rng(1), new_tree(klondike_choices(options), 1), dict[int, bytes]()
    for row in positions(options, 60):
        shown = row.copy()
        shown[AT.pass_] = min(shown[AT.pass_], 2)  # later passes are alike, but for the redeals that are left
        worlds, keys_here, hidden = set[bytes](), set[int](), 0
        for _ in range(4):
            hidden = enter_any(tree, row, rng)
            worlds.add(tree.worlds[:1].tobytes())
            keys_here.add(int(_look(tree)))
        (key,) = keys_here
        assert keys.setdefault(key, shown.tobytes()) == shown.tobytes()
        assert np.array_equal(tree.seen, shown)
        assert len(worlds) > 1 or hidden < 3
    assert len(set(keys.values())) == len(keys) > 50


def test_what_a_world_turns_up_leads_to_another_node() -> None:
    """Only a draw or a face-down card turned up tells worlds apart."""
    rng, tree, engine = np.random.default_rng(2), new_tree(CHOICES, 1), Engine(GAME, OPTIONS, 1)
    row, after = positions(OPTIONS, 1)[0], set[int]()
    apply = entry_point("test of the tree")(GAME.apply.py_func)  # type: ignore[attr-defined]
    for _ in range(4):
        enter_any(tree, row, rng)
        apply(engine._rules[0], tree.worlds[0], DRAW)
        after.add(int(_look(tree)))
    assert len(after) == 4


@pytest.mark.parametrize("options", [OPTIONS, KlondikeOptions(draw=1)], ids=str)
def test_a_node_is_the_same_in_every_world(options: KlondikeOptions) -> None:
    choices, rng = klondike_choices(options), np.random.default_rng(3)
    tree, scratch = new_tree(choices, 1), new_scratch(choices, TRAINED)
    for row in positions(options, 40)[::7]:
        for node in range(2):
            enter_any(tree, row, rng)
            _look(tree)
            _expand(TRAINED, scratch, tree, node)
        edges = tree.edges[0]
        assert tree.edges[1] == edges
        for array in (tree.priors, tree.values, tree.lengths):
            assert array[0, :edges].tolist() == array[1, :edges].tolist()


def test_moves_on_the_way_lower_a_value() -> None:
    """The first simulation that leaves the root finds one new node, whose value the moves to it discount."""
    choices = replace(CHOICES, discount=0.5)
    scratch, found = new_scratch(choices, TRAINED), 0
    for row in positions(OPTIONS, 60):
        tree = new_tree(choices, 1)
        SEARCH.search(TRAINED, scratch, tree, TreeEffort(1, 1.0, ALWAYS), np.uint64(0), row)
        (edge,) = np.flatnonzero(tree.visits[0]) if tree.used[0] == 2 and tree.edges[1] > 1 else (-1,)
        if edge >= 0:
            assert tree.sums[0, edge] == pytest.approx(0.5 ** tree.lengths[0, edge] * tree.values[1, 0])
            found += tree.lengths[0, edge] > 1
    assert found > 5


@pytest.mark.parametrize("network", [RANDOM, TRAINED], ids=["random", "trained"])
def test_simulations_are_counted_on_their_way(network: Network) -> None:
    for row in positions(OPTIONS, 30)[::11]:
        _, tree = searched(row, network, 200)
        used = int(tree.used[0])
        assert tree.visits[0].sum() == (0 if tree.edges[0] == 0 else 200 + (tree.edges[0] == 1))
        assert (tree.sums[:used] <= tree.visits[:used]).all()
        assert (tree.sums[:used] >= 0).all()


def test_a_simulation_counts_what_its_new_node_is_worth() -> None:
    found = 0
    for row in positions(OPTIONS, 30):
        _, tree = searched(row, RANDOM, 1)
        if tree.edges[0] > 1 and tree.used[0] == 2 and tree.edges[1] > 1:
            found += 1
            assert tree.sums[0].sum() == tree.values[1, 0] != 0.5
    assert found > 20


def test_the_highest_mean_among_the_contenders_is_taken() -> None:
    tree = new_tree(CHOICES, 1)
    tree.edges[0], tree.visits[0, :5] = 5, [1, 100, 24, 25, 60]
    tree.sums[0] = tree.visits[0] * [0.9, 0.5, 0.8, 0.7, 0.6, *[0] * (len(tree.visits[0]) - 5)]
    assert best_edge(tree) == 3


def test_edges_are_compared_in_the_same_worlds() -> None:
    compared = 0
    for row in positions(OPTIONS, 30)[::9]:
        worlds, before = dict[int, list[int]](), 0 * searched(row, TRAINED, 1)[1].visits[0]
        for simulations in range(1, 60):
            _, tree = searched(row, TRAINED, simulations, sure=ALWAYS)
            if tree.edges[0] < 2:
                break
            (edge,) = np.flatnonzero(tree.visits[0] - before)
            cards, visit, before = tree.cards.tolist(), int(before[edge]), tree.visits[0]
            compared += visit in worlds
            assert worlds.setdefault(visit, cards) == cards
        assert len({tuple(cards) for cards in worlds.values()}) == len(worlds)
    assert compared > 100


def test_where_the_policy_is_sure_there_is_no_search() -> None:
    row = next(row for row in positions(OPTIONS, 30) if searched(row, TRAINED, 50)[1].edges[0] > 1)
    assert searched(row, TRAINED, 50, sure=0.0)[1].used[0] == 1
    assert searched(row, TRAINED, 50, sure=0.999)[1].used[0] > 1


def test_search_finds_the_win_where_all_is_known() -> None:
    """With a network that knows nothing, forty moves before the end."""
    engine, won = Engine(GAME, OPEN, 1, autoreset="disabled"), 0
    for deal in DEALS:
        engine.deal_numbers([deal])
        line = solve(engine.states[0], OPTIONS, max_nodes=20_000).actions
        for move in line[:-40]:
            engine.step(np.array([move]))
        while line and not engine.states.ended[0]:
            edge, tree = searched(engine.buffers.observations[0], RANDOM, 300, choices=OF_OPEN)
            if edge < 0:
                break
            for move in tree.lines[0, edge, : tree.lengths[0, edge]]:
                engine.step(np.array([move], np.int64))
        won += bool(line) and bool(engine.buffers.outcomes["won"][0])
    assert won >= 4


def test_plays_exactly_once_all_is_known() -> None:
    """A network that knows nothing wins what the solver wins."""
    states = dealt(GAME, OPTIONS, DEALS[3:])
    solved = sum(solve(state, OPTIONS, max_nodes=20_000).status is Status.SOLVED for state in states)
    assert play(quick(OPEN, RANDOM, 1), GAME, OPEN, DEALS[3:]).outcomes["won"].sum() >= solved > 1


def test_with_one_card_hidden_it_plays_as_if_all_were_known() -> None:
    """And wins: a network that knows nothing would play otherwise."""
    engine, told = (Engine(GAME, options, 1, autoreset="disabled") for options in (OPTIONS, OPEN))
    guide, met = find_agent("best", GAME, OPTIONS), set[int]()
    for deal in range(VALIDATION_DEALS, VALIDATION_DEALS + 6):
        agent, informed = quick(OPTIONS, RANDOM, 1), quick(OPEN, RANDOM, 1)
        for one in (engine, told):
            one.deal_numbers([deal])
        while not engine.states.ended[0]:
            hidden = engine.buffers.observations[0, -NUM_CARDS:].sum()
            actions = (guide if hidden > 1 else agent).choose(engine)
            if hidden == 1:
                met.add(deal)
                assert actions == informed.choose(told)
            for one in (engine, told):
                one.step(actions)
        assert engine.buffers.outcomes["won"][0] or deal not in met
    assert met


def test_a_lost_game_is_played_to_its_end() -> None:
    """The 53rd pass too: an unseen card is 53 in observations."""
    played = play(quick(network=RANDOM, simulations=1), GAME, OPTIONS, DEALS).outcomes
    lost = played[~played["won"].astype(bool)]
    assert (lost["moves"] == 1_000).any()
    assert lost["passes"].max() > 53


def test_a_calibration_changes_what_is_told_and_no_move() -> None:
    engine, calibration = Engine(GAME, OPTIONS, 1), Calibration(1.5, -0.3)
    engine.deal_numbers(DEALS[:1])
    look = engine.buffers.observations[0], engine.buffers.action_masks[0]
    own = quick(calibration=calibration)
    plain, told = (agent.action_values(*look, 24) for agent in (quick(), own))
    assert told.means == pytest.approx(calibration.correct_values(plain.means, plain.errors)[0], nan_ok=True)
    assert np.nanmax(np.abs(told.means - plain.means)) > 0.05
    assert quick().choose(engine) == own.choose(engine)


def test_draws_through_the_stock_where_the_game_is_lost() -> None:
    one_pass = KlondikeOptions(draw=1, passes=1)
    assert draw_on(dealt(GAME, OPTIONS, DEALS[:1])[0], OPTIONS) == [DRAW] * 8 + [REDEAL]
    assert draw_on(dealt(GAME, one_pass, DEALS[:1])[0], one_pass) == [DRAW] * 24


@pytest.mark.parametrize("information", ["memory", "table"])
def test_expects_perfect_memory(information: Any) -> None:
    options = KlondikeOptions(information=information, max_moves=40)
    if information == "memory":
        play(quick(options), GAME, options, DEALS[:2])
    else:
        with pytest.raises(ValueError, match="expected information='memory' or 'open', got 'table'"):
            quick(options)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="expected at least one simulation, got 0"):
        quick(simulations=0)


@pytest.mark.slow
def test_wins_more_often_than_the_agent_that_guides_it() -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 200, dtype=np.uint64)
    agents = find_agent("best", GAME, OPTIONS), quick(simulations=100)
    best, planner = (int(play(agent, GAME, OPTIONS, deals).outcomes["won"].sum()) for agent in agents)
    assert planner > best + 5
