"""The texts of a game for people who play. Its rule card and the docs of its options are for programmers.

The texts are English. Catalogues translate them; what a catalogue lacks stays English.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solitaire_envs.layout import Spot

LANGUAGES = Path(__file__).parent / "languages"
"""The catalogues of this package: a folder for each game, and one for texts that several games share."""


class Said(str):
    """An English sentence that can be translated, since it keeps its text and its values apart.

    Args:
        text: The sentence with fields for values, such as ``{card} is covered.``
        values: Name of a field -> its value.
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
    """A game for people who play. Where a text is missing, they see what programmers read."""

    title: str = ""
    about: str = ""
    """One sentence."""
    rules: Sequence[str] = ()
    """The rules in prose, paragraph by paragraph."""
    options: Mapping[str, OptionWords] = field(default_factory=dict)
    """Name of an option -> its words."""
    why_not: Callable[[Spot, Spot], str] = lambda source, target: ""
    """(top of a place, top of another) -> why the first card may not be put on the second, best as `Said`. It is called
    when no legal move does that. Empty: the game has no explanation."""
    languages: Sequence[Path] = ()
    """Folders for `read_catalogue`, whose catalogues translate these texts, moves, places and status."""


def read_catalogue(folders: Iterable[Path], language: str) -> dict[str, str]:
    """Returns English text -> translation, from the file ``<language>.json`` of each folder.

    In keys for places, captions and status, numbered fields stand for numbers and suits: ``row {1}, card {2}``.

    Args:
        folders: If several folders translate a text, the first of them is used.
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
"""Options that several games share."""
REDEAL_RULE = (
    "When the stock is empty, the waste is turned over to become the stock again, as long as passes are left. Its "
    "order stays the same."
)
END_RULE = (
    "You win when all cards are on the foundations, and lose when no move is left. The score is the number of cards on "
    "the foundations."
)
