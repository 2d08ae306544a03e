"""Golf, a stranger's game: `examples/golf` in a folder outside the repository, as its owner keeps it."""

import io
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from solitaire_agents import find_agent
from solitaire_agents.catalogue import KITS, choices_of
from solitaire_agents.kit import Status
from solitaire_agents.network import random_network
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_agents.tree_planner import TreePlanner
from solitaire_agents.uniform import UniformAgent
from solitaire_envs.cards import card_text, deck_of_deal, parse_card
from solitaire_envs.catalogue import CATALOGUE, GAMES, find_entry
from solitaire_envs.engine import Engine
from solitaire_envs.render import render_ansi
from solitaire_evaluation.play import play
from solitaire_training.commands.main import main
from tests.agents.fairness import check_hidden_cards_change_no_decision
from tests.docs.pages import blocks
from tests.envs import imagining
from tests.envs.gestures import check_gestures
from tests.options import check_declared, check_moves, check_refusals

ROOT = Path(__file__).parents[2]
ENV_ID = "golf:golf/Golf-v0"
BATCH = 25
OPTIONS: list[dict[str, Any]] = [
    {},
    {"wrap": True, "objective": "win"},
    {"information": "table", "max_moves": 30},
    {"information": "open", "wrap": True},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and the code of the two pages about it."""
    path = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(ROOT / "examples" / "golf", path / "golf", ignore=shutil.ignore_patterns("__pycache__"))
    for page in ("your-own-agent.md", "your-own-game.md"):
        for text in blocks(ROOT / "docs" / page, "python"):
            name = re.match(r"# (\w+\.py)\n", text)
            (path / (name[1] if name else "look.py")).write_text(text)
    return path


@pytest.fixture(scope="module", autouse=True)
def golf(folder: Path) -> Iterator[Any]:
    """The package, imported from the folder; afterwards it is forgotten, so other tests see nothing of it."""
    sys.path.insert(0, str(folder))
    find_entry(ENV_ID)
    import golf.reference

    yield golf
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] in ("golf", "my_agents")]:
        del sys.modules[name]
    for env_id in ("golf/Golf-v0", "golf/GolfWrap-v0"):
        del CATALOGUE[env_id], gymnasium.registry[env_id]
    del GAMES["my_golf"], KITS["my_golf"]


def test_each_move_has_gestures_of_its_own() -> None:
    for wrap in (False, True):
        check_gestures(GAMES["my_golf"], GAMES["my_golf"].options(wrap=wrap), 3)


def start(decks: Any, **options: Any) -> Engine:
    engine = Engine(GAMES["my_golf"], GAMES["my_golf"].options(**options), len(decks))
    engine.deal_decks(decks)
    return engine


def play_out(agent: Any, deals: range, **options: Any) -> Any:
    """Plays deals to their ends; returns the outcomes."""
    engine = start([deck_of_deal(deal) for deal in deals], **options)
    buffers = engine.buffers
    while not engine.states.ended.all():
        actions, playing = np.zeros(len(deals), np.int64), ~engine.states.ended
        actions[playing] = agent.act(buffers.observations[playing], buffers.action_masks[playing])
        engine.step(actions)
    return buffers.outcomes


def agent_of(name: str) -> Any:
    return find_agent(name, GAMES["my_golf"], GAMES["my_golf"].options())


# --- The environment --------------------------------------------------------------------------------------------------


def test_the_package_comes_from_the_folder(golf: ModuleType, folder: Path) -> None:
    assert golf.__file__ == str(folder / "golf" / "__init__.py")


def test_checkers() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(ENV_ID, disable_env_checker=True).unwrapped
        check_env(env, skip_render_check=True)
        sb3_check_env(env)
    assert gymnasium.make_vec(ENV_ID, num_envs=3, wrap=True).num_envs == 3


DEALT = """\
   ░░     [6♥]
 stock   waste
   16      1

   9♥      7♣      3♦      6♦      3♠      T♦      T♠
   9♣      Q♠      5♥      4♦      7♦      A♦      3♣
   6♠      2♠      4♠      Q♥      5♠      8♣      A♥
   J♦      T♣      T♥      4♥      2♣      2♥      K♦
  [K♣]    [J♣]    [4♣]    [K♥]    [Q♦]    [J♠]    [8♠]

  drawn 0   move 0   score -35
  moves: draw"""


def test_text_and_picture() -> None:
    env: Any = gymnasium.make(ENV_ID, render_mode="ansi").unwrapped
    env.reset(options={"deal": 7})
    assert env.render() == DEALT
    assert env.move_text(0) == "KC"
    env = gymnasium.make(ENV_ID, render_mode="rgb_array").unwrapped
    env.reset(options={"deal": 7})
    dealt = env.render()
    env.step(env.parse_move("draw"))
    assert (env.render() != dealt).any()


# --- The rules --------------------------------------------------------------------------------------------------------


def ranks(cards: list[str]) -> list[int]:
    return [parse_card(card) % 13 + 1 for card in cards]


def observation_of(game: Any, information: str) -> list[int]:
    """Returns what has to be seen of a game of the reference, written from the text of the slots."""
    tableau = [([*ranks(column[::-1]), 0, 0, 0, 0, 0])[:5] for column in game.columns]
    stock = ranks(game.stock) if information == "open" else [14] * len(game.stock)
    lost = {"memory": game.stock, "table": game.stock + game.waste[:-1], "open": []}[information]
    return [
        *[slot for column in tableau for slot in column],
        *ranks(game.waste[-1:]),
        *[*stock, *[0] * 16][:16],
        *[ranks(lost).count(rank) for rank in range(1, 14)],
        int(game.wrap),
    ]


def check_position(engine: Engine, index: int, game: Any) -> None:
    assert engine.buffers.observations[index].tolist() == observation_of(game, engine.options.information)
    texts = [engine.move_text(index, action) for action in engine.legal_actions(index)]
    assert sorted(texts) == sorted(game.moves())


def check_agreement(golf: Any, options: dict[str, Any], steps: int) -> None:
    """Plays random moves in kernels and reference side by side."""
    agent, rng = UniformAgent(1), np.random.default_rng(1)
    decks = [rng.permutation(52) for _ in range(BATCH)]
    engine = start(decks, **options)
    games = [golf.reference.Golf([card_text(card) for card in deck], options.get("wrap", False)) for deck in decks]
    played = 0
    while played < steps:
        for index, game in enumerate(games):
            check_position(engine, index, game)
        actions = agent.act(engine.buffers.observations, engine.buffers.action_masks)
        moves = [engine.move_text(index, int(action)) for index, action in enumerate(actions)]
        buffers = engine.step(actions)
        played += BATCH
        for index, game in enumerate(games):
            reward, over = game.play(moves[index]), not game.moves()
            assert buffers.rewards[index] == (game.won if options.get("objective") == "win" else reward)
            assert buffers.terminated[index] == over
            assert buffers.truncated[index] == (not over and engine.states.moves[index] >= options.get("max_moves", 99))
            if engine.states.ended[index]:
                outcome = {"score": game.score, "won": game.won, "drawn": 16 - len(game.stock)}
                assert engine.outcome(index) == {**outcome, "moves": engine.states.moves[index]}
                deck = rng.permutation(52)
                engine.deal_decks([deck], np.array([index]))
                games[index] = golf.reference.Golf([card_text(card) for card in deck], game.wrap)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_agreement(golf: Any, options: dict[str, Any]) -> None:
    check_agreement(golf, options, 1_000)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_agreement_for_long(golf: Any, options: dict[str, Any]) -> None:
    check_agreement(golf, options, 25_000)


def test_rewards_add_up_to_the_score() -> None:
    engine, agent, total = start([deck_of_deal(3)]), agent_of("longest-run"), 0.0
    while not engine.states.ended[0]:
        total += engine.step(agent.act(engine.buffers.observations, engine.buffers.action_masks)).rewards[0]
    assert total == engine.outcome(0)["score"] + 35


def test_a_win_ends_the_game_with_stock_left(golf: Any) -> None:
    engine = start([deck_of_deal(3)], wrap=True, objective="win")
    won = golf.solver.GolfSolver().solve(engine.states[0], engine.options)
    rewards = [engine.step(np.array([action])).rewards[0] for action in won.actions]
    assert rewards == [0.0] * (len(won.actions) - 1) + [1.0]
    assert engine.buffers.terminated[0]
    assert engine.outcome(0)["drawn"] < 16


@pytest.mark.parametrize("information", ["memory", "table"])
def test_hidden_cards_change_no_bit(information: str) -> None:
    rng, agent = np.random.default_rng(3), UniformAgent(3)
    for _ in range(20):
        deck = rng.permutation(52)
        engine, actions = start([deck], information=information), list[Any]()
        while len(actions) < 40 and not engine.states.ended[0]:
            hidden, other = GAMES["my_golf"].hidden(engine.states[0]), deck.copy()
            other[hidden] = rng.permutation(deck[hidden])
            both = start([deck, other], information=information)
            for action in actions:
                both.step(np.repeat(action, 2))
            assert (both.buffers.observations[0] == both.buffers.observations[1]).all()
            assert (both.buffers.action_masks[0] == both.buffers.action_masks[1]).all()
            assert render_ansi(both, 0) == render_ansi(both, 1)
            actions.append(agent.act(engine.buffers.observations, engine.buffers.action_masks))
            engine.step(actions[-1])


# --- Agents, solver, learning -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_imagined_games(options: dict[str, Any]) -> None:
    game, chosen = GAMES["my_golf"], GAMES["my_golf"].options(**options)
    imagining.check_that_it_looks_the_same(game, chosen)
    assert imagining.check_that_it_goes_on_as_the_true_game(game, chosen) > 1_000
    assert imagining.check_that_unseen_cards_stay_unseen(game, chosen) > 500


@pytest.mark.parametrize("wrap", [False, True])
def test_the_rule_beats_uniform(wrap: bool) -> None:
    rule, uniform = (play_out(agent_of(name), range(200), wrap=wrap)["score"] for name in ("longest-run", "uniform"))
    assert rule.mean() > uniform.mean() + 10


def test_the_solver_is_at_least_as_good_as_the_rule(golf: Any) -> None:
    solver, options = golf.solver.GolfSolver(), GAMES["my_golf"].options()
    scores = play_out(agent_of("longest-run"), range(20))["score"]
    for deal, score in enumerate(scores):
        engine = start([deck_of_deal(deal)])
        dealt = engine.states[0].copy()
        found = solver.solve(dealt, options, goal="score")
        assert found.value >= score
        for action in found.actions:
            assert action in engine.legal_actions(0)
            engine.step(np.array([action]))
        assert engine.states.ended[0]
        assert engine.outcome(0)["score"] == found.value
        assert solver.solve(dealt, options).status is (Status.IMPOSSIBLE if found.value < 0 else Status.SOLVED)
    assert solver.solve(start([deck_of_deal(0)]).states[0], options, max_nodes=100).status is Status.UNKNOWN


def best_score(game: Any, known: dict[Any, int]) -> int:
    """Returns the best that can still be reached, by trying everything; a position met again is known."""
    key = (*map(len, game.columns), len(game.stock), game.waste[-1])
    if key not in known:
        known[key] = game.score
        for move in game.moves():
            after = deepcopy(game)
            after.play(move)
            known[key] = max(known[key], best_score(after, known))
    return known[key]


@pytest.mark.parametrize("wrap", [False, True])
def test_the_solver_agrees_with_exhaustive_search(golf: Any, wrap: bool) -> None:
    """On endings, reached by random moves."""
    agent, solver, rng = UniformAgent(2), golf.solver.GolfSolver(), np.random.default_rng(2)
    for _ in range(10):
        deck = rng.permutation(52)
        engine = start([deck], wrap=wrap)
        game = golf.reference.Golf([card_text(card) for card in deck], wrap)
        while len(game.stock) > 4:
            action = agent.act(engine.buffers.observations, engine.buffers.action_masks)
            game.play(engine.move_text(0, int(action[0])))
            engine.step(action)
        best = best_score(game, {})
        verdict = solver.verdict(engine.states[0], engine.options, lost=False)
        assert (verdict.value, verdict.status.answer) == (best, best == 0)


def test_the_oracle_plays_as_well_as_the_solver(golf: Any) -> None:
    oracle, solver, options = agent_of("oracle"), golf.solver.GolfSolver(), GAMES["my_golf"].options()
    assert not oracle.fair
    scores = play_out(oracle, range(2), information=oracle.shown(options).information)["score"]
    states = [start([deck_of_deal(deal)]).states[0] for deal in range(2)]
    assert scores.tolist() == [solver.solve(state, options, goal="score").value for state in states]


def test_learners_see_each_legal_move(golf: Any) -> None:
    choices = golf.learning.golf_choices(GAMES["my_golf"].options())
    agent = TrainedAgent(choices, random_network(choices.inputs, (64, 32), 0), "random")
    engine = start([deck_of_deal(0)])
    firsts, logits = agent.rate_candidates(engine.buffers.observations[0], engine.buffers.action_masks[0])
    assert firsts.tolist() == engine.legal_actions(0)
    assert len(set(logits)) == len(firsts)


def test_the_tree_search_of_any_game_plays_it(golf: Any) -> None:
    """With a network that knows nothing: legally, better than by chance, and without the hidden cards."""
    game, options = GAMES["my_golf"], GAMES["my_golf"].options()
    choices = golf.learning.golf_choices(options)
    network = random_network(choices.inputs, (16, 8), 0)

    def planner() -> TreePlanner:
        return TreePlanner(choices, network, simulations=60)

    scores = play(planner(), game, options, range(20)).outcomes["score"]
    assert scores.mean() > play(UniformAgent(), game, options, range(20)).outcomes["score"].mean() + 2
    assert {"golf.game", "solitaire_agents.tree_planner"} <= set(planner().modules)
    check_hidden_cards_change_no_decision(planner, game, options, (37, 45))
    values = planner().action_values(*(one[0] for one in start([deck_of_deal(1)]).buffers[:2]), samples=50)
    assert (values.unit, np.nanmax(values.means) <= 1) == ("return", True)


def test_the_tree_search_plays_endings_well_where_all_is_known(golf: Any) -> None:
    """With a network that knows nothing; the solver says what is best."""
    options, solver = GAMES["my_golf"].options(information="open"), golf.solver.GolfSolver()
    choices = golf.learning.golf_choices(options)
    network, uniform = random_network(choices.inputs, (16, 8), 0), UniformAgent(3)
    planner, short = TreePlanner(choices, network, simulations=1_000), {"planner": 0, "uniform": 0}
    for deal in range(8):
        engine = start([deck_of_deal(deal)], information="open")
        while engine.states.drawn[0] < 14 and not engine.states.ended[0]:
            engine.step(uniform.act(*engine.buffers[:2]))
        best, state = solver.verdict(engine.states[0], options, lost=False).value, engine.get_state(0)
        for agent in (planner, uniform):
            engine.set_state(0, state)
            while not engine.states.ended[0]:
                engine.step(agent.choose(engine))
            short[agent.name] += best - engine.outcome(0)["score"]
    assert short["planner"] < short["uniform"] / 6


def test_what_games_are_worth(golf: Any) -> None:
    lost, won = play_out(agent_of("uniform"), range(1)), start([deck_of_deal(3)]).buffers.outcomes
    won["score"], won["won"] = 0, 1
    by_score, by_wins = (golf.learning.golf_choices(GAMES["my_golf"].options(objective=o)) for o in ("score", "win"))
    assert by_score.normalised_returns(lost) == pytest.approx((lost["score"] + 35) / 35)
    assert (by_score.normalised_returns(won), by_wins.normalised_returns(lost), by_wins.normalised_returns(won)) == (
        1,
        0,
        1,
    )
    assert (by_score.chance, by_wins.chance) == (False, True)


@pytest.mark.parametrize("name", ["uniform", "longest-run", "oracle", "solver"])
def test_what_agents_make_of_each_option(name: str) -> None:
    game = GAMES["my_golf"]
    check_declared(game, name)
    check_refusals(game, name)
    if name != "solver":
        check_moves(game, name)


def test_no_agent_is_trained_to_forget(golf: Any) -> None:
    with pytest.raises(ValueError, match="expected information='memory' or 'open' for trained agents; got 'table'"):
        choices_of(GAMES["my_golf"], GAMES["my_golf"].options(information="table"))


def test_the_agent_of_the_tutorial() -> None:
    agent = agent_of("my_agents:Leftmost")
    assert (agent.name, agent.modules) == ("Leftmost", ("my_agents",))
    assert play_out(agent, range(9))["score"].mean() > -20


def test_the_tutorial_from_python(folder: Path) -> None:
    printed = subprocess.run([sys.executable, "play.py"], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert re.search(r"move 1   score -3\d\n.*\nmean score -\d", printed)


def test_the_tutorial_looks_at_a_game(folder: Path) -> None:
    printed = subprocess.run([sys.executable, "look.py"], cwd=folder, capture_output=True, text=True, check=True).stdout
    assert re.search(r"score -35\n.*\n\[5 5 5 5 5 5 5\] \[", printed)


# --- The command line, run in the folder ------------------------------------------------------------------------------

TINY = ["--width", "8", "--second-width", "4", "--eval-deals", "9"]
LEARNERS = {
    "self-play": ["--algorithm", "self-play", "--games", "30", "--games-per-update", "10"],
    "ppo": ["--total-steps", "256", "--num-envs", "8", "--n-steps", "8", "--batch-size", "32"],
}


def solitaire_rl(folder: Path, *arguments: str) -> str:
    """Runs a command as the console script does, which does not look for modules in the current folder by itself."""
    command = [sys.executable, "-P", "-m", "solitaire_training", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """The same in this process, which takes less time."""

    def run(*arguments: str, typed: str = "") -> str:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        assert main(list(arguments)) == 0
        return capsys.readouterr().out

    return run


@pytest.mark.slow
def test_compare_and_report(here: Callable[..., str], folder: Path) -> None:
    agents = "uniform,longest-run,oracle,my_agents:Leftmost"
    arguments = [
        "compare",
        "--env",
        ENV_ID,
        "--agents",
        agents,
        "--deals",
        "9",
        "--jobs",
        "2",
        "--out",
        "results",
        "--wide",
    ]
    printed = solitaire_rl(folder, *arguments)
    for word in (*agents.split(","), "score", "won", "par", "drawn"):
        assert word in printed
    here("report", "--import", "golf", "--import", "my_agents", "results")
    assert "longest-run" in (folder / "results" / "report.html").read_text()


@pytest.mark.parametrize("learner", LEARNERS)
def test_train_then_compare(here: Callable[..., str], learner: str) -> None:
    run = f"runs/tiny-{learner}"
    here("train", "--env", ENV_ID, *LEARNERS[learner], *TINY, "--out", run)
    assert run in here("compare", "--env", ENV_ID, "--agents", f"uniform,{run}", "--deals", "9")
    with pytest.raises(ValueError, match="expected an agent that has learned wrap=True; got one of"):
        find_agent(run, GAMES["my_golf"], GAMES["my_golf"].options(wrap=True))


@pytest.mark.slow
def test_the_run_of_the_readme_beats_uniform_by_far(folder: Path) -> None:
    command = re.search(r"solitaire-rl (train .* --out runs/golf)", (folder / "golf" / "README.md").read_text())
    solitaire_rl(folder, *command[1].split())
    scores = play_out(agent_of(str(folder / "runs" / "golf")), range(200))["score"]
    assert scores.mean() > -8.5  # uniform: -23


def test_watch_then_replay(here: Callable[..., str], folder: Path) -> None:
    arguments = ["--agent", "longest-run", "--deal", "7", "--seconds", "0", "--save", "game.txt"]
    here("watch", "--env", ENV_ID, *arguments)
    assert "game: my_golf" in (folder / "game.txt").read_text()
    assert "score" in here("replay", "--import", "golf", "game.txt")


def test_play(here: Callable[..., str]) -> None:
    assert "longest-run would play" in here("play", "--env", ENV_ID, typed="hint\ndraw\nquit\n")


def test_solve(folder: Path) -> None:
    assert "-1" in solitaire_rl(folder, "solve", "--env", "golf:golf/Golf-v0", "--deal", "0")
