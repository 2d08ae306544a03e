"""Pyramid in words for people who play."""

from dataclasses import replace

from solitaire_envs.cards import NUM_RANKS, RANKS, card_text
from solitaire_envs.layout import BACK, Spot
from solitaire_envs.words import COMMON, LANGUAGES, REDEAL_RULE, OptionWords, Said, Words

TOTAL = 13


def _why_not(source: Spot, target: Spot) -> str:
    """Returns why the cards of two places may not be discarded together."""
    cards = [spot.card for spot in (source, target) if spot.card is not None and spot.card != BACK]
    if len(cards) < 2:
        return Said("Only a king is discarded alone.")
    ranks = [card % NUM_RANKS for card in cards]
    total = sum(ranks) + 2
    if total != TOTAL:
        first, second = (RANKS[rank].replace("T", "10") for rank in ranks)
        return Said("{first} and {second} make {total}; a pair makes 13.", first=first, second=second, total=total)
    for spot, card in zip((source, target), cards, strict=True):
        if not spot.available:
            return Said("{card} is covered.", card=card_text(card))
    return Said("Under these rules stock and waste are never paired.")


WORDS = Words(
    title="Pyramid",
    about="Discard pairs of cards that add up to 13.",
    rules=(
        "28 cards lie face up in a pyramid of seven rows. Each card is covered by the two cards of the next row that "
        "overlap it. The other 24 cards are the stock, whose top card lies face up.",
        "Discard two uncovered cards that add up to 13: an ace counts 1, a jack 11, a queen 12. A king counts 13 and "
        "is discarded alone. The top cards of stock and waste count as uncovered.",
        "To draw moves the stock's top card to the waste, even if it could be paired.",
        REDEAL_RULE,
        "The game ends when no move is left. You win when all 52 cards are discarded; if you choose so, as soon as the "
        "pyramid is cleared.",
        "Each card that is left costs one point. If you clear the pyramid in the first, second or third pass, you get "
        "50, 35 or 20 points.",
    ),
    options={
        **COMMON,
        "stock_waste_pairs": OptionWords(
            label="Stock and waste", choices={True: "may be paired", False: "are never paired"}
        ),
        "goal": OptionWords(label="To win, discard", choices={"all": "all 52 cards", "pyramid": "the pyramid"}),
        "games": OptionWords(label="Games"),
    },
    why_not=_why_not,
    languages=(LANGUAGES / "pyramid", LANGUAGES / "common"),
)
PAR_WORDS = replace(
    WORDS,
    title="Pyramid, a par series",
    about="Six games of Pyramid with a total score of zero or more.",
    rules=(*WORDS.rules, "A par series is six games in a row. You win it when their total score is zero or more."),
)
