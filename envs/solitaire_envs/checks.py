"""One way to check a value that a person has chosen: an option of a game, a setting of a training run."""

import math
import re
import reprlib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np

MAX_INTEGER = 2**63 - 1
"""Largest integer in a kernel."""
MAX_SEED = 2**64 - 1
MAX_DIGITS = 400
"""Longest number as text. Python itself refuses still longer ones, with an error message of its own."""
_COMPARED = 200
"""Characters of an unknown name that are compared with the known ones."""
NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(_[0-9]{3})+)?(\.[0-9]*)?([eE][-+]?[0-9]+)?")
"""How people write numbers: ``12``, ``20_000``, ``0.5``, ``1e-4``. Every part is optional; `read_number` asks for a
digit before the exponent."""


def read_number(text: str) -> int | float:
    """Reads a number as people write it on a command line, in YAML and in lists of deals.

    It returns an ``int`` for digits alone, and for a number with an exponent that is whole and at least 1,000, as 2e6
    is; otherwise a ``float``.

    Raises:
        ValueError: The text is not a finite number. 017, 3_0, 1:00 and digits of other scripts are not numbers.
    """
    match = NUMBER.fullmatch(text)
    if not match or len(text) > MAX_DIGITS or not re.search("[0-9]", re.split("[eE]", text)[0]):
        raise ValueError(f"expected a number, got {short(text)}")
    if match[3] is None and match[4] is None:
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"expected a number, got {short(text)}")
    return int(number) if match[4] and number.is_integer() and abs(number) >= 1_000 else number


def read_whole(text: str) -> int:
    """Reads a whole number, as `read_number` does.

    Raises:
        ValueError: The text is not a whole number.
    """
    number = read_number(text)
    if isinstance(number, float):
        raise ValueError(f"expected a whole number, got {short(text)}")
    return number


def check_seed(name: str, seed: object, num_envs: int = 1) -> int:
    """Returns a seed as an ``int``, so that ``num_envs`` environments can have this seed and those that follow it.

    Raises:
        ValueError: These seeds are not integers of 0..2**64 - 1.
    """
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= int(seed) <= MAX_SEED + 1 - num_envs:
        return int(seed)
    where = f" for {num_envs} environments" if num_envs > 1 else ""
    raise ValueError(f"expected {name} to be an integer of 0..2**64 - {num_envs}{where}, got {short(seed)}")


def check_value(name: str, value: object, hint: Any, metadata: Mapping[str, Any]) -> None:
    """Checks a value against the declaration of its field.

    Args:
        name: Name of the field.
        value: The value.
        hint: Its type: bool, int, float, str or a Literal, perhaps ``| None``.
        metadata: Bounds of numbers: ``minimum`` and ``maximum``.

    Raises:
        ValueError: The field does not allow the value.
    """
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not NoneType]
    if get_origin(hint) is Literal:
        good, expected = _is_one_of(value, kinds), " or ".join(map(repr, kinds))
    else:
        good, expected = _is_of_kind(value, kinds[0], metadata), _in_words(kinds[0], metadata)
        if NoneType in get_args(hint):
            good, expected = good or value is None, f"{expected} or None"
    if not good:
        raise ValueError(f"expected {name} to be {expected}, got {short(value)}")


def check_shape(where: object, shape: Any, value: object, name: str = "") -> None:
    """Checks plain values from a file that a stranger may have sent.

    Args:
        where: The file, for the message.
        shape: A type; a list with one shape, for a list of such values; or a mapping of the required keys to shapes.
        value: The values.
        name: Their place in the file, for the message.

    Raises:
        ValueError: They have another shape.
    """
    kind: Any = type(shape) if isinstance(shape, dict | list) else shape
    content: Any = value
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        expected = getattr(kind, "__name__", str(kind))
        raise ValueError(f"{where}: expected {name or 'the content'} to be {expected}, got {short(value)}")
    if isinstance(shape, dict):
        for key, inner in shape.items():
            check_shape(where, inner, content.get(key), f"{name}.{key}" if name else key)
    elif isinstance(shape, list):
        for place, each in enumerate(content):
            check_shape(where, shape[0], each, f"{name}[{place}]")


def short(value: object) -> str:
    """Returns a value as it may stand in a message: its repr, cut if it is long."""
    return _SHORT.repr(value)


def some_of(names: Iterable[str], most: int = 8) -> str:
    """Returns names with commas between; of many the first, and how many more there are."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Returns the end of a message on an unknown name: the known one that it is most like; empty if it is like none."""
    alike = {each.lower(): each for each in known}
    close = get_close_matches(str(name)[:_COMPARED].lower(), alike, n=1, cutoff=0.5)
    return f": did you mean {alike[close[0]]}?" if close else ""


class _Short(reprlib.Repr):
    def repr_int(self, value: int, level: int) -> str:
        return super().repr_int(value, level) if value.bit_length() < 10_000 else f"{value.bit_length():,} bits"


_SHORT = _Short()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 120
_SHORT.maxlevel = 2


def _is_one_of(value: object, choices: list[Any]) -> bool:
    return any(type(choice) is type(value) and choice == value for choice in choices) or (
        isinstance(value, np.integer) and int(value) in choices
    )


def _is_of_kind(value: object, kind: type, metadata: Mapping[str, Any]) -> bool:
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is str:
        return isinstance(value, str)
    if isinstance(value, bool):
        return False
    if isinstance(value, int | np.integer):
        countable = abs(int(value)) <= MAX_INTEGER
    else:
        countable = kind is float and isinstance(value, float | np.floating) and math.isfinite(value)
    return countable and bool(metadata["minimum"] <= value <= metadata["maximum"])


def _in_words(kind: type, metadata: Mapping[str, Any]) -> str:
    if kind is bool:
        return "True or False"
    if kind is str:
        return "a text"
    low, high = metadata["minimum"], metadata["maximum"]
    article, digits = ("a number", "g") if kind is float else ("an integer", ".0f")
    return f"{article} of {low:{digits}}" + (f"..{high:{digits}}" if math.isfinite(high) else " or more")
