"""Exhaustive search of any game by its own kernels: nothing is pruned, and positions are compared card by card.

It shares no idea with the exact solvers: it makes every move, and two positions are one only if an observer who sees
all cards sees no difference between them. So it serves positions from which not too much can be reached.
"""

from functools import cache
from typing import Any

import numpy as np

from solitaire_envs.game import NO_LIMIT, OPEN, Game, Options
from solitaire_envs.jit import as_records, entry_point, kernel

WON, LOST, TOO_MANY = range(3)


class Exhaustive:
    """Searches one game under one set of options.

    Args:
        game: The game. It is won when `won` of its outcome says so.
        options: Its rules. The number of moves is not limited, whatever they say.
        most: Positions to look at before giving up.
    """

    def __init__(self, game: Game, options: Options, most: int = 1_000_000) -> None:
        self._game, self._most = game, most
        self._rules = as_records(options.to_rules())
        self._rules["information"] = OPEN
        kept = np.ones(game.observation_size, np.bool_)
        if getattr(options, "passes", NO_LIMIT) is None:
            kept[game.slots("pass")] = False  # the number of a pass without a limit of passes makes no difference
        self._kept = np.flatnonzero(kept)
        self._states = as_records(np.empty(most + 1, game.state))
        self._seen = np.empty((most + 1, len(self._kept)), np.int8)
        self._table = np.empty(1 << (2 * most).bit_length(), np.int32)
        self._mask = np.empty(game.num_actions(options), np.bool_)
        self._row = np.empty(game.observation_size, np.int16)
        self._outcome = as_records(np.zeros(1, game.outcome_dtype))

    def winnable(self, state: Any) -> bool | None:
        """Returns whether a state, a record of the engine's, can be won; None: too many positions."""
        self._states[:1] = np.asarray(state, self._game.state)
        self._table[:] = -1
        search = _search(self._game)
        todo = np.empty(self._most + 1, np.int32)
        found = search(
            self._rules, self._states, self._seen, self._table, todo, self._mask, self._row, self._outcome, self._kept
        )
        return {WON: True, LOST: False, TOO_MANY: None}[found]


@cache
def _search(game: Game) -> Any:
    legal, apply, observe, conclude = game.legal, game.apply, game.observe, game.conclude

    @kernel
    def is_new(rules: Any, state: Any, n: int, seen: Any, table: Any, row: Any, kept: Any) -> bool:
        """Notes the position as number n unless it has been seen."""
        observe(rules, state, row)
        h = 0
        for k in range(len(kept)):
            seen[n, k] = row[kept[k]]
            h = (h ^ seen[n, k]) * 0x100000001B3
        h ^= h >> 29 & 0x7FFFFFFFF
        place = h & (len(table) - 1)
        while table[place] >= 0:
            other = table[place]
            k = 0
            while k < len(kept) and seen[other, k] == seen[n, k]:
                k += 1
            if k == len(kept):
                return False
            place = (place + 1) & (len(table) - 1)
        table[place] = n
        return True

    @entry_point(f"{game.name} exhaustive")
    def search(
        all_rules: Any, states: Any, seen: Any, table: Any, todo: Any, mask: Any, row: Any, outcomes: Any, kept: Any
    ) -> int:
        rules = all_rules[0]
        is_new(rules, states[0], 0, seen, table, row, kept)
        todo[0] = 0
        waiting = n = 1
        while waiting > 0:
            waiting -= 1
            here = todo[waiting]
            legal(rules, states[here], mask)
            conclude(rules, states[here], outcomes[0])
            if outcomes[0].won:
                return WON
            for action in range(len(mask)):
                if mask[action]:
                    if n == len(states):
                        return TOO_MANY
                    states[n] = states[here]
                    apply(rules, states[n], action)
                    if is_new(rules, states[n], n, seen, table, row, kept):
                        todo[waiting] = n
                        waiting += 1
                        n += 1
        return LOST

    return search
