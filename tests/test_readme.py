"""The commands of the README are known, in full and as `make release-check` shortens them."""

import pytest

from solitaire_training.commands.main import make_parser
from tests.readme import README, STEPS, commands, python_blocks, shortened, shortened_python

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", commands(TEXT), ids=" ".join)
def test_each_command_is_known(command: list[str]) -> None:
    for arguments in (command, shortened(command)):
        chosen = make_parser(arguments[1:2]).parse_args(arguments[1:])
        assert callable(chosen.run)


def test_there_are_commands_of_each_kind() -> None:
    assert {"compare", "play", "solve", "train"} <= {command[1] for command in commands(TEXT)}


def test_the_first_screen_trains_and_compares_in_python_and_by_commands() -> None:
    screen = "\n".join(TEXT.splitlines()[:45])
    (code,) = python_blocks(screen)
    train, compare = commands(screen)
    chosen = make_parser(["train"]).parse_args(train[1:])
    assert (chosen.algorithm, chosen.bounds, chosen.total_steps) == ("ppo", False, int(STEPS))
    assert f"bounds=False, total_steps={STEPS})" in code
    assert STEPS not in shortened_python(code)
    assert "pyramid-first,careful,runs/ppo@no-bounds,best" in compare
    assert '"pyramid-first", "careful", "runs/ppo-in-python@no-bounds", "best"' in code
    assert screen.count(" minute") >= 2


def test_what_counts_as_code() -> None:
    text = (
        "text `solitaire-rl x`\n\n    solitaire-rl a --b \\\n        c  # why\n\n```sh\nsolitaire-rl d\nmake x\n```\n"
        "```text\nsolitaire-rl e\n```\n```python\nf()\n```\n"
    )
    assert sorted(commands(text)) == [["solitaire-rl", "a", "--b", "c"], ["solitaire-rl", "d"]]
    assert python_blocks(text) == ["f()\n"]
