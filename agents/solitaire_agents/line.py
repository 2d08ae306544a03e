"""A line of play from any state, played by the game's own kernels."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.game import Game, Options, without_series
from solitaire_envs.jit import as_records, entry_point


class Line:
    """A line of play.

    Args:
        game: The game.
        options: Its options; a limit of moves is no limit here.
        state: The state in which the line starts, one record.

    Attributes:
        state: The state after the line's last action, one record.
        mask: The legal actions there, bool [A].
        actions: The actions.
    """

    def __init__(self, game: Game, options: Options, state: Any) -> None:
        self._states, self._rules = as_records(np.zeros(1, game.state)), rules_record(game, options)
        for name in game.state.names or ():  # a state of a series has more fields
            self._states[name] = state[name]
        self.state: Any = self._states.view(np.recarray)[0]
        self.mask, self.actions = np.zeros(game.num_actions(options), np.bool_), list[int]()
        self._play, look = _compile(game)
        look(self._rules, self._states, self.mask)

    def play(self, action: int) -> None:
        """Adds a legal action to the line."""
        self.actions.append(action)
        self._play(self._rules, self._states, action, self.mask)


@cache
def _compile(game: Game) -> tuple[Callable[..., None], Callable[..., None]]:
    apply, legal = game.apply, game.legal

    @entry_point(game.name)
    def play(rules: Any, states: Any, action: int, mask: Any) -> None:
        apply(rules[0], states[0], action)
        legal(rules[0], states[0], mask)

    @entry_point(game.name)
    def look(rules: Any, states: Any, mask: Any) -> None:
        legal(rules[0], states[0], mask)

    return play, look


@cache
def rules_record(game: Game, options: Options) -> NDArray[np.void]:
    """Returns the rules record of a game alone, given its options or those of a series of it."""
    return without_series(game, options).to_rules()
