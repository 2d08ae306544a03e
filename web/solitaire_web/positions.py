"""Plays the moves of a request on the engine, and describes where they lead.

The latest positions are remembered, so that one move more costs one step. Nothing depends on that: a server that was
started a moment ago plays all moves again.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import numpy as np

from solitaire_agents.base import ActionMasks, Observations
from solitaire_envs.engine import Engine, SavedState
from solitaire_envs.layout import FOUNDATION_NAME, STOCK_NAME
from solitaire_evaluation.analysis import table_of
from solitaire_web.request import RefusedError, RequestedPosition

KEPT_STATES = 4_000
"""Positions that are remembered: at two kilobytes each, about, less than ten megabytes."""
MAX_FINISH = 200
"""Moves of a game in which nothing is left to decide."""
STRETCH = 50
"""After so many moves played again, others may ask; and one position in so many is remembered on the way."""

Look = tuple[Observations, ActionMasks]
"""What an engine shows of one position."""
K = TypeVar("K")
V = TypeVar("V")


class IllegalMoveError(RefusedError):
    """A move that is not legal.

    Args:
        reason: Why not.
        legal: How many moves before it are.
    """

    def __init__(self, reason: str, legal: int) -> None:
        super().__init__(f"move {legal + 1}: {reason}", reason="move")
        self.legal = legal


class Recent(Generic[K, V]):
    """Remembers what was used of late, up to a number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Returns what is remembered under a key, or None."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> V:
        """Remembers a value; returns it."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value


class PositionCache:
    """Finds the engine of a position. One event loop uses it, never two threads."""

    def __init__(self) -> None:
        self._states: Recent[bytes, SavedState] = Recent(KEPT_STATES)

    async def engine(self, position: RequestedPosition) -> Engine:
        """Returns an engine of its own in a position: to share one would let other requests move it while this waits.

        Raises:
            IllegalMoveError: A move is not legal.
        """
        done, state = self._latest(position)
        if state is None:
            engine = position.transcript().engine()
        else:
            engine = Engine(position.env_spec.game, position.env_spec.options, 1)
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

    def _latest(self, position: RequestedPosition) -> tuple[int, SavedState | None]:
        """Returns the remembered position with the most of the moves."""
        count = len(position.moves)
        steps = range((count - 1) // STRETCH * STRETCH + 1, 0, -STRETCH)
        for done in dict.fromkeys([count, max(0, count - 1), *steps, 0]):
            state = self._states.get(_name(position, done))
            if state is not None:
                return done, state
        return 0, None

    def _remember(self, position: RequestedPosition, done: int, engine: Engine) -> None:
        self._states.put(_name(position, done), engine.get_state(0))


def _name(position: RequestedPosition, done: int) -> bytes:
    """Returns what tells a position from all others, and is as short after a thousand moves as after one."""
    return blake2b(f"{position.start} {' '.join(position.moves[:done])}".encode(), digest_size=16).digest()


def play_through(position: RequestedPosition, options: Any = None) -> Iterator[Engine]:
    """Yields an engine of its own before the first move and after each, which are known to be legal.

    Args:
        position: The position.
        options: Other options of the same rules, such as those that show an agent the stock.
    """
    written = position.transcript()
    return replace(written, options=options or written.options).replay()


def look_on(position: RequestedPosition, options: Any) -> tuple[Engine, list[Look]]:
    """Plays the moves of a position.

    Args:
        position: The position.
        options: As of `play_through`.

    Returns:
        An engine of its own, and what it showed: of the deal, and of each position since the stock was last touched.

    Raises:
        IllegalMoveError: A move is not legal.
    """
    engine = replace(position.transcript(), options=options).engine()
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


def describe_position(engine: Engine, position: RequestedPosition) -> dict[str, Any]:
    """Returns a position for the page: the table, and each legal move with the gestures that play it."""
    state, over = engine.states[0], bool(engine.states.ended[0])
    legal: dict[str, list[Any]] = {}
    for action in () if over else engine.legal_actions(0):
        gestures = legal.setdefault(engine.move_text(0, action), [])
        gestures += [one._asdict() for one in engine.game.gestures(state, action)]
    return {
        "moves": len(position.moves),
        "table": table_of(engine),
        "legal": [{"move": move, "gestures": gestures} for move, gestures in legal.items()],
        "finish": [] if over else _finish(engine),
        "over": over,
        "outcome": engine.outcome(0),
    }


def _finish(engine: Engine) -> list[str]:
    """Returns the moves to the end of a game in which nothing is left to decide; none where something is.

    That is so where each position up to the end has one legal move, and where the game is won by putting cards on
    foundations, whichever comes first.
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
    """Returns the first move onto a foundation, or the only legal move; None: there is none such."""
    legal = engine.legal_actions(0)
    if not only_up:
        return legal[0] if len(legal) == 1 else None
    for action in legal:
        ways = engine.game.gestures(engine.states[0], action)
        if any((way.target or "").startswith(FOUNDATION_NAME) for way in ways):
            return action
    return None
