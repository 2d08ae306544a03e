"""Lines of play: the states that the search found, written out action by action.

*Kings are transparent.* A king has no partner. So discarding it as soon as it is available only opens what it covers,
and the search leaves kings out: a king covers nothing. This module adds the kings' discards again, and the draws and
redeals. There are three exceptions:

- A king that is buried in the waste of the last pass comes up only if the cards on it go. For the score, such kings are
  in the search.
- Discarding a king of stock or waste is a move that clearing the pyramid may not need. For 'shortest-pyramid', these
  kings are in the search.
- Where clearing the pyramid ends the game (``goal="pyramid"``), a king that is its last card had better wait for others
  to go, if the score counts. The solver's goal 'score' is for games that go on (`PyramidSolver.replay_options`).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from numpy.typing import NDArray

from solitaire_agents.pyramid.solver.settle import ALL, PYRAMID, SCORE, SHORTEST_ALL, SHORTEST_PYRAMID, Position
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.pyramid_table import ACTION_OF, COVERS, DRAW, KING, PYRAMID_SIZE, RANK, REDEAL, STOCK, WASTE

_COVERS: list[int] = COVERS.tolist()


def write_out(
    deck: Sequence[int], start: Position, goal: int, passes: int, place: Sequence[int], line: NDArray[Any]
) -> list[int]:
    """Returns the actions of a line of the search, with its draws, redeals and kings.

    Args:
        deck: The cards in dealing order.
        start: The position in which the line starts.
        goal: As in `settle`.
        passes: Passes allowed.
        place: Slot -> index in the deck.
        line: The line as `settle` writes it.
    """
    replay = _Replay(deck, start, keeps_kings=goal == SHORTEST_PYRAMID)
    replay.discard_kings()
    for before, after in pairwise(line[1 : 1 + line[0]].tolist()):
        gone = {place[slot] for slot in range(NUM_CARDS) if (before & ~after) >> slot & 1}
        discarded = gone - replay.kings or gone & replay.left  # a king alone is the waste's top
        while not discarded <= replay.open_places():
            replay.go_on()
        if discarded:
            replay.discard(*sorted(discarded))
        replay.discard_kings()
        if goal == PYRAMID and replay.is_cleared():
            return replay.actions
    while goal in (ALL, SCORE, SHORTEST_ALL) and replay.kings_in_stock():
        if replay.this_pass == passes and not replay.stock():
            break  # a king that is buried in the waste of the last pass stays
        replay.go_on()
    return replay.actions


class _Replay:
    """The places of the cards left while a line is written out, and the actions so far."""

    def __init__(self, deck: Sequence[int], start: Position, *, keeps_kings: bool) -> None:
        cards = start.pyramid | start.stock << PYRAMID_SIZE
        self.left = {i for i in range(NUM_CARDS) if cards >> i & 1}
        self.kings = {i for i in self.left if RANK[deck[i]] == KING}
        self.this_pass = start.pass_number
        self.actions: list[int] = []
        self._pointer, self._keeps_kings = PYRAMID_SIZE + start.pointer, keeps_kings

    def stock(self) -> list[int]:
        return sorted(i for i in self.left if i >= self._pointer)

    def is_cleared(self) -> bool:
        return min(self.left, default=PYRAMID_SIZE) >= PYRAMID_SIZE

    def kings_in_stock(self) -> bool:
        """Returns whether a king is left in stock or waste."""
        return max(self.left & self.kings, default=0) >= PYRAMID_SIZE

    def open_places(self) -> set[int]:
        pyramid = [i for i in self.left if i < PYRAMID_SIZE]
        bits = sum(1 << i for i in pyramid)
        waste = [i for i in self.left if PYRAMID_SIZE <= i < self._pointer]
        return {i for i in pyramid if not _COVERS[i] & bits} | set(self.stock()[:1]) | set(sorted(waste)[-1:])

    def discard(self, *cards: int) -> None:
        self.left.difference_update(cards)
        places = [i if i < PYRAMID_SIZE else WASTE if i < self._pointer else STOCK for i in cards]
        self.actions.append(int(ACTION_OF[places[0], places[-1]]))

    def discard_kings(self) -> None:
        """Discards every open king, but keeps those of stock and waste if they are to be kept.

        The shortest way to clear the pyramid may leave a king in the waste or in the stock.
        """
        while free := {i for i in self.open_places() & self.kings if i < PYRAMID_SIZE or not self._keeps_kings}:
            self.discard(free.pop())

    def go_on(self) -> None:
        """Draws, or discards the stock's top if it is a king, or redeals."""
        stock = self.stock()
        if not stock:
            self.actions.append(REDEAL)
            self._pointer, self.this_pass = PYRAMID_SIZE, self.this_pass + 1
        elif stock[0] in self.kings:
            self.discard(stock[0])
        else:
            self.actions.append(DRAW)
            self._pointer = stock[0] + 1
        self.discard_kings()
