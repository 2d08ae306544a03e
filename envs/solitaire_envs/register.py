"""A register of games or of what belongs to them."""

from collections.abc import Callable, Iterator, MutableMapping
from threading import RLock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Register(MutableMapping[str, Value], Generic[Value]):
    """Name -> value, in the order of registering. A value can be made when it is first asked for.

    Most programs use one game; to make those that are declared takes longer than all else of the import.
    """

    def __init__(self) -> None:
        self._made: dict[str, Value] = {}
        self._makers: dict[str, Callable[[], Value]] = {}
        self._lock = RLock()

    def later(self, name: str, make: Callable[[], Value]) -> None:
        """Adds a value that ``make()`` returns."""
        self._makers[name] = make

    def __getitem__(self, name: str) -> Value:
        with self._lock:  # two threads that ask at once get one value
            if name not in self._made:
                self._made[name] = self._makers[name]()
            return self._made[name]

    def __setitem__(self, name: str, value: Value) -> None:
        self._makers[name] = lambda: value
        self._made[name] = value

    def __delitem__(self, name: str) -> None:
        del self._makers[name]
        self._made.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
