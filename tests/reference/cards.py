"""Decks as lists of two-character cards, and the deck that a deal number names."""

from collections.abc import Iterator

RANKS = "A23456789TJQK"
SUITS = "CDHS"
MASK = 2**64 - 1
HALF = 2**32


def splitmix64(state: int) -> Iterator[int]:
    """Yields SplitMix64's outputs."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def deck_of(deal_number: int) -> list[str]:
    """Returns the deck of a deal number: SplitMix64, Fisher-Yates from the last card down, Lemire's bounded draws."""
    deck = [rank + suit for suit in SUITS for rank in RANKS]
    outputs = splitmix64(deal_number)
    for last in range(51, 0, -1):
        product = (next(outputs) >> 32) * (last + 1)
        while product % HALF < HALF % (last + 1):
            product = (next(outputs) >> 32) * (last + 1)
        chosen = product // HALF
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck
