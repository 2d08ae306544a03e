"""Where the cards of a game lie on the table, for texts, pictures and pages.

A layout shows what a person at the table sees: never the order of an undrawn stock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from solitaire_envs.cards import NUM_CARDS, SUITS

BACK = NUM_CARDS
"""Stands for a card that lies face down, or is unseen."""
PIPS = dict(zip(SUITS, "♣♦♥♠", strict=True))
STOCK_NAME, WASTE_NAME, FOUNDATION_NAME = "stock", "waste", "foundation"
"""Names of places. The name of a foundation begins with `FOUNDATION_NAME`."""
REDEAL_SIGN = "○"
EMPTY_SIGN = "·"


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A card on the table, or the place for one."""

    x: float
    """From the left, in columns."""
    y: float = 0
    """From the top, in heights of a card: for pictures."""
    line: int = 0
    """From the top, in lines: for texts."""
    card: int | None
    """0..51, `BACK`, or None: there is none."""
    copy: int = 0
    """Which of the cards that look like this one it is, from 0."""
    available: bool = False
    """It lies open with nothing on it, and may be taken."""
    playable: bool = False
    """There is a legal move that takes it from here."""
    caption: str = ""
    """The text below it: a word, then a number."""
    sign: str = EMPTY_SIGN
    """The mark of an empty place: a pip on a foundation, `REDEAL_SIGN` on a stock that a redeal can fill."""
    place: str = ""
    """Name of the place, as in `Game.gestures` and for people. If spots share a name, the last is the top of a pile."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where everything lies."""

    spots: Sequence[Spot]
    """A card that lies on another comes after it."""
    height: float
    """Height of the table, with room for the tallest piles, in heights of a card."""
    columns: int = 7
    """Width of the table, in cards side by side."""


class Gesture(NamedTuple):
    """A way to play a move by hand: move a card from one place to another, or touch a place."""

    source: str
    """Name of the place."""
    target: str | None = None
    """None: touching the source is enough."""


def stock_spot(top: int | None, size: int, *, playable: bool, redeal: bool) -> Spot:
    """Returns the stock, at the upper left.

    Args:
        top: Its top card, `BACK` if it lies face down, None if there is none.
        size: Number of its cards.
        playable: Whether there is a legal move that takes the top card, other than a draw.
        redeal: Whether the waste may be turned over now.
    """
    return Spot(
        x=0,
        card=top,
        available=top not in (None, BACK),
        playable=playable,
        caption=f"stock {size}",
        sign=REDEAL_SIGN if redeal else EMPTY_SIGN,
        place=STOCK_NAME,
    )


def waste_spots(in_sight: Sequence[int], size: int, *, playable: bool) -> Iterator[Spot]:
    """Yields the waste's topmost cards, right of the stock, fanned out to the right.

    Args:
        in_sight: The cards to show, top first.
        size: Number of cards in the waste.
        playable: Whether there is a legal move that takes the top card.
    """
    caption = f"waste {size}"
    if not in_sight:
        yield Spot(x=1, card=None, caption=caption, place=WASTE_NAME)
    for depth, card in enumerate(reversed(in_sight)):
        top = depth == len(in_sight) - 1
        can = top and playable
        yield Spot(x=1 + depth / 2, card=card, available=top, playable=can, caption=caption, place=WASTE_NAME)
        caption = ""  # only under the first


def pile_spots(
    cards: Sequence[int],
    x: float,
    *,
    playable: bool,
    place: str = "",
    y: float = 1.3,
    line: int = 4,
    room: float = 2.4,
) -> Iterator[Spot]:
    """Yields a pile of open cards, fanned out downwards; tall piles more closely.

    Args:
        cards: From the bottom.
        x: As in `Spot`.
        playable: Whether there is a legal move that takes the top card.
        place: As in `Spot`.
        y: As in `Spot`, of the undermost card.
        line: As in `Spot`, of the undermost card.
        room: Between the upper edges of the undermost card and of the top, in heights of a card.
    """
    if not cards:
        yield Spot(x=x, y=y, line=line, card=None, place=place)
    step = min(0.24, room / max(1, len(cards) - 1))
    for depth, card in enumerate(cards):
        top = depth == len(cards) - 1
        at, can = y + depth * step, top and playable
        yield Spot(x=x, y=at, line=line + depth, card=card, available=top, playable=can, place=place)
