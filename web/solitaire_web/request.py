"""Parses and validates requests. The message of a refusal is one line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from solitaire_envs.cards import Deck, deck_of_deal, deck_text, parse_deck
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.checks import check_shape, short, some_of
from solitaire_envs.game import Options
from solitaire_envs.transcript import Transcript, read_deal
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec

MAX_MOVES = 4_000
"""Moves in one request, at most."""
MAX_MOVE = 20
"""Characters of a move, at most."""

MAX_DECK = 800
"""Characters of a deck, at most: 104 cards with commas and blanks between them."""


class RefusedError(Exception):
    """A request that is refused.

    Args:
        message: One line, for developers.
        status: The HTTP status, 4xx.
        reason: Names the text that the page shows instead, in the player's language; empty: it shows the message.
    """

    def __init__(self, message: str, status: int = 400, reason: str = "") -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


class RequestedPosition(NamedTuple):
    """A deal and the moves made in it. They define a game in play completely."""

    env_spec: EnvSpec
    deal: int | None
    """None: the deck is given."""
    deck: str
    """The cards; empty if the deal is given."""
    moves: tuple[str, ...]

    @property
    def start(self) -> tuple[Any, ...]:
        """Identifies a deal under given options."""
        return self.env_spec.game.name, self.env_spec.options, self.deal, self.deck

    @property
    def cards(self) -> Deck:
        """The deck, uint8 [52] (or 104)."""
        number = self.env_spec.game.num_cards
        return parse_deck(self.deck, number) if self.deal is None else deck_of_deal(self.deal, number)

    @classmethod
    def of_transcript(cls, env: str, transcript: Transcript) -> "RequestedPosition":
        """Returns the last position of a transcript. It does not check whether the moves are legal.

        Raises:
            RefusedError: There are too many moves, or one is too long.
        """
        env_spec = EnvSpec(env=env, options=transcript.options)
        deck = "" if transcript.deck is None else deck_text(transcript.deck)
        return cls(env_spec, transcript.deal, deck, _checked(transcript.moves))

    def content(self) -> dict[str, Any]:
        """Returns the content of a request for this position."""
        spec, dealt = self.env_spec, {"deck": self.deck} if self.deal is None else {"deal": str(self.deal)}
        return {"env": spec.env, "options": asdict(spec.options), **dealt, "moves": " ".join(self.moves)}

    def transcript(self, outcome: dict[str, Any] | None = None) -> Transcript:
        """Returns the transcript of the game so far."""
        spec, deck = self.env_spec, self.cards if self.deal is None else None
        return Transcript(
            game=spec.game, options=spec.options, deal=self.deal, deck=deck, moves=self.moves, outcome=outcome
        )


@dataclass(frozen=True)
class Body:
    """The content of a request, a JSON object."""

    content: Mapping[str, Any]

    def text(self, name: str, most: int = 200) -> str:
        """Returns a text.

        Raises:
            RefusedError: It is missing, no text, or too long.
        """
        value = self.content.get(name)
        if not isinstance(value, str) or len(value) > most:
            raise RefusedError(f"expected {name} to be a text of at most {most} characters, got {short(value)}")
        return value

    def env_spec(self) -> EnvSpec:
        """Returns the environment with its options. A request names it by its id, never by a module.

        Raises:
            RefusedError: There is no such environment or option.
        """
        env, options = self.text("env"), self.content.get("options", {})
        if env not in CATALOGUE:
            raise RefusedError(f"expected an environment among {some_of(CATALOGUE)}; got {short(env)}")
        try:
            check_shape("options", dict, options)
            return _env_spec(env, json.dumps(options))
        except (TypeError, ValueError) as error:
            raise RefusedError(str(error), reason="options") from None

    def position(self) -> RequestedPosition:
        """Returns the position. It does not check whether the moves are legal.

        Raises:
            RefusedError: There is no such environment, option or deal, or there are too many moves, or one is too long.
        """
        env_spec, deal, deck = self.env_spec(), None, ""
        try:
            if "deck" in self.content:
                deck = deck_text(parse_deck(self.text("deck", MAX_DECK), env_spec.game.num_cards))
            else:
                deal = read_deal(self.text("deal"))
        except ValueError as error:
            raise RefusedError(str(error), reason="deck" if "deck" in self.content else "deal") from None
        return RequestedPosition(env_spec, deal, deck, self.moves())

    def rules(self) -> tuple[EnvSpec, Options]:
        """Returns the environment, and its options with the objective that the request names for agents, if any.

        Raises:
            RefusedError: There is no such environment, option or objective.
        """
        env_spec = self.env_spec()
        options: Any = env_spec.options
        if "objective" not in self.content:
            return env_spec, options
        try:
            return env_spec, replace(options, objective=self.text("objective"))
        except (TypeError, ValueError) as error:
            raise RefusedError(str(error), reason="options") from None

    def moves(self) -> tuple[str, ...]:
        """Returns the moves, which the request separates by blanks.

        Raises:
            RefusedError: There are too many, or one is too long.
        """
        return _checked(self.text("moves", MAX_MOVES * (MAX_MOVE + 1)).split())


def read_body(body: bytes) -> Body:
    """Parses the body of a request.

    Raises:
        RefusedError: It is no JSON object.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError("expected a JSON object, got something else") from None
    if not isinstance(content, dict):
        raise RefusedError(f"expected a JSON object, got {short(content)}")
    return Body(content)


def _checked(moves: Sequence[str]) -> tuple[str, ...]:
    if len(moves) > MAX_MOVES:
        raise RefusedError(f"expected at most {MAX_MOVES} moves, got {len(moves)}")
    if max(map(len, moves), default=0) > MAX_MOVE:
        raise RefusedError(f"expected moves such as QH+AC, got {short(max(moves, key=len))}")
    return tuple(moves)


@lru_cache(maxsize=256)
def _env_spec(env: str, options: str) -> EnvSpec:
    return make_env_spec(env, json.loads(options))
