"""The fair planner of Klondike: legal, blind to what is hidden, exact once all is known, and strong."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.choosing import new_sheet
from solitaire_agents.kit import Status, dealt
from solitaire_agents.klondike import kit
from solitaire_agents.klondike import tree as tree_module
from solitaire_agents.klondike.choices import klondike_choices
from solitaire_agents.klondike.inputs import INPUTS
from solitaire_agents.klondike.planner import KlondikePlanner, _draw_on
from solitaire_agents.klondike.solver.api import solve
from solitaire_agents.klondike.tree import ALWAYS, Effort, Tree, new_tree, search
from solitaire_agents.network import Network, random_network
from solitaire_agents.trained import SHIPPED, read_network
from solitaire_agents.trained_agent import Calibration
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point
from solitaire_envs.klondike import AT, GAME, KlondikeOptions
from solitaire_envs.klondike_table import DRAW, REDEAL
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.play import play
from tests.agents.fairness import check_hidden_cards_change_no_decision, check_that_seed_and_observation_decide

DEALS = np.arange(2**41, 2**41 + 8, dtype=np.uint64)
OPTIONS, OPEN = KlondikeOptions(), KlondikeOptions(information="open")
RANDOM = random_network(INPUTS, (64, 16), 0)
TRAINED = read_network(SHIPPED / "klondike", GAME, klondike_choices(OPTIONS))
ONE_BY_ONE = KlondikeOptions(draw=1, passes=3)
_fill_in, _shuffle, _key_of, _expand = (
    entry_point("test of Klondike's planner")(getattr(tree_module, name).py_func)
    for name in ("_fill_in", "_shuffle", "_key_of", "_expand")
)


def quick(options: KlondikeOptions = OPTIONS, network: Network = TRAINED, simulations: int = 24) -> KlondikePlanner:
    return KlondikePlanner(options, network, simulations=simulations)


def searched(row: Any, network: Network, simulations: int, sure: float = ALWAYS, seed: int = 0) -> tuple[int, Tree]:
    """Searches from an observation; returns the best edge and the tree."""
    tree, sheet = new_tree(simulations), new_sheet(klondike_choices(OPTIONS), network)
    return search(network, sheet, tree, Effort(simulations, 1.0, sure), np.uint64(seed), row), tree


def positions(options: KlondikeOptions, moves: int) -> list[Any]:
    """Returns observations of games after some random moves."""
    rng, engine, found = np.random.default_rng(3), Engine(GAME, options, 6), []
    engine.deal_numbers(DEALS[:6])
    for _ in range(moves):
        found.extend(engine.buffers.observations.copy())
        engine.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in engine.buffers.action_masks]))
    return found


@pytest.mark.parametrize("options", [OPTIONS, ONE_BY_ONE, KlondikeOptions(returns=False, objective="score")], ids=str)
@pytest.mark.parametrize(("network", "games"), [(RANDOM, 3), (TRAINED, 8)], ids=["random", "trained"])
def test_every_game_is_legal_to_its_end(options: KlondikeOptions, network: Network, games: int) -> None:
    played = play(quick(options, network), GAME, options, DEALS[:games])  # an illegal move raises
    assert len(played.outcomes) == games


def test_hidden_cards_change_no_decision() -> None:
    check_hidden_cards_change_no_decision(quick, GAME, OPTIONS, (28, 31, 37, 46))


def test_a_plan_depends_on_seed_and_observation_alone() -> None:
    check_that_seed_and_observation_decide(quick, GAME, OPTIONS, DEALS)


@pytest.mark.parametrize("options", [OPTIONS, KlondikeOptions(draw=1)], ids=str)
def test_worlds_that_look_alike_share_a_node(options: KlondikeOptions) -> None:
    tree, random, keys = new_tree(1), np.uint64(1), dict[int, bytes]()
    for row in positions(options, 60):
        hidden, shown = _fill_in(tree, row), row.copy()
        shown[AT.pass_] = min(shown[AT.pass_], 2)  # later passes are alike
        worlds, keys_here = set[bytes](), set[int]()
        for _ in range(4):
            random = _shuffle(tree.board, tree.places, hidden, random)
            worlds.add(tree.board.tobytes())
            keys_here.add(int(_key_of(tree.board)))
        (key,) = keys_here
        assert keys.setdefault(key, shown.tobytes()) == shown.tobytes()
        assert len(worlds) > 1 or hidden < 3


@pytest.mark.parametrize("options", [OPTIONS, KlondikeOptions(draw=1)], ids=str)
def test_a_node_is_the_same_in_every_world(options: KlondikeOptions) -> None:
    tree, sheet = new_tree(1), new_sheet(klondike_choices(options), TRAINED)
    for row in positions(options, 40)[::7]:
        hidden = _fill_in(tree, row)
        _shuffle(tree.board, tree.places, hidden, np.uint64(5))
        for node, world in enumerate((row, tree.board)):
            tree.world[:] = world
            _expand(TRAINED, sheet, tree, node)
        edges = tree.edges[0]
        assert tree.edges[1] == edges
        for array in (tree.priors, tree.values, tree.lengths):
            assert array[0, :edges].tolist() == array[1, :edges].tolist()


def test_each_order_of_the_hidden_cards_is_as_likely() -> None:
    row, tree, places = positions(OPTIONS, 1)[0], new_tree(1), np.zeros((2, NUM_CARDS + 1))
    random = np.uint64(0)
    for _ in range(9_000):
        hidden = _fill_in(tree, row)
        random = _shuffle(tree.board, tree.places, hidden, random)
        for end, place in enumerate((0, hidden - 1)):
            places[end, tree.board[tree.places[place]]] += 1
    unseen = np.flatnonzero(row[-NUM_CARDS:]) + 1
    assert hidden == len(unseen) == 45
    assert (np.abs(places[:, unseen] - 200) < 75).all()


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


def test_the_edge_with_the_most_visits_is_taken() -> None:
    for row in positions(OPTIONS, 30)[::5]:
        edge, tree = searched(row, TRAINED, 100)
        assert edge < 0 or tree.visits[0, edge] == tree.visits[0].max()


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
            edge, tree = searched(engine.buffers.observations[0], RANDOM, 300)
            if edge < 0:
                break
            for move in tree.lines[0, edge, : tree.lengths[0, edge]]:
                engine.step(np.array([move], np.int64))
        won += bool(line) and bool(engine.buffers.outcomes["won"][0])
    assert won >= 4


def test_plays_exactly_once_all_is_known() -> None:
    """A network that knows nothing wins what the solver wins."""
    states = dealt(GAME, OPTIONS, DEALS)
    solved = sum(solve(state, OPTIONS, max_nodes=20_000).status is Status.SOLVED for state in states)
    assert play(quick(OPEN, RANDOM, 1), GAME, OPEN, DEALS).outcomes["won"].sum() >= solved


def test_with_one_card_hidden_it_plays_as_if_all_were_known() -> None:
    """And wins: a network that knows nothing would play otherwise."""
    engine, told = (Engine(GAME, options, 1, autoreset="disabled") for options in (OPTIONS, OPEN))
    guide, met = find_agent("best", GAME, OPTIONS), set[int]()
    for deal in range(VALIDATION_DEALS, VALIDATION_DEALS + 12):
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
    own = KlondikePlanner(OPTIONS, TRAINED, simulations=24, calibration=calibration)
    plain, told = (agent.action_values(*look, 24) for agent in (quick(), own))
    assert told.means == pytest.approx(calibration.correct(plain.means), nan_ok=True)
    assert np.nanmax(np.abs(told.means - plain.means)) > 0.05
    assert quick().choose(engine) == own.choose(engine)


def test_draws_through_the_stock_where_the_game_is_lost() -> None:
    assert _draw_on(positions(OPTIONS, 1)[0].tolist()) == [DRAW] * 8 + [REDEAL]
    assert _draw_on(positions(KlondikeOptions(draw=1, passes=1), 1)[0].tolist()) == [DRAW] * 24


@pytest.mark.parametrize("information", ["memory", "table"])
def test_expects_perfect_memory(information: Any) -> None:
    options = KlondikeOptions(information=information, max_moves=40)
    if information == "memory":
        play(quick(), GAME, options, DEALS[:2])
    else:
        with pytest.raises(ValueError, match="expected observations of what a player with perfect memory knows"):
            play(quick(), GAME, options, DEALS[:2])


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="expected at least one simulation, got 0"):
        quick(simulations=0)


def test_where_no_agent_has_learned_the_rules_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "TRAINED", ("klondike",))
    with pytest.raises(
        ValueError, match="expected rules for planner that a trained agent of klondike has learned, .*; got draw=1, ret"
    ):
        find_agent("planner", GAME, KlondikeOptions(draw=1, passes=2))


@pytest.mark.slow
def test_wins_more_often_than_the_agent_that_guides_it() -> None:
    deals = np.arange(VALIDATION_DEALS, VALIDATION_DEALS + 60, dtype=np.uint64)
    agents = find_agent("best", GAME, OPTIONS), quick(simulations=100)
    best, planner = (int(play(agent, GAME, OPTIONS, deals).outcomes["won"].sum()) for agent in agents)
    assert planner > best
