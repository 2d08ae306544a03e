"""A proof that a game of La tour infernale is lost, with the stock used up and no redeal left.

Once the waste is empty too, every position is won: each pile descends, so the lowest card in play is a pile's top. So a
game is lost exactly if no sequence of moves empties the waste. The search visits every position that moves lead to, up
to a limit where it gives up; it compares them whole, so the proof does not rest on a hash. All cards are face up by
then, so the proof reveals nothing that a player could not know.
"""

from typing import Any

import numpy as np

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.jit import allocating_kernel, kernel

MOST_POSITIONS = 100
"""The search gives up when it has found this many positions."""

_SLOTS = 4 * MOST_POSITIONS  # of the hash table
_ALL = (1 << NUM_CARDS) - 1
_ACES = sum(1 << suit * NUM_RANKS for suit in range(4))
_RANKS = (1 << NUM_RANKS) - 1


@allocating_kernel
def is_stuck(piles: Any, waste: Any) -> bool:
    """Returns whether a search proves that the waste cannot be emptied.

    Args:
        piles: int64 [piles]: the cards of each as bits, bit 0 the ace of clubs.
        waste: int64 [n]: the cards as bits, the lowest first.

    Returns:
        True if it cannot be emptied; False if it can, or if the search gave up.
    """
    queue = np.empty((MOST_POSITIONS, len(piles) + 1), np.int64)  # each row: the sorted piles, the size of the waste
    table = np.zeros(_SLOTS, np.int64)  # rows of the queue, from 1
    queue[0, : len(piles)] = piles
    queue[0, -1] = len(waste)
    _sort_piles(queue[0])
    found, row = 1, 0
    while row < found:
        for source in range(len(piles) + 1):
            for target in range(len(piles) + 1):
                if found == MOST_POSITIONS:
                    return False
                if _play(queue[row], waste, source, target, queue[found]):
                    if queue[found, -1] == 0:
                        return False
                    found += _is_new(queue, found, table)
        row += 1
    return True


@kernel
def _play(position: Any, waste: Any, source: int, target: int, after: Any) -> bool:
    """Writes the position after a move; returns whether it is legal.

    The last place is the waste as a source, and the foundations as a target.
    """
    last = len(position) - 1
    bits = waste[position[last] - 1] if source == last else position[source]
    if bits == 0 or source == target < last:
        return False
    rank = _lowest_rank(bits)
    card = bits & _of_rank(rank)
    if target == last:
        if card & _ACES == 0 and _up(position, waste) & (card >> 1) == 0:
            return False
    elif position[target] == 0:
        if bits == card and source != last:  # a lone card: nothing would change
            return False
    elif _lowest_rank(position[target]) != rank << 1:
        return False
    for place in range(last + 1):
        after[place] = position[place]
    if source == last:
        after[last] -= 1
    else:
        after[source] ^= card
    if target < last:
        after[target] |= card
    _sort_piles(after)
    return True


@kernel
def _lowest_rank(cards: int) -> int:
    """Returns the bit of the lowest rank among cards, 1 for an ace; 0 if there is none."""
    ranks = (cards | cards >> NUM_RANKS | cards >> 2 * NUM_RANKS | cards >> 3 * NUM_RANKS) & _RANKS
    return ranks & -ranks


@kernel
def _of_rank(rank: int) -> int:
    return rank | rank << NUM_RANKS | rank << 2 * NUM_RANKS | rank << 3 * NUM_RANKS


@kernel
def _up(position: Any, waste: Any) -> int:
    """Returns the cards on the foundations: all that lie nowhere else."""
    cards = _ALL
    for pile in range(len(position) - 1):
        cards ^= position[pile]
    for index in range(position[-1]):
        cards ^= waste[index]
    return cards


@kernel
def _sort_piles(position: Any) -> None:
    """Sorts the piles, whose order makes no difference."""
    for end in range(1, len(position) - 1):
        for pile in range(end, 0, -1):
            if position[pile - 1] > position[pile]:
                position[pile - 1], position[pile] = position[pile], position[pile - 1]


@kernel
def _is_new(queue: Any, row: int, table: Any) -> bool:
    """Adds a row to the table; returns False if an equal row is in it already."""
    hashed = 0
    for place in range(queue.shape[1]):
        hashed = (hashed ^ queue[row, place]) * 0x2545F4914F6CDD1D
        hashed ^= hashed >> 29
    slot = (hashed >> 7) % _SLOTS
    while table[slot]:
        other, place = table[slot] - 1, 0
        while place < queue.shape[1] and queue[other, place] == queue[row, place]:
            place += 1
        if place == queue.shape[1]:
            return False
        slot = (slot + 1) % _SLOTS
    table[slot] = row + 1
    return True
