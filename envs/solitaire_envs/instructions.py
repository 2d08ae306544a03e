"""A game in words for a player who sees it only as text: the rules, how to read the table, how to write a move."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields

from solitaire_envs.engine import Engine
from solitaire_envs.layout import FOUNDATION_NAME, WASTE_NAME, Spot
from solitaire_envs.render import layout_of

_CARD = "[A2-9TJQK][CDHS]"
_MOVES = {
    "draw": "`draw`: draw from the stock.",
    "redeal": "`redeal`: turn the waste over, so that it becomes the stock again, and begin the next pass.",
    _CARD: "`KS`: discard the king of spades alone.",
    rf"{_CARD}\+{_CARD}": "`QH+AC`: discard the queen of hearts and the ace of clubs.",
    f"{_CARD}>{_CARD}": "`9S>TH`: move the nine of spades onto the ten of hearts. If several cards move together, name "
    "the undermost. `KD>empty`: move the king of diamonds onto an empty pile.",
    "[^K].>F": "`AC>F`: move the ace of clubs to the foundation of its suit.",
    f"{_CARD}>cell": "`4D>cell`: move the four of diamonds to a free cell.",
    f"{_CARD}>hole": "`7S>hole`: move the seven of spades to the hole.",
}
"""A move in words, as a pattern -> what it means."""
_RUN_UP = "`KC>F`: move a whole run, from the king of clubs to the ace, to the foundation of its suit."
_PILE = ":[0-9]+"
_PILES = (
    "Two cards may look alike, so a card that lies on a pile is named with the number of the pile: `9S:3>TH:5` moves "
    "the nine of spades of pile 3 onto the ten of hearts of pile 5. Add such numbers in all that follows."
)
_PROGRAMMERS = ("information", "max_moves", "objective")
"""Options that are no rules of the game at the table."""


def instructions(engine: Engine, index: int = 0) -> str:
    """Returns all that a newcomer has to know of a game before its first table: headings and short lines.

    Args:
        engine: The games, dealt.
        index: Which of them.
    """
    words, table = engine.game.words, list(_reading(layout_of(engine, index).spots))
    title = words.title or engine.game.name
    parts = {
        f"You play the patience game {title}. {words.about}".rstrip(): [],
        "Rules": [*words.rules, *_rules_in_play(engine)],
        "How to read the table": table,
        "How to write a move": list(_writing(engine, index)),
    }
    return "\n\n".join("\n".join([heading, *(f"- {line}" for line in lines)]) for heading, lines in parts.items())


def _rules_in_play(engine: Engine) -> Iterator[str]:
    known, options = engine.game.words.options, engine.options
    names = [spec.name for spec in fields(options) if spec.name in known and spec.name not in _PROGRAMMERS]
    values = {name: getattr(options, name) for name in names}
    if values:
        chosen = [f"{known[name].label}: {known[name].choices.get(value, value)}" for name, value in values.items()]
        yield f"In this game: {'; '.join(chosen)}."


def _reading(spots: Sequence[Spot]) -> Iterator[str]:
    yield (
        "A card is its rank, then its suit: T♦ is the ten of diamonds. The ranks, from the lowest to the highest, are "
        "A 2 3 4 5 6 7 8 9 T J Q K: ace, 2 to 10, jack, queen, king."
    )
    yield "♣ clubs and ♠ spades are black; ♦ diamonds and ♥ hearts are red."
    yield "[T♦]: a card on which no other lies. ░░: a card that lies face down. ·: an empty place."
    first = sorted((spot for spot in spots if not spot.line), key=lambda spot: spot.x)
    names = dict.fromkeys(spot.place.replace(", ", " ") for spot in first)
    yield f"The first line shows, from the left: {', '.join(names)}."
    if any(spot.caption for spot in first):
        yield "The number below a place is the number of its cards."
    if WASTE_NAME in names:
        yield "Of the waste you see the last cards, the topmost on the right."
    if any(name.startswith(FOUNDATION_NAME) for name in names):
        yield "A foundation shows its last card; the sign of its suit alone means that it is empty."
    piles = {spot.place: spot.x for spot in spots if re.fullmatch("pile [0-9]+", spot.place)}
    if piles:
        rows = " in two rows" if len(set(piles.values())) < len(piles) else ""
        yield (
            f"Below it stand {len(piles)} piles as columns{rows}, pile 1 on the left. Each card lies on the one above "
            "it, so the last card of a column is the top of its pile."
        )
    if any(spot.place.startswith("row ") for spot in spots):
        yield "The other rows follow, a line each. What covers a card stands in the next line, to its left and right."


def _writing(engine: Engine, index: int) -> Iterator[str]:
    yield "In moves the suits are letters: C, D, H, S."
    named = {engine.move_text(index, action) for action in range(engine.num_actions)}
    texts = {re.sub(_PILE, "", text) for text in named}
    if texts != named:
        yield _PILES
    if getattr(engine.options, "passes", None) == 1:
        texts.discard("redeal")
    for pattern, meaning in _MOVES.items():
        if any(re.fullmatch(pattern, text) for text in texts):
            yield meaning
    ups = {text[0] for text in texts if re.fullmatch(f"{_CARD}>F", text)}
    if ups == {"K"}:
        yield _RUN_UP
