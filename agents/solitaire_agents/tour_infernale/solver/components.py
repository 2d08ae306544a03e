"""All that can be reached from a position without a draw, component by component.

Two exact ideas keep this small:

1.  *Tableau moves can be undone.* A card on a pile was put on a card one rank higher, or on an empty pile, and that
    place is free again when the card leaves. So every move from pile to pile can be undone at once. Only three kinds of
    moves cannot: a draw, a card from the waste, a card to a foundation. Between these, the configurations of the
    tableau fall into *components*, and one configuration, the *representative*, stands for its component. The waste's
    top may go on any card that it fits on, or on an empty pile: all these moves lead to the same component.
2.  *Safe foundation moves.* If all cards two ranks lower are up, a card may go up at once. Only those cards could be
    put on it that can go up as well. One safe move anywhere in a component is better than all else in it.
"""

from typing import Any

from solitaire_agents.bits import index_of
from solitaire_agents.tour_infernale.bitboard import (
    DRAWN,
    NO_MOVE,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bases_of,
    empty_piles,
    go_up,
    heights_of,
    is_won,
    movable,
    next_up,
    put,
    talon_of,
    tops_of,
)
from solitaire_agents.tour_infernale.solver.memory import BY_DRAW, BY_REDEAL, enqueue, is_full, look_up, wait
from solitaire_agents.tour_infernale.solver.rating import rate
from solitaire_envs.jit import entry_point, kernel

# --- Moves ------------------------------------------------------------------------------------------------------------


@kernel
def waste_top(game: Any, talon: int) -> int:
    """Returns the waste's top as a set of one card, 0 if the waste is empty."""
    if talon & game.drawn[game.pointer] == 0:
        return 0
    i = game.pointer - 1
    while talon >> game.stock[i] & 1 == 0:
        i -= 1
    top: int = 1 << game.stock[i]
    return top


@kernel
def _raise_card(memory: Any, a: int, b: int, c: int, link: int, x: int) -> None:
    """Moves a card to its foundation; the last card wins the game."""
    game, i = memory.games[0], index_of(x)
    move = i << 3 | TO_FOUNDATION
    a, b, c = go_up(a, b, c, i)
    if is_won(a, b):
        game.won = game.queued
        memory.queue[game.won, 3], memory.queue[game.won, 4] = link, move
    elif not look_up(memory, a, b, c)[1]:
        wait(memory, a, b, c, link, move)


@kernel
def _rearrange(memory: Any, first: int, head: int, tops: int, empty: bool) -> None:
    """Moves each top of a configuration from its pile to every other."""
    game = memory.games[0]
    a, b, c = memory.queue[head, 0], memory.queue[head, 1], memory.queue[head, 2]
    movers = tops if empty else movable(tops)
    while movers:
        x = movers & -movers
        movers ^= x
        i = index_of(x)
        targets = bases_of(tops, i) | (empty and c & x != 0) << ON_BOTTOM
        while targets:
            kind = index_of(targets & -targets)
            targets &= targets - 1
            na, nb, nc = put(a, b, c, i, kind)
            place, known = look_up(memory, na, nb, nc)
            if known:
                continue
            if game.queued - first >= game.reach or is_full(memory):
                game.cut = 1
                return
            enqueue(memory, place, na, nb, nc, head, i << 3 | kind)


@kernel
def _play_waste(memory: Any, head: int, tops: int, empty: bool, top: int) -> None:
    """Moves the waste's top to the tableau: on the first card that it fits on, or else on an empty pile."""
    i = index_of(top)
    bases = bases_of(tops, i)
    if bases or empty:
        kind = index_of(bases & -bases) if bases else ON_BOTTOM
        a, b, c = put(memory.queue[head, 0], memory.queue[head, 1], memory.queue[head, 2], i, kind)
        if not look_up(memory, a, b, c)[1]:
            wait(memory, a, b, c, head, i << 3 | kind)


# --- Components -------------------------------------------------------------------------------------------------------


@kernel
def _explore(memory: Any, first: int) -> bool:
    """Explores the component of the queue's latest entry; False: a safe move makes the component needless.

    It is long because a function of its own for the moves of a configuration costs 5 % of the solver's speed.
    """
    game, queue = memory.games[0], memory.queue
    a, b, c = queue[first, 0], queue[first, 1], queue[first, 2]
    before, head = game.waiting, first
    goals, safe = next_up(heights_of(a, b))
    top = waste_top(game, talon_of(a, b, c))
    if top & goals:
        _raise_card(memory, a, b, c, first, top)
        if top & safe:
            return False
    while head < game.queued and game.won < 0:
        game.nodes += 1
        a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
        tops = tops_of(a, b, c)
        ups = tops & goals
        if ups & safe:
            game.waiting = before
            ups &= safe
            _raise_card(memory, a, b, c, head, ups & -ups)
            return False
        while ups:
            _raise_card(memory, a, b, c, head, ups & -ups)
            ups &= ups - 1
        empty = empty_piles(a, c, game.piles) > 0
        if top:
            _play_waste(memory, head, tops, empty, top)
        _rearrange(memory, first, head, tops, empty)
        head += 1
    return True


@kernel
def _close(memory: Any, a: int, b: int, c: int, root: int) -> None:
    """Explores all components that can be reached from a representative without a draw."""
    game, pending = memory.games[0], memory.pending
    game.queued = game.waiting = game.served = 0
    wait(memory, a, b, c, -1, root)
    while game.served < game.waiting and game.won < 0:
        k = game.served % len(pending)
        a, b, c, link, move = pending[k, 0], pending[k, 1], pending[k, 2], pending[k, 3], pending[k, 4]
        game.served += 1
        place, known = look_up(memory, a, b, c)
        if known:
            continue
        if game.queued >= game.span or is_full(memory):
            game.cut = 1
            return
        first = game.queued
        enqueue(memory, place, a, b, c, link, move)
        if _explore(memory, first) and not game.last:
            _keep(memory, first)


@kernel
def _keep(memory: Any, first: int) -> None:
    """Adds a component to the candidates for the next stage."""
    game, queue, found, log, k = memory.games[0], memory.queue, memory.found, memory.log, memory.games[0].found
    n, at = game.logged, first
    while at >= 0 and n < len(log):
        log[n] = queue[at, 4]
        n += log[n] != NO_MOVE
        at = queue[at, 3]
    if k == len(found) or n >= len(log):
        game.cut = 1
        return
    a, b, c = queue[first, 0], queue[first, 1], queue[first, 2]
    found[k, 0], found[k, 1], found[k, 2], found[k, 3], found[k, 4], found[k, 5] = a, b, c, game.at, game.logged, n
    memory.scores[k] = rate(game, a, b, c)
    game.logged, game.found = n, k + 1


@entry_point("tour infernale solver")
def expand(memory: Any, reps: Any, max_nodes: int) -> None:
    """Explores from each representative in turn, from `game.at` on.

    It stops after the last representative, at a win, at the limit, or when half of the storage is used.

    Args:
        memory: The search's storage.
        reps: int64 [N, 6]: representatives, rows as in `Memory.found`.
        max_nodes: Limit of configurations.
    """
    game = memory.games[0]
    while game.at < len(reps):
        a, b, c = reps[game.at, 0], reps[game.at, 1], reps[game.at, 2]
        talon, root = talon_of(a, b, c), NO_MOVE
        if game.arrival == BY_REDEAL and talon:
            root = REDEALT
        elif game.arrival == BY_DRAW and talon >> game.stock[game.pointer - 1] & 1:
            root = game.stock[game.pointer - 1] << 3 | DRAWN
        _close(memory, a, b, c, root)
        if game.won >= 0:
            return
        game.at += 1
        if game.nodes >= max_nodes or game.found * 2 > len(memory.found) or game.logged * 2 > len(memory.log):
            return
