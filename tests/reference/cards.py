"""Decks as lists of cards, such as ``QH`` or, of a second pack, ``QH'``, and the deck that a deal number names."""

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


def new_deck(packs: int = 1) -> list[str]:
    """Returns one pack or two in the order of card numbers."""
    return [rank + suit + pack for pack in ("", "'")[:packs] for suit in SUITS for rank in RANKS]


def deck_of(deal_number: int, packs: int = 1) -> list[str]:
    """Returns the deck of a deal number: SplitMix64, Fisher-Yates from the last card down, Lemire's bounded draws."""
    deck = new_deck(packs)
    outputs = splitmix64(deal_number)
    for last in range(len(deck) - 1, 0, -1):
        product = (next(outputs) >> 32) * (last + 1)
        while product % HALF < HALF % (last + 1):
            product = (next(outputs) >> 32) * (last + 1)
        chosen = product // HALF
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck
