"""La tour infernale in words for people who play."""

from dataclasses import replace

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS, card_text
from solitaire_envs.layout import BACK, FOUNDATION_NAME, PIPS, STOCK_NAME, WASTE_NAME, Spot
from solitaire_envs.words import COMMON, END_RULE, LANGUAGES, REDEAL_RULE, OptionWords, Said, Words


def _why_not(source: Spot, target: Spot) -> str:
    """Returns why the top card of one place may not be put on another."""
    if source.card is None or source.card == BACK or source.place.startswith(FOUNDATION_NAME):
        return ""
    if target.place.startswith(FOUNDATION_NAME):
        suit = [PIPS[suit] for suit in SUITS].index(target.place[-1])
        following = NUM_RANKS * suit if target.card is None else target.card + 1
        complete = following == NUM_RANKS * (suit + 1)
        return "" if complete else Said("The next card there is {card}.", card=card_text(following))
    if target.place in (STOCK_NAME, WASTE_NAME):
        return ""
    if target.card is None:
        return Said("A lone card stays where it is.")
    card, other, rank = card_text(source.card), card_text(target.card), source.card % NUM_RANKS
    if rank + 1 == NUM_RANKS:
        return Said("{card} goes on an empty pile, not on {other}.", card=card, other=other)
    above = RANKS[rank + 1].replace("T", "10")
    return Said("{card} goes on a {rank}, not on {other}.", card=card, rank=above, other=other)


WORDS = Words(
    title="La tour infernale",
    about="Build each suit up from its ace; cards go on piles downwards, whatever the suit.",
    rules=(
        "Six cards lie face up and begin six piles. The other 46 cards are the stock, face down.",
        "Build four foundations, each in one suit from ace to king. What lies on a foundation stays there.",
        "The top card of a pile or of the waste may go on a pile whose top card is exactly one rank higher, whatever "
        "the suit. Any card may go on an empty pile. Cards move one at a time.",
        "To draw turns the stock's top card over onto the waste. You may draw at any time.",
        REDEAL_RULE,
        END_RULE,
    ),
    options={
        **COMMON,
        "piles": OptionWords(label="Piles"),
        "budget": OptionWords(label="Moves in a sprint"),
    },
    why_not=_why_not,
    languages=(LANGUAGES / "tour_infernale", LANGUAGES / "common"),
)
SPRINT_WORDS = replace(
    WORDS,
    title="La tour infernale, a sprint",
    about="Win as many deals as you can within the moves of the sprint.",
    rules=(
        *WORDS.rules[:-1],
        "In a sprint, a new deal follows each one that you have won. The score is the number of deals that you win "
        "within the moves of the sprint.",
    ),
)
