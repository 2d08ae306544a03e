"""The code blocks of the README: Python, and commands, also in shortened versions that take seconds."""

import re
import shlex
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
SHORT = {
    "train": "--games 4 --games-per-update 2 --total-steps 64 --num-envs 8 --n-steps 8 --batch-size 32 --eval-deals 4",
    "compare": "--deals 4 --jobs 1",
    "watch": "--seconds 0",
    "label": "--count 2 --jobs 1",
}
"""Command -> arguments that overrule those before them."""
STEPS = "6_000_000"
"""What the README's code trains for."""
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def python_blocks(text: str) -> list[str]:
    """Returns the blocks of Python, in their order."""
    return [content for language, content in FENCED.findall(text) if language == "python"]


def shortened_python(code: str) -> str:
    """Returns code of the README that does the same on less."""
    short = code.replace(STEPS, "1, eval_deals=4, num_envs=8, n_steps=8, batch_size=32")
    return short.replace("np.arange(2000", "np.arange(4")


def commands(text: str) -> list[list[str]]:
    """Returns the commands ``solitaire-rl ...`` in blocks of code, as lists of words."""
    fenced = [content for language, content in FENCED.findall(text) if language in ("sh", "bash", "console", "")]
    indented = re.findall(r"(?:^(?: {4}|\t).*\n)+", FENCED.sub("", text), re.MULTILINE)
    lines = "\n".join([*fenced, *indented]).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.lstrip(" $").startswith("solitaire-rl ")]


def shortened(command: list[str]) -> list[str]:
    """Returns a command that does the same on less."""
    return [*command, *SHORT.get(command[1], "").split()]
