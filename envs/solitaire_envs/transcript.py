"""Transcripts of games: a small text file with the deal, the options, the moves in words and the outcome.

    solitaire-rl transcript 1
    game: pyramid
    options: {"passes": 3, ...}
    deal: 7
    moves: draw KS QH+AC ...
    outcome: {"score": -4, ...}

``deck:`` with the cards may stand in place of ``deal:``. Missing options have their defaults; a missing outcome is not
checked. A line that begins with a space continues the line before it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from textwrap import fill
from typing import Any

import numpy as np

from solitaire_envs.cards import BYTE_ORDER_MARK, Deck, check_deal, deck_of_deal, deck_text, parse_deck
from solitaire_envs.catalogue import find_game
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options, make_options

TITLE = "solitaire-rl transcript 1"
KEYS = ("game", "options", "deal", "deck", "moves", "outcome")


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """The transcript of one game."""

    game: Game
    options: Options
    deal: int | None = None
    """The deal number; None if the deck is given."""
    deck: Deck | None = None
    """The deck, uint8 [52] (or 104); None if the deal number is given."""
    moves: Sequence[str] = ()
    """The moves in words, in the order in which they were played."""
    outcome: dict[str, Any] | None = None
    """The outcome after the last move; None: it is missing."""

    @property
    def cards(self) -> Deck:
        """The deck, uint8 [52] (or 104), given or dealt."""
        if self.deal is not None:
            return deck_of_deal(self.deal, self.game.num_cards)
        return np.asarray(self.deck, np.uint8)

    def engine(self) -> Engine:
        """Returns an engine with the deal laid out, and no move made."""
        engine = Engine(self.game, self.options, 1)
        if self.deal is not None:
            engine.deal_numbers([self.deal])
        else:
            engine.deal_decks([self.cards])
        return engine

    def replay(self) -> Iterator[Engine]:
        """Plays the moves; yields the engine before the first and after each.

        Raises:
            ValueError: A move is illegal (the message has its number), or the outcome at the end differs.
        """
        engine = self.engine()
        yield engine
        for number, move in enumerate(self.moves, start=1):
            try:
                action = engine.parse_move(0, move)
            except ValueError as error:
                raise ValueError(f"move {number}: {error}") from None
            engine.step(np.array([action]))
            yield engine
        got = engine.outcome(0)
        if self.outcome is not None and self.outcome != got:
            raise ValueError(f"expected the outcome {json.dumps(self.outcome)[:200]}, got {json.dumps(got)}")

    def to_text(self) -> str:
        """Returns the content of the file."""
        lines = [f"game: {self.game.name}", f"options: {json.dumps(asdict(self.options))}"]
        lines += [f"deal: {self.deal}"] if self.deck is None else [f"deck: {deck_text(self.deck)}"]
        lines += [f"moves: {' '.join(self.moves)}"]
        lines += [f"outcome: {json.dumps(self.outcome)}"] if self.outcome is not None else []
        whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
        wrapped = (fill(line, 100, subsequent_indent=" ", **whole) for line in lines)
        return "\n".join([TITLE, *wrapped]) + "\n"


def parse_transcript(text: str) -> Transcript:
    """Reads a transcript. It does not check the moves; `Transcript.replay` does.

    Raises:
        ValueError: The text is not a transcript.
    """
    title, _, body = text.removeprefix(BYTE_ORDER_MARK).partition("\n")
    if title.strip() != TITLE:
        raise ValueError(f"expected a transcript, whose first line is {TITLE!r}; got {title[:60]!r}")
    values: dict[str, str] = {}
    for line in re.sub(r"\n\s+", " ", body).splitlines():
        key, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or key not in KEYS or key in values:
            raise ValueError(f"expected a line of each of {', '.join(KEYS)}; got {line[:60]!r}")
        values[key] = value.strip()
    for key in ("game", "moves"):
        if key not in values:
            raise ValueError(f"expected a line '{key}:' in the transcript, got {', '.join(values) or 'none'}")
    if ("deal" in values) == ("deck" in values):
        raise ValueError("expected either a line 'deal:' or a line 'deck:' in the transcript")
    if ":" in values["game"]:  # 'module:name' would import a module, which a stranger's file must not choose
        raise ValueError(f"expected the name of a game in the transcript, got {values['game'][:60]!r}")
    game = find_game(values["game"])
    return Transcript(
        game=game,
        options=make_options(game.options, _read_mapping("options", values.get("options", "{}"))),
        deal=read_deal(values["deal"]) if "deal" in values else None,
        deck=parse_deck(values["deck"], game.num_cards) if "deck" in values else None,
        moves=values["moves"].split(),
        outcome=_read_mapping("outcome", values["outcome"]) if "outcome" in values else None,
    )


def read_deal(text: str) -> int:
    """Reads a deal number.

    Raises:
        ValueError: It is not one, written in digits alone.
    """
    if not re.fullmatch(r"[0-9]{1,20}", text):
        raise ValueError(f"expected a deal number, an integer of 0..2**64 - 1, got {text[:60]!r}")
    return check_deal(int(text))


def _read_mapping(key: str, text: str) -> dict[str, Any]:
    try:
        mapping = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected JSON after '{key}:', got {text[:60]!r}: {error}") from None
    if not isinstance(mapping, dict):
        raise ValueError(f"expected a JSON object after '{key}:', got {text[:60]!r}")
    return mapping
