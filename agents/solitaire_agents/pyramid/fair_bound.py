"""An upper bound on what any fair player of Pyramid can win, by information relaxation (Brown, Smith and Sun 2010).

For each deal, one who sees all cards plays as well as he can. But each card that turns up costs him a *penalty*:
v(what is now known) minus the mean of v over all cards that could have come.

*Why it is a bound.* v may be any function of what a player with perfect memory knows. Given that and his move, each
hidden card is equally likely to come. So the penalties of every fair player have mean zero, and his mean result is the
mean of result minus penalties. In each deal that is at most the maximum over all lines of play, which is computed here.
The same v must serve for the card that came and for those that could have come. Neither v nor the effort for it may
depend on the order of the hidden cards. With v = 0 the bound is the share that can be won with all cards known. If v is
the chance to win under the best fair play, the bound is that chance, in every deal.

*Which moves it needs.* A bound on some fair players that include a best one is a bound on all. A best player, for a
win, can keep to four rules in pass 1. For each rule, a player who breaks it is imitated by one who keeps it. The latter
knows no less, and reaches the same positions, or such with kings gone.

1. An available king goes at once. It has no partner, and its discard only opens other cards.
2. The top of the stock is never paired with a card of the pyramid. Drawn first, it is the top of the waste, and the
   pair leads to the same position; but one more card has been seen before the choice.
3. A pair within the pyramid waits until it helps to uncover the partner of the waste's top, which is discarded before
   any card is drawn; else until all is known. Its cards stay open, whatever else goes. So other pairs can be made
   later.
4. No move is made after which the cards left cannot be paired off, wherever the hidden ones lie: the game is lost then.
   Drawing is never such a move.

The rules look at nothing hidden. So they restrict fair players, and the one who sees all cards may be restricted in the
same way. With v = 0 they cost him nothing: the imitation works for him too. With penalties, no other shortcut of the
solver is right before all is known. For example, it may pay to discard later than possible.

*How it is computed.* A position of pass 1 is the set of cards left and the place of the stock's top. Both are kept
whole, so no result rests on a hash. A card turns up when the stock's top is drawn, paired with the waste's top, or is a
king. Once at most one card is hidden, all is known, and the solver says whether the game is won.

*A v that never raises the bound.* The *regret* of a position is the chance, given what is known, that the deal could be
won from its start but no longer, each time with all cards known. Let v = -regret where few cards are hidden, else 0.
Regret is the difference of two chances, f from the start and g from the position. Their changes are the penalties. With
the card that comes, f has its mean before, so its changes add up to the result with all cards known minus f where few
cards became hidden. g drops with moves only, so result minus its changes is at most g there, and g is at most f.
Together, the bound of no deal is above its result with all cards known.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.kit import known_states
from solitaire_agents.pyramid.first_pass import MOST_WAYS, NOT_THERE, Positions, Storage, list_all, pose
from solitaire_agents.pyramid.solver.api import Memory, new_memory
from solitaire_agents.pyramid.solver.moves import decide
from solitaire_agents.pyramid.solver.relaxation import refine
from solitaire_agents.pyramid.solver.search import GLANCE
from solitaire_agents.pyramid.solver.settle import ALL, IMPOSSIBLE, PYRAMID, SOLVED, UNKNOWN
from solitaire_agents.pyramid.solver.tables import KINGS
from solitaire_agents.pyramid.uses import BOUND
from solitaire_agents.uses import check_uses
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_envs.pyramid_table import KING, STOCK_SIZE

BY_RANK: Final = KING + 1
"""Size of an array with a place for each rank; place 0 is not used."""
ALL_NODES: Final = 1 << 60


# --- What they are worth if all cards are known -----------------------------------------------------------------------


@kernel
def _add_wins(problem: Any, state: Any, goal: int, rules: Any, table: Any, lefts: Any, places: Any, wins: Any) -> bool:
    """Adds 1 for each position that can be won in one order of the stock; returns whether the start can.

    What `refine` strikes out is in no won line from the start, so in none from a position that follows it.

    Args:
        problem: Written to.
        state: The start, its stock in that order.
        goal: ALL or PYRAMID.
        rules: The rules record.
        table: Of the solver's memory.
        lefts: int64 [n], the cards left.
        places: int64 [n], the place of the stock's top.
        wins: float64 [n], added to.
    """
    start, spare, pointer = pose(problem, state, goal, rules)
    target = 0 if goal == ALL else -NUM_CARDS
    status = decide(problem, start, pointer, target, GLANCE, table)
    if status != IMPOSSIBLE:
        possible, spare = refine(problem, start, pointer, target, spare)
        if possible:
            problem.must = start & ~spare & ~KINGS
            if status == UNKNOWN:
                status = decide(problem, start, pointer, target, ALL_NODES, table)
        else:
            status = IMPOSSIBLE
    for i in range(len(lefts) if status == SOLVED else 0):
        clock = places[i]
        while clock < STOCK_SIZE and problem.stock[clock] & KINGS:
            clock += 1
        wins[i] += decide(problem, lefts[i], clock, target, ALL_NODES, table) == SOLVED
    return bool(status == SOLVED)


@entry_point("fair bound")
def _settle_known(state: Any, goal: int, rules: Any, memory: Any, lefts: Any, places: Any, wins: Any) -> None:
    """Writes 1 for each position that can be won in the order of the stock, 0 for the others; see `_add_wins`."""
    wins[:] = 0
    _add_wins(memory.problems[0], state[0], goal, rules[0], memory.table, lefts, places, wins)


@entry_point("fair bound")
def _look_back(
    states: Any, goal: int, rules: Any, memory: Any, lefts: Any, places: Any, hidden: Any, regrets: Any
) -> None:
    """Writes the regret of each position, by the rank of the stock's top.

    It is the share of the orders of the hidden cards in which the start can be won, but the position cannot.

    Args:
        states: [2] the start, and storage.
        goal: As in `_add_wins`.
        rules: As in `_add_wins`, [1].
        memory: The solver's.
        lefts: int64 [n], the cards left.
        places: int64 [n], all the same: the place of the stock's top, which has just turned up.
        hidden: int64 [BY_RANK], the cards of each rank at the top or below it.
        regrets: float64 [BY_RANK, n], written to.
    """
    made = states[1]
    regrets[:] = 0
    for top in range(1, BY_RANK):
        if hidden[top]:
            states[1] = states[0]
            first, orders, won = STOCK_SIZE - made.stock_size + places[0] - made.waste_size, 0, 0
            end = first
            for rank in range(1, BY_RANK):
                for _ in range(hidden[rank] - (rank == top)):
                    end += 1
                    made.stock[end] = rank
            made.stock[first] = top
            wins, more = regrets[top], True
            while more:
                won += _add_wins(memory.problems[0], made, goal, rules[0], memory.table, lefts, places, wins)
                more, orders = _next_order(made.stock, first + 1, end), orders + 1
            for i in range(len(lefts)):
                regrets[top, i] = (won - wins[i]) / orders


@kernel
def _next_order(cards: Any, first: int, last: int) -> bool:
    """Puts the cards at first..last into the next order of the alphabet; returns False if there is none."""
    i = last - 1
    while i >= first and cards[i] >= cards[i + 1]:
        i -= 1
    if i < first:
        return False
    j = last
    while cards[j] <= cards[i]:
        j -= 1
    cards[i], cards[j] = cards[j], cards[i]
    i, j = i + 1, last
    while i < j:
        cards[i], cards[j] = cards[j], cards[i]
        i, j = i + 1, j - 1
    return True


# --- The bound --------------------------------------------------------------------------------------------------------


@entry_point("fair bound")
def _maximise(found: Any, order: Any, results: Any, penalties: Any, best: Any) -> None:
    """Writes the most that is left to gain from each position by one who sees all cards.

    Args:
        found: `Positions`.
        order: int64 [n]: the positions, each behind those that can follow it.
        results: float64 [n]: 1 for positions that can be won, where all is known.
        penalties: float64 [n]: for the card that has turned up in a position.
        best: float64 [n], written to.
    """
    for at in order:
        if found.drawn[at] == NOT_THERE:
            best[at] = results[at]
            continue
        best[at] = best[found.drawn[at]] - penalties[found.drawn[at]]
        if found.paired[at] != NOT_THERE:
            best[at] = max(best[at], best[found.paired[at]] - penalties[found.paired[at]])
        for move in range(found.end[at - 1] if at else 0, found.end[at]):
            best[at] = max(best[at], best[found.after[move]])


@dataclass
class PassOne:
    """Pass 1 of a deal, for one who sees all cards.

    Args:
        state: The start, one record of `pyramid.STATE` as an array.
        options: The options of the game.
        memory: Storage of the solver.

    Attributes:
        positions: Its positions, the start first.
        hidden: int64 [places, BY_RANK]: by the place of the stock's top, the cards of each rank there and below.
        came: int64 [places]: the rank of the card that lies at each place.
        slot: int64 [52]: by place in the deck, the slot of a card in `Positions.left`.
    """

    state: NDArray[np.void]
    options: PyramidOptions
    memory: Memory

    def __post_init__(self) -> None:
        self._goal = PYRAMID if self.options.goal == "pyramid" else ALL
        self._rules, room = self.options.to_rules(), 1 << 16
        while (found := self._list(room)) is None:
            room *= 4
        self.positions = found
        state, waste, stock = self.state[0], int(self.state[0]["waste_size"]), int(self.state[0]["stock_size"])
        self.slot = self.memory.problems["slot"][0].copy()
        self.came = np.zeros(waste + stock + 1, np.int64)
        self.came[waste:-1] = state["stock"][STOCK_SIZE - stock : STOCK_SIZE] & 15
        ranks = self.came[:, None] == np.arange(BY_RANK)
        self.hidden = ranks[::-1].cumsum(axis=0)[::-1] * (np.arange(BY_RANK) > 0)
        self._order = np.lexsort((np.bitwise_count(found.left), -found.place))
        ended = np.flatnonzero(found.drawn == NOT_THERE)
        wins, self._results = np.zeros(len(ended)), np.zeros(len(found.left))
        rules, lefts = self._rules, (found.left[ended], found.place[ended])
        _settle_known(self.state[:1], self._goal, rules, self.memory, *lefts, wins)
        self._results[ended] = wins

    def _list(self, room: int) -> Positions | None:
        found = Positions._make([*np.zeros((6, room), np.int64), np.zeros(room, np.bool_)])
        tables, ways = np.zeros((2, 4 * room), np.int64), np.zeros((3, MOST_WAYS), np.int64)
        storage = Storage._make([*tables, np.zeros(room, np.int64), *ways])
        n = list_all(self.state, self._goal, self._rules, self.memory, found, storage)
        if n < 0:
            return None
        after = found.after[: found.end[n - 1]]
        return Positions._make([*(array[:n] for array in found[:5]), after, found.came[:n]])

    def regrets(self, most_hidden: int) -> NDArray[np.float64]:
        """Returns the regret of each position, given the card that has turned up.

        It is the share of the orders of the hidden cards in which the deal can be won from the start, but no longer.

        Args:
            most_hidden: It is 0 if more cards than this were hidden before that card turned up. For each position, the
                solver is asked about all orders of these cards.

        Returns:
            [BY_RANK, n], by the rank of the card; 0 where none has turned up.
        """
        regrets, last = np.zeros((BY_RANK, len(self.positions.left))), int(self.positions.place[-1])
        states, asked = np.concatenate([self.state, self.state]), (self._goal, self._rules, self.memory)
        for place in range(max(int(self.positions.place[0]) + 1, len(self.hidden) - 1 - most_hidden), last + 1):
            here = self.positions.came & (self.positions.place == place)
            lefts, places = self.positions.left[here], self.positions.place[here]
            found = np.zeros((BY_RANK, len(lefts)))
            if len(lefts):
                _look_back(states, *asked, lefts, places, self.hidden[place], found)
            regrets[:, here] = found
        return regrets

    def bound(self, values: NDArray[np.float64]) -> float:
        """Returns the most that one who sees all cards can gain, less the penalties.

        Args:
            values: [BY_RANK, n], v of each position, given the card that has turned up; only those are used. It must
                depend on nothing that a player does not know then.
        """
        came, place = self.positions.came, self.positions.place
        hidden, used = self.hidden[place[came]], values[:, came]
        mean = (np.where(hidden.T > 0, used, 0) * hidden.T).sum(axis=0) / hidden.sum(axis=1)
        penalties, best = np.zeros(len(came)), np.zeros(len(came))
        penalties[came] = used[self.came[place[came]], np.arange(len(mean))] - mean
        _maximise(self.positions, self._order, self._results, penalties, best)
        return float(best[0])


def pass_one(state: Any, options: PyramidOptions, memory: Memory | None = None) -> PassOne:
    """Returns pass 1 from a state on.

    Args:
        state: One record of `pyramid.STATE`.
        options: The options of the game.
        memory: Storage of the solver; None: new storage.

    Raises:
        ValueError: A card of the state is not known, or there is no bound under the options.
    """
    check_uses(BOUND, options, "a bound on fair players")
    return PassOne(known_states(GAME, options, state, ("stock", "waste")), options, memory or new_memory())
