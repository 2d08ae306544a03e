"""Which moves of a position keep a goal within reach: the searches of all moves share their storage.

They share the position's tables, what `refine` strikes out there, and most of what the searches find: the states that
are lost, and those on the way to a win. If the position itself is lost, so is each move. What is struck out is in no
line from the position that reaches the goal, so in none from a move. This holds for goals of yes and no.
"""

from typing import Any

import numpy as np

from solitaire_agents.pyramid.solver.relaxation import NEVER, refine
from solitaire_agents.pyramid.solver.search import (
    GLANCE,
    LINE_SIZE,
    LOST,
    WINS,
    WON,
    expand,
    is_hopeless,
    look_up,
    value_of,
)
from solitaire_agents.pyramid.solver.settle import ALL, IMPOSSIBLE, SOLVED, UNKNOWN, ask, cards_left
from solitaire_agents.pyramid.solver.tables import KINGS, STEPS, lay_out, match_all
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import allocating_kernel, entry_point, kernel


@entry_point("pyramid solver")
def settle_moves(
    states: Any, ends: Any, after: Any, goal: int, rules: Any, max_nodes: int, memory: Any, statuses: Any
) -> None:
    """Settles the positions after some moves.

    Args:
        states: Records of `pyramid.STATE`, [N], before the moves.
        ends: int64[N], for each of them the index in `after` behind its last move.
        after: The states after the moves, [M], in the order of the states before them.
        goal: ALL or PYRAMID.
        rules: The rules record, [1]. It allows the pass of each state.
        max_nodes: Most states to search for each position and for each move.
        memory: A `Memory`, which may have been used before.
        statuses: int64[M], filled with a `Status` each.
    """
    problem, first = memory.problems[0], 0
    for i in range(len(states)):
        lay_out(problem, states[i], rules[0])
        moves = after[first : ends[i]]
        _settle(problem, states[i], moves, goal, rules[0], max_nodes, memory.table, statuses[first : ends[i]])
        first = ends[i]


@kernel
def _settle(
    problem: Any, state: Any, moves: Any, goal: int, rules: Any, max_nodes: int, table: Any, statuses: Any
) -> None:
    """Settles the positions after the moves of one position, which is laid out."""
    start, start_clock = cards_left(problem, state, goal, rules)
    spare = 0 if goal == ALL else start & ~problem.pyramid & ~KINGS
    target = 0 if goal == ALL else -NUM_CARDS  # no card left, or the pyramid cleared and any number left
    ask(problem, state, goal, rules)
    problem.must = start & ~spare & ~KINGS
    problem.generation += 1
    statuses[:], is_refined = IMPOSSIBLE, False
    if max_nodes > GLANCE:
        match_all(problem, start, spare)
    for k in range(-1, len(moves)):  # first the position itself: if it is lost, so is each move
        left, clock, status = start, start_clock, UNKNOWN
        if k >= 0:
            left, pointer = cards_left(problem, moves[k], goal, rules)
            clock = STEPS * (moves[k].current_pass - state.current_pass) + pointer
        if not is_refined and max_nodes > GLANCE:
            status = decide(problem, left, clock, target, GLANCE, table)
        if status == UNKNOWN:
            if not is_refined:  # once is enough: what is struck out stays so after a move
                possible, still_spare = refine(problem, start, start_clock, target, spare)
                if not possible:
                    return
                problem.must, is_refined = start & ~still_spare & ~KINGS, True
            status = decide(problem, left, clock, target, max_nodes, table)
        if k >= 0:
            statuses[k] = status
        elif status == IMPOSSIBLE:
            return


@allocating_kernel
def decide(problem: Any, left: int, clock: int, target: int, max_nodes: int, table: Any) -> int:
    """Looks for a line worth `target`, and keeps its results in the table."""
    lefts, labels = np.empty(4096, np.int64), np.empty(4096, np.int64)  # as in `search`
    path, clocks, top = np.empty(LINE_SIZE, np.int64), np.empty(LINE_SIZE, np.int64), 1
    lefts[0], labels[0], nodes = left, clock << 12, 0
    while top:
        top -= 1
        left, level, clock = lefts[top], labels[top] >> 24, labels[top] >> 12 & 4095
        path[level], clocks[level] = left, clock
        value = value_of(problem, left, clock)
        known = WON if value >= target else LOST if value > NEVER else look_up(problem, table, left, clock)
        if known == WON:
            for k in range(level + 1):
                _note_win(problem, table, path[k], clocks[k])
            return SOLVED
        if known == LOST:
            continue
        if nodes == max_nodes:
            for k in range(level + 1):
                _forget(problem, table, path[k])
            return UNKNOWN
        nodes += 1
        if not is_hopeless(problem, left, clock, target):
            n = expand(problem, left, clock, lefts[top:], labels[top:])
            for k in range(top, top + n):  # one by one, as slices of arrays take seconds to compile
                labels[k] |= level + 1 << 24
            top += n
    return IMPOSSIBLE


@kernel
def _note_win(problem: Any, table: Any, left: int, clock: int) -> None:
    """Marks the entry of a state as won."""
    bucket, stamp = table[left % len(table)], problem.generation << 24
    for k in range(4):
        if bucket[k, 0] == left and bucket[k, 1] == stamp | clock << 12:
            bucket[k, 1] |= WINS


@kernel
def _forget(problem: Any, table: Any, left: int) -> None:
    """Removes the entry of a state whose search has not ended."""
    bucket, stamp = table[left % len(table)], problem.generation << 24
    for k in range(4):
        if bucket[k, 0] == left and bucket[k, 1] >= stamp and not bucket[k, 1] & WINS:
            bucket[k, 1] = -1
