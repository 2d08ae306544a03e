"""How a learner sees a game: as a choice among candidates, each described by inputs that are on or off.

A *candidate* is a position that the player can reach before chance comes in, as with the next card of the stock. The
network rates that position, in which hidden cards stay hidden, so its choice is fair. A game declares its choices once,
in its kit, as kernels; every learner and every trained agent uses them.

`slot_choices` makes choices for any game. `steps_over` looks past a move by the game's own kernels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionValues
from solitaire_envs.game import Game, Options
from solitaire_envs.jit import as_records, entry_point, kernel

Masks = NDArray[np.bool_]
Bounds: TypeAlias = Callable[[NDArray[np.int16], Masks], Masks]
"""(observations [B, O], action masks [B, A]) -> the legal moves that are not proved to be mistakes.

A row without any: there is nothing left to gain."""

NOTHING_LEFT, FORCED = 0, 1
"""Numbers of candidates where there is no choice: there is nothing left to gain; or one candidate loses nothing."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """The choices of one game under given options."""

    game: Game
    """The game; not a series."""
    options: Options
    """Its options, or those of a series of it."""
    inputs: int
    """Number of inputs, below 2^16."""
    most_on: int
    """Most inputs that are on for one candidate; an input may be on more than once."""
    most_candidates: int
    """Most candidates of one choice. Further ones are left out."""
    most_moves: int = 1
    """Most moves that lead to a candidate."""
    new_storage: Callable[[], Any]
    """Allocates working storage for the kernels, for one thread: a named tuple of arrays and numbers."""
    count: Callable[..., int]
    """Kernel (storage, observation int16 [O], action mask bool [A]) -> number of candidates, kept in the storage.

    `FORCED` also where one of several moves can never hurt; `NOTHING_LEFT` also where moves are legal."""
    describe: Callable[..., int]
    """Kernel (storage, k, on int64 [most_on]) -> number of inputs that are on for candidate k; `on` is written to."""
    moves: Callable[..., int]
    """Kernel (storage, k, line int64 [most_moves]) -> number of actions that lead to candidate k, at least one."""
    normalised_return: Callable[[Any], float]
    """Kernel (outcome, a record) -> the normalised return of a game, 0..1: what learners maximise. Or `wins`."""
    discount: float = 1.0
    """Factor of the normalised return for each move of a game, 0..1; below 1, few moves count. The value of a position
    counts the moves that are to come."""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """The rules that an agent must have been trained with to play here: the options that matter, where values that make
    no difference are written as one."""
    mirror: NDArray[np.uint16] | None = None
    """[inputs + 1]: input -> its mirror image; the last entry is itself. None: the game has no mirror image."""
    new_bounds: Callable[[], Bounds] | None = None
    """Returns bounds with working storage for one thread. Trained agents leave out the moves that the bounds reject."""
    same_from: Mapping[str, int] = field(default_factory=dict)
    """Stretch of the observation -> the value from which on all its values come to the same, so that a search takes
    positions that differ in nothing else for one."""

    @property
    def modules(self) -> set[str]:
        """Names of the modules with the kernels of the game and of the choices."""
        kernels: list[Any] = [self.game.apply, self.count, self.describe, self.moves, self.normalised_return]
        return {getattr(each, "py_func", each).__module__ for each in kernels}

    @property
    def chance(self) -> bool:
        """Whether the value of a position is the probability of a win."""
        return self.normalised_return is wins and self.discount == 1

    def judge(self, means: NDArray[np.float64], errors: NDArray[np.float64]) -> ActionValues:
        """Returns values of moves, 0..1, with their standard errors, in the unit that is told to people.

        Where few moves count, a value of ``discount`` to the power of n stands for n moves to a win.
        """
        if self.chance or self.normalised_return is not wins:
            return ActionValues("chance" if self.chance else "return", means, errors)
        values, per_move = np.where(means > 0, means, np.nan), -np.log(self.discount)
        return ActionValues("moves", np.log(values) / per_move, errors / (values * per_move))

    def normalised_returns(self, outcomes: NDArray[np.void]) -> NDArray[np.float32]:
        """Returns the normalised return of each of some games by their outcomes: [n] -> float32 [n]."""
        returns = np.zeros(len(outcomes), np.float32)
        _returns_over(self.normalised_return)(as_records(np.asarray(outcomes)), returns)
        return returns if self.discount == 1 else returns * self.discounts(outcomes["moves"])

    def discounts(self, moves: NDArray[np.int64]) -> NDArray[np.float32]:
        """Returns the factors that numbers of moves lower a return by: [n] -> float32 [n]."""
        return np.power(self.discount, moves, dtype=np.float64).astype(np.float32)


# --- Normalised returns -----------------------------------------------------------------------------------------------


@kernel
def wins(outcome: Any) -> float:
    """A `normalised_return`: 1 for a win, else 0."""
    return 1.0 if outcome.won else 0.0


@cache
def share_of(cards: int) -> Callable[[Any], float]:
    """Makes a `normalised_return`: the share of the deck that was scored, in games that score a point for each card."""

    @kernel
    def share_of_cards(outcome: Any) -> float:
        return float(outcome.score / cards)

    return share_of_cards


@cache
def _returns_over(normalised_return: Callable[[Any], float]) -> Callable[..., None]:
    @entry_point("choices")
    def write_worths(outcomes: Any, returns: Any) -> None:
        for i in range(len(outcomes)):
            returns[i] = normalised_return(outcomes[i])

    return write_worths


# --- What is seen after a move ----------------------------------------------------------------------------------------

STAY_UNSEEN: Final = np.zeros(0, np.int64)
"""The hidden cards of a state in which they stay unseen; see `Game.imagine`."""


class Steps(NamedTuple):
    """Storage to look past moves, for one thread."""

    rules: Any  # [1] the record of the game's options
    states: Any  # [2] of `Game.state`: a position whose hidden cards are unseen, and one that follows it


def new_steps(game: Game, options: Options) -> Steps:
    """Allocates storage; `options` may be those of a series of the game."""
    own = game.options(**{spec.name: getattr(options, spec.name) for spec in fields(game.options)})
    return Steps(own.to_rules(), as_records(np.zeros(2, game.state)))


class StepKernels(NamedTuple):
    """Kernels that look past moves. What chance decides stays unseen, so the true game shows the same but for that."""

    look: Callable[..., None]
    """(steps, observation): takes up the position that an observation shows, int [O]."""
    after: Callable[..., None]
    """(steps, action, seen): writes what is seen after a legal move there, int [O]."""


@cache
def steps_over(game: Game) -> StepKernels:
    """Returns the kernels for a game."""
    imagine, apply, observe = game.imagine, game.apply, game.observe

    @kernel
    def look(steps: Steps, observation: Any) -> None:
        imagine(steps.rules[0], observation, STAY_UNSEEN, steps.states[0])

    @kernel
    def after(steps: Steps, action: int, seen: Any) -> None:
        steps.states[1] = steps.states[0]
        apply(steps.rules[0], steps.states[1], action)
        observe(steps.rules[0], steps.states[1], seen)

    return StepKernels(look, after)


# --- Draws through known cards ----------------------------------------------------------------------------------------

_DRAW, _REDEAL = 0, 1
"""Actions, the same in all games that have both."""


@kernel
def comes_up(place: int, drawn: int, draws: int, cards: int) -> bool:
    """Returns whether the card at a place, not in the waste or its top, is on top after some draws.

    Places are those of waste and stock, from 1, the waste's bottom; `drawn` of the cards are in the waste.
    """
    return bool((place - drawn) % draws == 0 or place == cards)


@kernel
def write_draws(state: Any, draws: int, place: int, line: Any, length: int) -> int:
    """Adds the draws, and the redeal, that bring up a card within reach; returns the length of the line."""
    drawn, cards = state.waste_size, state.waste_size + state.stock_size
    if place < drawn or not comes_up(place, drawn, draws, cards):
        length = _add_draws(line, length, cards - drawn, draws)
        line[length] = _REDEAL
        length, drawn = length + 1, 0
    return _add_draws(line, length, place - drawn, draws)


@kernel
def _add_draws(line: Any, length: int, cards: int, draws: int) -> int:
    for _ in range((cards + draws - 1) // draws):
        line[length] = _DRAW
        length += 1
    return length


# --- Choices for any game ---------------------------------------------------------------------------------------------


class SlotStorage(NamedTuple):
    """Working storage of `slot_choices`."""

    steps: Any  # Steps
    after: Any  # int16 [O]: what is seen after a move
    candidates: Any  # int64 [A]: legal actions
    first: Any  # int64 [O]: the input of value 0 of each slot
    high: Any  # int64 [O]: the highest value of each slot that has an input of its own


HIGHEST = 63
"""Larger values of a slot, such as a counter's, share this one's input."""


def slot_choices(game: Game, options: Options, normalised_return: Callable[[Any], float], **more: Any) -> Choices:
    """Returns choices among the legal moves, with an input for each value of each slot of the observation after a move.

    Args:
        game: The game.
        options: Its options.
        normalised_return: As in `Choices`.
        more: Other fields of `Choices`, such as a mirror.
    """
    size, actions = game.observation_size, game.num_actions(options)
    high, unseen_card = game.bounds[1].astype(np.int64), game.kinds + 1
    high[high == unseen_card - 1] = unseen_card  # a slot that shows any card may show one that is unseen after a move
    high = np.minimum(high, HIGHEST)
    first = np.concatenate([[0], np.cumsum(high + 1)]).astype(np.int64)

    def new_storage() -> SlotStorage:
        after, candidates = np.zeros(size, np.int16), np.zeros(actions, np.int64)
        return SlotStorage(new_steps(game, options), after, candidates, first[:-1], high)

    count, describe = _slot_kernels(game)
    return Choices(
        game=game,
        options=options,
        inputs=int(first[-1]),
        most_on=size,
        most_candidates=actions,
        new_storage=new_storage,
        count=count,
        describe=describe,
        moves=one_move,
        normalised_return=normalised_return,
        **more,
    )


@cache
def _slot_kernels(game: Game) -> tuple[Callable[..., int], Callable[..., int]]:
    """Returns `count` and `describe` of `slot_choices`, for all options the same ones, so that they compile once."""
    look, after = steps_over(game)

    @kernel
    def count(storage: Any, observation: Any, mask: Any) -> int:
        look(storage.steps, observation)
        return int(list_legal(mask, storage.candidates))

    @kernel
    def describe(storage: Any, k: int, on: Any) -> int:
        after(storage.steps, storage.candidates[k], storage.after)
        for slot in range(len(storage.after)):
            on[slot] = storage.first[slot] + min(max(storage.after[slot], 0), storage.high[slot])
        return len(storage.after)

    return count, describe


@kernel
def copy(source: Any, target: Any) -> None:
    """Copies numbers one by one, since an assignment of arrays would allocate a third."""
    for i in range(len(target)):
        target[i] = source[i]


@kernel
def list_legal(mask: Any, candidates: Any) -> int:
    """Lists the legal actions, as far as there is room; returns how many it lists."""
    found = 0
    for action in range(len(mask)):
        if mask[action] and found < len(candidates):
            candidates[found] = action
            found += 1
    return found


@kernel
def one_move(storage: Any, k: int, line: Any) -> int:
    """Writes the one move that leads to candidate k; returns 1."""
    line[0] = storage.candidates[k]
    return 1
