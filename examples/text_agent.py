"""A game played through text, as a language model plays: `TextGame` shows the table and reads the answers.

    python examples/text_agent.py --deal 7

Put your own model in place of `stand_in`: a function from the conversation so far to the next answer.
"""

import argparse
import random
from collections.abc import Callable
from typing import Any

import gymnasium

from solitaire_envs.wrappers import TextGame

RULES = """\
You play the patience game Pyramid. Discard two available cards whose ranks add up to 13 (A=1, J=11, Q=12), or a king.
Cards in brackets are available. 'draw' moves the top card of the stock to the waste, 'redeal' turns the waste over.
You win when all 52 cards are discarded. Answer with one of the moves listed, and nothing else."""
Message = dict[str, str]
Model = Callable[[list[Message]], str]


def play(model: Model, deal: int) -> tuple[dict[str, Any], int]:
    """Plays a deal; returns the outcome, and the number of answers that were no legal move."""
    env = TextGame(gymnasium.make("solitaire/Pyramid-v0"), max_illegal_actions=50)
    table, info = env.reset(options={"deal": deal})
    errors, ended = 0, False
    while not ended:
        answer = model([{"role": "system", "content": RULES}, {"role": "user", "content": table}])
        table, _, terminated, truncated, info = env.step(answer)
        errors += int(info["illegal_action"])
        ended = terminated or truncated
    return {name: int(info[name]) for name in ("score", "won", "moves")}, errors


def stand_in(messages: list[Message]) -> str:
    """Answers as a poor model does: with a random move of the table shown, and now and then with chatter."""
    if random.random() < 0.1:
        return "I would take the king."
    moves = messages[1]["content"].rpartition("moves: ")[2]
    return random.choice(moves.split(", "))


def main() -> None:
    """Plays a deal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deal", type=int, default=7, help="deal number")
    random.seed(0)
    outcome, errors = play(stand_in, parser.parse_args().deal)
    print(f"{outcome}, {errors} answers that were no legal move")


if __name__ == "__main__":
    main()
