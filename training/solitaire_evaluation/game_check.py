"""Checks that a game keeps the contract of `Game`.

Compiled kernels check no indices: a wrong one reads foreign memory, and gives wrong games or a crash without a message.
So the checks should run in plain Python, with ``NUMBA_DISABLE_JIT=1``; ``solitaire-rl check`` does that.
"""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import deck_of_deal
from solitaire_envs.engine import Engine
from solitaire_envs.game import HEADER, Game
from solitaire_envs.render import render_ansi
from solitaire_evaluation.env_spec import EnvSpec

FILLED_WITH = (0x55, 0x2A)
"""Two bytes that arrays are filled with: what a kernel leaves alone is seen by the difference."""
NO_CARDS = np.zeros((1, 0), np.int64)
REPLAYED = 10
"""Of so many positions, one is played again with the hidden cards in another order."""


def check_game(env_spec: EnvSpec, deals: int = 20) -> int:
    """Plays random moves on the first deals, and checks each part of the game in each position.

    Args:
        env_spec: The environment; its game is no series.
        deals: Number of deals.

    Returns:
        The number of positions checked.

    Raises:
        ValueError: The game does not keep the contract. The message names the deal, the move and the part.
    """
    if env_spec.game.base is not None:
        raise ValueError(f"expected an environment of single deals, got the series {env_spec.env}")
    with np.errstate(over="ignore"):  # plain Python would warn where deal numbers are hashed
        return sum(_Deal(env_spec, deal).check() for deal in range(deals))


class _Deal:
    """One deal under check."""

    def __init__(self, env_spec: EnvSpec, deal: int) -> None:
        self._game: Game = env_spec.game
        self._options: Any = env_spec.options
        self._rules = self._options.to_rules()[0]
        self._deck, self._random = deck_of_deal(deal, self._game.num_cards), np.random.default_rng(deal)
        self._moves: list[int] = []
        self._deal = deal
        self._slots = [f"{slots.name}[{place}]" for slots in self._game.observation for place in range(slots.size)]
        self._low, self._high = (end.astype(np.int64) for end in self._game.bounds)

    def check(self) -> int:
        """Plays the deal; returns the number of positions."""
        engine = self._call("deal, legal and observe", self._played)
        self._check_deal(engine)
        while not engine.states.ended[0]:
            state, mask = engine.states[0], self._check_legal(engine)
            self._check_slots(partial(self._game.observe, self._rules, state))
            unseen = self._imagined(engine, NO_CARDS)
            self._check_outcome(state)
            self._check_texts(engine)
            if self._options.information != "open" and len(self._moves) % REPLAYED == 0:
                self._check_hidden(engine)
            action = int(self._random.choice(np.flatnonzero(mask)))
            filled = self._imagined(engine, self._hidden_cards(engine))
            if len(self._moves) % REPLAYED == 0:
                self._check_unseen(engine, unseen)
            self._call("apply, legal and observe", engine.step, np.array([action]))
            self._moves.append(action)
            self._call("apply, legal and observe after imagine", filled.step, np.array([action]))
            what = "imagine to set up a state that goes on as the game, given its cards"
            self._compare(what, filled, engine, "rewards", "terminated", "truncated")
        if not engine.buffers.truncated[0]:
            self._check_legal(engine, over=True)
        return len(self._moves)

    def _wrong(self, what: str) -> ValueError:
        return ValueError(f"deal {self._deal}, move {len(self._moves)}: {what}")

    def _call(self, part: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a part of the game.

        Raises:
            ValueError: It raises an error; the message names the last line of it that ran.
        """
        try:
            return function(*arguments)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [one for one in frames if "site-packages" not in one.filename and one.filename != __file__]
            where = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
            message = f"expected {part} to raise nothing, got {type(error).__name__}: {error}{where}"
            raise self._wrong(message) from error

    def _written_twice(self, part: str, write: Callable[[Any], Any], names: Sequence[str], dtype: Any) -> NDArray[Any]:
        """Returns what a kernel writes to an array [names], having checked that it writes everywhere."""
        both = []
        for byte in FILLED_WITH:
            target = np.full(len(names), byte, dtype)
            self._call(part, write, target)
            both.append(target)
        for slot in np.flatnonzero(both[0] != both[1])[:1]:
            raise self._wrong(f"expected {part} to write {names[slot]}, got nothing written")
        return both[0]

    def _check_slots(self, write: Callable[[Any], Any]) -> None:
        """Checks what `observe` writes."""
        seen = self._written_twice("observe", write, self._slots, np.float64)  # integers would cut a fraction
        for slot in np.flatnonzero((seen < self._low) | (seen > self._high) | (seen != np.floor(seen)))[:1]:
            allowed = f"a whole number of {self._low[slot]}..{self._high[slot]}"
            raise self._wrong(f"expected observe to write {allowed} to {self._slots[slot]}, got {seen[slot]:g}")

    def _check_deal(self, engine: Engine) -> None:
        """Checks that `deal` sets every field of the state."""
        header, states = [name for name, *_ in HEADER], []
        for byte in FILLED_WITH:
            state = np.full(self._game.state.itemsize, byte, np.uint8).view(self._game.state).view(np.recarray)[0]
            for name in header:
                state[name] = engine.states[0][name]
            self._call("deal", self._game.deal, self._rules, state)
            states.append(state)
        for name in (name for name in self._game.state.names or () if name not in header):
            if np.any(states[0][name] != states[1][name]):
                raise self._wrong(f"expected deal to set all of state.{name}, got a part of it unset")

    def _check_legal(self, engine: Engine, *, over: bool = False) -> NDArray[np.bool_]:
        """Checks that `legal` returns whether its mask has a move, which it has until the game is over; returns it."""
        mask = np.zeros(engine.num_actions, np.bool_)
        said = bool(self._call("legal", self._game.legal, self._rules, engine.states[0], mask))
        if not (said == mask.any() != over):
            raise self._wrong(f"expected legal to return whether there is a move, got {said} with {mask.sum()} moves")
        return mask

    def _check_outcome(self, state: Any) -> None:
        names = [one.name for one in self._game.outcome]
        dtype = np.dtype([(name, np.int64) for name in names])

        def write(target: Any) -> None:
            self._game.conclude(self._rules, state, target.view(dtype).view(np.recarray)[0])

        outcome = self._written_twice("conclude", write, names, np.int64)
        score, (low, high) = outcome[names.index("score")], self._game.score_range(self._options)
        if not low <= score <= high:
            raise self._wrong(f"expected a score in the game's score_range, {low} to {high}; got {score}")

    def _check_texts(self, engine: Engine) -> None:
        """Checks the texts of the legal moves, by which people and transcripts name them."""
        texts = [self._call("move_text", engine.move_text, 0, action) for action in engine.legal_actions(0)]
        for text in texts:
            if not text or " " in text:
                raise self._wrong(f"expected move_text to have no spaces and not to be empty, got {text!r}")
        self._call("layout", render_ansi, engine, 0)

    def _check_hidden(self, engine: Engine) -> None:
        """Checks that the order of the hidden cards makes no difference to what anybody sees."""
        hidden = np.asarray(self._call("hidden", self._game.hidden, engine.states[0]), np.int64)
        deck = self._deck.copy()
        deck[hidden] = self._random.permutation(self._deck[hidden])
        other = self._played(deck)
        seen = [
            (one.buffers.observations.tolist(), one.buffers.action_masks.tolist(), render_ansi(one, 0))
            for one in (engine, other)
        ]
        for what, mine, others in zip(("the observation", "the legal moves", "the layout"), *seen, strict=True):
            if mine != others:
                raise self._wrong(f"expected {what} not to depend on the order of the hidden cards, got a difference")

    def _hidden_cards(self, engine: Engine) -> NDArray[np.int64]:
        """Returns the true cards in the hidden places, as `Game.imagine` takes them, [1, H]."""
        shown, truth = engine.buffers.observations, np.zeros_like(engine.buffers.observations)
        rules = replace(self._options, information="open").to_rules()[0]
        self._call("observe", self._game.observe, rules, engine.states[0], truth[0])
        code = self._game.kinds + 1
        return np.array(truth[(shown == code) & (self._high == code)], np.int64, ndmin=2)

    def _imagined(self, engine: Engine, cards: NDArray[np.int64], byte: int = 0) -> Engine:
        """Returns the game that `imagine` makes of what an engine shows, having checked that it looks the same."""
        twin = Engine(self._game, self._options, 1)
        twin.states.view(np.uint8)[:] = byte
        for name in ("moves", "illegal_actions", "ended", *self._game.remembered):
            twin.states[name] = engine.states[name]
        self._call("imagine, legal and observe", twin.imagine, engine.buffers.observations, cards)
        self._compare("imagine to set up a state that looks like the game", twin, engine)
        return twin

    def _compare(self, what: str, twin: Engine, engine: Engine, *names: str) -> None:
        for name in ("observations", "action_masks", *names):
            got, expected = getattr(twin.buffers, name)[0], getattr(engine.buffers, name)[0]
            for place in np.flatnonzero(got != expected)[:1]:
                where = self._slots[place] if name == "observations" else name
                raise self._wrong(f"expected {what}, got another value in {where}")

    def _check_unseen(self, engine: Engine, unseen: Engine) -> None:
        """Checks that `imagine` sets every field of the state, and that moves do not ask what is unseen."""
        other = self._imagined(engine, NO_CARDS, FILLED_WITH[0])
        for name in {*(self._game.state.names or ())} - {name for name, *_ in HEADER} - {*self._game.remembered}:
            if np.any(unseen.states[name] != other.states[name]):
                raise self._wrong(f"expected imagine to set all of state.{name}, got a part of it unset")
        state = unseen.get_state(0)
        for action in unseen.legal_actions(0):
            unseen.set_state(0, state)
            self._call("apply, legal and observe with unseen cards", unseen.step, np.array([action]))
            self._call("layout", render_ansi, unseen, 0)

    def _played(self, deck: Any = None) -> Engine:
        """Returns the game after the moves so far, from this deck or another."""
        engine = Engine(self._game, self._options, 1)
        engine.deal_decks([self._deck if deck is None else deck])
        for action in self._moves:
            engine.step(np.array([action]))
        return engine
