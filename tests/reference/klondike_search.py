"""Exhaustive search of Klondike without any pruning, the oracle of the exact solver; shares no code with it.

Every state that the rules of the game can reach is visited, so this serves for few cards, all of them known. Cards are
numbers 0..51, 13 * suit + rank - 1. The order of the piles is forgotten, as is which of two empty piles a card went to.
"""

from collections.abc import Iterator
from typing import NamedTuple


class Pile(NamedTuple):
    """A pile of the tableau, from its bottom."""

    down: tuple[int, ...] = ()
    up: tuple[int, ...] = ()


class State(NamedTuple):
    """A position: the piles sorted; foundations as heights; stock and waste with their tops last."""

    piles: tuple[Pile, ...]
    foundations: tuple[int, ...]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    pass_number: int = 1  # counts only if the passes are limited


def won(state: State) -> bool:
    """Whether all cards are on the foundations; how many there are is up to the position."""
    return not state.stock and not state.waste and all(pile == Pile() for pile in state.piles)


def fits(card: int, pile: Pile) -> bool:
    if not pile.up:
        return card % 13 == 12
    top = pile.up[-1]
    return card % 13 + 1 == top % 13 and (card // 13 in (1, 2)) != (top // 13 in (1, 2))


def without(pile: Pile, count: int) -> Pile:
    """Takes cards from the top of a pile, and turns up the face-down card that is then on top."""
    up = pile.up[: len(pile.up) - count]
    return Pile(pile.down, up) if up or not pile.down else Pile(pile.down[:-1], pile.down[-1:])


def replaced(piles: tuple[Pile, ...], place: int, pile: Pile) -> tuple[Pile, ...]:
    return (*piles[:place], pile, *piles[place + 1 :])


def put(piles: tuple[Pile, ...], cards: tuple[int, ...], source: int | None = None) -> Iterator[tuple[Pile, ...]]:
    """Puts cards on each pile on which the undermost fits, but not on the one that they come from."""
    for place, pile in enumerate(piles):
        if place != source and fits(cards[0], pile):
            yield tuple(sorted(replaced(piles, place, Pile(pile.down, pile.up + cards))))


def changed(foundations: tuple[int, ...], suit: int, by: int) -> tuple[int, ...]:
    return tuple(height + by * (i == suit) for i, height in enumerate(foundations))


def next_states(state: State, draw: int, returns: bool, passes: int | None) -> Iterator[State]:
    """Yields the state after each move; moves to a foundation come last, as the search tries the last state first."""
    if state.stock:
        drawn = state.stock[-draw:]
        yield state._replace(stock=state.stock[:-draw], waste=state.waste + drawn[::-1])
    elif state.waste and (passes is None or state.pass_number < passes):
        number = 1 if passes is None else state.pass_number + 1
        yield state._replace(stock=state.waste[::-1], waste=(), pass_number=number)

    if returns:
        for suit, height in enumerate(state.foundations):
            if height:
                for piles in put(state.piles, (13 * suit + height - 1,)):
                    yield state._replace(piles=piles, foundations=changed(state.foundations, suit, -1))

    for place, pile in enumerate(state.piles):
        # A whole pile goes to an empty one, too: as the order of the piles is forgotten, that is the same state again.
        for count in range(1, len(pile.up) + 1):
            for piles in put(replaced(state.piles, place, without(pile, count)), pile.up[-count:], place):
                yield state._replace(piles=piles)

    sources = [
        (pile.up[-1], replaced(state.piles, i, without(pile, 1)), state.waste)
        for i, pile in enumerate(state.piles)
        if pile.up
    ]
    if state.waste:
        for piles in put(state.piles, state.waste[-1:]):
            yield state._replace(piles=piles, waste=state.waste[:-1])
        sources.append((state.waste[-1], state.piles, state.waste[:-1]))
    for card, piles, waste in sources:
        suit, rank = divmod(card, 13)
        if state.foundations[suit] == rank:
            raised = changed(state.foundations, suit, 1)
            yield state._replace(piles=tuple(sorted(piles)), foundations=raised, waste=waste)


def winnable(start: State, draw: int, returns: bool, passes: int | None, max_states: int) -> bool | None:
    """Whether all cards can go to the foundations; None: too many states."""
    start = start._replace(piles=tuple(sorted(start.piles)))
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        if won(state):
            return True
        if len(seen) > max_states:
            return None
        for after in next_states(state, draw, returns, passes):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False
