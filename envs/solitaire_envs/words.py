"""What a game tells people who play; its rule card and the docs of its options are for those who program.

A game speaks English. Its catalogues say the same in other languages, and what they leave out stays English.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solitaire_envs.layout import Spot

LANGUAGES = Path(__file__).parent / "languages"
"""The catalogues of this package: a folder for each game, and one for words that several games have."""


class Said(str):
    """A sentence in English that can be said in other languages too, since it keeps its text and values apart.

    Args:
        text: The sentence with places for values, such as ``{card} is covered.``
        values: Name of a place -> what stands there.
    """

    text: str
    values: Mapping[str, str]

    def __new__(cls, text: str, **values: str | int) -> "Said":
        """Fills in the values."""
        said = super().__new__(cls, text.format(**values))
        said.text, said.values = text, {name: str(value) for name, value in values.items()}
        return said


@dataclass(frozen=True, kw_only=True, eq=False)
class OptionWords:
    """An option for people who play."""

    label: str
    """Its name."""
    choices: Mapping[Any, str] = field(default_factory=dict)
    """Value -> the choice in words; a value without words is shown as it is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Words:
    """A game for people who play; what is left out is taken from what programmers read."""

    title: str = ""
    about: str = ""
    """One sentence."""
    rules: Sequence[str] = ()
    """The rules in prose, paragraph by paragraph."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)
    """Name of an option -> its words."""
    why_not: Callable[[Spot, Spot], str] = lambda source, target: ""
    """(top of a place, top of another) -> why the first one's card may not be put on the second, best as `Said`; asked
    where no legal move does so. Empty: the game has no words for it."""
    languages: Sequence[Path] = ()
    """Folders of catalogues, as of `read_catalogue`, with these words, and moves, places and status."""


def read_catalogue(folders: Iterable[Path], language: str) -> dict[str, str]:
    """Returns a text in English -> the same in another language, from the file ``<language>.json`` of each folder.

    In the keys, numbers and suits of places, captions and status are numbered: ``row {1}, card {2}``.

    Args:
        folders: Of two texts for the same key, the one of the folder that comes first is taken.
        language: Its code, such as ``de``.

    Raises:
        ValueError: A file is not a JSON object of texts.
    """
    found: dict[str, str] = {}
    for file in (folder / f"{language}.json" for folder in folders):
        if not file.is_file():
            continue
        texts = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            raise ValueError(f"expected a JSON object of texts, got something else in {file}")
        found = {**texts, **found}
    return found


COMMON = {
    "information": OptionWords(
        label="What agents see",
        choices={"memory": "what you can remember", "table": "what lies face up now", "open": "the whole stock"},
    ),
    "max_moves": OptionWords(label="Most moves", choices={None: "no limit"}),
    "passes": OptionWords(label="Passes through the stock", choices={None: "no limit", 1: "one pass"}),
    "objective": OptionWords(label="Agents play for", choices={"score": "the score", "win": "a win"}),
}
"""Words of options that several games have."""
REDEAL_RULE = (
    "When the stock is empty, the waste is turned over to become the stock again, as long as passes are left. Its "
    "order stays the same."
)
END_RULE = (
    "You win when all 52 cards are on the foundations, and lose when no move is left. The score is the number of cards "
    "on the foundations."
)
