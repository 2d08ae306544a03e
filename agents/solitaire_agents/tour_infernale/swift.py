"""A rule for La tour infernale that wins in few moves: the best known without a limit of passes.

Every card needs one move to its foundation, and every card of the stock needs one to the waste. All other moves can be
saved: putting cards on the tableau on their way, moving piles, and drawing cards again. A card in the waste costs no
more moves if it becomes the top again in time. A higher card of its suit that lies on it in the waste bars it, because
that card cannot go up first.
"""

from solitaire_agents.bits import count_ones
from solitaire_agents.tour_infernale.bitboard import (
    CLUBS,
    NO_MOVE,
    ON_BOTTOM,
    bases_of,
    empty_piles,
    heights_of,
    next_up,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.bitboard_rules import View, free_pile, move_up, to_tableau
from solitaire_envs.jit import kernel

# The rating of giving an empty pile to the waste's top. Each rank between the card and its turn to go up takes away 1.
# The numbers come from a random search over 20,000 deals.
BARRED = 4
"""Worth of each higher card of its suit that is still in the stock."""
OPENS = 25
"""Worth of the card under it, if that card can go up at once."""
BURIED = 5
"""Worth of each card deeper in the waste that could go up."""
PRICE = 9
"""The pile stays empty if the rating is no more than this and there are cards to draw."""


@kernel
def swift_move(view: View) -> int:
    """Wins in few moves: the best rule where passes have no limit."""
    board, top = view.board, view.top
    goals, tops = next_up(heights_of(board))[0], tops_of(board)
    up = move_up(goals, tops, top)
    if up != NO_MOVE or top < 0:
        return up
    if bases_of(tops, top):
        return to_tableau(board, tops, top)
    if view.to_come > 0 and _worth(view, goals) <= PRICE:
        return NO_MOVE
    if empty_piles(board, view.piles) > 0:
        return top << 3 | ON_BOTTOM
    return free_pile(board, tops)


@kernel
def _worth(view: View, goals: int) -> int:
    """Returns the rating of giving an empty pile to the waste's top."""
    top, under = view.top, view.under
    stock, suit = talon_of(view.board) & ~view.waste, CLUBS << (top & 3)
    barred = count_ones(stock & suit & ~((2 << top) - 1))
    turn = (top >> 2) - (heights_of(view.board) >> 4 * (top & 3) & 15)
    opens = under >= 0 and goals >> under & 1
    return int(BARRED * barred - turn + OPENS * opens + BURIED * (count_ones(view.waste & goals) - opens))
