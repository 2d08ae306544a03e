"""Turns per second of CPU time in one process that plays by text, beside games of other suites for language models.

    python benchmarks/text_games.py --seconds 5
    python benchmarks/text_games.py --korgym path/to/KORGym/game_lib/37-SpiderSolitaire

A turn is an answer, and the text that follows it. TextArena is measured where it is installed, KORGym where a checkout
is named. All answer at random.
"""

import argparse
import importlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from solitaire_evaluation.chat_env import ChatEnv

OURS = ("Pyramid", "Klondike", "FreeCell", "Golf")
WALKS = ("FrozenLake-v0", "Sokoban-v0", "2048-v0")
"""Games of TextArena for one player who names a direction."""
Turn = Callable[[], None]


def chat_env(name: str) -> Turn:
    env, generator = ChatEnv(f"solitaire/{name}-v0"), random.Random(0)
    texts = [env.reset(seed=0)[0]]

    def turn() -> None:
        move = generator.choice(texts.pop().rpartition("moves: ")[2].split(", "))
        texts.append(env.step(move)[0])
        if env.over:
            texts[0] = env.reset()[0]

    return turn


def textarena(name: str) -> Turn:
    import textarena as ta

    env, generator, seeds = ta.make(name), random.Random(0), iter(range(10**9))
    env.reset(num_players=1, seed=0)

    def turn() -> None:
        env.get_observation()
        done, _ = env.step(action=f"[{generator.choice(('up', 'down', 'left', 'right'))}]")
        if done:
            env.close()
            env.reset(num_players=1, seed=next(seeds))

    return turn


def korgym(folder: str) -> Turn:
    sys.path.insert(0, folder)
    game: Any = importlib.import_module("game_lib")
    generator, states = random.Random(0), [game.generate(0)]

    def turn() -> None:
        state = states.pop()
        game.print_board(state)
        columns = [generator.choice("ABCDEFGHIJ") for _ in range(2)]
        state["action"] = (
            "hit" if generator.random() < 0.05 else f"({columns[0]},{generator.randrange(9)},{columns[1]})"
        )
        state = game.verify(state)
        states.append(game.generate(0) if state["is_end"] or state["epoch"] > 100 else state)

    return turn


def games(folder: str | None) -> Iterator[tuple[str, Callable[[], Turn]]]:
    """Yields what is measured: a name, and a function that sets it up."""
    for name in OURS:
        yield f"solitaire-rl {name}", lambda name=name: chat_env(name)
    if find_spec("textarena"):
        for name in ("Klondike-v0", *WALKS):
            yield f"TextArena {version('textarena')} {name}", lambda name=name: textarena(name)
    if folder:
        yield "KORGym SpiderSolitaire", lambda: korgym(folder)


def turns_a_second(turn: Turn, seconds: float) -> float:
    """Returns the speed, after a second that does not count."""
    for limit in (1.0, seconds):
        count, started = 0, time.process_time()
        while (passed := time.process_time() - started) < limit:
            turn()
            count += 1
    return count / passed


def main() -> None:
    """Measures each game and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--korgym", metavar="FOLDER")
    chosen = parser.parse_args()
    print("| game | turns a second |\n|---|---|")
    for name, set_up in games(chosen.korgym):
        try:
            speed = f"{turns_a_second(set_up(), chosen.seconds):,.0f}"
        except (Exception, SyntaxError) as error:
            speed = f"{type(error).__name__}: {error}"
        print(f"| {name} | {speed} |", flush=True)


if __name__ == "__main__":
    main()
