"""Problems for the search: a position, and a goal.

*One search for all goals.* Each goal is a value to maximise, bonus - cards left. A depth-first search looks
for a line worth a target. Each line found raises the target, until no line is found: then the last one is the best. If
the score is below -1, a second search counts the cards left without clearing the pyramid, which are one or more.
"""

from typing import Any, Final

from solitaire_agents.kit import Status
from solitaire_agents.pyramid.solver.relaxation import NEVER
from solitaire_agents.pyramid.solver.search import improve
from solitaire_agents.pyramid.solver.tables import CLEAR, KINGS, PASSES, REMAIN, lay_out
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import CLEARED_BONUS, bonus
from solitaire_envs.pyramid_table import PYRAMID_SIZE, STOCK_SIZE

ALL, PYRAMID, SCORE = range(3)
"""Goals."""
IMPOSSIBLE, SOLVED, UNKNOWN = map(int, (Status.IMPOSSIBLE, Status.SOLVED, Status.UNKNOWN))
_MOST: Final = int(CLEARED_BONUS.max())  # no value is higher


@kernel
def settle(state: Any, goal: int, rules: Any, max_nodes: int, memory: Any, line: Any) -> tuple[int, int, int]:
    """Settles one position.

    Args:
        state: One record of `pyramid.STATE`, its cards known.
        goal: ALL, PYRAMID or SCORE.
        rules: The rules record. It allows the state's pass.
        max_nodes: Most states to search.
        memory: A `Memory`, which may have been used before.
        line: int64[LINE_SIZE], filled with the number of states of the best line (0: none) and these states.

    Returns:
        A `Status`; the value (the score; if unknown, the best found; 0 for ALL and PYRAMID);
        the number of states searched.
    """
    problem = memory.problems[0]
    lay_out(problem, state, rules)
    left, pointer = cards_left(problem, state, goal, rules)
    ask(problem, state, goal, rules)
    problem.nodes, problem.max_nodes, line[0] = 0, max_nodes, 0
    spare = 0 if goal == ALL else left & ~problem.pyramid & ~KINGS
    target = 0 if goal == ALL else -NUM_CARDS
    enough = _MOST if goal == SCORE else target
    best, proved = improve(problem, left, pointer, spare, target, enough, memory.table, line)
    if goal == SCORE and proved and best < -1 and state.pyramid:
        lay_out(problem, state, rules)
        problem.mode, problem.bonus[:] = REMAIN, 0
        target = max(best + 1, -NUM_CARDS)
        more, proved = improve(problem, left, pointer, left & ~KINGS, target, _MOST, memory.table, line)
        best = max(best, more)
    status = UNKNOWN if not proved else SOLVED if best > NEVER else IMPOSSIBLE
    return status, best if goal == SCORE else 0, problem.nodes


@kernel
def cards_left(problem: Any, state: Any, goal: int, rules: Any) -> tuple[int, int]:
    """Returns the cards left that the search needs, and the pointer at the next of them.

    The state is the one laid out, or follows it by one move: the stock holds the last cards of its talon, the waste the
    first ones.
    """
    pointer, left = problem.talon - state.stock_size, 0
    for i in range(NUM_CARDS):
        bit, at = 1 << problem.slot[i], i - PYRAMID_SIZE
        in_stock = at >= 0
        in_talon = at < state.waste_size or pointer <= at < problem.talon
        present = in_talon if in_stock else state.pyramid >> i & 1
        buried = state.current_pass == rules.passes and in_stock and at < pointer
        if present and (not bit & KINGS or (goal == SCORE and buried)):
            left |= bit
    while pointer < STOCK_SIZE and left & problem.stock[pointer] == 0:
        pointer += 1
    return left, pointer


@kernel
def ask(problem: Any, state: Any, goal: int, rules: Any) -> None:
    """Writes the value to maximise, the number of passes and the bonus of each into the problem."""
    this_pass = state.current_pass
    problem.mode = CLEAR
    problem.passes = min(rules.passes - this_pass + 1, PASSES)
    problem.bonus[:] = 0
    if goal == SCORE and state.pyramid == 0:
        problem.bonus[:] = bonus(state)
    elif goal == SCORE:
        for k in range(this_pass, len(CLEARED_BONUS) + 1):
            problem.bonus[k - this_pass] = CLEARED_BONUS[k - 1]


@entry_point("pyramid solver")
def settle_all(states: Any, goal: int, rules: Any, max_nodes: int, memory: Any, line: Any, results: Any) -> None:
    """Calls `settle` for records of `pyramid.STATE`, [N], with rules [1]; writes the results, int64[N, 3]."""
    for i in range(len(states)):
        results[i, 0], results[i, 1], results[i, 2] = settle(states[i], goal, rules[0], max_nodes, memory, line)
