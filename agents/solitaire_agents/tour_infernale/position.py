"""Positions of La tour infernale: read from observations, and followed along a line."""

from collections.abc import Iterator, Sequence

from solitaire_agents.tour_infernale.solver.api import Position
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_RANKS


def read(row: Sequence[int], num_piles: int) -> Position:
    """Returns the position that an observation shows; an unseen card is a number behind those of the cards."""
    height = NUM_RANKS
    slots = {name: row[tour_infernale.GAME.slots(name)] for name in ("tableau", "stock", "waste", "foundations")}
    piles = [slots["tableau"][height * pile : height * (pile + 1)] for pile in range(num_piles)]
    tableau, stock, waste = (
        [tuple(card - 1 for card in pile if card) for pile in cards]
        for cards in (piles, [slots["stock"]], [slots["waste"]])
    )
    return Position(
        tableau=tuple(tableau),
        stock=stock[0],
        waste=waste[0],
        foundations=tuple(slots["foundations"]),
        pass_number=row[tour_infernale.GAME.slots("pass").start],
    )


def play_along(start: Position, actions: Sequence[int]) -> Iterator[tuple[Position, int]]:
    """Yields the position before each action of a line, with the action."""
    tableau, foundations = [list(pile) for pile in start.tableau], list(start.foundations)
    stock, waste, pass_number = list(start.stock), list(start.waste), start.pass_number
    for action in actions:
        piles = tuple(map(tuple, tableau))
        yield (
            Position(
                tableau=piles,
                stock=tuple(stock),
                waste=tuple(waste),
                foundations=tuple(foundations),
                pass_number=pass_number,
            ),
            action,
        )
        source, target = tour_infernale.ACTIONS[action]
        if action == tour_infernale.DRAW:
            waste.insert(0, stock.pop(0))
        elif action == tour_infernale.REDEAL:
            stock, waste, pass_number = waste[::-1], [], pass_number + 1
        else:
            card = waste.pop(0) if source == tour_infernale.WASTE else tableau[source].pop()
            if target == tour_infernale.FOUNDATION:
                foundations[card // NUM_RANKS] += 1
            else:
                tableau[target].append(card)
