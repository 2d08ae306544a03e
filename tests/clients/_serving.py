"""A server for scripts to play on, and a player that reads only the text."""

import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from solitaire_evaluation.chat_env import ChatEnv

COMMAND = Path(sys.executable).parent / "solitaire-rl"


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Runs `solitaire-rl openenv` on a free port of the loopback; yields its address and its process."""
    command = [COMMAND, "openenv", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            yield address[0], server
        finally:
            server.terminate()


def by_chance(seed: int) -> Callable[[str], str]:
    """Returns a player: a random move of the table, now and then none; it thinks aloud before."""
    generator = random.Random(seed)

    def answer(text: str) -> str:
        if generator.random() < 0.05:
            return "I am at a loss."
        return "Let me think: a black nine on a red ten ...\n" + generator.choice(moves_of(text))

    return answer


def moves_of(text: str) -> list[str]:
    """Returns the moves that a table lists."""
    return text.rpartition("moves: ")[2].split(", ")


def play_in_process(env: ChatEnv, answer: Callable[[str], str], **deal: Any) -> tuple[float, dict[str, Any]]:
    """Plays a game; returns the sum of its rewards, and the last info."""
    text, info = env.reset(**deal)
    total = 0.0
    while not env.over:
        text, reward, *_, info = env.step(answer(text))
        total += reward
    return total, info
