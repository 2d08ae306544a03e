"""Draws tables as text, and says where each card of a table lies, for text and pictures alike.

A drawing shows what a person sees who sits at the table: never the order of an undrawn stock.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import NUM_RANKS, RANKS, SUITS
from solitaire_envs.engine import Engine

BACK = -1
"""In place of a card: one that lies face down."""
COLUMNS = 7
"""Width of every table, in cards side by side."""
PIPS = dict(zip(SUITS, "♣♦♥♠", strict=True))
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
    available: bool = False
    """It lies open with nothing on it, and may be taken."""
    playable: bool = False
    """There is a legal move that takes it from here."""
    caption: str = ""
    """What stands below it: a word, then a number."""
    sign: str = EMPTY_SIGN
    """What marks the place without a card: a pip on a foundation, `REDEAL_SIGN` on a stock to be dealt again."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Where everything lies."""

    height: float
    """Room for all that may ever lie on it, in heights of a card."""
    spots: list[Spot]
    """What lies on another card comes after it."""


# --- The games --------------------------------------------------------------------------------------------------------


def _pyramid(engine: Engine, index: int) -> Table:
    state, legal = engine.states[index], legal_actions(engine, index)
    playable = {place for action in legal for place in pyramid.ACTIONS[action]}
    stock, waste, discarded = pyramid.stock_cards(state), pyramid.waste_cards(state), int(state.discarded)
    spots = [
        _stock(stock[0] if stock else None, len(stock), pyramid.STOCK in playable, pyramid.REDEAL in legal),
        *_waste(waste[:1], len(waste), pyramid.WASTE in playable),
        Spot(x=COLUMNS - 1, card=BACK if discarded else None, caption=f"discarded {discarded}"),
    ]
    for (row, column), position in pyramid.POSITION.items():
        spots.append(
            Spot(
                x=(COLUMNS - 1 - row) / 2 + column,
                y=row / 2,
                line=row,
                card=int(state.deck[position]) if state.pyramid >> position & 1 else None,
                available=bool(state.available >> position & 1),
                playable=position in playable,
            )
        )
    return Table(height=(pyramid.ROWS + 1) / 2, spots=spots)


def _tour_infernale(engine: Engine, index: int) -> Table:
    state, legal, options = engine.states[index], legal_actions(engine, index), cast(Any, engine.options)
    playable = {tour_infernale.ACTIONS[action][0] for action in legal}
    stock, waste = tour_infernale.stock_cards(state), tour_infernale.waste_cards(state)
    in_sight = 1 if options.information == "table" else 3
    spots = [
        _stock(BACK if stock else None, len(stock), playable=False, redeal=tour_infernale.REDEAL in legal),
        *_waste(waste[:in_sight], len(waste), tour_infernale.WASTE in playable),
    ]
    for suit, count in enumerate(state.foundations.tolist()):
        card = NUM_RANKS * suit + count - 1 if count else None
        spots.append(Spot(x=COLUMNS - 4 + suit, card=card, sign=PIPS[SUITS[suit]]))
    for pile in range(options.piles):
        cards = [int(card) - 1 for card in state.tableau[pile] if card != tour_infernale.EMPTY]
        spots += _tableau_pile(cards, (COLUMNS - options.piles) / 2 + pile, pile in playable)
    return Table(height=4.7, spots=spots)


def _tableau_pile(cards: list[int], x: float, playable: bool) -> Iterator[Spot]:
    """Yields a pile's cards, given from its bottom, fanned out downwards; tall piles more closely."""
    if not cards:
        yield Spot(x=x, y=1.3, line=4, card=None)
    step = min(0.24, 2.6 / max(1, len(cards)))
    for depth, card in enumerate(cards):
        top = depth == len(cards) - 1
        yield Spot(x=x, y=1.3 + depth * step, line=4 + depth, card=card, available=top, playable=top and playable)


def _stock(top: int | None, size: int, playable: bool, redeal: bool) -> Spot:
    return Spot(
        x=0,
        card=top,
        available=top not in (None, BACK),
        playable=playable,
        caption=f"stock {size}",
        sign=REDEAL_SIGN if redeal else EMPTY_SIGN,
    )


def _waste(in_sight: list[int], size: int, playable: bool) -> Iterator[Spot]:
    """Yields the waste's topmost cards, given top first, fanned out to the right."""
    caption = f"waste {size}"
    if not in_sight:
        yield Spot(x=1, card=None, caption=caption)
    for place, card in enumerate(reversed(in_sight)):
        top = place == len(in_sight) - 1
        yield Spot(x=1 + place / 2, card=card, available=top, playable=top and playable, caption=caption)
        caption = ""  # once, under the first


TABLES: dict[str, Callable[[Engine, int], Table]] = {
    "pyramid": _pyramid,
    "pyramid_par": _pyramid,
    "tour_infernale": _tour_infernale,
    "tour_infernale_sprint": _tour_infernale,
}
"""Game -> where its cards lie. A new game is added here; text and picture follow."""


# --- What text and picture both tell ----------------------------------------------------------------------------------


def table_of(engine: Engine, index: int) -> Table:
    """Returns where the cards of one environment lie."""
    return TABLES[engine.game.name](engine, index)


def legal_actions(engine: Engine, index: int) -> list[int]:
    """Returns the legal actions of one environment; none when its episode was cut off."""
    return [] if engine.states[index].ended else engine.legal_actions(index)


def status_text(engine: Engine, index: int) -> str:
    """Returns how an episode stands, such as ``pass 1 of 3   move 12   score -40``."""
    outcome = engine.outcome(index)
    parts = [f"pass {outcome['passes']}{_limit(engine, 'passes')}"]
    parts += [f"games played {outcome['games']}{_limit(engine, 'games')}"] if "games" in outcome else []
    parts += [f"move {outcome['moves']}{_limit(engine, 'budget')}", f"score {outcome['score']}"]
    parts += ["won" if outcome["won"] else "over"] if engine.states[index].ended else []
    return "   ".join(parts)


def _limit(engine: Engine, option: str) -> str:
    limit = getattr(engine.options, option, None)
    return "" if limit is None else f" of {limit}"


# --- Text -------------------------------------------------------------------------------------------------------------

MARGIN, PITCH, CELL = 2, 8, 4
"""Characters: left and right of the table, from column to column, of a card."""
RED, BOLD, DIM, PLAIN = "\033[91m", "\033[1m", "\033[2m", "\033[0m"
STYLES = {**dict.fromkeys("♦♥", RED), **dict.fromkeys("[]", BOLD), **dict.fromkeys("·○░", DIM)}


def render_ansi(engine: Engine, index: int, *, color: bool = False) -> str:
    """Returns the table of one environment as text; cards that are available stand in brackets.

    Args:
        engine: The games.
        index: Which of them.
        color: Whether to colour it with ANSI codes.

    Returns:
        Lines of at most 60 characters, but for the last: the legal moves.
    """
    table = "\n".join(_lines(table_of(engine, index).spots))
    moves = dict.fromkeys(engine.move_text(index, action) for action in legal_actions(engine, index))
    told = [status_text(engine, index), "moves: " + (", ".join(moves) or "none, the game is over")]
    return "\n".join([_in_colour(table) if color else table, "", *(" " * MARGIN + line for line in told)])


def _lines(spots: list[Spot]) -> list[str]:
    texts = [(spot.line, spot.x, _cell(spot)) for spot in spots]
    for spot in spots:
        texts += [(line, spot.x, word) for line, word in enumerate(spot.caption.split(), start=spot.line + 1)]
    height = 1 + max(line for line, _, _ in texts)
    canvas = [[" "] * (2 * MARGIN + COLUMNS * PITCH) for _ in range(height)]
    for line, x, text in texts:
        start = MARGIN + round(x * PITCH) + (CELL - len(text)) // 2
        canvas[line][start : start + len(text)] = text
    return ["".join(line).rstrip() for line in canvas]


def _cell(spot: Spot) -> str:
    if spot.card is None:
        return spot.sign
    if spot.card == BACK:
        return "░░"
    rank, suit = RANKS[spot.card % NUM_RANKS], PIPS[SUITS[spot.card // NUM_RANKS]]
    return f"[{rank}{suit}]" if spot.available else f" {rank}{suit} "


def _in_colour(table: str) -> str:
    return re.sub(r"[·○░]+|[^\s\[]?[♦♥]|[\[\]]", lambda found: STYLES[found[0][-1]] + found[0] + PLAIN, table)
