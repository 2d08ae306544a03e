"""A plain rule for La tour infernale that wins in few moves: the best known where passes have no limit.

Every card needs one move to its foundation, and every card of the stock one to the waste. What can be saved is the
rest: cards put on the tableau on their way, piles moved, and cards drawn again. A card in the waste costs nothing if it
comes to the top again in time; what bars it is a higher card of its own suit that is drawn before it has gone up.
"""

from solitaire_agents.tour_infernale.bitboard import (
    CARDS,
    CLUBS,
    NO_MOVE,
    ON_BOTTOM,
    bases_of,
    heights_of,
    next_up,
    size_of,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.bitboard_rules import free_pile, move_up, to_tableau
from solitaire_envs.jit import kernel

# Worth of an empty pile to the waste's top, in ranks up to its turn; by a random search over 20,000 deals.
BARRED = 4  # for each higher card of its suit that is still in the stock
OPENS = 25  # if the card beneath goes up at once
BURIED = 5  # for each card deeper in the waste whose turn it is
PRICE = 9


@kernel
def swift_move(a: int, b: int, c: int, waste: int, top: int, under: int, to_come: int, piles: int) -> int:
    """A word rule: see `by_words`."""
    heights = heights_of(a, b)
    goals, tops = next_up(heights)[0], tops_of(a, b, c)
    up = move_up(goals, tops, top)
    if up != NO_MOVE or top < 0:
        return up
    if bases_of(tops, top):
        return to_tableau(a, b, tops, top)
    if to_come > 0 and _worth(heights, goals, talon_of(a, b, c) & ~waste, waste, top, under) <= PRICE:
        return NO_MOVE
    if size_of(a & ~c & CARDS) < piles:
        return top << 3 | ON_BOTTOM
    return free_pile(a, b, c, tops)


@kernel
def _worth(heights: int, goals: int, stock: int, waste: int, top: int, under: int) -> int:
    """What an empty pile is worth to the waste's top."""
    suit = CLUBS << (top & 3)
    barred = size_of(stock & suit & ~((2 << top) - 1))
    turn = (top >> 2) - (heights >> 4 * (top & 3) & 15)
    opens = under >= 0 and goals >> under & 1
    return int(BARRED * barred - turn + OPENS * opens + BURIED * (size_of(waste & goals) - opens))
