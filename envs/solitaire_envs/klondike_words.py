"""Klondike in words for people who play."""

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS, card_text
from solitaire_envs.layout import BACK, FOUNDATION_NAME, PIPS, STOCK_NAME, WASTE_NAME, Spot
from solitaire_envs.words import COMMON, OptionWords, Words


def _why_not(source: Spot, target: Spot) -> str:
    """Returns what goes on a place, where another card was put."""
    if source.card in (None, BACK) or target.place in (STOCK_NAME, WASTE_NAME):
        return ""
    if target.place.startswith(FOUNDATION_NAME):
        suit = [PIPS[suit] for suit in SUITS].index(target.place[-1])
        following = NUM_RANKS * suit if target.card is None else target.card + 1
        return f"The next card there is {card_text(following)}." if following < NUM_RANKS * (suit + 1) else ""
    if target.card in (None, BACK):
        return "Only a king goes on an empty pile." if target.card is None else ""
    suit, rank = divmod(int(target.card or 0), NUM_RANKS)
    if rank == 0:
        return "Nothing goes on an ace."
    colour = "black" if SUITS[suit] in "DH" else "red"
    return f"On {card_text(int(target.card or 0))} goes a {colour} {RANKS[rank - 1].replace('T', '10')}."


WORDS = Words(
    title="Klondike",
    about="Build each suit up from its ace; piles go down in alternating colours.",
    options={
        **COMMON,
        "draw": OptionWords(label="A draw turns over", choices={1: "one card", 3: "three cards"}),
        "returns": OptionWords(label="Cards on foundations", choices={True: "may come back", False: "stay there"}),
    },
    why_not=_why_not,
)
