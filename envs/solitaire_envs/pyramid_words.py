"""Pyramid in words for people who play."""

from dataclasses import replace

from solitaire_envs.cards import NUM_RANKS, RANKS, card_text
from solitaire_envs.layout import BACK, Spot
from solitaire_envs.words import COMMON, OptionWords, Words

TOTAL = 13


def _why_not(source: Spot, target: Spot) -> str:
    """Returns why the cards of two places may not be discarded together."""
    cards = [spot.card for spot in (source, target) if spot.card is not None and spot.card != BACK]
    if len(cards) < 2:
        return "Only a king is discarded alone."
    ranks = [card % NUM_RANKS for card in cards]
    total = sum(ranks) + 2
    if total != TOTAL:
        names = [RANKS[rank].replace("T", "10") for rank in ranks]
        return f"{' and '.join(names)} make {total}; a pair makes {TOTAL}."
    for spot, card in zip((source, target), cards, strict=True):
        if not spot.available:
            return f"{card_text(card)} is covered."
    return "Under these rules stock and waste are never paired."


WORDS = Words(
    title="Pyramid",
    about="Discard pairs of cards that add up to 13.",
    options={
        **COMMON,
        "stock_waste_pairs": OptionWords(
            label="Stock and waste", choices={True: "may be paired", False: "are never paired"}
        ),
        "goal": OptionWords(label="To win, discard", choices={"all": "all 52 cards", "pyramid": "the pyramid"}),
        "games": OptionWords(label="Games"),
    },
    why_not=_why_not,
)
PAR_WORDS = replace(
    WORDS, title="Pyramid, a par series", about="Six games of Pyramid with a total score of zero or more."
)
