"""How a learner sees a game: as a choice among candidates, each described by inputs that are on or off.

A *candidate* is a position that the player can reach before chance comes in, as with the next card of the stock. The
network rates that position, in which hidden cards stay hidden, so its choice is fair. A game declares its choices once,
in its kit, as kernels; every learner and every trained agent uses them.

A simple game declares one kernel, which writes the observation after a move, and calls `slot_choices`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.game import Game
from solitaire_envs.jit import kernel

Masks = NDArray[np.bool_]
Bounds: TypeAlias = Callable[[NDArray[np.int16], Masks], Masks]
"""(observations [B, O], action masks [B, A]) -> the legal moves that are not proved to be mistakes.

A row without any: there is nothing left to gain."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """The choices of one game under given options."""

    inputs: int
    """Number of inputs, below 2^16."""
    most_on: int
    """Most inputs that are on for one candidate; an input may be on more than once."""
    most_candidates: int
    """Most candidates of one choice. Further ones are left out."""
    most_moves: int = 1
    """Most moves that lead to a candidate."""
    row_size: int
    """Size of the row that `Kernels.write` stores a choice in; candidates that do not fit are left out."""
    new_storage: Callable[[], Any]
    """Allocates working storage for the kernels, for one thread: a named tuple of arrays and numbers."""
    count: Callable[..., int]
    """Kernel (storage, observation int16 [O], action mask bool [A]) -> number of candidates, kept in the storage.

    1: there is nothing to choose: only one move is legal, or one can never hurt. 0: there is nothing left to gain."""
    describe: Callable[..., int]
    """Kernel (storage, k, on int64 [most_on]) -> number of inputs that are on for candidate k; `on` is written to."""
    moves: Callable[..., int]
    """Kernel (storage, k, line int64 [most_moves]) -> number of actions that lead to candidate k, at least one."""
    after: Callable[..., None]
    """Kernel (observation int16 [O], action, after int64 [O]): writes the observation after a move, before chance."""
    worth: Callable[[Any], NDArray[np.float32]]
    """Outcomes of games [n] -> their worth, 0..1, float32 [n]: what learners maximise. `wins` where that is a win."""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """The rules that an agent must have been trained with to play here: the options that matter, where values that make
    no difference are written as one."""
    mirror: NDArray[np.uint16] | None = None
    """[inputs + 1]: input -> its mirror image; the last entry is itself. None: the game has no mirror image."""
    new_bounds: Callable[[], Bounds] | None = None
    """Returns bounds with working storage for one thread. Trained agents leave out the moves that the bounds reject."""

    @property
    def chance(self) -> bool:
        """Whether the value of a position is the probability of a win."""
        return self.worth is wins


class SlotStorage(NamedTuple):
    """Working storage of `slot_choices`."""

    seen: Any  # int16 [O]: the observation
    after: Any  # int64 [O]
    candidates: Any  # int64 [A]: legal actions
    first: Any  # int64 [O]: the input of value 0 of each slot
    high: Any  # int64 [O]: the highest value of each slot that has an input of its own


HIGHEST = 63
"""Larger values of a slot, such as a counter's, share this one's input."""


def slot_choices(
    game: Game, options: Any, after: Callable[..., None], worth: Callable[[Any], NDArray[np.float32]], **more: Any
) -> Choices:
    """Returns choices among the legal moves, with an input for each value of each slot of the observation after a move.

    Args:
        game: The game.
        options: Its options.
        after: As in `Choices`.
        worth: As in `Choices`.
        more: Other fields of `Choices`, such as a mirror.
    """
    size, actions = game.observation_size, game.num_actions(options)
    high = np.concatenate([np.full(slots.size, min(slots.high, HIGHEST)) for slots in game.observation]).astype(
        np.int64
    )
    first = np.concatenate([[0], np.cumsum(high + 1)]).astype(np.int64)

    def new_storage() -> SlotStorage:
        seen, board = np.zeros(size, np.int16), np.zeros(size, np.int64)
        return SlotStorage(seen, board, np.zeros(actions, np.int64), first[:-1], high)

    return Choices(
        inputs=int(first[-1]),
        most_on=size,
        most_candidates=actions,
        row_size=2 + actions + size * (actions + 1),
        new_storage=new_storage,
        count=count_legal,
        describe=_describe_slots(after),
        moves=one_move,
        after=after,
        worth=worth,
        **more,
    )


@cache
def _describe_slots(after: Callable[..., None]) -> Callable[..., int]:
    """Returns the kernel that describes a move by the slots after it; one for each game, so that it compiles once."""

    @kernel
    def describe(storage: Any, k: int, on: Any) -> int:
        after(storage.seen, storage.candidates[k], storage.after)
        for slot in range(len(storage.after)):
            on[slot] = storage.first[slot] + min(max(storage.after[slot], 0), storage.high[slot])
        return len(storage.after)

    return describe


@kernel
def copy(source: Any, target: Any) -> None:
    """Copies numbers one by one, since an assignment of arrays would allocate a third."""
    for i in range(len(target)):
        target[i] = source[i]


@kernel
def count_legal(storage: Any, observation: Any, mask: Any) -> int:
    """Makes each legal move a candidate; for storages with `seen` and `candidates`."""
    copy(observation, storage.seen)
    found = 0
    for action in range(len(mask)):
        if mask[action] and found < len(storage.candidates):
            storage.candidates[found] = action
            found += 1
    return found


@kernel
def one_move(storage: Any, k: int, line: Any) -> int:
    """Writes the one move that leads to candidate k; returns 1."""
    line[0] = storage.candidates[k]
    return 1


def wins(outcomes: Any) -> NDArray[np.float32]:
    """A `worth`: 1 for a win, else 0."""
    return np.asarray(outcomes["won"], np.float32)


def share_of_cards(outcomes: Any) -> NDArray[np.float32]:
    """A `worth`: the share of the deck that was scored, in games that score a point for each card."""
    return np.asarray(outcomes["score"] / NUM_CARDS, np.float32)
