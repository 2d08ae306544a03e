"""A game played through text, as a language model plays: the table as `ansi`, the answer read by `parse_move`.

    python examples/text_agent.py --deal 7

Put your own model in place of `stand_in`: a function from the conversation so far to the next answer.
"""

import argparse
import random
from collections.abc import Callable
from typing import Any

import gymnasium

import solitaire_envs  # noqa: F401  # registers the environments

RULES = """\
You play the patience game Pyramid. Discard two available cards whose ranks add up to 13 (A=1, J=11, Q=12), or a king.
Cards in brackets are available. 'draw' moves the top card of the stock to the waste, 'redeal' turns the waste over.
You win when all 52 cards are discarded. Answer with one of the moves listed, and nothing else."""
Message = dict[str, str]
Model = Callable[[list[Message]], str]
MOST_ERRORS = 3
"""Answers in a row that may be wrong; then the first legal move is played."""


def play(model: Model, deal: int) -> tuple[dict[str, Any], int]:
    """Plays a deal; returns the outcome, and the number of answers that were no legal move."""
    env: Any = gymnasium.make("solitaire/Pyramid-v0", render_mode="ansi", illegal_action="raise").unwrapped
    env.reset(options={"deal": deal})
    errors = 0
    while (legal := env.action_masks().nonzero()[0]).size:
        messages = [{"role": "system", "content": RULES}, {"role": "user", "content": env.render()}]
        action = None
        for _ in range(MOST_ERRORS):
            answer = model(messages)
            try:
                action = env.parse_move(answer)
                break
            except ValueError as error:  # the message lists the legal moves
                errors += 1
                messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": str(error)}]
        env.step(legal[0] if action is None else action)
    return env.outcome(), errors


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
