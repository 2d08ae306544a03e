"""Speed of this checkout against another one's, side by side: agents at play, solvers, the engine, training.

    git worktree add /tmp/old REVISION
    .venv/bin/python benchmarks/revisions.py /tmp/old
    .venv/bin/python benchmarks/revisions.py /tmp/old --only klondike-best,klondike-solver

Each checkout has a process of its own, which loads its packages from there. They take turns, one thread each, and their
CPU time counts. The same deals are played in each turn. A hash of the outcomes says whether both play alike.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parents[1]
PACKAGES = ("envs", "agents", "training", "seeds", "web")
Result = tuple[float, Any]
"""Things done, and what came of it."""


def play(agent_name: str, env_id: str, deals: int, **options: Any) -> Callable[[], Result]:
    """Plays deals of an environment by an agent."""
    from solitaire_agents.catalogue import find_agent
    from solitaire_envs.catalogue import find_entry
    from solitaire_evaluation.play import play

    entry = find_entry(env_id)
    rules = entry.game.options(**{**entry.preset, **options})
    agent = find_agent(agent_name, entry.game, rules)
    return lambda: (deals, play(agent, entry.game, rules, range(deals)).outcomes.tobytes())


def label(game: str, deals: int) -> Callable[[], Result]:
    """Labels deals by a game's exact solver."""
    import numpy as np

    from solitaire_agents.catalogue import labels_of
    from solitaire_envs.catalogue import GAMES

    labels = labels_of(GAMES[game])
    return lambda: (deals, labels.label(np.arange(deals, dtype=np.uint64)).tobytes())


def step(env_id: str, steps: int) -> Callable[[], Result]:
    """Steps 1,024 games by the uniform agent: observations, masks, choices and moves."""
    from solitaire_agents.uniform import UniformAgent
    from solitaire_envs.catalogue import find_entry
    from solitaire_envs.engine import Engine

    entry = find_entry(env_id)

    def timed() -> Result:
        engine = Engine(entry.game, entry.game.options(**entry.preset), 1024, autoreset="same_step")
        agent, buffers = UniformAgent(), engine.buffers
        agent.seed(0)
        engine.seed(range(1024))
        engine.deal_next()
        for _ in range(steps):
            engine.step(agent.act(buffers.observations, buffers.action_masks))
        return 1024 * steps, buffers.observations.tobytes()

    return timed


def learn(stage: str) -> Callable[[], Result]:
    """Runs a stage of the recipe pyramid-win, by 'ppo' or by 'self-play'."""
    from stable_baselines3.common.logger import Logger

    from solitaire_agents.catalogue import choices_of
    from solitaire_agents.network import random_network
    from solitaire_training.config import load_config
    from solitaire_training.recipes import find_recipe
    from solitaire_training.run import PPO, SelfPlay

    config = load_config(find_recipe("pyramid-win"), {"threads": 1, "total_steps": 50_000, "games": 20_000})
    choices = choices_of(config.game(), config.game_options())

    def timed() -> Result:
        network = random_network(choices.inputs, (config.width, config.second_width), 0)
        learner: Any = PPO(config, network, Logger(None, [])) if stage == "ppo" else SelfPlay(config, network)
        while learner.progress < learner.total:
            learner.update()
        return int(learner.decisions), int(learner.decisions)

    return timed


PYRAMID, TOUR, KLONDIKE = "solitaire/Pyramid-v0", "solitaire/TourInfernaleOnePass-v0", "solitaire/Klondike-v0"
DRAW_ONE, PAR = "solitaire/KlondikeDrawOne-v0", "solitaire/PyramidPar-v0"
TASKS: dict[str, Callable[[], Callable[[], Result]]] = {
    "pyramid-engine": lambda: step(PYRAMID, 600),
    "tour-engine": lambda: step(TOUR, 600),
    "klondike-engine": lambda: step(KLONDIKE, 600),
    "pyramid-careful": lambda: play("careful", PYRAMID, 20_000, objective="win"),
    "pyramid-best": lambda: play("best", PYRAMID, 1_000, objective="win"),
    "pyramid-planner": lambda: play("planner", PYRAMID, 10, objective="win"),
    "pyramid-oracle": lambda: play("oracle", PYRAMID, 20, objective="win"),
    "par-best": lambda: play("best", PAR, 200),
    "tour-best": lambda: play("best", TOUR, 300),
    "tour-thrifty": lambda: play("thrifty", TOUR, 2_000),
    "tour-planner": lambda: play("planner", TOUR, 3),
    "klondike-careful": lambda: play("careful", KLONDIKE, 2_000),
    "klondike-best": lambda: play("best", KLONDIKE, 400),
    "klondike-planner": lambda: play("planner", KLONDIKE, 5),
    "draw-one-best": lambda: play("best", DRAW_ONE, 300),
    "pyramid-solver": lambda: label("pyramid", 60),
    "tour-solver": lambda: label("tour_infernale", 6),
    "klondike-solver": lambda: label("klondike", 60),
    "ppo": lambda: learn("ppo"),
    "self-play": lambda: learn("self-play"),
}
"""Name -> what is done; deals, games' steps or decisions a second."""


def serve(task: str) -> None:
    """Measures once for each line that it reads; the first measurement warms up."""
    timed = TASKS[task]()
    timed()
    print("ready", flush=True)
    for _ in sys.stdin:
        started = time.process_time()
        done, outcome = timed()
        speed = done / (time.process_time() - started)
        print(json.dumps([speed, hashlib.sha256(repr(outcome).encode()).hexdigest()]), flush=True)


def start(checkout: Path, task: str) -> Any:
    path = os.pathsep.join(str(checkout / package) for package in PACKAGES)
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--serve", task]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=checkout
    )
    assert process.stdout
    process.stdout.readline()
    return process


def measure(task: str, roots: tuple[Path, Path], turns: int) -> tuple[list[float], bool]:
    """Returns the median speed of each checkout, and whether the outcomes are the same."""
    processes = [start(root.resolve(), task) for root in roots]
    speeds: list[list[float]] = [[], []]
    outcomes = set()
    for _ in range(turns):
        for process, found in zip(processes, speeds, strict=True):
            process.stdin.write("\n")
            process.stdin.flush()
            speed, outcome = json.loads(process.stdout.readline())
            found.append(speed)
            outcomes.add(outcome)
    for process in processes:
        process.stdin.close()
        process.wait()
    return list(map(median, speeds)), len(outcomes) == 1


def figure(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?", help="root of the other checkout")
    parser.add_argument("--turns", type=int, default=3, help="measurements of each (default 3)")
    parser.add_argument("--only", default=",".join(TASKS), help="measure only these, with commas between")
    parser.add_argument("--serve", choices=TASKS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.serve)
        return
    if chosen.other is None or not (chosen.other / "envs").is_dir():
        parser.error(f"expected the root of another checkout, got {chosen.other}")
    tasks = chosen.only.split(",")
    if unknown := set(tasks) - set(TASKS):
        parser.error(f"argument --only: expected some of {', '.join(TASKS)}; got {', '.join(sorted(unknown))}")
    print(f"{'a second, medians':20}{'other':>12}{'this':>12}{'ratio':>8}  outcomes")
    for task in tasks:
        (other, this), same = measure(task, (chosen.other, HERE), chosen.turns)
        alike = "the same" if same else "differ"
        print(f"{task:20}{figure(other):>12}{figure(this):>12}{this / other:8.2f}  {alike}", flush=True)


if __name__ == "__main__":
    main()
