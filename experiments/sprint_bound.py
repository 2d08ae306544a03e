"""How few moves La tour infernale can take, whoever plays: a bound from below, for every deal of the test sprints.

    .venv/bin/python experiments/sprint_bound.py --sprints 2000

Every card of the stock is drawn and every card goes up: 46 + 52 moves. A card of the stock that is put on the tableau,
or drawn again, takes one more at least; the others go up out of the waste, which is a stack, in its first pass. So no
player, not even one who sees the stock, does with fewer further moves than there are cards in the smallest set without
which all others can go up so. That set is found exactly, with the rest made easy: the tableau has room without end,
and a card there is never covered. True play takes more.

Below each agent stands how few moves per deal it would have to take for more wins, if each of its deals took so many
fewer. The agents' deals differ as they do, so this is not 1,000 divided by the wins.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.catalogue import find_agent
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, decks_of_deals, draw_deals
from solitaire_envs.jit import kernel
from solitaire_envs.series import TourInfernaleSprintOptions
from solitaire_envs.tour_infernale import GAME, MAX_PILES, TourInfernaleOptions
from solitaire_evaluation.play import play

DRAWS = NUM_CARDS - MAX_PILES
BUDGET = TourInfernaleSprintOptions().budget
DEALS = 9  # of a sprint: more than nine nobody wins
MORE = (7.15, 7.35, 7.9)  # wins of which the moves per deal are told


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


def deals_of_sprints(sprints: int) -> NDArray[np.uint64]:
    """Returns the numbers of the first deals of each sprint, [sprints, DEALS]."""
    streams = np.arange(sprints, dtype=np.uint64)
    return np.stack([streams.copy(), *(draw_deals(streams) for _ in range(DEALS - 1))], axis=1)


def wins_of(moves: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns how many deals of each sprint end within the budget, from the moves of each deal, [sprints, DEALS]."""
    return (moves.cumsum(axis=1) <= BUDGET).sum(axis=1)


def moves_for(wins: float, moves: NDArray[np.float64]) -> float:
    """Returns the moves per deal if each took so many fewer, or more, that sprints have so many wins on average."""
    low, high = -moves.mean(), moves.mean()  # moves taken off each deal
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (middle, high) if wins_of(moves - middle).mean() < wins else (low, middle)
    return float(moves.mean() - high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sprints", type=int, default=200, help="of the test sprints, the first so many")
    parser.add_argument("--agents", default="greedy,swift", help="who plays the same deals; with commas between")
    arguments = parser.parse_args()
    if arguments.sprints < 1:
        parser.error(f"expected at least one sprint, got {arguments.sprints}")
    options = TourInfernaleOptions()
    agents = {name: find_agent(name, GAME, options) for name in arguments.agents.split(",")}
    deals = deals_of_sprints(arguments.sprints)
    stocks = decks_of_deals(deals.ravel())[:, MAX_PILES:].astype(np.int64)
    least = np.array([bound(stock, np.zeros(DRAWS + 1, np.int64)) for stock in stocks])
    found = {name: play(agent, GAME, options, deals.ravel()).column("moves") for name, agent in agents.items()}
    for name, moves in {"bound": least, **found}.items():
        if (moves < least).any():
            raise AssertionError(f"{name} took {moves.min()} moves where {least.min()} are a bound")
        each = moves.reshape(deals.shape).astype(np.float64)
        wins = wins_of(each)
        many = f"wins in {BUDGET:,} moves: {wins.mean():.2f}, {wins.min()} to {wins.max()}"
        print(f"{name:8}{moves.mean():8.2f} moves a deal; {many}", flush=True)
        if name != "bound":
            more = ", ".join(f"{moves_for(number, each):.1f} for {number}" for number in MORE if number > wins.mean())
            print(f"{'':8}{more}", flush=True)


if __name__ == "__main__":
    main()
