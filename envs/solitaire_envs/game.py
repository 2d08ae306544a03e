"""The contract that every game keeps, and how its options are declared and checked.

A game is one module that ends in one ``GAME = Game(...)``. Its rules are five Numba kernels over a *state*, one record
of a NumPy structured array, and *rules*, the record of its options. Kernels take arrays, return flags and never raise.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.checks import check_value, short
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.layout import Gesture, Layout
from solitaire_envs.words import Words

REGISTERED: dict[str, "Game"] = {}
"""Name -> game, of all games that have been registered."""

NO_LIMIT = 2**31 - 1
"""How an option of ``None`` ('no limit') reads in a rules record."""

Information = Literal["memory", "table", "open"]
MEMORY, TABLE, OPEN = range(3)

HEADER: list[Any] = [
    ("deck", "u1", NUM_CARDS),  # the cards in dealing order
    ("deal", "u8"),  # the deal number, when `dealt_by_number`; else 0
    ("stream", "u8"),  # SplitMix64 state that later deal numbers are drawn from
    ("dealt_by_number", "?"),  # False: the very deck was given
    ("ended", "?"),  # terminated or truncated, and nothing dealt since
    ("moves", "i4"),  # legal actions taken in this episode
    ("illegal_actions", "i4"),  # illegal actions ignored in this episode
]
"""State fields that the engine keeps for every game, in front of the game's own."""


def option(default: Any, doc: str, *, minimum: int = 1, maximum: int = 10_000, limits: str = "") -> Any:
    """Declares a field of an `Options` class.

    Args:
        default: Its default value.
        doc: What it chooses.
        minimum: Smallest whole number that is allowed.
        maximum: Largest.
        limits: Field of the outcome of which it is the limit, as ``passes`` is of the passes played.
    """
    return field(default=default, metadata={"doc": doc, "minimum": minimum, "maximum": maximum, "limits": limits})


@dataclass(frozen=True, kw_only=True)
class Options:
    """What may be chosen about a game. Each game has a subclass; every field is a keyword of its environment.

    Raises:
        ValueError: A value is not among those that its field allows.
    """

    information: Information = option(
        "memory",
        "What the observation tells: 'memory' all that a player with perfect memory knows, 'table' only what lies "
        "face up now, 'open' the order of the stock too.",
    )
    max_moves: int | None = option(None, "The episode is truncated after so many moves; None: never.", maximum=10**9)

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for spec in fields(self):
            check_value(spec.name, getattr(self, spec.name), hints[spec.name], spec.metadata)

    def to_rules(self) -> NDArray[np.void]:
        """Returns the options as numbers, for kernels: an int32 structured array of shape (1,), a field for each."""
        hints = get_type_hints(type(self))
        specs = fields(self)[::-1]  # a subclass's own in front: behind, Numba would see a subtype and warn
        dtype = np.dtype([(spec.name, np.int32) for spec in specs])
        values = tuple(_option_number(getattr(self, spec.name), hints[spec.name]) for spec in specs)
        return as_records(np.array([values], dtype=dtype))


def make_options(options_type: type[Options], values: dict[str, Any]) -> Options:
    """Builds options from keywords.

    Raises:
        ValueError: A keyword is not an option of the game, or a value is not allowed.
    """
    known = [spec.name for spec in fields(options_type)]
    for name in values:
        if name not in known:
            raise ValueError(f"expected options among {', '.join(known)}; got {short(name)}")
    return options_type(**values)


def _option_number(value: Any, hint: Any) -> int:
    if value is None:
        return NO_LIMIT
    if isinstance(value, str):
        return get_args(hint).index(value)
    return int(value)


def non_default_options(options: Options, default: Options) -> dict[str, Any]:
    """Returns those options that differ from others of the same game, by name."""
    values = {spec.name: getattr(options, spec.name) for spec in fields(options)}
    return {name: value for name, value in values.items() if value != getattr(default, name)}


def state_dtype(own_fields: list[Any]) -> np.dtype[np.void]:
    """Returns the dtype of a game's state: the engine's header, then the game's own fields."""
    return np.dtype([*HEADER, *own_fields], align=True)


@kernel
def no_next_game(rules: Any, state: Any) -> tuple[bool, float]:
    """Ends the episode with the game."""
    return False, 0.0


@dataclass(frozen=True, kw_only=True)
class Slots:
    """A named stretch of the observation vector."""

    name: str
    """What it holds, such as ``stock``."""
    size: int
    """Number of slots."""
    high: int
    """Largest value a slot can take."""
    doc: str
    """What the values mean."""
    low: int = 0
    """Smallest value a slot can take."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One thing that is reported of an episode."""

    name: str
    """Its name in infos, results and transcripts."""
    kind: Literal["share", "mean", "count", "note"]
    """How many episodes are summed up.

    'share': yes or no; the share of episodes. 'mean': a number; its mean. Both are also reported for strata of the
    deals and as differences between agents. 'count': a number; its mean over all deals. 'note': kept, not summed up.
    """
    doc: str
    """What it means."""
    status: str = ""
    """The word for it in the line of text below a drawing; empty: it is not shown there."""


MOVES = Outcome(name="moves", kind="count", doc="legal moves made", status="move")
"""What the engine itself reports of every game."""


@dataclass(frozen=True, kw_only=True)
class BlockShare:
    """A share of blocks of consecutive deals, such as par: six deals with a total score of zero or more."""

    name: str
    size: int
    """Deals in a block."""
    field: str
    """The field of the outcome that is summed over a block."""
    at_least: float
    """The sum that makes a block count."""
    doc: str
    """What it means."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game: its state, its actions and its kernels.

    In the kernels' signatures ``rules`` is the record of `Options.to_rules` and ``state`` one record of ``state``.
    """

    name: str
    options: type[Options]
    state: np.dtype[np.void]
    """Dtype of one game in play, made by `state_dtype`."""
    outcome: tuple[Outcome, ...]
    """What is reported of an episode at its end: at least ``score`` (mean) and ``won`` (share)."""
    observation: tuple[Slots, ...]
    """The layout of the int16 observation vector."""
    num_actions: Callable[[Any], int]
    """options -> number of actions."""

    deal: Callable[..., None]
    """(rules, state): lays out ``state.deck``; sets every field of the game's own."""
    legal: Callable[..., bool]
    """(rules, state, mask): writes the legal actions into bool (num_actions,); True if there is any. The game is over
    exactly when there is none."""
    apply: Callable[..., float]
    """(rules, state, action) -> reward: plays a legal action."""
    observe: Callable[..., None]
    """(rules, state, observation): writes int16 (observation_size,)."""
    conclude: Callable[..., None]
    """(rules, state, outcome): writes the outcome as it would be if the game ended now."""

    base: "Game | None" = None
    """The game that a series of deals is made of; None: this is no series."""
    next_game: Callable[..., tuple[bool, float]] = no_next_game
    """(rules, state) -> (goes on, reward): called when no move is left; a series then deals its next game."""

    move_text: Callable[[Any, int], str]
    """(state, action) -> the move in words, also when it is not legal."""
    layout: Callable[[Any, Any, Collection[int]], Layout]
    """(state, options, legal actions) -> where the cards lie, as a person at the table sees them."""
    gestures: Callable[[Any, int], Collection[Gesture]] = lambda state, action: ()
    """(state, legal action) -> ways to play it by hand. Different actions have different ones; all name places of the
    layout. None: the move is chosen from a list."""
    hidden: Callable[[Any], Any]
    """(state) -> indices into ``state.deck``, int64 [n], of the cards that have never been face up. Unless the
    information is 'open', their order must make no difference to what anybody sees."""

    words: Words = Words()
    """What it tells people who play."""

    aim: Callable[[Any], str] = lambda options: "score"
    """options -> the field of the outcome that good play raises under them."""
    blocks: tuple[BlockShare, ...] = ()
    """Shares of blocks of deals that are reported besides."""

    def __deepcopy__(self, memo: object) -> "Game":
        """Returns the game itself: nothing of it ever changes."""
        return self

    def __reduce__(self) -> Any:
        """Pickles a registered game as its name, since kernels and functions are not data."""
        if REGISTERED.get(self.name) is not self:
            return super().__reduce_ex__(4)
        return _registered_game, (self.options.__module__, self.name)

    @property
    def root(self) -> "Game":
        """The game itself, or the one that the series is made of: what agents and solvers are made for."""
        return self.base or self

    @property
    def outcome_fields(self) -> tuple[Outcome, ...]:
        """All that is reported of an episode, `MOVES` included."""
        return (*self.outcome, MOVES)

    @property
    def outcome_dtype(self) -> np.dtype[np.void]:
        """Dtype of the outcome: bool for shares, int32 for all else."""
        kinds = [(one.name, np.bool_ if one.kind == "share" else np.int32) for one in self.outcome_fields]
        return np.dtype(kinds)

    @property
    def observation_size(self) -> int:
        """Number of slots of the observation."""
        return sum(slots.size for slots in self.observation)

    def slots(self, name: str) -> slice:
        """Returns where in the observation a named stretch stands.

        Raises:
            KeyError: There is no such stretch.
        """
        start = 0
        for slots in self.observation:
            if slots.name == name:
                return slice(start, start + slots.size)
            start += slots.size
        raise KeyError(name)


def _registered_game(module: str, name: str) -> Game:
    """Returns a game whose module registers it when it is imported."""
    import_module(module)
    return REGISTERED[name]
