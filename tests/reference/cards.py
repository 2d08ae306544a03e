"""Decks as lists of two-character cards, and the deck that a deal number names."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
MASK = 2**64 - 1
HALF = 2**32


def deck_of(deal_number: int) -> list[str]:
    """Returns the deck of a deal number: SplitMix64, Fisher-Yates from the last card down, Lemire's bounded draws."""
    deck = [rank + suit for suit in SUITS for rank in RANKS]
    state = deal_number

    def next_high_half() -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) >> 32

    for last in range(51, 0, -1):
        product = next_high_half() * (last + 1)
        while product % HALF < HALF % (last + 1):
            product = next_high_half() * (last + 1)
        chosen = product // HALF
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck
