"""Exact solver for Klondike with all cards known ('thoughtful' play).

Four ideas keep the search small, and all are exact:

- It does not matter which of two twins a card lies on (`bitboard`).
- Draws are part of the move that follows them (`level`).
- Reversible moves are not moves of the search; some moves never hurt, and some can wait (`components`).
- Some positions are lost even in an easier game (`hopeless`). The game with one card a draw and no limits is also
  easier, and quick to search. If a short search settles nothing, this game is searched next: most lost deals are lost
  there too.

The solver does not count moves. 'impossible' holds under any limit of moves. 'solved' holds under a limit only if the
line found is no longer than the limit. A caller with a limit has to compare the two.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, Self

import numpy as np

from solitaire_agents.kit import Solved, Status
from solitaire_agents.klondike.position import Position, is_king
from solitaire_agents.klondike.solver.bitboard import BIT_OF, CARD_AT
from solitaire_agents.klondike.solver.level import Level, clock_at
from solitaire_agents.klondike.solver.line import Step, bits_of, write_out
from solitaire_agents.klondike.solver.memory import END, Memory, new_memory
from solitaire_agents.klondike.solver.search import begin, search
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.klondike import KlondikeOptions

__all__ = ["MAX_NODES", "Memory", "Rules", "new_memory", "solve"]

MAX_NODES: Final = 20_000_000
"""Most components that the solver looks at by default."""
_GLANCE, _GLANCE_SIZE = 10_000, 1 << 16
_EASIER, _EASIER_SIZE = 300_000, 1 << 20
"""Most nodes and table entries of the short first search, and of the search of the easier game."""
_CHUNK = 200_000
"""Nodes between two checks for Ctrl-C."""


class Rules(NamedTuple):
    """The rules of a search."""

    draw: int = 3
    """Cards that a draw turns over, 1 or 3."""
    returns: bool = True
    """Whether cards may come back from the foundations."""
    passes: int | None = None
    """Passes through the stock allowed; None: no limit."""

    @classmethod
    def of(cls, options: KlondikeOptions) -> Self:
        """Returns the rules that the options of a game choose."""
        return cls(options.draw, options.returns, options.passes)


_EASIEST: Final = Rules(draw=1)


def solve(start: Position, rules: Rules, *, max_nodes: int | None = None, memory: Memory | None = None) -> Solved:
    """Settles one position exactly; the result is 'unknown' if `max_nodes` ended the search.

    Args:
        start: The position.
        rules: The rules of the game.
        max_nodes: Most components to look at; None: `MAX_NODES`.
        memory: Storage to use again; None: new storage.

    Returns:
        The result for a game without a limit of moves; see the module's text.

    Raises:
        ValueError: The position is impossible under the rules.
    """
    start.check(rules.passes)
    memory, nodes = memory or new_memory(), 0
    limit = MAX_NODES if max_nodes is None else max_nodes
    for easier, most, size in _searches(rules, limit, len(memory.table)):
        if nodes >= limit:
            break
        tried = _Search(memory, start, easier, size)
        status = tried.run(min(most, limit - nodes))
        nodes += tried.nodes
        if status == "impossible":
            return Solved(status, None, nodes)
        if status == "solved" and easier == rules:
            return Solved(status, None, nodes, tuple(write_out(start, tried.steps(), rules.draw)))
    return Solved("unknown", None, nodes)


def _searches(rules: Rules, max_nodes: int, size: int) -> Iterator[tuple[Rules, int, int]]:
    """Yields the searches to run one after another: the rules, the most nodes and the most table entries."""
    yield rules, _GLANCE, min(_GLANCE_SIZE, size)
    if rules != _EASIEST:
        yield _EASIEST, _EASIER, min(_EASIER_SIZE, size)
    yield rules, max_nodes, size


class _Search:
    """One search from a position that has been checked. Only one search at a time can use the memory."""

    def __init__(self, memory: Memory, start: Position, rules: Rules, size: int) -> None:
        self._memory, self._size = memory, size
        self._game = game = memory.games.view(np.recarray)[0]  # fields can be read and written as attributes
        game.draw, game.returns, game.limited = rules.draw, rules.returns, rules.passes is not None
        talon = (*start.waste[::-1], *start.stock)
        for place, card in enumerate(talon):
            game.talon[place], game.place[BIT_OF[card]] = 1 << int(BIT_OF[card]), place
        down, roots, hidden = self._lay_out(start)
        waiting = bits_of(talon)
        up = bits_of(NUM_RANKS * suit + rank for suit in range(4) for rank in range(start.foundations[suit]))
        game.cards = bits_of(card for pile in start.face_up for card in pile) | hidden | waiting | up
        redeals = None if rules.passes is None else rules.passes - start.pass_number
        clock = clock_at(rules.draw, len(start.waste), len(talon), redeals)
        heights = sum(height << 4 * suit for suit, height in enumerate(start.foundations))
        level = Level(down, roots, hidden, (1 << len(talon)) - 1, waiting, clock, due=0)
        begin(memory, size, level, heights)

    def _lay_out(self, start: Position) -> tuple[int, int, int]:
        """Writes the piles into the memory; returns the first three numbers of the level."""
        game, down, roots = self._game, 0, 0
        game.piles[:] = 0
        for pile, (below, up) in enumerate(zip(start.face_down, start.face_up, strict=True)):
            game.radix[pile] = len(below) + 2
            if up and (below or not is_king(up[0])):
                cards = [*below, up[0]]
                game.piles[pile, 1 : len(cards) + 1] = [1 << int(BIT_OF[card]) for card in cards]
                game.pile_of[BIT_OF[cards]] = pile
                down |= len(cards) << 3 * pile
                roots |= bits_of(cards[-1:])
        return down, roots, bits_of(card for pile in start.face_down for card in pile)

    @property
    def nodes(self) -> int:
        """Components looked at so far."""
        return int(self._game.nodes)

    def run(self, max_nodes: int) -> Status:
        """Goes on searching until a win, the end, or a number of nodes."""
        game = self._game
        while game.depth >= 0 and not game.won and game.nodes < max_nodes:
            search(self._memory, self._size, min(max_nodes, self.nodes + _CHUNK))
        if game.won:
            return "solved"
        return "unknown" if game.cut or game.depth >= 0 else "impossible"

    def steps(self) -> Iterator[Step]:
        """Yields the moves that lead to the win found."""
        for row in self._memory.way[: self._game.depth]:
            card, up, before, _, _ = self._memory.choices[row[END]].tolist()
            yield Step(before, int(CARD_AT[card.bit_length() - 1]), bool(up))
