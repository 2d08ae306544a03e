"""Lines of play: the states that the search found, written out action by action.

*Kings are transparent.* A king has no partner. So discarding it as soon as it is available only opens what it covers,
and the search leaves kings out: a king covers nothing. This module adds the kings' discards again, and the draws and
redeals. There are two exceptions:

- A king that is buried in the waste of the last pass comes up only if the cards on it go. For the score, such kings are
  in the search.
- Where clearing the pyramid ends the game (``goal="pyramid"``), a king that is its last card had better wait for others
  to go, if the score counts. The solver's goal 'score' is for games that go on (`PyramidSolver.replay_options`).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from numpy.typing import NDArray

from solitaire_agents.line import Line
from solitaire_agents.pyramid.solver.settle import PYRAMID
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_envs.pyramid_table import (
    ACTION_OF,
    DRAW,
    FIRST,
    KING,
    NO_PLACE,
    PYRAMID_SIZE,
    RANK,
    REDEAL,
    SECOND,
    STOCK,
    WASTE,
    stock_cards,
    waste_cards,
)

_DISCARD_KING: Final = ACTION_OF.diagonal()
"""Place -> the action that discards a king there."""


def write_out(state: Any, options: PyramidOptions, goal: int, place: Sequence[int], line: NDArray[Any]) -> list[int]:
    """Returns the actions of a line of the search, with its draws, redeals and kings.

    Args:
        state: The state in which the line starts.
        options: The options.
        goal: As in `settle`.
        place: Slot -> place, as in a problem of the search.
        line: The line as `settle` writes it.
    """
    replay = _Replay(state, options)
    replay.discard_kings()
    for before, after in pairwise(line[1 : 1 + line[0]].tolist()):
        replay.discard({place[slot] for slot in range(NUM_CARDS) if (before & ~after) >> slot & 1})
        if goal == PYRAMID and not replay.state.pyramid:
            return replay.actions
    while goal != PYRAMID and replay.has_king_in_talon() and replay.go_on():
        pass
    return replay.actions


class _Replay(Line):
    """A line that is written out. A place is one of the pyramid, or 28 + the index of a card in the talon."""

    def __init__(self, state: Any, options: PyramidOptions) -> None:
        # The game goes on after the pyramid is cleared, as lines for the score do.
        super().__init__(GAME, replace(options, goal="all"), state)
        cards = (*reversed(waste_cards(state)), *stock_cards(state))
        self._talon = list(range(PYRAMID_SIZE, PYRAMID_SIZE + len(cards)))  # the places whose cards are left
        self._kings = {place for place, card in zip(self._talon, cards, strict=True) if RANK[card] == KING}

    def play(self, action: int) -> None:
        places, top = (FIRST[action], SECOND[action]), int(self.state.waste_size)
        if STOCK in places:
            del self._talon[top]
        if WASTE in places:
            del self._talon[top - 1]
        super().play(action)

    def discard(self, gone: set[int]) -> None:
        """Discards the cards at some places, as soon as that is legal."""
        # A king alone is the waste's top, or has been discarded.
        if discarded := sorted(gone - self._kings or gone.intersection(self._talon)):
            while (action := self._action(discarded)) is None:
                self.go_on()
            self.play(action)
        self.discard_kings()

    def _action(self, discarded: list[int]) -> int | None:
        """Returns the action that discards the cards at some places; None if it is not legal."""
        drawn = int(self.state.waste_size)
        tops = {
            **dict.fromkeys(self._talon[drawn : drawn + 1], STOCK),
            **dict.fromkeys(self._talon[:drawn][-1:], WASTE),
        }
        places = [place if place < PYRAMID_SIZE else tops.get(place, NO_PLACE) for place in discarded]
        action = int(ACTION_OF[places[0], places[-1]])
        return action if NO_PLACE not in places and self.mask[action] else None

    def discard_kings(self) -> None:
        """Discards every open king."""
        while self.mask[_DISCARD_KING].any():
            self.play(int(_DISCARD_KING[self.mask[_DISCARD_KING].argmax()]))

    def has_king_in_talon(self) -> bool:
        return not self._kings.isdisjoint(self._talon)

    def go_on(self) -> bool:
        """Draws, or discards the stock's top if it is a king, or redeals; returns False if none is legal."""
        for action in (int(_DISCARD_KING[STOCK]), DRAW, REDEAL):
            if self.mask[action]:
                self.play(action)
                self.discard_kings()
                return True
        return False
