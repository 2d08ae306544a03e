"""Components: all configurations that can be reached at a level, and the moves that lead on from there.

Four ideas keep the search small, and all are exact. Each is a statement with its conditions;
`tests/agents/klondike/test_proofs.py` holds the answers against relations and against other solvers.

1.  *Reversible moves.* A card of the tableau that is no root can go to its foundation, and come back to a place like
    the one that it left. At one level, such moves join configurations, which differ only in the heights of the
    foundations, into *components*. A move of the search takes a root or a card of the talon away, from any
    configuration of a component. If cards may not come back, a component is one configuration.
2.  *Safe foundation moves.* A card of rank r is safe if all cards of the other colour up to rank r - 2 are on their
    foundations, and all of its twin's suit up to rank r - 3. Call the cards of rank r - 1 of the other colour and the
    twin's card of rank r - 2 the followers. Then no line needs the card, or those just named, in the tableau. Proof:
    play any line with all of these cards up for good, and move each follower up as soon as the line moves it. This is
    possible: the cards before it are up, and only followers, or cards that are up, could lie on it. So every place
    that the line takes is free, and a root that lay under the card is turned up sooner, which takes no place. So a
    safe move anywhere in a component is at least as good as all others in it. It is made at once, and safe cards do
    not come back.
3.  *The talon's next card.* Conditions: cards may come back; the card is the next of its foundation; it can be taken at
    any time (one card a draw, no limit of passes), or is a last card that changes nothing else by leaving (`in_reach`);
    and the top of its foundation never has to come back (by 2, the top is safe where it would be the next card). Then
    it goes up at once. Proof: until a line takes the card, its foundation stays as it is; and from there the card can
    do all that it could do from the talon. The last condition is needed: the card covers the top.
4.  *Delay.* In a free talon, a card can wait until the move before one that is not possible without it. So it leaves
    for the tableau only if no place on it or its twin is free, and the next irreversible move must take the place that
    it offers, or the twin away; unless a reversible move can do so before. In every game, a root with no card beneath
    it waits in the same way, until a king comes to the pile that it leaves empty.
"""

from typing import Any

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.klondike.solver.bitboard import (
    ACES,
    KINGS,
    SUIT_AT,
    cards_up,
    free_places,
    is_safe,
    next_up,
    tops_up,
    uncovered,
)
from solitaire_agents.klondike.solver.level import bottoms, empty_piles, in_reach, is_free
from solitaire_envs.jit import kernel

_ACES_AND_TWOS = 0xFF


@kernel
def explore(memory: Any, level: Any, heights: int, side: int) -> tuple[int, int, int]:
    """Writes all configurations of a component to `memory.found[side]`.

    Returns:
        Their number; a card that has to go up, or 0; and the heights before that move.
    """
    game, visited, found = memory.games[0], memory.visited, memory.found[side]
    reach, last = in_reach(game, level.left, level.waiting, level.clock)
    shown, empty = game.cards & ~level.hidden & ~level.waiting, empty_piles(level.down)
    roots, lowest = level.roots, bottoms(game, level.down)
    obligations = level.clock if is_free(game) else 0, level.obligation
    while True:
        game.stamp += 1
        visited[heights] = game.stamp
        found[0, 0] = heights
        n, k, raised = 1, 0, -1
        while k < n and raised < 0:
            here = found[k, 0]
            tableau = shown & ~cards_up(here)
            free = free_places(tableau, roots)
            if empty > count_ones(tableau & KINGS & ~roots):
                free |= KINGS
            card, raised = _forced(game, here, tableau & uncovered(free), roots, reach, last)
            if card:
                return n, card, here
            if raised < 0:
                _note_moves(game, found[k], tableau, free, roots, reach, lowest)
                obligations = _still_to_do(obligations, free)
                if game.returns:
                    n = _spread(memory, found, n, here, tableau, free, roots)
            k += 1
        if raised < 0:
            _keep_to_obligations(found, n, obligations)
            return n, 0, 0
        heights = raised


@kernel
def _forced(game: Any, heights: int, bare: int, roots: int, reach: int, last: int) -> tuple[int, int]:
    """Returns a card that should go up for good, or 0; and the heights after a safe reversible move, or -1."""
    following, easy = next_up(heights), reach if is_free(game) else last
    cards = following & (bare | easy)
    while cards:
        card = cards & -cards
        cards ^= card
        suit = SUIT_AT[index_of(card)]
        covers_for_good = game.returns and is_safe(heights - (1 << 4 * suit), suit)
        if is_safe(heights, suit) or (card & easy and covers_for_good):
            if card & (roots | easy):
                return card, -1
            return 0, heights + (1 << 4 * suit)
    return 0, -1


@kernel
def _note_moves(game: Any, row: Any, tableau: int, free: int, roots: int, reach: int, lowest: int) -> None:
    """Writes the cards that can leave for good: those for the tableau, and those for a foundation."""
    waits = ACES
    if is_free(game):
        waits = uncovered(free) | _ACES_AND_TWOS
    down = free & (roots | reach & ~waits)
    row[1] = down & ~lowest if free & KINGS else down
    row[2] = next_up(row[0]) & (reach | uncovered(free) & tableau & (roots if game.returns else tableau))


@kernel
def _still_to_do(obligations: Any, free: int) -> Any:
    """Returns the obligations that are left: 0 where a reversible move has met one, so the place is no longer free."""
    pair, king = obligations
    if pair and not free >> 2 * (pair - 1) & 1:
        pair = 0
    return pair, king if free & KINGS else 0


@kernel
def _keep_to_obligations(found: Any, n: int, obligations: Any) -> None:
    """Removes the moves that do not meet the obligations from n configurations."""
    pair, king = obligations
    for k in range(n):
        if pair:
            found[k, 1] &= 3 << 2 * (pair - 1)
            found[k, 2] &= 3 << 2 * (pair + 1)
        if king:
            found[k, 1] &= KINGS
            found[k, 2] = 0


@kernel
def _spread(memory: Any, found: Any, n: int, heights: int, tableau: int, free: int, roots: int) -> int:
    """Adds the configurations that one reversible move leads to; returns the new number."""
    stamp, visited = memory.games[0].stamp, memory.visited
    cards = next_up(heights) & tableau & uncovered(free) & ~roots | tops_up(heights) & free & ~ACES
    while cards:
        card = cards & -cards
        cards ^= card
        suit = SUIT_AT[index_of(card)]
        by = 1 << 4 * suit
        after = heights + by if card & tableau else heights - by
        if visited[after] != stamp and not (after < heights and is_safe(after, suit)):
            visited[after] = stamp
            found[n, 0] = after
            n += 1
    return n
