"""Exhaustive search of La tour infernale without any pruning, the oracle of the exact solver; shares no code with it.

Every state that the rules of the game can reach is visited, so this serves for few cards. Cards are numbers 0..51,
13 * suit + rank - 1. The order of the piles is forgotten, as is which of two empty piles a card went to.
"""

from collections.abc import Iterator
from typing import NamedTuple


class State(NamedTuple):
    """A position: each pile from its bottom, the piles sorted; stock and waste with their tops last."""

    piles: tuple[tuple[int, ...], ...]
    foundations: tuple[int, ...]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    pass_number: int = 1


def won(state: State) -> bool:
    return state.foundations == (13, 13, 13, 13)


def put(piles: tuple[tuple[int, ...], ...], place: int, card: int | None) -> tuple[tuple[int, ...], ...]:
    """Puts a card on a pile, or takes the top away."""
    pile = piles[place][:-1] if card is None else (*piles[place], card)
    return (*piles[:place], pile, *piles[place + 1 :])


def next_states(state: State, passes: int) -> Iterator[State]:
    if state.stock:
        yield state._replace(stock=state.stock[:-1], waste=(*state.waste, state.stock[-1]))
    elif state.waste and state.pass_number < passes:
        yield state._replace(stock=state.waste[::-1], waste=(), pass_number=state.pass_number + 1)
    sources = [(pile[-1], put(state.piles, i, None), state.waste) for i, pile in enumerate(state.piles) if pile]
    if state.waste:
        sources.append((state.waste[-1], state.piles, state.waste[:-1]))
    for card, piles, waste in sources:
        suit, rank = divmod(card, 13)
        if state.foundations[suit] == rank:
            raised = tuple(height + (i == suit) for i, height in enumerate(state.foundations))
            yield state._replace(piles=tuple(sorted(piles)), foundations=raised, waste=waste)
        for i, pile in enumerate(piles):
            if not pile or pile[-1] % 13 == rank + 1:
                yield state._replace(piles=tuple(sorted(put(piles, i, card))), waste=waste)


def winnable(start: State, passes: int, max_states: int) -> bool | None:
    """Whether a position can be won; None: too many states."""
    start = start._replace(piles=tuple(sorted(start.piles)))
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        if won(state):
            return True
        if len(seen) > max_states:
            return None
        for after in next_states(state, passes):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False


def fewest_moves(start: State, max_states: int) -> int | None:
    """Moves to a win, with redeals without limit; None: too many states."""
    layer = {start._replace(piles=tuple(sorted(start.piles)))}
    seen, moves = set(layer), 0
    while not any(won(state) for state in layer):
        if len(seen) > max_states:
            return None
        after = {state._replace(pass_number=1) for before in layer for state in next_states(before, passes=2)}
        layer, moves = after - seen, moves + 1
        seen |= layer
    return moves
