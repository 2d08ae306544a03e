"""The interface of workers that do independent pieces of work, on this machine (`pool`) or on a cluster (`cluster`)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Workers(ABC):
    """Workers that do pieces of work. The results depend neither on their number nor on where they are."""

    elsewhere = False
    """Whether the workers may lack this process's files."""
    repeated = 0
    """Number of pieces begun again because a process or a machine was lost."""

    @abstractmethod
    def share(self, function: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Applies a function to each piece of work.

        Args:
            function: A module's function, or a method of an object that can be pickled.
            pieces: The pieces, which must be picklable too. A deque may grow while results arrive.

        Yields:
            The results in any order, each as soon as it is ready. An error of the function ends all work.
        """

    def share_quick(self, function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        """Does the same for pieces that take less time than the start of a process, and release the GIL."""
        return self.share(function, pieces)

    @abstractmethod
    def close(self) -> None:
        """Ends the workers."""

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
