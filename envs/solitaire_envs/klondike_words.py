"""Klondike in words for people who play."""

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS, card_text
from solitaire_envs.layout import BACK, FOUNDATION_NAME, PIPS, STOCK_NAME, WASTE_NAME, Spot
from solitaire_envs.words import COMMON, END_RULE, LANGUAGES, REDEAL_RULE, OptionWords, Said, Words


def _why_not(source: Spot, target: Spot) -> str:
    """Returns what goes on the target, after a player put another card there."""
    if source.card in (None, BACK) or target.card == BACK or target.place in (STOCK_NAME, WASTE_NAME):
        return ""
    if target.place.startswith(FOUNDATION_NAME):
        suit = [PIPS[suit] for suit in SUITS].index(target.place[-1])
        following = NUM_RANKS * suit if target.card is None else target.card + 1
        complete = following == NUM_RANKS * (suit + 1)
        return "" if complete else Said("The next card there is {card}.", card=card_text(following))
    if target.card is None:
        return Said("Only a king goes on an empty pile.")
    suit, rank = divmod(target.card, NUM_RANKS)
    if rank == 0:
        return Said("Nothing goes on an ace.")
    card, below = card_text(target.card), RANKS[rank - 1].replace("T", "10")
    if SUITS[suit] in "DH":
        return Said("On {card} goes a black {rank}.", card=card, rank=below)
    return Said("On {card} goes a red {rank}.", card=card, rank=below)


WORDS = Words(
    title="Klondike",
    about="Build each suit up from its ace; piles go down in alternating colours.",
    rules=(
        "Seven piles have one to seven cards; only the top card of each lies face up. The other 24 cards are the "
        "stock, face down.",
        "Build four foundations, each in one suit from ace to king. The top card of a foundation may come back onto a "
        "pile, unless the options say otherwise.",
        "Piles go down by one rank in alternating colours, as a black nine on a red ten. Face-up cards from the "
        "top of a pile may move together. Only a king, alone or with the cards on it, goes on an empty pile. A "
        "face-down card that is left on top is turned up.",
        "To draw turns three cards of the stock, or one, over onto the waste, whose top card may be played. You may "
        "draw at any time.",
        REDEAL_RULE,
        END_RULE,
    ),
    options={
        **COMMON,
        "draw": OptionWords(label="A draw turns over", choices={1: "one card", 3: "three cards"}),
        "returns": OptionWords(label="Cards on foundations", choices={True: "may come back", False: "stay there"}),
    },
    why_not=_why_not,
    languages=(LANGUAGES / "klondike", LANGUAGES / "common"),
)
