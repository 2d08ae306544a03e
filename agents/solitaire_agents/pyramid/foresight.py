"""Hindsight put off by a card: what a move of Pyramid is worth if its player sees one more card before all is known.

Hindsight rates a move too high, as its player knows the order of the hidden cards at once. A fair player has to reply
to the next card before the others are seen. So the orders are parted by the card that is turned up next. For each such
card one reply is chosen for all orders that turn it up, and what that is worth is hindsight again.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Ratings
from solitaire_agents.pyramid.position import Decks, Positions, hidden_places, play_all
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import as_records, entry_point, kernel
from solitaire_envs.pyramid import COVERS, DRAW, FIRST, NO_PLACE, PYRAMID_SIZE, RANK, REDEAL, SECOND, STOCK, STOCK_SIZE

_STOCK, _WASTE, _UNSEEN = (pyramid.GAME.slots(name).start for name in ("stock", "waste", "unseen"))
_MOVES: Final = 3
"""Discards to look at, one after the other, before one that turns up a card."""
_TURNS_UP: Final = (FIRST == STOCK) | (SECOND == STOCK) | (np.arange(len(FIRST)) == DRAW)
_IS_KING: Final = (SECOND == NO_PLACE) & (np.arange(len(FIRST)) > REDEAL)

Rate = Callable[[Decks, Positions, NDArray[np.bool_]], Ratings]
"""(orders, positions, mask) -> what each move of the mask is worth in each order by hindsight, 0..1."""


class _Orders(NamedTuple):
    """Orders in which a player has seen the same."""

    decks: Decks
    hidden: NDArray[np.int64]
    """[S, n] the cards that were hidden at first."""
    positions: Positions

    def part(self, chosen: NDArray[np.bool_]) -> "_Orders":
        return _Orders(self.decks[chosen], self.hidden[chosen], self.positions[chosen])

    def after(self, move: int) -> "_Orders":
        positions = self.positions.copy()
        play_all(np.full(len(positions), move), positions)
        return self._replace(positions=positions)


class Foresight:
    """Rates moves by hindsight that is put off by a card.

    Args:
        options: Those of the game.
        rate: Rates moves by hindsight.
    """

    def __init__(self, options: pyramid.PyramidOptions, rate: Rate) -> None:
        self._rules, self._rate = options.to_rules(), rate
        self._state = as_records(np.zeros(1, pyramid.STATE))

    def rate(self, decks: Decks, positions: Positions, observation: NDArray[np.int16], move: int) -> float:
        """Returns what a move is worth, 0..1.

        Args:
            decks: Orders of the hidden cards.
            positions: As of `imagine`, the position in each.
            observation: What is seen, in pass 1, with hidden cards.
            move: A legal move.
        """
        hidden = np.ascontiguousarray(decks[:, hidden_places(observation, positions[0])])
        return self._rate_move(_Orders(decks, hidden, positions), observation, (), move)

    def _rate_move(self, orders: _Orders, observation: NDArray[np.int16], played: tuple[int, ...], move: int) -> float:
        now, then, hidden = (*played, move), orders.after(move), orders.hidden
        legal, turned_up = self._look(observation, hidden[0], now)
        if turned_up >= hidden.shape[1] - 1:  # then all is known, and hindsight is no more than the truth
            mask = np.arange(len(FIRST)) == move
            return float(self._rate(orders.decks, orders.positions, mask)[:, move].mean())
        if _TURNS_UP[move]:
            cards, total = RANK[hidden[:, turned_up - 1]], 0.0
            for rank in np.unique(cards):
                alike = cards == rank
                total += alike.sum() * self._rate_reply(then.part(alike), observation, now)
            return total / len(cards)
        following = legal if len(now) < _MOVES or len(legal) == 1 else legal[_TURNS_UP[legal]]
        return max(self._rate_move(then, observation, now, int(another)) for another in following)

    def _rate_reply(self, orders: _Orders, observation: NDArray[np.int16], played: tuple[int, ...]) -> float:
        """Returns what the best move for all of these orders is worth.

        It is chosen in one half of the orders and rated in the other. So luck does not pass for skill.
        """
        legal, _ = self._look(observation, orders.hidden[0], played)
        if len(legal) == 1 and _IS_KING[legal[0]] and not _TURNS_UP[legal[0]]:
            return self._rate_reply(orders.after(int(legal[0])), observation, (*played, int(legal[0])))
        mask = np.zeros(len(FIRST), np.bool_)
        mask[legal] = True
        ratings = self._rate(orders.decks, orders.positions, mask)[:, legal]
        if len(ratings) == 1 or len(legal) == 1:
            return float(ratings.mean(axis=0).max())
        one, other = ratings[::2], ratings[1::2]
        in_one, in_other = one[:, other.mean(axis=0).argmax()], other[:, one.mean(axis=0).argmax()]
        return float((in_one.sum() + in_other.sum()) / len(ratings))

    def _look(
        self, observation: NDArray[np.int16], hidden: NDArray[np.int64], played: tuple[int, ...]
    ) -> tuple[NDArray[np.intp], int]:
        """Returns the legal moves after some, or only the discard of a king, and how many cards have been turned up."""
        mask = np.zeros(len(FIRST), np.bool_)
        left = _look_after(self._rules, self._state, observation, hidden, np.array(played), mask)
        kings = np.flatnonzero(mask & _IS_KING)
        return kings[:1] if len(kings) else np.flatnonzero(mask), 1 + len(hidden) - left


# --- The game as it is seen -------------------------------------------------------------------------------------------


@entry_point("pyramid foresight")
def _look_after(rules: Any, state: Any, observation: Any, hidden: Any, moves: Any, mask: Any) -> int:
    """Writes the legal moves after some moves, and returns how many cards are left in the stock.

    Args:
        rules: The record of the game's options.
        state: A record of `pyramid.STATE`, working storage.
        observation: int16 [O], in pass 1, with hidden cards.
        hidden: int64 [n], these cards, in an order in which they may come.
        moves: int64 [m].
        mask: bool [A], written to.
    """
    _lay_out(state[0], observation, hidden)
    for move in moves:
        pyramid.apply(rules[0], state[0], move)
    pyramid.legal(rules[0], state[0], mask)
    return int(state[0].stock_size)


@kernel
def _lay_out(state: Any, observation: Any, hidden: Any) -> None:
    """Writes the state that an observation of pass 1 shows, with the hidden cards in an order.

    Suits do not matter, and are left out.
    """
    state.pyramid = state.available = state.discarded = 0
    state.positions_of[:] = 0
    for place in range(PYRAMID_SIZE):
        rank = observation[place]
        state.ranks[place] = rank
        if rank:
            state.pyramid |= 1 << place
            state.positions_of[rank] |= 1 << place
    for place in range(PYRAMID_SIZE):
        if state.pyramid >> place & 1 and COVERS[place] & state.pyramid == 0:
            state.available |= 1 << place
    for rank in range(1, NUM_RANKS + 1):
        state.unseen[rank] = observation[_UNSEEN + rank - 1]
    _lay_out_piles(state, observation, hidden)
    state.current_pass, state.cleared_in_pass, left = 1, state.pyramid == 0, state.stock_size + state.waste_size
    for place in range(PYRAMID_SIZE):
        left += observation[place] > 0
    state.discarded = NUM_CARDS - left


@kernel
def _lay_out_piles(state: Any, observation: Any, hidden: Any) -> None:
    """Writes stock and waste; a stock that hides cards shows its top."""
    state.stock[:] = 0
    state.waste[:] = 0
    state.stock_size, state.waste_size = len(hidden) + 1, 0
    state.stock[STOCK_SIZE - state.stock_size] = observation[_STOCK]
    for k in range(len(hidden)):
        state.stock[STOCK_SIZE - len(hidden) + k] = RANK[hidden[k]]
    while state.waste_size < STOCK_SIZE and observation[_WASTE + state.waste_size]:
        state.waste_size += 1
    for k in range(state.waste_size):
        state.waste[STOCK_SIZE - state.waste_size + k] = observation[_WASTE + k]
