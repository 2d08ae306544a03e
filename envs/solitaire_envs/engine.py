"""The batched engine: plays any number of games side by side with one game's kernels.

Every view (the Gymnasium environment, the Gymnasium vector environment, the SB3 one) is a thin layer over `Engine`;
a single environment is a batch of one. Throughout, ``B`` is the number of environments, ``A`` of actions, ``O`` of
observation slots.
"""

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise, repeat
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import ALL_DEALS, Deck, decks_of_deals, draw_deals, draw_from, shuffle
from solitaire_envs.checks import check_value, short
from solitaire_envs.game import NO_LIMIT, Game, Options, non_default_options
from solitaire_envs.jit import as_records, entry_point, kernel
from solitaire_envs.layout import PIPS

Autoreset = Literal["next_step", "same_step", "disabled"]
COUNT = {"minimum": 1, "maximum": NO_LIMIT - 1}
"""Bounds of numbers of environments, steps and threads."""
NEXT_STEP, SAME_STEP, DISABLED = range(3)


class Buffers(NamedTuple):
    """What a step writes; one row an environment."""

    observations: NDArray[np.int16]
    """[B, O]"""
    action_masks: NDArray[np.bool_]
    """[B, A] legal actions; none where the game is over."""
    rewards: NDArray[np.float64]
    """[B]"""
    terminated: NDArray[np.bool_]
    """[B] the game came to its end by its rules in this step."""
    truncated: NDArray[np.bool_]
    """[B] it was cut off in this step: too many moves, steps or illegal actions."""
    illegal: NDArray[np.bool_]
    """[B] the action was illegal and was ignored."""
    final_observations: NDArray[np.int16]
    """[B, O] the last observation of the episode that ended in this step; other rows are stale."""
    final_action_masks: NDArray[np.bool_]
    """[B, A] the legal actions at the end of that episode: none unless it was truncated; other rows are stale."""
    outcomes: NDArray[np.void]
    """[B] the outcome of that episode (dtype `Game.outcome_dtype`); other rows are stale."""
    privileged: NDArray[np.int16]
    """[B, O] the observations as they would be under ``information="open"``; [B, 0] unless asked for."""
    final_privileged: NDArray[np.int16]
    """[B, O] or [B, 0], as ``final_observations``."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """The whole state of one game in play, as `Engine.get_state` returns it. It is immutable and can be pickled.

    It also holds what is hidden: the true order of the hidden cards and the stream of future deals.
    """

    game: Game = field(hash=False)
    options: Options
    record: bytes = field(repr=False)
    """The record of the game, of dtype ``game.state``."""
    action_mask: bytes = field(repr=False)
    observation: bytes = field(repr=False)


class Engine:
    """Plays ``num_envs`` games of one kind side by side.

    Args:
        game: The game.
        options: Its options.
        num_envs: B.
        autoreset: What follows an episode's end: a new deal in the next step, whose action is ignored; a new deal in
            the same step; or nothing until `reset` (steps leave an ended game as it is).
        max_illegal_actions: An episode is truncated after this many illegal actions.
        max_episode_steps: An episode is truncated after this many steps, illegal ones included; None: never.
        threads: Number of threads that share a step; each steps its own environments. Results do not depend on it.
        deals: The deal numbers that the environments draw from, uint64 [n], each entry equally likely; `ALL_DEALS`:
            all training deals.
        privileged: Whether to write the open observations as well. They affect nothing else.

    Attributes:
        states: [B] the games, a recarray of ``game.state``.
        buffers: What the latest step or reset wrote; overwritten by the next.

    Raises:
        ValueError: An argument is out of range.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        num_envs: int,
        *,
        autoreset: Autoreset = "disabled",
        max_illegal_actions: int = 1_000,
        max_episode_steps: int | None = None,
        threads: int = 1,
        deals: NDArray[np.uint64] = ALL_DEALS,
        privileged: bool = False,
    ) -> None:
        if not isinstance(options, game.options):
            raise ValueError(f"expected {game.options.__name__} for {game.name}, got {short(options)}")
        check_value("autoreset", autoreset, Autoreset, {})
        check_value("num_envs", num_envs, int, COUNT)
        check_value("max_illegal_actions", max_illegal_actions, int, COUNT)
        if max_episode_steps is not None:
            check_value("max_episode_steps", max_episode_steps, int, COUNT)
        check_value("threads", threads, int, COUNT)
        check_value("privileged", privileged, bool, {})
        self._arguments = {
            "game": game,
            "options": options,
            "num_envs": num_envs,
            "autoreset": autoreset,
            "max_illegal_actions": max_illegal_actions,
            "max_episode_steps": max_episode_steps,
            "threads": threads,
            "privileged": privileged,
        }
        self.game = game
        self.options = options
        self.num_envs = num_envs
        self.num_actions = game.num_actions(options)
        self.outcome_names = [one.name for one in game.outcome_fields]
        self._states = as_records(np.zeros(num_envs, dtype=game.state))
        self.states: Any = self._states.view(np.recarray)
        self.states["ended"] = True  # nothing is dealt yet
        self.buffers = _make_buffers(game, num_envs, self.num_actions, privileged)
        self._outcome_numbers = np.zeros((num_envs, len(self.outcome_names)), dtype=np.int64)
        numbers = np.dtype([(name, np.int64) for name in self.outcome_names])
        self._outcomes = as_records(self._outcome_numbers.view(numbers)[:, 0])
        saved = (self._states, self.buffers.action_masks, self.buffers.observations)
        self._saved = [np.asarray(rows).view(np.uint8).reshape(num_envs, -1) for rows in saved]
        both = options, replace(options, information="open")
        self._rules = as_records(np.concatenate([each.to_rules() for each in both]))
        self._settings = _make_settings(autoreset, max_illegal_actions, max_episode_steps)
        self._step, self._lay_out, self._look, self._conclude, self._imagine = _compile(game)
        self._stretches = cut(num_envs, min(threads, num_envs))
        self.deals = np.array(deals, dtype=np.uint64)
        self._start_threads()

    def _start_threads(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(len(self._stretches)) if len(self._stretches) > 1 else None

    def _alone(self) -> Lock:
        """Returns the lock that guards the games: kernels release the GIL, and two must not run at once."""
        if self._process != os.getpid():  # in a fork the threads are gone, and one of them may have held the lock
            self._start_threads()
        return self._lock

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """The games and the buffers, not copied: all the data that changes."""
        return [np.asarray(array) for array in (self._states, *self.buffers)]

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a copy is made of: its arguments, games and buffers."""
        return {**self._arguments, "deals": self.deals, "arrays": self.arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Builds a new engine and copies the games into it."""
        arrays = state.pop("arrays")
        self.__init__(**state)  # type: ignore[misc]
        for own, given in zip(self.arrays, arrays, strict=True):
            own[:] = given

    def seed(self, seeds: Sequence[int] | NDArray[np.uint64], indices: NDArray[np.int64] | None = None) -> None:
        """Seeds the streams that the environments draw deal numbers from. It deals nothing."""
        self.states.stream[self._all(indices)] = np.asarray(seeds, dtype=np.uint64)

    def set_deals(self, deals: NDArray[np.uint64]) -> None:
        """Replaces the list of deal numbers that the environments draw their next deals from."""
        with self._alone():
            self.deals = np.array(deals, dtype=np.uint64)

    def deal_next(self, indices: NDArray[np.int64] | None = None) -> None:
        """Deals the next number of each environment's stream."""
        chosen = self._all(indices)
        streams = self.states.stream[chosen]
        numbers = draw_deals(streams, self.deals)
        self.states.stream[chosen] = streams
        self.deal_numbers(numbers, chosen)

    def deal_numbers(self, deals: Sequence[int] | NDArray[np.uint64], indices: NDArray[np.int64] | None = None) -> None:
        """Deals the decks that deal numbers name."""
        chosen, numbers = self._all(indices), np.asarray(deals, dtype=np.uint64)
        self._deal(chosen, decks_of_deals(numbers, self.game.num_cards), numbers, by_number=True)

    def deal_decks(self, decks: Sequence[Deck] | NDArray[np.uint8], indices: NDArray[np.int64] | None = None) -> None:
        """Deals the given decks, uint8 [n, 52] (or 104)."""
        chosen, cards = self._all(indices), np.asarray(decks, dtype=np.uint8).reshape(-1, self.game.num_cards)
        self._deal(chosen, cards, np.zeros(len(chosen), dtype=np.uint64), by_number=False)

    def _deal(
        self, chosen: NDArray[np.int64], decks: NDArray[np.uint8], numbers: NDArray[np.uint64], *, by_number: bool
    ) -> None:
        with self._alone():
            self.states.deck[chosen] = decks
            self.states.deal[chosen] = numbers
            self.states.dealt_by_number[chosen] = by_number
            self._lay_out(self._rules, self._states, chosen, self.buffers)
            self._look_open(chosen)

    def imagine(self, observations: NDArray[np.int16], cards: NDArray[np.int64]) -> None:
        """Sets up games that show observations. It checks nothing; `solitaire_envs.imagination` does.

        Args:
            observations: int16 [B, O].
            cards: int64 [B, H], as in `Game.imagine`.
        """
        with self._alone():
            own = np.array(cards, order="C")  # of one kind for the compiler, whatever a caller has
            self._imagine(self._rules, self._states, observations, own, self.buffers)
            self._look_open(self._all(None))

    def get_state(self, index: int) -> SavedState:
        """Returns the game of one environment as it stands now, with its mask and observation.

        It holds the true order of the hidden cards; `solitaire_envs.imagination` has states for a fair search.
        """
        with self._alone():
            return SavedState(self.game, self.options, *(rows[index].tobytes() for rows in self._saved))

    def set_state(self, index: int, state: SavedState) -> None:
        """Puts one environment back to a state, which may come from another engine.

        Raises:
            ValueError: It is not a state, is damaged, or belongs to another game or other options.
        """
        if not isinstance(state, SavedState):
            raise ValueError(f"expected a state that get_state() returned, got {short(state)}")
        if state.game is not self.game:
            raise ValueError(f"expected a state of {self.game.name}, got one of {state.game.name}")
        if state.options != self.options:
            expected = non_default_options(self.options, state.options)
            got = {name: getattr(state.options, name) for name in expected}
            raise ValueError(f"expected a state of {self.game.name} with {_in_words(expected)}, got {_in_words(got)}")
        parts = state.record, state.action_mask, state.observation
        for name, rows, saved in zip(("record", "action_mask", "observation"), self._saved, parts, strict=True):
            if not isinstance(saved, bytes) or len(saved) != rows.shape[1]:
                size = f"{len(saved)} bytes" if isinstance(saved, bytes) else short(saved)
                raise ValueError(f"expected a state with {name} of {rows.shape[1]} bytes, got {size}")
        with self._alone():
            for rows, saved in zip(self._saved, parts, strict=True):
                rows[index] = np.frombuffer(saved, dtype=np.uint8)
            self._look_open(np.array([index]))

    def step(self, actions: NDArray[np.int64]) -> Buffers:
        """Plays one action in each environment.

        Args:
            actions: [B] integers. An illegal action, or an integer outside 0..A - 1, leaves its game unchanged. Of a
                game that ended as it was dealt, any action of 0..A - 1 reports the end.
        """
        with self._alone():
            if self._pool is None:
                self._step(self._rules, self._settings, self._states, actions, self.deals, self.buffers)
            else:
                list(self._pool.map(self._step_stretch, self._stretches, repeat(actions)))
            self._look_open(self._all(None))
        return self.buffers

    def _look_open(self, indices: NDArray[np.int64]) -> None:
        """Writes the open observations if they were asked for; otherwise it costs nothing."""
        if self.buffers.privileged.size:
            self._look(self._rules, self._states, indices, self.buffers)

    def _step_stretch(self, stretch: slice, actions: NDArray[np.int64]) -> None:
        rows = Buffers._make(buffer[stretch] for buffer in self.buffers)
        self._step(self._rules, self._settings, self._states[stretch], actions[stretch], self.deals, rows)

    def outcome(self, index: int) -> dict[str, Any]:
        """Returns the outcome of one environment's game as it would be if it ended now."""
        record = as_records(np.zeros(1, dtype=self._outcomes.dtype))
        self._conclude(self._rules, self._states[index : index + 1], record)
        fields = zip(self.game.outcome_fields, record[0].item(), strict=True)
        return {one.name: bool(number) if one.kind == "share" else number for one, number in fields}

    def outcomes(self) -> NDArray[np.int64]:
        """Returns the outcomes of all games as they would be if they ended now, [B, F].

        The columns are in the order of `outcome_names`. The next call overwrites the array.
        """
        self._conclude(self._rules, self._states, self._outcomes)
        return self._outcome_numbers

    def legal_actions(self, index: int) -> list[int]:
        """Returns the legal actions of one environment, in rising order."""
        legal: list[int] = np.flatnonzero(self.buffers.action_masks[index]).tolist()
        return legal

    def move_text(self, index: int, action: int) -> str:
        """Returns an action of one environment as a move in words, such as ``QH+AC`` or ``draw``."""
        return self.game.move_text(self.states[index], action)

    def parse_move(self, index: int, text: str) -> int:
        """Returns the legal action of one environment that a move in words names.

        The two cards of a pair may stand in either order; letters may be small; ``10H`` is ``TH``, ``9♥`` is ``9H``;
        ``->`` or ``to`` may stand for ``>``; white space, brackets, backticks, asterisks and a full stop at the end do
        not matter. If several moves read the same, as those to one of several empty piles do, the first is returned.

        Raises:
            ValueError: The text is not a legal move.
        """
        moves = {self.move_text(index, action): action for action in reversed(self.legal_actions(index))}
        asked = _normal_move(text) if isinstance(text, str) else None
        for move, action in moves.items():
            if _normal_move(move) == asked:
                return action
        raise ValueError(f"expected a legal move, one of: {', '.join(reversed(moves))}; got {short(text)}")

    def _all(self, indices: NDArray[np.int64] | None) -> NDArray[np.int64]:
        return np.arange(self.num_envs) if indices is None else np.asarray(indices, dtype=np.int64)


def _in_words(options: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in options.items())


def cut(count: int, parts: int) -> list[slice]:
    """Cuts 0..count - 1 into slices of about equal length."""
    ends = [count * part // parts for part in range(parts + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


_PLAIN_SIGNS = str.maketrans({**dict(zip(PIPS.values(), PIPS, strict=True)), "→": ">", **dict.fromkeys("[]`*\ufe0f")})
"""Signs of a move as a table, Markdown or a chat shows it -> those of a move in words."""


def _normal_move(text: str) -> list[str]:
    words = re.sub(r"\bTO\b|-+>", ">", text.translate(_PLAIN_SIGNS).upper())
    return sorted("".join(words.split()).removesuffix(".").replace("10", "T").split("+"))


def _make_buffers(game: Game, num_envs: int, num_actions: int, privileged: bool) -> Buffers:
    open_slots = game.observation_size if privileged else 0
    return Buffers(
        observations=np.zeros((num_envs, game.observation_size), dtype=np.int16),
        action_masks=np.zeros((num_envs, num_actions), dtype=np.bool_),
        rewards=np.zeros(num_envs, dtype=np.float64),
        terminated=np.zeros(num_envs, dtype=np.bool_),
        truncated=np.zeros(num_envs, dtype=np.bool_),
        illegal=np.zeros(num_envs, dtype=np.bool_),
        final_observations=np.zeros((num_envs, game.observation_size), dtype=np.int16),
        final_action_masks=np.zeros((num_envs, num_actions), dtype=np.bool_),
        outcomes=as_records(np.zeros(num_envs, dtype=game.outcome_dtype)),
        privileged=np.zeros((num_envs, open_slots), dtype=np.int16),
        final_privileged=np.zeros((num_envs, open_slots), dtype=np.int16),
    )


def _make_settings(autoreset: Autoreset, max_illegal_actions: int, max_episode_steps: int | None) -> NDArray[np.void]:
    names = ("autoreset", "max_illegal_actions", "max_episode_steps")
    values = (
        get_args(Autoreset).index(autoreset),
        max_illegal_actions,
        NO_LIMIT if max_episode_steps is None else max_episode_steps,
    )
    return as_records(np.array([values], dtype=[(name, np.int32) for name in names]))


@cache
def _compile(game: Game) -> tuple[Callable[..., None], ...]:  # noqa: PLR0915  # short kernels that share a game
    """Builds the engine's kernels on a game's: (step, lay_out, look, conclude, imagine).

    They get two rules records. The second is the first with ``information="open"``.
    """
    deal, legal, apply, observe, conclude = game.deal, game.legal, game.apply, game.observe, game.conclude
    next_game, imagine = game.next_game, game.imagine

    @kernel
    def list_moves(rules: Any, state: Any, mask: Any) -> tuple[bool, float]:
        """Lists the legal actions. As long as there are none, a series deals anew; returns (over, reward)."""
        goes_on, reward = True, 0.0
        while goes_on and not legal(rules, state, mask):
            goes_on, more = next_game(rules, state)
            reward += more
        return not goes_on, reward

    @kernel
    def lay_out_one(rules: Any, state: Any, out: Any, i: int) -> None:
        """Starts an episode with the deck that `state` holds."""
        state.moves = 0
        state.illegal_actions = 0
        deal(rules, state)
        state.ended, state.owed = list_moves(rules, state, out.action_masks[i])
        state.untold = state.ended
        observe(rules, state, out.observations[i])

    @kernel
    def conclude_one(rules: Any, state: Any, outcome: Any) -> None:
        conclude(rules, state, outcome)
        outcome.moves = state.moves

    @entry_point(game.name)
    def lay_out(all_rules: Any, states: Any, indices: Any, out: Any) -> None:
        for i in indices:
            lay_out_one(all_rules[0], states[i], out, i)
            _clear_row(out, i)
            if states[i].ended:
                conclude_one(all_rules[0], states[i], out.outcomes[i])

    @entry_point(game.name)
    def look(all_rules: Any, states: Any, indices: Any, out: Any) -> None:
        for i in indices:
            observe(all_rules[1], states[i], out.privileged[i])

    @kernel
    def deal_from_stream(rules: Any, state: Any, deals: Any, out: Any, i: int) -> None:
        state.stream, state.deal = draw_from(state.stream, deals)
        state.dealt_by_number = True
        shuffle(state.deal, state.deck)
        lay_out_one(rules, state, out, i)

    @kernel
    def play(rules: Any, settings: Any, state: Any, action: int, out: Any, i: int) -> None:
        """Plays one action and writes row `i` of every buffer except the observation."""
        mask = out.action_masks[i]
        over, inside = False, 0 <= action < len(mask)
        if state.untold:
            if not inside:
                return
            state.untold, over, out.rewards[i] = False, True, state.owed
        elif inside and mask[action]:
            out.rewards[i] = apply(rules, state, action) + state.owed
            state.moves, state.owed = state.moves + 1, 0.0
            over, reward = list_moves(rules, state, mask)
            out.rewards[i] += reward
        else:
            out.illegal[i] = True
            state.illegal_actions += 1
        out.terminated[i] = over
        out.truncated[i] = not over and (
            state.moves >= rules.max_moves
            or state.illegal_actions >= settings.max_illegal_actions
            or state.moves + state.illegal_actions >= settings.max_episode_steps
        )
        if over or out.truncated[i]:
            state.ended = True
            conclude_one(rules, state, out.outcomes[i])

    @entry_point(game.name)
    def step(all_rules: Any, all_settings: Any, states: Any, actions: Any, deals: Any, out: Any) -> None:
        rules, settings = all_rules[0], all_settings[0]
        for i in range(len(states)):
            state = states[i]
            _clear_row(out, i)
            if state.untold or not state.ended:
                play(rules, settings, state, actions[i], out, i)
                if state.ended and not state.untold and settings.autoreset == SAME_STEP:
                    observe(rules, state, out.final_observations[i])
                    if out.final_privileged.shape[1] > 0:
                        observe(all_rules[1], state, out.final_privileged[i])
                    for action in range(out.action_masks.shape[1]):  # one by one: kernels must not allocate
                        out.final_action_masks[i, action] = out.action_masks[i, action]
                    deal_from_stream(rules, state, deals, out, i)
                else:
                    observe(rules, state, out.observations[i])
            elif settings.autoreset == NEXT_STEP:
                deal_from_stream(rules, state, deals, out, i)

    @entry_point(game.name)
    def conclude_now(all_rules: Any, states: Any, outcomes: Any) -> None:
        for i in range(len(states)):
            conclude_one(all_rules[0], states[i], outcomes[i])

    @entry_point(game.name)
    def imagine_all(all_rules: Any, states: Any, observations: Any, cards: Any, out: Any) -> None:
        for i in range(len(states)):
            imagine(all_rules[0], observations[i], cards[i], states[i])
            legal(all_rules[0], states[i], out.action_masks[i])
            observe(all_rules[0], states[i], out.observations[i])
            _clear_row(out, i)

    return step, lay_out, look, conclude_now, imagine_all


@kernel
def _clear_row(out: Any, i: int) -> None:
    out.rewards[i] = 0.0
    out.terminated[i] = out.truncated[i] = out.illegal[i] = False
