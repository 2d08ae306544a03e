"""What a game tells people who play; its rule card and the docs of its options are for those who program."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from solitaire_envs.layout import Spot


@dataclass(frozen=True, kw_only=True, eq=False)
class OptionWords:
    """An option for people who play."""

    label: str
    """Its name."""
    choices: Mapping[Any, str] = field(default_factory=dict)
    """Value -> the choice in words; a value without words is shown as it is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Words:
    """A game for people who play; what is left out is taken from what programmers read."""

    title: str = ""
    about: str = ""
    """One sentence."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)
    """Name of an option -> its words."""
    why_not: Callable[[Spot, Spot], str] = lambda source, target: ""
    """(top of a place, top of another) -> why the first one's card may not be put on the second; asked where no legal
    move does so. Empty: the game has no words for it."""


COMMON = {
    "information": OptionWords(
        label="What agents see",
        choices={"memory": "what you can remember", "table": "what lies face up now", "open": "the whole stock"},
    ),
    "max_moves": OptionWords(label="Most moves", choices={None: "no limit"}),
    "passes": OptionWords(label="Passes through the stock", choices={None: "no limit", 1: "one pass"}),
    "objective": OptionWords(label="Agents play for", choices={"score": "the score", "win": "a win"}),
}
"""Words of options that several games have."""
