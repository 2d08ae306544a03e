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
from dataclasses import replace
from typing import Any, Final

import numpy as np

from solitaire_agents.kit import Solved, Status, check_goal, known_states
from solitaire_agents.klondike.solver.bitboard import BIT_OF, CARD_AT
from solitaire_agents.klondike.solver.level import Level, clock_at
from solitaire_agents.klondike.solver.line import Step, bits_of, heights_of, roots_of, write_out
from solitaire_agents.klondike.solver.memory import END, Memory, new_memory
from solitaire_agents.klondike.solver.search import begin, search
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.klondike import FIRST_DOWN, GAME, KlondikeOptions
from solitaire_envs.klondike_table import LEAD, PILES

__all__ = ["MAX_NODES", "Memory", "new_memory", "solve"]

MAX_NODES: Final = 20_000_000
"""Most components that the solver looks at by default."""
_GLANCE, _GLANCE_SIZE = 10_000, 1 << 16
_EASIER, _EASIER_SIZE = 300_000, 1 << 20
"""Most nodes and table entries of the short first search, and of the search of the easier game."""
_CHUNK = 200_000
"""Nodes between two checks for Ctrl-C."""


def solve(
    state: Any,
    options: KlondikeOptions,
    *,
    goal: str = "win",
    max_nodes: int | None = None,
    memory: Memory | None = None,
) -> Solved:
    """Settles one position exactly; the result is 'unknown' if `max_nodes` ended the search.

    Args:
        state: The position, one record of `klondike.STATE`. All cards must be known; the game may lack some of the 52.
        options: The options of the game; the limit of moves is no limit here.
        goal: 'win'.
        max_nodes: Most components to look at; None: `MAX_NODES`.
        memory: Storage to use again; None: new storage.

    Returns:
        The result for a game without a limit of moves; see the module's text.

    Raises:
        ValueError: A card of the state is not known, or it is no state under the options.
    """
    check_goal(goal, ("win",))
    (known,) = known_states(GAME, options, state, ("face_down", "talon")).view(np.recarray)
    memory, nodes = memory or new_memory(), 0
    limit = MAX_NODES if max_nodes is None else max_nodes
    for easier, most, size in _searches(options, limit, len(memory.table)):
        if nodes >= limit:
            break
        tried = _Search(memory, known, easier, size)
        status = tried.run(min(most, limit - nodes))
        nodes += tried.nodes
        if status is Status.IMPOSSIBLE:
            return Solved(status, None, nodes)
        if status is Status.SOLVED and easier == options:
            return Solved(status, None, nodes, write_out(known, options, tried.steps()))
    return Solved(Status.UNKNOWN, None, nodes)


def _searches(options: KlondikeOptions, max_nodes: int, size: int) -> Iterator[tuple[KlondikeOptions, int, int]]:
    """Yields the searches to run one after another: the rules, the most nodes and the most table entries."""
    yield options, _GLANCE, min(_GLANCE_SIZE, size)
    easiest = replace(options, draw=1, returns=True, passes=None)
    if options != easiest:
        yield easiest, _EASIER, min(_EASIER_SIZE, size)
    yield options, max_nodes, size


class _Search:
    """One search from a state, of which all is known. Only one search at a time can use the memory."""

    def __init__(self, memory: Memory, state: Any, rules: KlondikeOptions, size: int) -> None:
        self._memory, self._size = memory, size
        self._game = game = memory.games.view(np.recarray)[0]  # fields can be read and written as attributes
        game.draw, game.returns, game.limited = rules.draw, rules.returns, rules.passes is not None
        total, heights = int(state.waste_size + state.stock_size), heights_of(state.foundations)
        talon = BIT_OF[state.talon[LEAD : LEAD + total] - 1]
        game.talon[:total], game.place[talon] = 1 << talon, range(total)
        hidden, waiting = bits_of(state.face_down.tolist()), bits_of(state.talon[LEAD : LEAD + total].tolist())
        up = bits_of(NUM_RANKS * suit + rank for suit in range(4) for rank in range(1, state.foundations[suit] + 1))
        game.cards = bits_of(state.tableau.tolist()) | hidden | waiting | up
        redeals = None if rules.passes is None else rules.passes - int(state.current_pass)
        clock = clock_at(rules.draw, int(state.waste_size), total, redeals)
        roots = roots_of(state.tableau, state.downs)
        level = Level(
            self._lay_out(state, roots), bits_of(roots.values()), hidden, (1 << total) - 1, waiting, clock, obligation=0
        )
        begin(memory, size, level, heights)

    def _lay_out(self, state: Any, roots: dict[int, int]) -> int:
        """Writes the piles into the memory; returns `Level.down`."""
        game, down = self._game, 0
        game.piles[:] = 0
        for pile in range(PILES):
            below = int(state.downs[pile])
            game.radix[pile] = below + 2
            if pile in roots:
                cards = BIT_OF[np.append(state.face_down[FIRST_DOWN[pile] :][:below], roots[pile]).astype(np.int64) - 1]
                game.piles[pile, 1 : len(cards) + 1] = 1 << cards
                game.pile_of[cards] = pile
                down |= len(cards) << 3 * pile
        return down

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
            return Status.SOLVED
        return Status.UNKNOWN if game.cut or game.depth >= 0 else Status.IMPOSSIBLE

    def steps(self) -> Iterator[Step]:
        """Yields the moves that lead to the win found."""
        for row in self._memory.way[: self._game.depth]:
            card, up, before, _, _ = self._memory.choices[row[END]].tolist()
            yield Step(before, int(CARD_AT[card.bit_length() - 1]) + 1, bool(up))
