"""Moves of declared games that a player who wants to win may leave out, and those that can never hurt, with proofs."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import PileShape


class Dominances(NamedTuple):
    """Which moves the search may leave out in a declared game.

    **Safe.** A card goes to its foundation at once if no card that is still in play could be laid on it. Take any line
    that wins. It lays no card on this one, so all its moves of the card, but the last, can be left out: that only frees
    what lies below, and cells. The line gets no longer. If foundations give cards back, such cards could be laid on it
    in turn; so then all cards that could lie on it directly or through others have to be up. None of them is needed in
    play again, since what they could carry is up, too. It does not hold where an empty pile is filled by itself, where
    the stock is dealt to the piles, or where kings carry aces, since then a card that goes changes what comes. A card
    of the waste changes which cards later draws show, unless they show one at a time. With two packs, a line may play
    the other card that looks alike first: then the two have changed foundations, which makes no difference, since a
    foundation is but its height.

    **Late draws.** After a draw comes another draw, a redeal, or a move of the waste's top. Any other move could have
    been made before the draw, to the same position: it touches neither stock nor waste. It does not hold where stock or
    waste fill an empty pile.

    **No idle returns.** A card that is safe does not come back from its foundation, by the proof of 'safe'.
    """

    safe: bool
    late_draws: bool


def dominances_of(shape: PileShape) -> Dominances:
    """Returns which dominances hold in a game."""
    t, stock = shape.game.tableau, shape.game.stock
    deals_on = stock is not None and stock.to != "waste"
    return Dominances(
        safe=not (shape.hole or shape.takes_runs or t.refill or deals_on or t.build.wrap),
        late_draws=shape.to_waste and not {"waste", "stock"} & set(t.refill),
    )


def needs(shape: PileShape) -> NDArray[np.int64]:
    """Returns [card, line] -> how many cards have to be on a foundation of the line's suit before the card is safe."""
    pack, fits = shape.pack, shape.fits
    need = np.zeros((pack.codes, pack.lines), np.int64)
    for card in range(1, pack.unseen):
        found = [int(each) for each in fits[card] if each]
        for each in found:  # it grows
            need[card, pack.line[each]] = max(need[card, pack.line[each]], pack.rank[each])
            if shape.returns:
                found += [int(one) for one in fits[each] if one and int(one) not in found]
    return need


@cache
def safe_moves_of(shape: PileShape) -> tuple[Any, Any]:
    """Makes the kernels (state, card) -> whether a card is safe, and (rules, state, mask) -> a move of a safe card."""
    LINES, COPIES, NEXT_UP, NEED = shape.pack.lines, shape.pack.copies, shape.pack.next_up, needs(shape)
    UP, WASTE, TO_WASTE = shape.actions.up, shape.places.waste, shape.to_waste

    @kernel
    def is_safe(state: Any, card: int) -> bool:
        """Returns whether all cards that could lie on a card are up."""
        safe = True
        for line in range(LINES):
            safe &= state.foundations[line] >= NEED[card, line]
        return safe

    @kernel
    def safe_move(rules: Any, state: Any, mask: Any) -> int:
        """Returns a move of a safe card to its foundation, or -1."""
        for k in range(LINES * COPIES):
            if mask[UP + k]:
                line = k // COPIES
                card = NEXT_UP[line, state.foundations[line], k % COPIES]
                of_waste = False
                if TO_WASTE:
                    of_waste = state.where[card] == WASTE and rules.draw > 1
                if is_safe(state, card) and not of_waste:
                    return int(UP + k)
        return -1

    return is_safe, safe_move
