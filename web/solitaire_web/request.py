"""Parses and validates requests. The message of a refusal is one line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from solitaire_envs.cards import parse_deck
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
            return make_env_spec(env, options)
        except (TypeError, ValueError) as error:
            raise RefusedError(str(error), reason="options") from None

    def position(self) -> Transcript:
        """Returns the transcript of the game up to the position. It does not check whether the moves are legal.

        Raises:
            RefusedError: There is no such environment, option or deal, or there are too many moves, or one is too long.
        """
        spec, deal, deck = self.env_spec(), None, None
        try:
            if "deck" in self.content:
                deck = parse_deck(self.text("deck", MAX_DECK), spec.game.num_cards)
            else:
                deal = read_deal(self.text("deal"))
        except ValueError as error:
            raise RefusedError(str(error), reason="deck" if "deck" in self.content else "deal") from None
        return Transcript(game=spec.game, options=spec.options, deal=deal, deck=deck, moves=self.moves())

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
        """Returns the moves, which the request separates by blanks; see `checked_moves`."""
        return checked_moves(self.text("moves", MAX_MOVES * (MAX_MOVE + 1)).split())


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


def checked_moves(moves: Sequence[str]) -> tuple[str, ...]:
    """Returns the moves of a request.

    Raises:
        RefusedError: There are too many, or one is too long.
    """
    if len(moves) > MAX_MOVES:
        raise RefusedError(f"expected at most {MAX_MOVES} moves, got {len(moves)}")
    if max(map(len, moves), default=0) > MAX_MOVE:
        raise RefusedError(f"expected moves such as QH+AC, got {short(max(moves, key=len))}")
    return tuple(moves)
