"""La tour infernale in words for people who play."""

from dataclasses import replace

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS, card_text
from solitaire_envs.layout import BACK, FOUNDATION_NAME, PIPS, STOCK_NAME, WASTE_NAME, Spot
from solitaire_envs.words import COMMON, OptionWords, Words


def _why_not(source: Spot, target: Spot) -> str:
    """Returns why the top card of one place may not be put on another."""
    if source.card in (None, BACK) or source.place.startswith(FOUNDATION_NAME):
        return ""
    if target.place.startswith(FOUNDATION_NAME):
        suit = [PIPS[suit] for suit in SUITS].index(target.place[-1])
        following = NUM_RANKS * suit if target.card is None else target.card + 1
        return f"The next card there is {card_text(following)}." if following < NUM_RANKS * (suit + 1) else ""
    if target.place in (STOCK_NAME, WASTE_NAME):
        return ""
    if target.card is None:
        return "A lone card stays where it is."
    rank = int(source.card or 0) % NUM_RANKS
    above = f"a {RANKS[rank + 1].replace('T', '10')}" if rank + 1 < NUM_RANKS else "an empty pile"
    return f"{card_text(int(source.card or 0))} goes on {above}, not on {card_text(target.card)}."


WORDS = Words(
    title="La tour infernale",
    about="Build each suit up from its ace; cards go on piles downwards, whatever the suit.",
    options={
        **COMMON,
        "piles": OptionWords(label="Piles"),
        "resign": OptionWords(label="A lost game", choices={False: "goes on", True: "ends when that is proved"}),
        "budget": OptionWords(label="Moves in a sprint"),
    },
    why_not=_why_not,
)
SPRINT_WORDS = replace(
    WORDS,
    title="La tour infernale, a sprint",
    about="Win as many deals as you can within the moves of the sprint.",
)
