"""Exact solver for La tour infernale with the order of the stock known ('thoughtful' play).

The search goes through the stock stage by stage, a stage being a place of the pointer in a pass, and keeps at each the
most promising positions. Three ideas carry it, and each of them is exact:

1.  *Tableau moves can be taken back.* A card on a pile was put on a card one rank higher or on nothing, which is free
    when it leaves; so every move from pile to pile can be undone at once. Between the moves that cannot (a draw, a
    card from the waste, a card to a foundation) the configurations of the tableau fall apart into *components*, and
    one configuration stands for its whole component. To put a waste card on a card is as good as to put it on an empty
    pile, or on another card, from the same configuration: the same component is reached.
2.  *Safe foundation moves.* If all cards two ranks lower are up, a card may go up at once: what could be put on it can
    go up as well, by the same rule, wherever it would have been put. One safe move anywhere in a component is better
    than all else in it.
3.  *Nothing is lost until something is cut.* A search that has kept every component, and has found no win, is a proof.
    So the same search runs with more and more room: narrow for a quick win, wide for a rare one, and last with all the
    room that memory has, which proves a loss or ends as 'unknown'.

The order of promise is a linear rating of a position, fitted to positions of which a narrow search had tried whether
they can be won. Its main term plays the waste off in a relaxed game, where the cards of the tableau can be put in any
order that their ranks allow, and looks at how many piles that takes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.tour_infernale.bitboard import (
    CARDS,
    CLUBS,
    DRAWN,
    FULL,
    NO_MOVE,
    ON_BOTTOM,
    REDEALT,
    TO_FOUNDATION,
    bases_of,
    fold,
    go_up,
    heights_of,
    index_of,
    next_up,
    put,
    raised,
    size_of,
    slot_of,
    talon_of,
    tops_of,
)
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, card_text, deck_text, parse_deck
from solitaire_envs.jit import as_records, entry_point, kernel
from solitaire_envs.tour_infernale import (
    ACTIONS,
    DRAW,
    FOUNDATION,
    MAX_PILES,
    REDEAL,
    WASTE,
    stock_cards,
    waste_cards,
)

Status: TypeAlias = Literal["solved", "impossible", "unknown"]

STATUSES: Final[tuple[Status, ...]] = ("solved", "impossible", "unknown")
SOLVED, IMPOSSIBLE, UNKNOWN = range(3)
MAX_NODES: Final = 50_000_000

# Cards, configurations and moves are those of `tour_words`; in the table, bits 52..59 of c hold the stamp of the stage.
STAMPS: Final = 1 << 10
START, BY_DRAW, BY_REDEAL = range(3)  # how a stage is come by

WEIGHTS: Final = (0.317, 0.184, 0.165, -0.128, -0.436, -0.209)
WINDOW: Final = 12  # moves between two that are left out of a line together, at most
MAX_TRIES: Final = 3_000

_GAME: Final = np.dtype(
    [
        # The position:
        ("stock", np.int64, NUM_CARDS),  # slots of waste and stock, in the order of drawing
        ("place", np.int64, NUM_CARDS),  # its inverse
        ("drawn", np.int64, NUM_CARDS + 1),  # all cards but those not drawn yet with the pointer at i
        ("talon_size", np.int64),
        ("piles", np.int64),
        # The stage:
        ("pointer", np.int64),  # stock cards before it are the waste, if they have not left
        ("arrival", np.int64),
        ("last", np.int64),  # 1: no draw and no redeal follow
        ("stamp", np.int64),
        # The effort:
        ("reach", np.int64),  # configurations looked at in each component
        ("span", np.int64),  # configurations looked at from each representative
        # How far it has come:
        ("nodes", np.int64),
        ("cut", np.int64),  # 1: something was left out, so that no win proves nothing
        ("won", np.int64),  # the queue's entry that wins, -1: none
        ("at", np.int64),  # the representative in hand
        ("entries", np.int64),  # how much of each array is in use
        ("queued", np.int64),
        ("waiting", np.int64),  # numbers since the representative; the array is a ring
        ("served", np.int64),
        ("found", np.int64),
        ("logged", np.int64),
    ]
)


class Memory(NamedTuple):
    """Working storage for one thread, reusable for any number of searches."""

    games: Any  # _GAME[1]
    table: Any  # int64[2**n, 3]: configurations met at the stage in hand
    queue: Any  # int64[n, 5]: those met from one representative: words, the entry before it, the move from there
    pending: Any  # int64[n, 5]: such entries by which a component may be entered
    found: Any  # int64[n, 6]: components found: words, representative it came from, first and last of its moves
    scores: Any  # float64[n]: their ratings
    log: Any  # int16[n]: their moves, last first


def new_memory(megabytes: int = 512) -> Memory:
    """Allocates storage of at most the given size, but not less than 16 megabytes."""
    unit = 1 << max(16, (megabytes << 20).bit_length() - 9)  # a unit takes 228 bytes
    return Memory(
        as_records(np.zeros(1, _GAME)),
        np.zeros((4 * unit, 3), np.int64),
        np.zeros((unit // 2, 5), np.int64),
        np.zeros((unit // 2, 5), np.int64),
        np.zeros((unit, 6), np.int64),
        np.zeros(unit, np.float64),
        np.zeros(16 * unit, np.int16),
    )


# --- Configurations ---------------------------------------------------------------------------------------------------


@kernel
def _waste_top(game: Any, talon: int) -> int:
    """The bit of the waste's top, 0 if there is none."""
    if talon & game.drawn[game.pointer] == 0:
        return 0
    i = game.pointer - 1
    while talon >> game.stock[i] & 1 == 0:
        i -= 1
    top: int = 1 << game.stock[i]
    return top


@kernel
def _empty_piles(game: Any, a: int, c: int) -> int:
    return int(game.piles - size_of(a & ~c & CARDS))


# --- From one draw to the next ----------------------------------------------------------------------------------------


@kernel
def _look_up(memory: Any, a: int, b: int, c: int) -> tuple[int, bool]:
    """Finds the place of a configuration in the table, and whether it is there."""
    table = memory.table
    mask, stamp = len(table) - 1, memory.games[0].stamp
    c |= stamp << 52
    h = a * 0x1E3779B97F4A7C15 + b * 0x3F58476D1CE4E5B9
    h = (h ^ (h >> 29 & 0x7FFFFFFFF)) * 0x14D049BB133111EB + c * 0x2545F4914F6CDD1D
    h = (h ^ (h >> 32 & 0xFFFFFFFF)) * 0x3A5085ABE4C8A3B5
    i = h >> 24 & mask
    while table[i, 2] >> 52 == stamp:
        if table[i, 0] == a and table[i, 1] == b and table[i, 2] == c:
            return i, True
        i = (i + 1) & mask
    return i, False


@kernel
def _enqueue(memory: Any, place: int, a: int, b: int, c: int, link: int, move: int) -> None:
    """Notes a new configuration in the table and in the queue."""
    game, table, queue = memory.games[0], memory.table, memory.queue
    table[place, 0], table[place, 1], table[place, 2] = a, b, c | game.stamp << 52
    n = game.queued
    queue[n, 0], queue[n, 1], queue[n, 2], queue[n, 3], queue[n, 4] = a, b, c, link, move
    game.queued = n + 1
    game.entries += 1


@kernel
def _is_full(memory: Any) -> bool:
    game = memory.games[0]
    if game.entries * 4 > len(memory.table) * 3 or game.queued + 1 >= len(memory.queue):
        game.cut = 1
        return True
    return False


@kernel
def _wait(memory: Any, a: int, b: int, c: int, link: int, move: int) -> None:
    """Notes that another component may be entered here."""
    game, pending = memory.games[0], memory.pending
    if game.waiting - game.served == len(pending):
        game.cut = 1
        return
    n = game.waiting % len(pending)
    pending[n, 0], pending[n, 1], pending[n, 2], pending[n, 3], pending[n, 4] = a, b, c, link, move
    game.waiting += 1


@kernel
def _go_up(memory: Any, a: int, b: int, c: int, link: int, x: int) -> None:
    """Moves a card to its foundation; with the last one the game is won."""
    game, i = memory.games[0], index_of(x)
    move = i << 3 | TO_FOUNDATION
    a, b, c = go_up(a, b, c, i)
    if a >> 52 != FULL or b >> 52 != FULL:
        if not _look_up(memory, a, b, c)[1]:
            _wait(memory, a, b, c, link, move)
        return
    game.won = game.queued
    memory.queue[game.won, 3], memory.queue[game.won, 4] = link, move


@kernel
def _rearrange(memory: Any, first: int, head: int, tops: int, empty: bool) -> None:
    """Moves each top of a configuration from its pile to every other."""
    game = memory.games[0]
    a, b, c = memory.queue[head, 0], memory.queue[head, 1], memory.queue[head, 2]
    movers = tops if empty else tops & 15 * (fold(tops) >> 4)
    while movers:
        x = movers & -movers
        movers ^= x
        i = index_of(x)
        targets = bases_of(tops, i) | (empty and c & x != 0) << ON_BOTTOM
        while targets:
            kind = index_of(targets & -targets)
            targets &= targets - 1
            na, nb, nc = put(a, b, c, i, kind)
            place, known = _look_up(memory, na, nb, nc)
            if known:
                continue
            if game.queued - first >= game.reach or _is_full(memory):
                game.cut = 1
                return
            _enqueue(memory, place, na, nb, nc, head, i << 3 | kind)


@kernel
def _play_waste(memory: Any, head: int, tops: int, empty: bool, top: int) -> None:
    """Moves the waste's top to the tableau: on whichever card, or else on nothing, is all the same."""
    i = index_of(top)
    bases = bases_of(tops, i)
    if bases or empty:
        kind = index_of(bases & -bases) if bases else ON_BOTTOM
        a, b, c = put(memory.queue[head, 0], memory.queue[head, 1], memory.queue[head, 2], i, kind)
        if not _look_up(memory, a, b, c)[1]:
            _wait(memory, a, b, c, head, i << 3 | kind)


@kernel
def _explore(memory: Any, first: int) -> bool:
    """Explores the component that the queue's latest entry belongs to; False: a safe move makes it needless."""
    game, queue = memory.games[0], memory.queue
    a, b, c = queue[first, 0], queue[first, 1], queue[first, 2]
    before = game.waiting
    goals, safe = next_up(heights_of(a, b))
    top = _waste_top(game, talon_of(a, b, c))
    if top & goals:
        _go_up(memory, a, b, c, first, top)
        if top & safe:
            return False
    head = first
    while head < game.queued and game.won < 0:
        game.nodes += 1
        a, b, c = queue[head, 0], queue[head, 1], queue[head, 2]
        tops = tops_of(a, b, c)
        ups = tops & goals
        if ups & safe:
            game.waiting = before
            ups &= safe
            _go_up(memory, a, b, c, head, ups & -ups)
            return False
        while ups:
            _go_up(memory, a, b, c, head, ups & -ups)
            ups &= ups - 1
        empty = _empty_piles(game, a, c) > 0
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
    _wait(memory, a, b, c, -1, root)
    while game.served < game.waiting and game.won < 0:
        k = game.served % len(pending)
        a, b, c, link, move = pending[k, 0], pending[k, 1], pending[k, 2], pending[k, 3], pending[k, 4]
        game.served += 1
        place, known = _look_up(memory, a, b, c)
        if known:
            continue
        if game.queued >= game.span or _is_full(memory):
            game.cut = 1
            return
        first = game.queued
        _enqueue(memory, place, a, b, c, link, move)
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
    memory.scores[k] = _rate(game, a, b, c)
    game.logged, game.found = n, k + 1


@entry_point("tour infernale solver")
def _expand(memory: Any, reps: Any, max_nodes: int) -> None:
    """Explores representatives from the one in hand on, until the last, a win, a limit, or half of the room is used."""
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


# --- Rating -----------------------------------------------------------------------------------------------------------


@kernel
def _cost(counts: int, rank: int) -> int:
    """Piles more that one more card of a rank takes; counts: cards of each rank in the tableau, 4 bits each."""
    here, higher = counts >> 4 * rank & 15, counts >> 4 * rank + 4 & 15
    lower = counts >> 4 * rank - 4 & 15 if rank else 0
    return int(here >= higher) - int(lower > here)


@kernel
def _rate(game: Any, a: int, b: int, c: int) -> float:
    """Rates a position by how it might go on if the stock did not matter and the tableau could be rearranged freely."""
    heights, tableau, talon = heights_of(a, b), (a | c) & CARDS, talon_of(a, b, c)
    counts = piles = 0
    for rank in range(12, -1, -1):
        for _ in range(size_of(tableau >> 4 * rank & 15)):
            piles += _cost(counts, rank)
            counts += 1 << 4 * rank
    blocked, worst, excess = _play_off(game, heights, tableau, talon, counts, piles)
    value = WEIGHTS[0] * size_of(raised(heights)) + WEIGHTS[1] * size_of(tableau) + WEIGHTS[2] * piles
    return value + WEIGHTS[3] * blocked + WEIGHTS[4] * worst + WEIGHTS[5] * excess


@kernel
def _play_off(game: Any, heights: int, tableau: int, talon: int, counts: int, piles: int) -> tuple[int, int, int]:
    """Plays the waste off, card by card; whatever is wanted from the stock is there.

    Returns:
        The cards that a lower one of their suit bars, lying under them in the waste; the most piles needed at a time;
        and the piles that are wanting, summed over all times.
    """
    blocked, worst, excess = 0, piles, 0
    waste = talon & game.drawn[game.pointer]
    under, around = waste, tableau | talon & ~waste
    for k in range(game.pointer - 1, -1, -1):
        i = game.stock[k]
        if waste >> i & 1 == 0:
            continue
        under ^= 1 << i
        blocked += under & (CLUBS << (i & 3)) & ((1 << i) - 1) != 0
        piles += _cost(counts, i >> 2)
        counts += 1 << (i & ~3)
        tableau |= 1 << i
        around |= 1 << i
        goals = next_up(heights)[0] & around
        while goals:
            x = goals & -goals
            i = index_of(x)
            if tableau & x:
                counts -= 1 << (i & ~3)
                piles -= _cost(counts, i >> 2)
                tableau ^= x
            around ^= x
            heights += 1 << 4 * (i & 3)
            goals = next_up(heights)[0] & around
        worst = max(worst, piles)
        excess += max(0, piles - game.piles)
    return blocked, worst, excess


# --- Lines of play ----------------------------------------------------------------------------------------------------


@kernel
def _draw(game: Any, talon: int, pointer: int, move: int) -> int:
    """Draws the card that a move names, or redeals; returns the pointer after it, -1 if the rules forbid it."""
    end = game.place[move >> 3] if move & 7 == DRAWN else game.talon_size
    for k in range(pointer, end):
        if talon >> game.stock[k] & 1:
            return -1  # another card is the stock's top
    if move & 7 == REDEALT:
        return 0 if talon else -1
    return end + 1 if talon >> (move >> 3) & 1 else -1


@kernel
def _may_go(game: Any, a: int, b: int, c: int, i: int, kind: int) -> bool:
    """Whether a card may go to a pile, or to its foundation."""
    tops = tops_of(a, b, c)
    if (tops | _waste_top(game, talon_of(a, b, c))) >> i & 1 == 0:
        return False
    if kind == TO_FOUNDATION:
        return bool(next_up(heights_of(a, b))[0] >> i & 1)
    if kind == ON_BOTTOM:
        return bool(_empty_piles(game, a, c) > 0 and a & ~c & 1 << i == 0)
    return bool(bases_of(tops, i) >> kind & 1)


@kernel
def _wins(game: Any, start: Any, line: Any, n: int, without: int, nor: int) -> bool:
    """Whether a line wins by the rules if two of its moves are left out."""
    a, b, c, game.pointer = start[0], start[1], start[2], start[3]
    for k in range(n):
        if k in (without, nor):
            continue
        i, kind = line[k] >> 3, line[k] & 7
        if kind >= DRAWN:
            game.pointer = _draw(game, talon_of(a, b, c), game.pointer, line[k])
            if game.pointer < 0:
                return False
            continue
        if not _may_go(game, a, b, c, i, kind):
            return False
        if kind == TO_FOUNDATION:
            a, b, c = go_up(a, b, c, i)
        else:
            a, b, c = put(a, b, c, i, kind)
    return bool(a >> 52 == FULL and b >> 52 == FULL)


@kernel
def _drop(line: Any, n: int, k: int) -> int:
    """Takes a move out of a line; returns the number of moves left."""
    for j in range(k, n - 1):
        line[j] = line[j + 1]
    return n - 1


@kernel
def _shorten_at(game: Any, start: Any, line: Any, n: int, k: int) -> int:
    """Leaves out a tableau move if that, or a little more, does no harm; returns the number of moves left."""
    for j in range(k, min(n, k + WINDOW)):
        if line[j] & 7 > ON_BOTTOM:
            continue
        if _wins(game, start, line, n, k, j):
            n = _drop(line, n, j)
            return _drop(line, n, k) if j > k else n
        if j > k and line[j] >> 3 == line[k] >> 3:
            move, line[k] = line[k], line[j]  # the card goes at once where it went later
            if _wins(game, start, line, n, j, j):
                return _drop(line, n, j)
            line[k] = move
    return n


@entry_point("tour infernale solver")
def _shorten(games: Any, start: Any, line: Any, n: int) -> int:
    """Leaves out moves of a line that wins all the same without them; returns the number of moves left."""
    k = failed = tries = 0
    while failed < n and tries < MAX_TRIES:
        k = k + 1 if k + 1 < n else 0
        failed += 1
        if line[k] & 7 <= ON_BOTTOM:
            tries += 1
            left = _shorten_at(games[0], start, line, n, k)
            if left < n:
                n, failed = left, 0
    return n


# --- From Python ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Position:
    """A position in play. Cards are numbers 0..51."""

    tableau: tuple[tuple[int, ...], ...]  # each pile from its bottom; an empty pile is ()
    stock: tuple[int, ...]  # top first
    waste: tuple[int, ...] = ()  # top first
    foundations: tuple[int, ...] = (0, 0, 0, 0)  # cards on each
    pass_number: int = 1


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What is known about a position. It is 'unknown' only where a limit ended the search."""

    status: Status
    actions: tuple[int, ...]  # a line that wins, in the environment's action numbers; empty unless solved
    nodes: int  # configurations searched


class Effort(NamedTuple):
    """One beam search."""

    width: int  # representatives kept at each stage
    reach: int  # configurations looked at in each component
    span: int  # configurations looked at from each representative


EFFORTS: Final = (
    Effort(30, 100, 1_000),
    Effort(100, 100, 5_000),
    Effort(1_000, 300, 20_000),
    Effort(5_000, 300, 20_000),
    Effort(30_000, 1_000, 50_000),
    Effort(1 << 60, 1 << 60, 1 << 60),
)
CHUNK: Final = 200_000  # configurations between two moments at which Ctrl-C is heard


def dealt(deck: Sequence[int] | NDArray[np.integer[Any]], piles: int = 6) -> Position:
    """Returns the position just dealt."""
    cards = tuple(int(card) for card in deck)
    return Position(tableau=tuple((card,) for card in cards[:piles]), stock=cards[piles:])


def position_of(state: Any, piles: int = 6) -> Position:
    """Returns the position of a game in play, a record of the environment."""
    return Position(
        tableau=tuple(tuple(int(card) - 1 for card in pile if card) for pile in state.tableau[:piles]),
        stock=tuple(stock_cards(state)),
        waste=tuple(waste_cards(state)),
        foundations=tuple(int(height) for height in state.foundations),
        pass_number=int(state.current_pass),
    )


def solve(
    deck: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    *,
    piles: int = 6,
    passes: int | None = 1,
    max_nodes: int | None = None,
    position: Position | None = None,
    memory: Memory | None = None,
) -> Solution:
    """Settles one position exactly, or says that it could not.

    Without a limit of passes every position can be won. The length of the line, the shorter of two, is then an upper
    bound of the fewest moves.

    Args:
        deck: 52 cards, 13 * suit + rank - 1 each, in dealing order; not needed with a position.
        piles: Number of tableau piles; the game has 5 or 6.
        passes: Passes through the stock allowed; None: no limit.
        max_nodes: Configurations to look at, at most; None: `MAX_NODES`.
        position: Where to start; None: as dealt.
        memory: Storage to use again; None: new storage.

    Raises:
        ValueError: The game knows no such deck, number of piles or passes, or position.
    """
    if deck is None and position is None:
        raise ValueError("expected a deck or a position, got neither")
    if not 1 <= piles <= MAX_PILES:
        raise ValueError(f"expected 1 to {MAX_PILES} piles, got {piles}")
    start = position or dealt(parse_deck([] if deck is None else list(deck)), piles)
    _check(start, piles, passes)
    if start.foundations == (13, 13, 13, 13):
        return Solution(status="solved", actions=(), nodes=0)
    memory = memory or new_memory()
    limit = MAX_NODES if max_nodes is None else max_nodes
    nodes, shortest = 0, list[int]()
    for allowed, effort in _plan(start, passes):
        search = _Search(start, piles, allowed, memory)
        answer, line = search.run(effort, limit - nodes)
        nodes += search.nodes
        if answer == IMPOSSIBLE and passes is not None:
            return Solution(status="impossible", actions=(), nodes=nodes)
        enough = passes is not None or shortest
        if answer == SOLVED:
            shortest = min(line, shortest or line, key=len)
        if (shortest and enough) or nodes >= limit:
            break
    status: Status = "solved" if shortest else "unknown"
    return Solution(status=status, actions=tuple(spell_out(start, shortest)), nodes=nodes)


def solve_many(
    decks: NDArray[np.integer[Any]],
    *,
    piles: int = 6,
    passes: int | None = 1,
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> NDArray[np.int64]:
    """Settles many deals.

    Args:
        decks: Cards, shape (N, 52).
        piles: As in `solve`.
        passes: As in `solve`.
        max_nodes: As in `solve`, for each deal.
        memory: As in `solve`.

    Returns:
        Shape (N, 3), a row per deal: status (index into `STATUSES`), moves of the line found (0: none), nodes.

    Raises:
        ValueError: As in `solve`.
    """
    memory = memory or new_memory()
    results = np.empty((len(decks), 3), np.int64)
    for row, deck in zip(results, decks, strict=True):
        found = solve(deck, piles=piles, passes=passes, max_nodes=max_nodes, memory=memory)
        row[:] = STATUSES.index(found.status), len(found.actions), found.nodes
    return results


def _check(position: Position, piles: int, passes: int | None) -> None:
    if position.pass_number < 1 or (passes is not None and position.pass_number > passes):
        raise ValueError(f"expected 1 <= pass number <= passes, got {position.pass_number} and {passes}")
    if len(position.tableau) != piles:
        raise ValueError(f"expected {piles} piles, got {len(position.tableau)}")
    heights = position.foundations
    if len(heights) != 4 or not all(0 <= height <= NUM_RANKS for height in heights):
        raise ValueError(f"expected four foundations of 0..13 cards, got {heights}")
    cards = [card for pile in position.tableau for card in pile]
    cards += [*position.stock, *position.waste]
    cards += [NUM_RANKS * suit + rank for suit in range(4) for rank in range(heights[suit])]
    if sorted(cards) != list(range(NUM_CARDS)):
        raise ValueError(f"expected each of the 52 cards once, got {deck_text(sorted(cards))}")
    for pile in position.tableau:
        for below, card in pairwise(pile):
            if below % NUM_RANKS != card % NUM_RANKS + 1:
                raise ValueError(
                    f"expected each card of a pile one rank lower, got {card_text(card)} on {card_text(below)}"
                )


def _plan(start: Position, passes: int | None) -> Iterator[tuple[int, Effort]]:
    """Tells the searches to run: passes allowed, and effort. Without a limit: quick ones with more and more passes."""
    if passes is not None:
        yield from ((passes, effort) for effort in EFFORTS)
        return
    for allowed in count(start.pass_number):
        yield allowed, EFFORTS[0]
        yield allowed, EFFORTS[1]


class _Search:
    """Searches from one position, stage by stage: a stage is a place of the pointer in a pass."""

    def __init__(self, start: Position, piles: int, passes: int, memory: Memory) -> None:
        self._memory, self._start, self._passes = memory, start, passes
        game = _fields(memory)
        talon = [slot_of(card) for card in (*reversed(start.waste), *start.stock)]
        game.talon_size, game.piles, game.nodes = len(talon), piles, 0
        game.stock[: len(talon)] = talon
        game.place[talon] = range(len(talon))
        seen = CARDS & ~sum(1 << card for card in talon)
        game.drawn[0] = seen
        for i, card in enumerate(talon, start=1):
            seen |= 1 << card
            game.drawn[i] = seen

    @property
    def nodes(self) -> int:
        return int(_fields(self._memory).nodes)

    def run(self, effort: Effort, max_nodes: int) -> tuple[int, list[int]]:
        """Runs one beam search; returns what it found, and the line that wins."""
        memory, game = self._memory, _fields(self._memory)
        game.cut, game.won, game.arrival = 0, -1, START
        game.reach, game.span = effort.reach, effort.span
        game.pointer, this_pass = len(self._start.waste), self._start.pass_number
        reps = np.array([[*_packed(self._start), -1, 0, 0]], np.int64)
        stages = [(reps, np.zeros(0, np.int16))]
        while True:
            game.last = game.pointer == game.talon_size and this_pass == self._passes
            if not self._expand(reps, effort.width, max_nodes):
                return UNKNOWN, []
            if game.won >= 0:
                return SOLVED, self._line(stages)
            if not game.found:
                return UNKNOWN if game.cut else IMPOSSIBLE, []
            self._keep_best(effort.width)
            reps = memory.found[: game.found].copy()
            stages.append((reps, memory.log[: game.logged].copy()))
            if game.pointer < game.talon_size:
                game.pointer, game.arrival = game.pointer + 1, BY_DRAW
            else:
                game.pointer, game.arrival, this_pass = 0, BY_REDEAL, this_pass + 1

    def _expand(self, reps: NDArray[np.int64], width: int, max_nodes: int) -> bool:
        """Finds the candidates for the next stage, or a win; False: a limit was reached."""
        memory, game = self._memory, _fields(self._memory)
        game.stamp += 1
        if game.stamp == STAMPS:
            game.stamp = 1
            memory.table[:] = 0
        game.entries = game.found = game.logged = game.at = 0
        while game.at < len(reps):
            _expand(memory, reps, min(max_nodes, game.nodes + CHUNK))
            if game.won >= 0:
                return True
            if game.nodes >= max_nodes:
                return False
            if game.found * 2 > len(memory.found) or game.logged * 2 > len(memory.log):
                self._keep_best(min(width, int(game.found) // 2))
        return True

    def _keep_best(self, width: int) -> None:
        """Drops all candidates but the best."""
        memory, game = self._memory, _fields(self._memory)
        n = int(game.found)
        if n <= width:
            return
        game.cut = 1
        kept = np.sort(np.argpartition(-memory.scores[:n], width)[:width])
        memory.scores[:width] = memory.scores[kept]
        found = memory.found[kept]
        lengths = found[:, 5] - found[:, 4]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(found[:, 4] - ends + lengths, lengths)
        memory.log[: ends[-1]] = memory.log[places]
        found[:, 4], found[:, 5] = ends - lengths, ends
        memory.found[:width] = found
        game.found, game.logged = width, ends[-1]

    def _line(self, stages: list[tuple[NDArray[np.int64], NDArray[np.int16]]]) -> list[int]:
        """Returns the moves that lead to the win just found, shortened."""
        memory, game = self._memory, _fields(self._memory)
        at, k, backward = int(game.won), int(game.at), list[int]()
        while at >= 0:
            backward.append(int(memory.queue[at, 4]))
            at = int(memory.queue[at, 3])
        for reps, log in reversed(stages):
            backward += log[reps[k, 4] : reps[k, 5]].tolist()
            k = int(reps[k, 3])
        line = np.array([move for move in reversed(backward) if move != NO_MOVE], np.int64)
        start = np.array([*_packed(self._start), len(self._start.waste)], np.int64)
        short: list[int] = line[: _shorten(memory.games, start, line, len(line))].tolist()
        return short


def _fields(memory: Memory) -> Any:
    """The memory's game, its fields to be read and written as attributes."""
    return memory.games.view(np.recarray)[0]


def _packed(position: Position) -> tuple[int, int, int]:
    a = position.foundations[0] << 52 | position.foundations[1] << 56
    b = position.foundations[2] << 52 | position.foundations[3] << 56
    c = 0
    for pile in position.tableau:
        for depth, card in enumerate(pile):
            bit, suit = 1 << slot_of(card), pile[depth - 1] // 13
            if depth == 0:
                a |= bit
            else:
                a, b, c = a | bit * (suit & 1), b | bit * (suit >> 1), c | bit
    return a, b, c


_ACTION_OF: Final = {places: action for action, places in enumerate(ACTIONS)}


def spell_out(start: Position, line: Sequence[int]) -> list[int]:
    """Spells out a line of moves, as in `tour_words`, in the environment's action numbers."""
    piles = [list(pile) for pile in start.tableau]
    actions = []
    for move in line:
        slot, kind = divmod(move, 8)
        card = slot % 4 * 13 + slot // 4
        if kind in (DRAWN, REDEALT):
            actions.append(DRAW if kind == DRAWN else REDEAL)
            continue
        source = next((i for i, pile in enumerate(piles) if pile and pile[-1] == card), WASTE)
        if source != WASTE:
            piles[source].pop()
        if kind == TO_FOUNDATION:
            target = FOUNDATION
        else:
            base = [] if kind == ON_BOTTOM else [kind * 13 + slot // 4 + 1]
            target = next(i for i, pile in enumerate(piles) if pile[-1:] == base and i != source)
            piles[target].append(card)
        actions.append(_ACTION_OF[source, target])
    return actions
