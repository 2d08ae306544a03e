"""Replays the moves of a request on the engine, and describes the position that they lead to.

Recent positions are cached, so that one more move costs one step. The cache changes no answer: after a restart, the
server replays all moves.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import numpy as np

from solitaire_agents.base import ActionMasks, Observations
from solitaire_agents.catalogue import kit_of
from solitaire_envs.cards import NUM_RANKS, deck_text
from solitaire_envs.engine import Engine, SavedState
from solitaire_envs.layout import FOUNDATION_NAME, STOCK_NAME, WASTE_NAME
from solitaire_envs.transcript import Transcript
from solitaire_evaluation.analysis import table_of
from solitaire_web.request import RefusedError

KEPT_STATES = 4_000
"""Positions in the cache. At about two kilobytes each, they take less than ten megabytes."""
MAX_FINISH = 200
"""Moves that `_finish` returns, at most."""
STRETCH = 50
"""After so many replayed moves, the position is cached, and other requests get a turn."""

Look = tuple[Observations, ActionMasks]
"""What an engine shows of one position."""
K = TypeVar("K")
V = TypeVar("V")


class IllegalMoveError(RefusedError):
    """A move that is not legal.

    Args:
        reason: Why it is not legal.
        legal: Number of legal moves before it.
    """

    def __init__(self, reason: str, legal: int) -> None:
        super().__init__(f"move {legal + 1}: {reason}", reason="move")
        self.legal = legal


class Recent(Generic[K, V]):
    """A cache of the values used last, of limited size."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Returns the cached value of a key, or None."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> V:
        """Caches a value; returns it."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value


class PositionCache:
    """Returns engines at positions, and caches their states. Only one event loop may use it, not several threads."""

    def __init__(self) -> None:
        self._states: Recent[bytes, SavedState] = Recent(KEPT_STATES)

    async def engine(self, position: Transcript) -> Engine:
        """Returns a new engine at a position. A shared one could be moved by another request while this one waits.

        Raises:
            IllegalMoveError: A move is not legal.
        """
        done, state = self._latest(position)
        if state is None:
            engine = position.engine()
        else:
            engine = Engine(position.game, position.options, 1)
            engine.set_state(0, state)
        for number in range(done, len(position.moves)):
            engine.step(np.array([_action(engine, number, position.moves[number])]))
            if number % STRETCH == 0:
                self._remember(position, number + 1, engine)
                if number > done:
                    await asyncio.sleep(0)
        if done < len(position.moves) or state is None:
            self._remember(position, len(position.moves), engine)
        return engine

    def _latest(self, position: Transcript) -> tuple[int, SavedState | None]:
        """Returns the longest cached part of a game: its number of moves and its state; 0 and None if there is none."""
        count = len(position.moves)
        steps = range((count - 1) // STRETCH * STRETCH + 1, 0, -STRETCH)
        for done in dict.fromkeys([count, max(0, count - 1), *steps, 0]):
            state = self._states.get(_name(position, done))
            if state is not None:
                return done, state
        return 0, None

    def _remember(self, position: Transcript, done: int, engine: Engine) -> None:
        self._states.put(_name(position, done), engine.get_state(0))


def _name(position: Transcript, done: int) -> bytes:
    """Returns a position's key in the cache: a hash, so that it stays short after many moves."""
    deal = position.deal if position.deck is None else deck_text(position.deck)
    text = f"{position.game.name} {position.options} {deal} {' '.join(position.moves[:done])}"
    return blake2b(text.encode(), digest_size=16).digest()


def play_through(position: Transcript, options: Any = None) -> Iterator[Engine]:
    """Replays moves known to be legal on an engine of its own; yields it before the first move and after each.

    Args:
        position: The position.
        options: Other options of the same rules, such as those that show an agent the stock; None: the position's own.
    """
    return replace(position, options=options or position.options).replay()


def look_on(position: Transcript, options: Any) -> tuple[Engine, list[Look]]:
    """Replays the moves of a position.

    Args:
        position: The position.
        options: As in `play_through`.

    Returns:
        A new engine at the position, and what it showed: of the deal, and of each position since the stock was last
        touched.

    Raises:
        IllegalMoveError: A move is not legal.
    """
    engine = replace(position, options=options).engine()
    looks = [_look(engine)]
    for number, move in enumerate(position.moves):
        action = _action(engine, number, move)
        if any(gesture.source == STOCK_NAME for gesture in engine.game.gestures(engine.states[0], action)):
            del looks[1:]
        engine.step(np.array([action]))
        looks.append(_look(engine))
    return engine, looks


def _look(engine: Engine) -> Look:
    return engine.buffers.observations.copy(), engine.buffers.action_masks.copy()


def _action(engine: Engine, number: int, move: str) -> int:
    if engine.states.ended[0]:
        raise IllegalMoveError("the game is over", number)
    try:
        return engine.parse_move(0, move)
    except ValueError as error:
        raise IllegalMoveError(str(error), number) from None


def describe_position(engine: Engine, position: Transcript) -> dict[str, Any]:
    """Returns a position for the page: the table, and each legal move with the gestures that play it."""
    state, over, table = engine.states[0], bool(engine.states.ended[0]), table_of(engine)
    legal: dict[str, list[Any]] = {}
    for action in () if over else engine.legal_actions(0):
        gestures = legal.setdefault(engine.move_text(0, action), [])
        gestures += [one._asdict() for one in engine.game.gestures(state, action)]
    return {
        "moves": len(position.moves),
        "table": table,
        "legal": [{"move": move, "gestures": gestures} for move, gestures in legal.items()],
        "finish": [] if over else _finish(engine),
        "safe": None if over else _safe(engine, table["spots"]),
        "over": over,
        "outcome": engine.outcome(0),
    }


def _safe(engine: Engine, spots: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns a move to a foundation that loses nothing, or None.

    On all foundations, all cards two ranks lower are up. Cards one rank lower could be laid on the card, but can go up
    themselves. A card of the waste stays, as it may change what the next draws show.
    """
    if not kit_of(engine.game).safe_up:
        return None
    tops = {spot["place"]: spot["card"] for spot in spots}
    up = [0 if card is None else _rank(card) for place, card in tops.items() if place.startswith(FOUNDATION_NAME)]
    for action in engine.legal_actions(0):
        for source, target in engine.game.gestures(engine.states[0], action):
            card = tops.get(source)
            goes_up = (target or "").startswith(FOUNDATION_NAME) and source != WASTE_NAME
            if goes_up and card is not None and _rank(card) <= min(up) + 2:
                return engine.move_text(0, action)
    return None


def _rank(card: int) -> int:
    return card % NUM_RANKS + 1


def _finish(engine: Engine) -> list[str]:
    """Returns the moves to the end of a game in which nothing is left to decide; empty if something is.

    Nothing is left to decide if every card has been seen, and if each position up to the end has one legal move or
    moves onto foundations alone win the game.
    """
    for only_up in (False, True):
        moves, ahead = list[str](), engine
        while len(moves) < MAX_FINISH and (action := _certain(ahead, only_up=only_up)) is not None:
            ahead = deepcopy(engine) if ahead is engine else ahead
            moves.append(ahead.move_text(0, action))
            ahead.step(np.array([action]))
            if ahead.states.ended[0]:
                if ahead.outcome(0)["won"] or not only_up:
                    return moves
                break
    return []


def _certain(engine: Engine, *, only_up: bool) -> int | None:
    """Returns the only legal move, or with ``only_up`` the first one onto a foundation; None if there is none.

    While cards are hidden there is none: to look ahead would be to look at them. A series hides its next deal.
    """
    if len(engine.game.hidden(engine.states[0])):
        return None
    legal = engine.legal_actions(0)
    if not only_up:
        return legal[0] if len(legal) == 1 else None
    for action in legal:
        ways = engine.game.gestures(engine.states[0], action)
        if any((way.target or "").startswith(FOUNDATION_NAME) for way in ways):
            return action
    return None
