"""Plays over the socket of `solitaire-rl openenv`, with OpenEnv's own client; this needs no solitaire-rl here.

    solitaire-rl openenv --env solitaire/FreeCell-v0 --port 8000
    python examples/openenv_client.py http://127.0.0.1:8000

Ask your model instead of `answer`.
"""

import sys

from openenv import GenericEnvClient


def answer(text: str) -> str:
    """Reads the last table, and returns a move to a foundation if there is one, else the first move."""
    moves: list[str] = text.rpartition("moves: ")[2].split(", ")
    return next((move for move in moves if move.endswith(">F")), moves[0])


def play(address: str, split: str, index: int) -> dict[str, object]:
    """Plays one deal; returns what the server tells the trainer about it, with the sum of the rewards."""
    with GenericEnvClient(base_url=address).sync() as env:
        result, total = env.reset(split=split, index=index), 0.0
        while not result.done:
            result = env.step({"move": answer(result.observation["text"])})
            total += result.reward
        return {**result.metadata, "reward": total}


def main() -> None:
    """Plays three validation deals."""
    for index in range(3):
        print(play(sys.argv[1], "validation", index))


if __name__ == "__main__":
    main()
