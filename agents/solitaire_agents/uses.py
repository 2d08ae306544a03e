"""How agents treat the options of a game: as an input, without any influence, or by refusing values.

Each game declares this once, for its agents, its learners, its solver and its labels (`Kit.uses`).
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import NoneType
from typing import Any, Final, TypeAlias, get_args, get_type_hints

from solitaire_envs.checks import short


@dataclass(frozen=True)
class Use:
    """How an agent treats one option."""

    words: str
    """The same in words, for the documentation."""
    influence: bool
    """False: in the same game it makes the same moves, whatever the value is, as long as the game goes on."""
    values: Collection[object] | None = None
    """The values that it plays under; None: all that the game allows."""
    least: Callable[[Any], float] | None = None
    """options -> the lowest number that it plays under; None, which stands for no limit, is above all numbers."""
    most: int | None = None
    """The highest number that it plays under; None, no limit, it plays under too."""

    def expected(self, name: str, options: Any) -> str:
        """Returns the values that are expected of an option; an empty text if its value is one of them."""
        value = getattr(options, name)
        if self.values is not None and value not in self.values:
            return f"{name}={' or '.join(map(repr, self.values))}"
        if self.most is not None and value is not None and value > self.most:
            return f"{name} of at most {self.most:,}, or None,"
        least = -math.inf if self.least is None else self.least(options)
        if least == -math.inf or value is None or value >= least:
            return ""
        if least == math.inf:
            return f"{name}=None"
        endless = NoneType in get_args(get_type_hints(type(options))[name])
        return f"{name} of {least:,} or more{', or None,' if endless else ''}"

    def from_number(self, number: float) -> "Use":
        """Returns the same use, but of numbers from this one on, if that is lower than `least`."""
        least = self.least
        return self if least is None else replace(self, least=lambda options: min(least(options), number))


MOVES_ENOUGH: Final = 1_000
"""The limit of moves of the labelled test deals, and of the training of the agents that come with the package, but in
Pyramid, where no game is long."""
Uses: TypeAlias = Mapping[str, Use]
"""Option -> how an agent treats it. An option that is not there must have its default."""

INPUT: Final = Use("input", True)
LEARNED: Final = Use("input; values learned", True)
NO_INFLUENCE: Final = Use("no influence", False)
MEMORY_NEEDED: Final = Use("input; not `table`", True, values=("memory", "open"))


def at_least(number: int, *, influence: bool = False) -> Use:
    """Returns the use of an option that must not be lower than a number."""
    return Use(
        f"{'input' if influence else 'no influence'}; {number:,} or more", influence, least=partial(_always, number)
    )


def _always(number: float, options: Any) -> float:
    return number  # unlike a lambda, it can be sent to other processes


def only(*values: object) -> Use:
    """Returns the use of an option that must have one of some values."""
    return Use("only " + " or ".join(f"`{value}`" for value in values), False, values=values)


def check_uses(uses: Uses, options: Any, who: str) -> None:
    """Checks that an agent plays under some options.

    Args:
        uses: How it treats the options.
        options: Options of a game.
        who: Its name, for the message.

    Raises:
        ValueError: It does not; the message names the first such option.
    """
    for spec in fields(options):
        use = uses.get(spec.name) or Use("", False, values=(spec.default,))
        if expected := use.expected(spec.name, options):
            raise ValueError(f"expected {expected} for {who}; got {short(getattr(options, spec.name))}")


def allows(uses: Uses, options: Any) -> bool:
    """Returns whether `check_uses` accepts the options."""
    try:
        check_uses(uses, options, "")
    except ValueError:
        return False
    return True
