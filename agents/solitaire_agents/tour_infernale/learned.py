"""An agent for one pass of La tour infernale that has learned what positions are worth, and plays by that alone.

Before each draw it looks at all components within reach, takes the one of the highest value, and draws. So it never
goes in circles. It does not look beyond the draw.
"""

from collections.abc import Hashable, Iterator
from typing import Any

from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.bitboard import DRAWN, NO_MOVE
from solitaire_agents.tour_infernale.position import Position, bits_of
from solitaire_agents.tour_infernale.reach import FIRST
from solitaire_agents.tour_infernale.solver.api import check_options
from solitaire_agents.tour_infernale.values import Network, choose, finish, new_chooser
from solitaire_envs import tour_infernale
from solitaire_envs.jit import entry_point, kernel

_STOCK, _WASTE, _UNSEEN = (tour_infernale.GAME.slots(name) for name in ("stock", "waste", "unseen"))


class TourInfernaleLearned(LineFollower):
    """Goes from draw to draw to the position of the highest learned value; without search beyond the draw.

    Args:
        options: The options of the games to play.
        network: The value network.

    Raises:
        ValueError: More than one pass is played, or the solver does not know one of the options.
    """

    name = "learned"
    fair = True
    quick = True

    def __init__(self, options: tour_infernale.TourInfernaleOptions, network: Network) -> None:
        check_options(options)
        if options.passes != 1:
            raise ValueError(f"expected passes=1, for which the values were learned; got {options.passes}")
        super().__init__()
        self._piles = options.piles
        self._chooser = new_chooser(network, options.piles)

    def _key(self, row: list[int]) -> Hashable:
        return Position.of_observation(row, self._piles)

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        hidden = row[_STOCK].count(tour_infernale.UNSEEN)
        if hidden != sum(row[_UNSEEN]) or tour_infernale.UNSEEN in row[_WASTE]:
            raise ValueError("expected observations of what a player with perfect memory knows (information='memory')")
        position = Position.of_observation(row, self._piles)
        unseen = [card for card, is_unseen in enumerate(row[_UNSEEN]) if is_unseen]
        order = bits_of((*reversed(position.waste), *unseen))
        length = _plan(self._chooser, order, len(position.waste), *position.bitboard())
        return position.play_along(position.spell_out(self._chooser.tableau.line[:length].tolist()))


@entry_point("tour learned")
def _plan(chooser: Any, order: Any, drawn: int, a: int, b: int, c: int) -> int:
    """Writes the moves up to a draw, or to a win, into the tableau's line; returns how many."""
    reach, line, rest = chooser.reach, chooser.tableau.line, 0
    if drawn < len(order):
        best = choose(chooser, order, drawn, a, b, c)[0]
        if best >= 0:
            rest, line[0] = 1, DRAWN
    else:
        best, rest = finish(chooser, order, a, b, c)
        if rest < 0:
            return 0
    if best >= 0:
        return _put_before(reach.queue, reach.components[best, FIRST], line, rest)
    entry = reach.entries[-1 - best]
    line[0] = entry[4]
    return _put_before(reach.queue, entry[3], line, 1)


@kernel
def _put_before(queue: Any, row: int, line: Any, rest: int) -> int:
    """Puts the moves that lead to a row of the queue before the first moves of the line; returns how many there are."""
    length, at = 0, row
    while at >= 0 and queue[at, 4] != NO_MOVE:
        length, at = length + 1, queue[at, 3]
    for k in range(rest - 1, -1, -1):
        line[length + k] = line[k]
    at = row
    for k in range(length - 1, -1, -1):
        line[k], at = queue[at, 4], queue[at, 3]
    return length + rest
