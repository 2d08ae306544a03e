"""The search: depth first, from component to component. Each move takes a card from its place for good.

It leaves nothing out. So if it ends without finding a win, the loss is proved. `_rate` decides the order of the moves.
"""

from typing import Any

from solitaire_agents.bits import count_ones, index_of
from solitaire_agents.klondike.solver.bitboard import SUIT_AT, cards_up
from solitaire_agents.klondike.solver.components import explore
from solitaire_agents.klondike.solver.hopeless import is_hopeless
from solitaire_agents.klondike.solver.level import Level, is_free, key_of, leave
from solitaire_agents.klondike.solver.memory import END, FIRST, look_up
from solitaire_envs.jit import entry_point, kernel


@entry_point("klondike solver")
def begin(memory: Any, size: int, level: Any, heights: int) -> None:
    """Begins a search at a level and heights of the foundations; it uses `size` entries of the table."""
    game = memory.games[0]
    memory.table[:size] = 0
    memory.visited[:] = 0
    game.stamp = game.chosen = game.nodes = game.won = game.cut = 0
    game.depth = -1
    _enter(memory, size, level, heights)


@entry_point("klondike solver")
def search(memory: Any, size: int, max_nodes: int) -> None:
    """Goes on searching until a win, the end, or a number of nodes."""
    game, way = memory.games[0], memory.way
    while game.depth >= 0 and not game.won and game.nodes < max_nodes:
        row = way[game.depth]
        game.chosen = row[END]
        if row[FIRST] == row[END]:
            game.depth -= 1
            continue
        row[END] -= 1
        choice = memory.choices[row[END]]
        level = Level(row[0], row[1], row[2], row[3], row[4], row[5], row[6])
        _enter(memory, size, leave(game, level, choice[0], choice[1]), choice[3])


@kernel
def _enter(memory: Any, size: int, level: Any, heights: int) -> None:
    """Explores a component; unless it has been met, adds it and its moves to the way."""
    game = memory.games[0]
    n, forced, before = explore(memory, level, heights, 0)
    if not forced and not level.obligation:
        key = key_of(game, level, _name(memory, n, 0))
        place, known = look_up(memory, size, key)
        if known:
            return
        memory.table[place] = key
        game.nodes += 1
    game.depth += 1
    row = memory.way[game.depth]
    row[0], row[1], row[2], row[3], row[4], row[5], row[6] = level
    row[FIRST] = game.chosen
    if is_won(game, level):
        game.won = 1
    elif forced:
        _add(memory, forced, 1, before, before + (1 << 4 * SUIT_AT[index_of(forced)]), 0)
    else:
        _add_choices(memory, size, level, n)
    row[END] = game.chosen


@kernel
def is_won(game: Any, level: Any) -> bool:
    """Returns whether the game is certainly won: no card is face down, and the talon is empty or free."""
    return level.hidden == 0 and (level.waiting == 0 or is_free(game))


@kernel
def _name(memory: Any, n: int, side: int) -> Any:
    """Returns the least heights of a component, which identify it."""
    least = memory.found[side, 0, 0]
    for k in range(1, n):
        least = min(least, memory.found[side, k, 0])
    return least


@kernel
def _add(memory: Any, card: int, up: int, before: int, after: int, rating: int) -> None:
    """Inserts a choice, sorted by rating; the search takes the last one first."""
    game, choices = memory.games[0], memory.choices
    if game.chosen == len(choices):
        game.cut = 1
        return
    k = game.chosen
    while k > memory.way[game.depth, FIRST] and choices[k - 1, 4] > rating:
        for field in range(5):
            choices[k, field] = choices[k - 1, field]
        k -= 1
    row = choices[k]
    row[0], row[1], row[2], row[3], row[4] = card, up, before, after, rating
    game.chosen += 1


@kernel
def _add_choices(memory: Any, size: int, level: Any, n: int) -> None:
    """Adds the components that can be reached from one with n configurations."""
    found, leaving = memory.found[0], 0
    for k in range(n):
        leaving |= found[k, 1] | found[k, 2]
    while leaving:
        card = leaving & -leaving
        leaving ^= card
        _add_choices_of(memory, size, level, n, card)


@kernel
def _add_choices_of(memory: Any, size: int, level: Any, n: int, card: int) -> None:
    """Adds the components that can be reached if a card leaves, each of them once."""
    game, found = memory.games[0], memory.found[0]
    stamp, by, to_foundation = 0, 1 << 4 * SUIT_AT[index_of(card)], not card & (level.roots | level.waiting)
    for up in range(2):
        below = leave(game, level, card, up)
        if not to_foundation and is_hopeless(game, below, 0 if game.returns else cards_up(found[0, 0])):
            return
        if up == 0 or not _same(below, leave(game, level, card, 0)):
            stamp = game.stamp
        for k in range(n):
            after = found[k, 0] + up * by
            if found[k, 1 + up] & card and memory.visited[after] <= stamp:
                _add_if_new(memory, size, below, card, up, found[k, 0], after)


@kernel
def _same(one: Any, other: Any) -> bool:
    return bool(one.clock == other.clock and one.obligation == other.obligation)


@kernel
def _add_if_new(memory: Any, size: int, level: Any, card: int, up: int, before: int, after: int) -> None:
    n, forced, _ = explore(memory, level, after, 1)
    to_keep = not forced and not level.obligation
    if to_keep and look_up(memory, size, key_of(memory.games[0], level, _name(memory, n, 1)))[1]:
        return
    _add(memory, card, up, before, after, _rate(memory, level, up, n))


@kernel
def _rate(memory: Any, level: Any, up: int, n: int) -> int:
    """Rates a component: best with few hidden cards, few cards in the talon and many roots that can leave."""
    found, leaving = memory.found[1], 0
    for k in range(n):
        leaving |= (found[k, 1] | found[k, 2]) & level.roots
    return 3 * count_ones(leaving) - 10 * count_ones(level.hidden) - 2 * count_ones(level.waiting) + 2 * up
