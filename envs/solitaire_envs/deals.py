"""The lists of deal numbers that environments draw from.

Training deals have the numbers of 2^63 and above. The first n of them are 2^63, 2^63 + 1, ..., 2^63 + n - 1.
"""

import gzip
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import ALL_DEALS, FIRST_RANDOM_DEAL, check_deal
from solitaire_envs.checks import read_whole, short

MAX_DEALS = 10_000_000
"""Most numbers in a list of deals, which is held in memory."""
Deals = int | range | Sequence[int] | NDArray[Any] | str | PathLike[str]
"""The first n deals; a range or a list of deal numbers; a file of them. As text: n, FIRST-LAST, or a path."""
EXPECTED = "a number of deals, or a range, a list or a file of deal numbers"


def list_deals(deals: Deals | None, *, first: int = FIRST_RANDOM_DEAL) -> NDArray[np.uint64]:
    """Returns a list of deals, uint64 [n].

    Args:
        deals: A file is a table of labels, or has a number on each line, perhaps below a header of one word; ``.gz`` is
            unpacked. A number may occur several times. None: `ALL_DEALS`.
        first: Where the first n deals begin.

    Raises:
        ValueError: It is none of these, is empty or too long, or contains something that is not a deal number.
    """
    given: Any = _of_text(deals) if isinstance(deals, str) else deals
    if given is None:
        return ALL_DEALS
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        given = range(first, first + int(given))
    elif isinstance(given, PathLike):
        given = _numbers_of_file(Path(given))
    if isinstance(given, range):
        _check_length(given.stop - given.start if given.step == 1 else len(given[: MAX_DEALS + 1]))
        for end in (given[0], given[-1]):
            _check_number(end)
        return np.fromiter(given, np.uint64, len(given))
    if isinstance(given, np.ndarray) and given.ndim == 1 and np.issubdtype(given.dtype, np.integer):
        _check_length(len(given))
        _check_number(given.min().item())
        return given.astype(np.uint64)
    if isinstance(given, Sequence) and not isinstance(given, bytes | bytearray | memoryview):
        _check_length(len(given))
        return np.array([_check_number(number) for number in given], dtype=np.uint64)
    raise ValueError(f"expected deals to be {EXPECTED}, got {short(given)}")


def _unpacked(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(str(error)) from None


def _range_of_text(text: str) -> range | None:
    """Reads ``FIRST-LAST``; returns None for any other text."""
    first, minus, last = text.partition("-")
    try:
        numbers = range(read_whole(first), read_whole(last) + 1) if minus else None
    except ValueError:
        return None
    if numbers is not None and numbers.stop <= numbers.start:
        raise ValueError(f"expected deals FIRST-LAST from a lower to a higher number, got {short(text)}")
    return numbers


def _of_text(text: str) -> int | range | Path:
    try:
        return read_whole(text)
    except ValueError:
        return _range_of_text(text) or Path(text)


def _numbers_of_file(path: Path) -> list[int]:
    """Returns the first column of a text file, without a header of one word; ``.gz`` is unpacked."""
    try:
        lines = _unpacked(path).decode("utf-8-sig").splitlines()  # with a byte-order mark or without
    except (OSError, ValueError) as error:
        raise ValueError(f"expected deals to be {EXPECTED}, got {short(str(path))}: {error!s:.200}") from None
    words = [word for line in lines for word in line.partition(",")[0].split()]
    if words and re.fullmatch("[A-Za-z_]+", words[0]):
        del words[0]
    if not words:
        raise ValueError(f"expected deals to be {EXPECTED}, got {short(str(path))}: it has no numbers")
    numbers = []
    for place, word in enumerate(words, start=1):
        try:
            numbers.append(check_deal(read_whole(word)))
        except ValueError:
            raise ValueError(f"{path}: expected a deal number in place {place}, got {short(word)}") from None
    return numbers


def _check_length(length: int) -> None:
    if not 1 <= length <= MAX_DEALS:
        raise ValueError(f"expected deals to be 1 to {MAX_DEALS:,} numbers, got {short(length)}")


def _check_number(number: object) -> int:
    try:
        return check_deal(number)
    except ValueError:
        raise ValueError(
            f"expected deals to be deal numbers, integers of 0..2**64 - 1, got {short(number)} among them"
        ) from None


# --- Labelled training deals ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LabelledDeals:
    """The first training deals with a solver's labels under some rules."""

    file: Path
    """A table that ``solitaire-rl label`` has written, ``.csv.gz``."""
    under: str
    """The rules, in words."""
    fits: Callable[[Any], bool]
    """options -> whether the labels hold under them; `information` and `objective` do not matter."""
    winnable: str
    """The column that is above 0 where a deal can be won with the stock open."""
    difficulty: Callable[[Mapping[str, NDArray[np.int64]]], Sequence[NDArray[Any]]]
    """The columns -> keys that sort the deals, the easiest first, each [n]. Where a key is equal the next one decides,
    and at last the deal number."""

    def choose(self, *, winnable: bool = False, difficulty: tuple[float, float] = (0.0, 1.0)) -> NDArray[np.uint64]:
        """Returns some of the deals, uint64 [n], in the order of their numbers.

        Args:
            winnable: Whether to take only those that can be won.
            difficulty: The band of these to take, (low, high), from 0, the easiest, to 1, the hardest: of n deals
                sorted by difficulty those in places round(low * n) to round(high * n) - 1.
        """
        table = _labels(self.file)
        deals = table["deal"].astype(np.uint64)
        order = np.lexsort((deals, *self.difficulty(table)[::-1]))
        if winnable:
            order = order[table[self.winnable][order] > 0]
        first, end = (round(share * len(order)) for share in difficulty)
        return np.sort(deals[order[first:end]])


def read_label_file(path: Path) -> dict[str, NDArray[np.int64]]:
    """Reads a table of labels: whole numbers as CSV, a row for each deal; ``.gz`` is unpacked.

    Returns:
        Name of a column -> its values [n], in the file's order; "deal" is the first. Deal numbers of 2**63 and above
        are negative here; ``astype(np.uint64)`` restores them.

    Raises:
        ValueError: The file is not such a table, or has two rows for a deal.
        OSError: The file cannot be read.
    """
    try:
        header, *rows = _unpacked(path).decode("ascii").splitlines()
        names = header.split(",")
        if names[0] != "deal" or "" in names or len(set(names)) < len(names):
            raise ValueError(f"columns {short(', '.join(names))}")
        if any(row.count(",") != header.count(",") for row in rows):
            raise ValueError("a row with more or fewer numbers than columns")
        numbers = list(map(int, ",".join(rows).split(","))) if rows else []
        deals, *others = (numbers[column :: len(names)] for column in range(len(names)))
        if len(set(deals)) < len(deals):
            raise ValueError("a deal number that is there twice")
        columns = [np.array(deals, np.uint64).astype(np.int64), *(np.array(each, np.int64) for each in others)]
        return dict(zip(names, columns, strict=True))
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"expected a table of labels in {path}, a row for each deal; got: {str(error)[:200]}"
        ) from None


_labels = cache(read_label_file)


def check_difficulty(difficulty: object) -> tuple[float, float]:
    """Returns a band of difficulty.

    Raises:
        ValueError: It is not two numbers with 0 <= low < high <= 1.
    """
    if isinstance(difficulty, Sequence | np.ndarray) and getattr(difficulty, "ndim", 1) == 1 and len(difficulty) == 2:
        low, high = difficulty
        numbers = [isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in (low, high)]
        if all(numbers) and 0 <= low < high <= 1:
            return float(low), float(high)
    raise ValueError(f"expected difficulty to be (low, high) with 0 <= low < high <= 1, got {short(difficulty)}")
