"""The contract that every game keeps, and how its options are declared and checked.

A game is one module that ends in one ``GAME = Game(...)``. Its rules are six Numba kernels over a *state*, one record
of a NumPy structured array, and *rules*, the record of its options. Kernels take arrays, return flags and never raise.
"""

from collections import namedtuple
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.checks import check_value, did_you_mean, short
from solitaire_envs.jit import as_records, kernel
from solitaire_envs.layout import Gesture, Layout
from solitaire_envs.register import Register
from solitaire_envs.words import Words

REGISTERED: Register["Game"] = Register()
"""Name -> game, of all games that have been registered."""

NO_LIMIT = 2**31 - 1
"""The number that stands for ``None``, 'no limit', in a rules record."""

Information = Literal["memory", "table", "open"]
MEMORY, TABLE, OPEN = range(3)

HEADER: list[Any] = [
    ("deck", "u1", NUM_CARDS),  # the cards in dealing order; twice as many of two packs
    ("deal", "u8"),  # the deal number, when `dealt_by_number`; else 0
    ("stream", "u8"),  # SplitMix64 state that later deal numbers are drawn from
    ("dealt_by_number", "?"),  # False: the very deck was given
    ("ended", "?"),  # terminated or truncated, and nothing dealt since
    ("moves", "i4"),  # legal actions taken in this episode
    ("illegal_actions", "i4"),  # illegal actions ignored in this episode
    ("untold", "?"),  # it ended as it was dealt, and no step has said so
    ("owed", "f8"),  # rewards of a series for games that were over as they were dealt; the next step pays them
]
"""State fields that the engine keeps for every game, in front of the game's own."""


def option(default: Any, doc: str, *, minimum: int = 1, maximum: int = 10_000, limits: str = "") -> Any:
    """Declares a field of an `Options` class.

    Args:
        default: Its default value.
        doc: What it chooses.
        minimum: Smallest whole number that is allowed.
        maximum: Largest whole number that is allowed.
        limits: The field of the outcome that it limits, such as ``passes``.
    """
    return field(default=default, metadata={"doc": doc, "minimum": minimum, "maximum": maximum, "limits": limits})


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a game. Each game has a subclass; every field is a keyword of its environment.

    Raises:
        ValueError: A field does not allow its value.
    """

    information: Information = option(
        "memory",
        "What the observation shows: 'memory' all that a player with perfect memory knows, 'table' only what lies "
        "face up now, 'open' the order of the stock too.",
    )
    max_moves: int | None = option(None, "The episode is truncated after this many moves; None: never.", maximum=10**9)

    def __post_init__(self) -> None:
        hints = self._types()
        for spec in fields(self):
            check_value(spec.name, getattr(self, spec.name), hints[spec.name], spec.metadata)

    @classmethod
    @cache  # reading them takes longer than making an engine
    def _types(cls) -> dict[str, Any]:
        return get_type_hints(cls)

    def to_rules(self) -> NDArray[np.void]:
        """Returns the options as numbers, for kernels: an int32 structured array of shape (1,), a field for each."""
        hints = self._types()
        specs = fields(self)[::-1]  # a subclass's fields first: else Numba takes the record for a subtype and warns
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
            raise ValueError(f"expected options among {', '.join(known)}; got {short(name)}{did_you_mean(name, known)}")
    return options_type(**values)


def without_series(game: "Game", options: Options) -> Options:
    """Returns the options of a game alone, given those of a series of it."""
    names = [spec.name for spec in fields(game.options)]
    if names == [spec.name for spec in fields(options)]:
        return options
    return game.options(**{name: getattr(options, name) for name in names})


def _option_number(value: Any, hint: Any) -> int:
    if value is None:
        return NO_LIMIT
    if isinstance(value, str):
        return get_args(hint).index(value)
    return int(value)


def non_default_options(options: Options, default: Options) -> dict[str, Any]:
    """Returns the options that differ from ``default``, those of the same game: name -> value."""
    values = {spec.name: getattr(options, spec.name) for spec in fields(options)}
    return {name: value for name, value in values.items() if value != getattr(default, name)}


def state_dtype(own_fields: list[Any], num_cards: int = NUM_CARDS) -> np.dtype[np.void]:
    """Returns the dtype of a game's state: the engine's header, then the game's own fields."""
    return np.dtype([("deck", "u1", num_cards), *HEADER[1:], *own_fields], align=True)


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


def first_slots(observation: tuple[Slots, ...]) -> Any:
    """Returns the first slot of each stretch, a named tuple of ints that kernels can read: ``AT.stock``.

    The name of a stretch that is a word of Python gets an underscore: ``AT.pass_``.
    """
    names = [slots.name + "_" * iskeyword(slots.name) for slots in observation]
    starts = np.cumsum([0, *(slots.size for slots in observation[:-1])])
    return namedtuple("FirstSlots", names)(*starts.tolist())


@kernel
def next_card(shown: int, unseen: int, cards: Any, taken: int) -> tuple[int, int]:
    """Returns what a place holds that `imagine` fills, and how many of ``cards`` are taken then.

    Args:
        shown: What the observation shows there.
        unseen: What it shows of an unseen card, whose place takes the next of ``cards``.
        cards: As in `Game.imagine`.
        taken: How many of them are taken.
    """
    if shown != unseen or taken == len(cards):
        return int(shown), taken
    return int(cards[taken]), taken + 1


@kernel
def fill_pile(pile: Any, observation: Any, first: int, unseen: int, cards: Any, taken: int) -> tuple[int, int]:
    """Fills a pile that has room for twice its cards: the last in the middle, zeros after it.

    Args:
        pile: Written to.
        observation: As in `Game.imagine`.
        first: The slot of the top card; its other cards follow, then zeros.
        unseen: As in `next_card`.
        cards: As in `Game.imagine`.
        taken: As in `next_card`.

    Returns:
        The number of its cards, and how many of ``cards`` are taken then.
    """
    middle, size = len(pile) // 2, 0
    while size < middle and observation[first + size] > 0:
        size += 1
    pile[:] = 0
    for index in range(size):
        pile[middle - size + index], taken = next_card(observation[first + index], unseen, cards, taken)
    return size, taken


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One field of the outcome that is reported for each episode."""

    name: str
    """Its name in infos, results and transcripts."""
    kind: Literal["share", "mean", "count", "note"]
    """How it is aggregated over episodes.

    'share': a yes or no; reported as the share of episodes with yes. 'mean': a number; reported as its mean. Both are
    also reported for strata of the deals and as differences between agents. 'count': a number; reported as its mean
    over all deals only. 'note': stored, but not aggregated.
    """
    doc: str
    """What it means."""
    status: str = ""
    """Its label in the status line below a drawing; empty: it is not shown there."""


MOVES = Outcome(name="moves", kind="count", doc="legal moves made", status="move")
"""The field that the engine adds to every game's outcome."""


@dataclass(frozen=True, kw_only=True)
class BlockShare:
    """A share of blocks of consecutive deals, such as par: six deals with a total score of zero or more."""

    name: str
    size: int
    """Deals in a block."""
    field: str
    """The field of the outcome that is summed over a block."""
    at_least: float
    """A block counts if its sum is at least this."""
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
    """What is reported at the end of an episode: at least ``score`` (mean) and ``won`` (share)."""
    observation: tuple[Slots, ...]
    """The layout of the int16 observation vector. The stretch ``unseen`` counts the cards whose place is not known: its
    v-th slot those that other slots show as v. If it has n slots, n + 1 elsewhere stands for an unseen card."""
    num_actions: Callable[[Any], int]
    """options -> number of actions."""

    deal: Callable[..., None]
    """(rules, state): lays out ``state.deck``; sets all fields that the game added to the header."""
    legal: Callable[..., bool]
    """(rules, state, mask) -> whether any action is legal: writes the legal actions into bool (num_actions,). The game
    is over exactly when none is. If this is so at the deal, agents are not asked, and the first step of an environment,
    whatever its action, leaves the game as it is, has reward 0, and terminates the episode."""
    apply: Callable[..., float]
    """(rules, state, action) -> reward: plays a legal action."""
    observe: Callable[..., None]
    """(rules, state, observation): writes int16 (observation_size,)."""
    conclude: Callable[..., None]
    """(rules, state, outcome): writes the outcome as it would be if the game ended now."""
    imagine: Callable[..., None]
    """(rules, observation, cards, state): sets up a state that shows this observation.

    Slot by slot, an unseen card becomes the next of ``cards``, integers [n] as slots show them; with the true cards,
    play goes on as in the true game. If there are too few, the rest stays unseen: no move plays an unseen card, and
    where one is turned up, the observation shows it as unseen. It sets all fields that the game added to the header,
    except those of `remembered`; of the header it sets only what the game itself reads, and the number of moves only if
    an observation shows it.

    Under ``information="table"`` places are hidden, too, whose cards the player has seen. There only the true cards are
    sure to make a state that the game could have come to."""
    remembered: tuple[str, ...] = ()
    """Fields that a player knows although no observation shows them, such as what only the score depends on. `imagine`
    leaves them as they are, if they can be so."""

    base: "Game | None" = None
    """For a series of deals, the game that is played in it; None: this is not a series."""
    next_game: Callable[..., tuple[bool, float]] = no_next_game
    """(rules, state) -> (goes on, reward): called when no move is left, be it at the deal; a series then deals its next
    game. At some time it must end, even if no game has a move."""

    move_text: Callable[[Any, int], str]
    """(state, action) -> the move in words, also when it is not legal."""
    layout: Callable[[Any, Any, Collection[int]], Layout]
    """(state, options, legal actions) -> where the cards lie, as a person at the table sees them."""
    gestures: Callable[[Any, int], Collection[Gesture]] = lambda state, action: ()
    """(state, legal action) -> ways to play it by hand. No two actions share a gesture, and all gestures name places
    of the layout. Empty: the player chooses the move from a list."""
    hidden: Callable[[Any], Any]
    """(state) -> indices into ``state.deck``, int64 [n], of the cards that have never been face up. Unless the
    information is 'open', their order must make no difference to what anybody sees."""

    words: Words = Words()
    """Its texts for people who play."""

    score_range: Callable[[Any], tuple[int, int]] = lambda options: (0, NUM_CARDS)
    """options -> the lowest and the highest score that an episode can end with."""
    aim: Callable[[Any], str] = lambda options: "won" if getattr(options, "objective", "") == "win" else "score"
    """options -> the field of the outcome that players maximise under these options."""
    blocks: tuple[BlockShare, ...] = ()
    """Shares of blocks of deals to report as well."""

    def __deepcopy__(self, memo: object) -> "Game":
        """Returns the game itself, which never changes."""
        return self

    def __reduce__(self) -> Any:
        """Pickles a registered game as its name, since kernels and functions cannot be pickled."""
        if REGISTERED.get(self.name) is not self:
            return super().__reduce_ex__(4)
        return _registered_game, (self.options.__module__, self.name)

    @property
    def root(self) -> "Game":
        """The game that agents and solvers are made for: the game itself, or the one that a series is made of."""
        return self.base or self

    @property
    def num_cards(self) -> int:
        """The cards of a deck, 52, or 104 of two packs."""
        return int(self.state["deck"].shape[0])

    @property
    def outcome_fields(self) -> tuple[Outcome, ...]:
        """All fields of the outcome, `MOVES` included."""
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

    @property
    def bounds(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """The smallest and the largest value of each slot of the observation, int16 [O] each."""
        low, high = (
            np.concatenate([np.full(slots.size, getattr(slots, end), np.int16) for slots in self.observation])
            for end in ("low", "high")
        )
        return low, high

    @property
    def unseen(self) -> slice:
        """The place of the stretch ``unseen`` in the observation; an empty one if the game has none."""
        return self.slots("unseen") if any(slots.name == "unseen" for slots in self.observation) else slice(0, 0)

    @property
    def kinds(self) -> int:
        """The number of kinds of cards that slots tell apart; the next number stands for an unseen card."""
        return int(self.unseen.stop - self.unseen.start)

    def slots(self, name: str) -> slice:
        """Returns the place of a named stretch in the observation.

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
