"""Questions to the search: a position, and a goal.

*One search for all goals.* Each goal is a value to maximise: bonus - cards left, or - moves. A depth-first search looks
for a line worth a target. Each line found raises the target, until no line is found: then the last one is the best. If
the score is below -1, a second search counts the cards left without clearing the pyramid, which are one or more.
"""

from typing import Any, Final, NamedTuple

from solitaire_agents.pyramid.solver.bounds import NEVER
from solitaire_agents.pyramid.solver.search import improve
from solitaire_agents.pyramid.solver.tables import CLEAR, FEWEST_MOVES, KINGS, PASSES, REMAIN, lay_out
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import CLEARED_BONUS
from solitaire_envs.pyramid_table import PYRAMID_SIZE, STOCK_SIZE

ALL, PYRAMID, SCORE, SHORTEST_ALL, SHORTEST_PYRAMID = range(5)
"""Goals."""
SOLVED, IMPOSSIBLE, UNKNOWN = range(3)
"""Results of a search."""
_MOST: Final = int(CLEARED_BONUS.max())  # no value is higher


class Position(NamedTuple):
    """A position of one deal; by default the one after the deal. A redeal keeps the order of the stock."""

    pyramid: int = (1 << PYRAMID_SIZE) - 1
    """Bit i: card i of the deck, counted from 0, has not been discarded."""
    stock: int = (1 << STOCK_SIZE) - 1
    """Bit i: card 28 + i of the deck has not been discarded."""
    pointer: int = 0
    """Stock cards with a lower index are the waste, the highest of them on top. The others are the stock."""
    pass_number: int = 1
    """From 1."""
    bonus: int = 0
    """The bonus if the pyramid is already cleared."""


@kernel
def settle(
    deck: Any,
    position: Any,
    goal: int,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int,
    questions: Any,
    table: Any,
    line: Any,
) -> tuple[int, int, int]:
    """Settles one position; other kernels call it.

    Args:
        deck: int[52], the cards in dealing order.
        position: int64[5], a `Position`.
        goal: ALL, PYRAMID, SCORE, SHORTEST_ALL or SHORTEST_PYRAMID.
        passes: Passes allowed, not fewer than the position's.
        stock_waste_pairs: Whether the tops of stock and waste may be paired.
        max_nodes: Most states to search.
        questions: Of a `Memory`, which may have been used before.
        table: Of a `Memory`.
        line: int64[LINE_SIZE], filled with the number of states of the best line (0: none) and these states.

    Returns:
        SOLVED, IMPOSSIBLE or UNKNOWN; the value (score or moves; if unknown, the best found; 0 for ALL and PYRAMID);
        the number of states searched.
    """
    question = questions[0]
    lay_out(question, deck, stock_waste_pairs)
    left, pointer, cost = cards_left(question, position, goal, passes)
    ask(question, position, goal, passes)
    question.nodes, question.max_nodes, line[0] = 0, max_nodes, 0
    spare = 0 if goal in (ALL, SHORTEST_ALL) else left & ~question.pyramid & ~KINGS
    target = 0 if goal == ALL else -NUM_CARDS if goal <= SCORE else NEVER + 1
    enough = target if goal <= PYRAMID else _MOST
    best, proved = improve(question, left, pointer, cost, spare, target, enough, table, line)
    if goal == SCORE and proved and best < -1 and position[0]:
        lay_out(question, deck, stock_waste_pairs)
        question.mode, question.bonus[:] = REMAIN, 0
        target = max(best + 1, -NUM_CARDS)
        more, proved = improve(question, left, pointer, 0, left & ~KINGS, target, _MOST, table, line)
        best = max(best, more)
    status = UNKNOWN if not proved else SOLVED if best > NEVER else IMPOSSIBLE
    return status, best if goal == SCORE else -best if goal > SCORE else 0, question.nodes


@kernel
def cards_left(question: Any, position: Any, goal: int, passes: int) -> tuple[int, int, int]:
    """Returns the cards left that the search needs, the pointer at the next of them, and the moves for the others."""
    pointer, left, cost = position[2], 0, 0
    for i in range(NUM_CARDS):
        bit = 1 << question.slot[i]
        in_stock = i >= PYRAMID_SIZE
        present = position[1] >> (i - PYRAMID_SIZE) & 1 if in_stock else position[0] >> i & 1
        buried = position[3] == passes and in_stock and i < PYRAMID_SIZE + pointer
        may_stay = (goal == SHORTEST_PYRAMID and in_stock) or (goal == SCORE and buried)
        if present and (not bit & KINGS or may_stay):
            left |= bit
        elif present and goal >= SHORTEST_ALL:
            cost += 1
    while pointer < STOCK_SIZE and left & question.stock[pointer] == 0:
        pointer += 1
    return left, pointer, cost


@kernel
def ask(question: Any, position: Any, goal: int, passes: int) -> None:
    """Writes the value to maximise, the number of passes and the bonus of each into the question."""
    this_pass = position[3]
    question.mode = CLEAR if goal <= SCORE else FEWEST_MOVES
    question.passes = min(passes - this_pass + 1, PASSES)
    question.bonus[:] = 0
    if goal == SCORE and position[0] == 0:
        question.bonus[:] = position[4]
    elif goal == SCORE:
        for k in range(this_pass, len(CLEARED_BONUS) + 1):
            question.bonus[k - this_pass] = CLEARED_BONUS[k - 1]


@entry_point("pyramid solver")
def settle_all(
    decks: Any,
    positions: Any,
    goal: int,
    passes: int,
    stock_waste_pairs: bool,
    max_nodes: int,
    questions: Any,
    table: Any,
    line: Any,
    results: Any,
) -> None:
    """Calls `settle` for decks, int64[N, 52], and positions, int64[N, 5]; writes the results, int64[N, 3]."""
    for i in range(len(decks)):
        settled = settle(decks[i], positions[i], goal, passes, stock_waste_pairs, max_nodes, questions, table, line)
        results[i, 0], results[i, 1], results[i, 2] = settled
