"""The workers that do independent pieces of work: on this machine (`pool`), or on a cluster (`cluster`)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Workers(ABC):
    """Workers that do pieces of work. The results depend neither on their number nor on where they are."""

    elsewhere = False
    """Whether the workers may see other files than this process."""
    repeated = 0
    """Number of pieces that were begun again because a process or a machine was lost."""

    @abstractmethod
    def share(self, function: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Applies a function to each piece of work.

        Args:
            function: Pickled; a function of a module, or a method of an object that can be pickled.
            pieces: The pieces, which are pickled too. A deque may grow while results come.

        Yields:
            The results, as they are completed, in any order. An error of the function ends all work.
        """

    def share_quick(self, function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        """Does the same for pieces that would be done before a process has started, and release Python's lock."""
        return self.share(function, pieces)

    @abstractmethod
    def close(self) -> None:
        """Ends the workers."""

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
