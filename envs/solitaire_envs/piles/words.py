"""Declared games in words for people who play: sentences by kind of pile.

Numbers stand as digits, since catalogues translate sentences with numbers in any of their places.
"""

from collections.abc import Iterator

from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS, card_text
from solitaire_envs.layout import BACK, FOUNDATION_NAME, PIPS, STOCK_NAME, WASTE_NAME, Spot
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.table import CELL_NAME, HOLE_NAME, RESERVE_NAME
from solitaire_envs.words import COMMON, END_RULE, LANGUAGES, REDEAL_RULE, OptionWords, Said, Words

ABOUT = {
    "any": "Build each suit up from its ace; cards go on piles downwards, whatever the suit.",
    "alternating": "Build each suit up from its ace; piles go down in alternating colours.",
    "same": "Build each suit up from its ace; piles go down in the same suit.",
    "hole": "Play all cards to the hole, each one rank higher or lower than the one before.",
    "runs": "Collect each suit on the piles, from king to ace.",
    "base": "Build each suit up from the rank of the first card; piles go down in alternating colours.",
}
BUILD = {
    "any": "Piles go down by one rank, whatever the suit, as a nine on any ten.",
    "alternating": "Piles go down by one rank in alternating colours, as a black nine on a red ten.",
    "same": "Piles go down by one rank in the same suit, as the nine of spades on the ten of spades.",
    "none": "No card goes on a pile.",
}
MOVE_RULES = {
    "tops": "Cards move one at a time: the top card of a pile.",
    "runs": "Cards of a pile that fit on each other may move together, as many as you like from its top.",
    "groups": "Any face-up card may move, together with all cards that lie on it.",
}
SPACES = {
    "any": "Any card goes on an empty pile.",
    "kings": "Only a king goes on an empty pile.",
    "none": "An empty pile stays empty.",
}
FILLED = {
    ("reserve",): "An empty pile is filled at once from the reserve; when that is used up, any card goes there.",
    ("waste", "stock"): "An empty pile is filled at once with the top card of the waste, or else of the stock.",
}
STOCKS = {
    "waste": "The other cards are the stock, face down. To draw turns cards of it over onto the waste, whose top card "
    "may be played. You may draw at any time.",
    "tableau": "The other cards are the stock, face down. To draw deals one of them face up onto each pile, as long as "
    "there are some. You may draw at any time.",
    "no space": "The other cards are the stock, face down. To draw deals one of them face up onto each pile. You may "
    "draw while no pile is empty.",
    "hole": "The other cards are the stock, face down. To draw turns its top card over onto the hole. You may draw at "
    "any time.",
}
PACKS = {1: "All cards are spades.", 2: "All cards are spades or hearts."}
OPTIONS = {
    "cells": OptionWords(label="Cells"),
    "draw": OptionWords(label="A draw turns over"),
    "returns": OptionWords(label="Cards on foundations", choices={True: "may come back", False: "stay there"}),
    "whole_piles": OptionWords(label="Piles move", choices={True: "only whole", False: "in parts too"}),
}


def pile_words(shape: PileShape) -> Words:
    """Returns the texts of a game."""
    kind = "hole" if shape.hole else "runs" if shape.takes_runs else "base" if shape.start == "base" else ""
    return Words(
        title=shape.game.title,
        about=ABOUT[kind or shape.game.tableau.build.suits],
        rules=(*_deal(shape), *_beside(shape), *_goal(shape), *_piles(shape), *_end(shape)),
        options={**COMMON, **OPTIONS},
        why_not=lambda source, target: _why_not(shape, source, target),
        languages=(LANGUAGES / "piles", LANGUAGES / "common"),
    )


# --- The rules --------------------------------------------------------------------------------------------------------


def _deal(shape: PileShape) -> Iterator[str]:
    deal, up = shape.game.tableau.deal, shape.game.tableau.face_up
    if shape.game.packs == 2:
        yield "Two packs of cards are shuffled together."
    if shape.game.suits in PACKS:
        yield PACKS[shape.game.suits]
    if min(deal) < max(deal):
        yield f"{len(deal)} piles have {min(deal)} to {max(deal)} cards each, dealt row by row."
    elif deal[0] > 1:
        yield f"{len(deal)} piles have {deal[0]} cards each, dealt row by row."
    else:
        yield f"{len(deal)} piles begin with one card each."
    if shape.game.tableau.sunk:
        yield "At the deal, kings go to the bottom of their piles."
    if not shape.sizes.downs:
        yield "All cards of the piles lie face up."
    elif up == 1:
        yield "Only the top card of each pile lies face up. A face-down card that is left on top is turned up."
    else:
        yield f"The top {up} cards of each pile lie face up. A face-down card that is left on top is turned up."


def _beside(shape: PileShape) -> Iterator[str]:
    cells, reserve, stock = shape.game.cells, shape.game.reserve, shape.game.stock
    if cells is not None and cells.number == 1:
        yield "There is a cell, which holds one card. The top card of a pile may go there when it is free."
    elif cells is not None:
        yield f"There are {cells.number} cells, which hold one card each. The top card of a pile may go to a free one."
    if cells is not None and cells.filled:
        yield f"At the start {cells.filled} of them have a card."
    if reserve is not None and reserve.stacked:
        yield (
            f"{reserve.cards} cards are the reserve, one pile of which only the top card lies face up and may be "
            "played."
        )
    elif reserve is not None:
        yield f"{reserve.cards} cards lie open beside the piles as the reserve. Each may be played, and none is added."
    if stock is not None:
        yield STOCKS[stock.to if stock.over_spaces else "no space"]
    if shape.to_waste:
        yield REDEAL_RULE


def _goal(shape: PileShape) -> Iterator[str]:
    hole = shape.hole
    if hole is not None:
        first = hole.start == "first"
        yield "The hole begins with one card." if first else "The ace of spades lies in the hole at the start."
        yield (
            "A card on which no other lies goes to the hole if it is one rank higher or lower than the top card there, "
            "whatever the suit."
        )
        yield "King and ace are neighbours." if hole.wrap else "King and ace are no neighbours."
        return
    if shape.takes_runs:
        yield "Only a whole run of a suit, from king to ace, goes to its foundation, all at once."
    elif shape.start == "base":
        yield (
            "The first card dealt begins a foundation, and its rank begins the three others. The ace follows the king."
        )
    elif shape.game.packs == 2:
        yield "Build eight foundations, two in each suit, from ace to king."
    else:
        yield "Build four foundations, each in one suit from ace to king."
    if shape.start == "aces":
        yield "The aces lie there at the start."
    if shape.returns:
        yield "The top card of a foundation may come back onto a pile, unless the options say otherwise."


def _piles(shape: PileShape) -> Iterator[str]:
    t = shape.game.tableau
    yield BUILD[t.build.suits]
    if t.build.wrap:
        yield "A king goes on an ace."
    if t.build.suits != "none":
        in_suit = t.run is not None and t.run.suits == "same"
        yield "Only cards of one suit that fit on each other move together." if in_suit else MOVE_RULES[t.moves]
    yield FILLED[t.refill] if t.refill else SPACES[t.spaces]


def _end(shape: PileShape) -> Iterator[str]:
    hole_end = (
        "You win when all cards of the piles are in the hole, and lose when no move is left. The score is the number "
        "of these cards."
    )
    yield hole_end if shape.hole else END_RULE


# --- Why a card does not go somewhere ---------------------------------------------------------------------------------


def _why_not(shape: PileShape, source: Spot, target: Spot) -> str:
    """Returns what goes on the target, after a player put another card there."""
    if source.card in (None, BACK) or target.card == BACK or target.place in (STOCK_NAME, WASTE_NAME):
        return ""
    kind = target.place.partition(" ")[0]
    if kind == RESERVE_NAME:
        return Said("No card goes to the reserve.")
    if kind == CELL_NAME:
        return "" if target.card is None else Said("A cell holds one card.")
    if kind == HOLE_NAME and target.card is not None:
        return Said("On {card} goes a card one rank higher or lower.", card=card_text(target.card))
    if kind == FOUNDATION_NAME:
        return _why_not_up(shape, target)
    return _why_not_on_pile(shape, target.card)


def _why_not_up(shape: PileShape, target: Spot) -> str:
    if shape.takes_runs:
        return Said("Only a whole run from king to ace goes there.")
    suit = [PIPS[suit] for suit in SUITS].index(target.place[-1])
    if target.card is None:
        return "" if shape.start == "base" else Said("The next card there is {card}.", card=card_text(NUM_RANKS * suit))
    rank = target.card % NUM_RANKS + 1
    if rank == NUM_RANKS and shape.start != "base":
        return ""
    return Said("The next card there is {card}.", card=card_text(NUM_RANKS * suit + rank % NUM_RANKS))


def _why_not_on_pile(  # noqa: PLR0911  # a sentence for each kind
    shape: PileShape, under: int | None
) -> str:
    t = shape.game.tableau
    if under is None:
        return {"kings": Said("Only a king goes on an empty pile."), "none": Said("An empty pile stays empty.")}.get(
            t.spaces, ""
        )
    suit, rank = divmod(under, NUM_RANKS)
    if t.build.suits == "none":
        return Said("No card goes on a pile.")
    if rank == 0 and not t.build.wrap:
        return Said("Nothing goes on an ace.")
    card, below = card_text(under), RANKS[rank - 1].replace("T", "10")
    if t.build.suits == "same":
        return Said("On {card} goes {other}.", card=card, other=card_text(NUM_RANKS * suit + (rank - 1) % NUM_RANKS))
    if t.build.suits == "any":
        return Said("On {card} goes any {rank}.", card=card, rank=below)
    if SUITS[suit] in "DH":
        return Said("On {card} goes a black {rank}.", card=card, rank=below)
    return Said("On {card} goes a red {rank}.", card=card, rank=below)
