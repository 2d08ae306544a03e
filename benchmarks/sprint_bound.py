"""How few moves La tour infernale can take, whoever plays: a bound from below, deal by deal.

    .venv/bin/python benchmarks/sprint_bound.py --deals 2000

Every card of the stock is drawn and every card goes up: 46 + 52 moves. A card of the stock that is put on the tableau,
or drawn again, takes one more at least; the others go up out of the waste, which is a stack, in its first pass. So no
player, not even one who sees the stock, does with fewer further moves than there are cards in the smallest set without
which all others can go up so. That set is found exactly, with the rest made easy: the tableau has room without end,
and a card there is never covered. True play takes more.
"""

import argparse

import numpy as np

from solitaire_agents.catalogue import find_agent
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, deck_of_deal
from solitaire_envs.jit import kernel
from solitaire_envs.series import TourInfernaleSprintOptions
from solitaire_envs.tour_infernale import GAME, MAX_PILES, TourInfernaleOptions
from solitaire_training.evaluate import play

DRAWS = NUM_CARDS - MAX_PILES
BUDGET = TourInfernaleSprintOptions().budget


@kernel
def lower(card: int) -> int:
    """The cards of the same suit that go up before a card."""
    return ((1 << card % NUM_RANKS) - 1) << card - card % NUM_RANKS


@kernel
def fewest(stock, suffix, i: int, free: int, waste: int, order: int, spent: int, best: int) -> int:
    """Returns the size of the smallest such set, `best` if there is none smaller.

    Args:
        stock: The cards in the order of drawing.
        suffix: [i] the smallest set for the cards from i on, if none is in the waste; a bound for any waste.
        i: Cards drawn.
        free: Those of all cards that can go up in their turn: dealt to the tableau, in the set, or up already.
        waste: The other cards drawn.
        order: The same, a bit for the place of each in the stock.
        spent: Cards of the set so far.
        best: The smallest set so far.
    """
    while order:
        top = i - 1
        while order >> top & 1 == 0:
            top -= 1
        if lower(stock[top]) & ~free:
            break
        free, waste, order = free | 1 << stock[top], waste & ~(1 << stock[top]), order & ~(1 << top)
    if spent + suffix[i] >= best or i == len(stock):
        return min(best, spent + suffix[i])
    card = stock[i]
    if lower(card) & waste == 0:  # on one of these it could never go up before they do, nor they before it
        best = fewest(stock, suffix, i + 1, free, waste | 1 << card, order | 1 << i, spent, best)
    if lower(card) & ~free:  # otherwise it has just gone up
        best = fewest(stock, suffix, i + 1, free | 1 << card, waste, order, spent + 1, best)
    return best


@kernel  # no entry point: code that calls itself does not survive a cache on disk
def bound(stock, suffix) -> int:
    """Returns the least number of moves of a deal, from its stock int64[46] and storage int64[47] of zeros."""
    dealt = (1 << NUM_CARDS) - 1
    for card in stock:
        dealt &= ~(1 << card)
    for i in range(len(stock) - 1, -1, -1):  # from the last cards on, each search bounds the next
        free = dealt
        for card in stock[:i]:
            free |= 1 << card
        suffix[i] = suffix[i + 1]
        suffix[i] = fewest(stock, suffix, i, free, 0, 0, 0, suffix[i + 1] + 2)
    return len(stock) + NUM_CARDS + suffix[0]


def wins(moves: np.ndarray) -> list[int]:
    """Plays deals of so many moves one after another in sprints; returns how many end in each."""
    counts, at = [], 0
    while at < len(moves):
        ended = int(np.searchsorted(moves[at:].cumsum(), BUDGET, side="right"))
        counts.append(ended)
        at += ended + 1
    return counts[:-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=2_000, help="of the test deals, the first so many")
    deals = parser.parse_args().deals
    if deals < 20:
        parser.error(f"expected at least 20 deals, got {deals}")
    stocks = [deck_of_deal(deal)[MAX_PILES:].astype(np.int64) for deal in range(deals)]
    least = np.array([bound(stock, np.zeros(DRAWS + 1, np.int64)) for stock in stocks])
    options = TourInfernaleOptions()
    found = {
        name: play(find_agent(name, GAME, options), GAME, options, range(deals)).column("moves")
        for name in ("greedy", "swift")
    }
    for name, moves in {"bound": least, **found}.items():
        if (moves < least).any():
            raise AssertionError(f"{name} took {moves.min()} moves where {least.min()} are a bound")
        won, many = wins(moves), f"wins in {BUDGET:,} moves"
        print(f"{name:8}{moves.mean():8.2f} moves a deal, {np.mean(won):.2f} {many}, never over {max(won)}")


if __name__ == "__main__":
    main()
