"""Texts from the declarations of games and agents: rule cards, first sentences, values of options."""

import inspect
import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:
    from solitaire_envs.game import Game


def first_sentence(thing: Any) -> str:
    """Returns the first sentence of an object's docstring; for a `partial`, that of its function."""
    text = " ".join(
        (inspect.getdoc(thing.func if isinstance(thing, partial) else thing) or "").partition("\n\n")[0].split()
    )
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0]


def rules_of(game: "Game") -> str:
    """Returns a game's rule card, the docstring of its module; for a series, also the series' own."""
    cards = [_card(one) for one in dict.fromkeys((game.root, game))]
    return "\n\n".join(dict.fromkeys(cards))


def rules_for_players(game: "Game") -> Sequence[str]:
    """Returns the rules as written for players, paragraph by paragraph; the rule card if the game has no such text."""
    return game.words.rules or [rules_of(game)]


def title_of_game(game: "Game") -> str:
    """Returns a game's title, or else the first line of its rule card."""
    return game.words.title or _card(game.root).partition("\n")[0] + (" A series of games." if game.base else "")


def _card(game: "Game") -> str:
    return inspect.cleandoc(sys.modules[game.options.__module__].__doc__ or game.name)


def values_of_option(game: "Game", name: str) -> str:
    """Returns the allowed values of an option, as text."""
    hint, metadata = get_type_hints(game.options)[name], game.options.__dataclass_fields__[name].metadata
    kinds = get_args(hint) or (hint,)
    texts = []
    for kind in kinds:
        if isinstance(kind, str | int) and not isinstance(kind, type):
            texts.append(str(kind))
        elif kind is bool:
            texts += ["True", "False"]
        elif kind is int:
            texts.append(f"{metadata['minimum']:,}..{metadata['maximum']:,}")
        else:
            texts.append("None")
    return ", ".join(texts)
