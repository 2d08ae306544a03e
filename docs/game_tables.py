"""Tables of the environments for the documentation, made from the games themselves.

Each function returns Markdown; `write_tables.py` writes it into the pages.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, fields
from itertools import groupby
from typing import Any, Literal, get_args, get_origin, get_type_hints

from solitaire_envs import klondike_table, pyramid_table, tour_infernale
from solitaire_envs.catalogue import CATALOGUE, find_entry
from solitaire_envs.game import make_options
from solitaire_envs.piles.games import DECLARED, PILE_GAMES

PAGES = {
    "solitaire/Pyramid-v0": "environments/pyramid",
    "solitaire/PyramidPar-v0": "environments/pyramid-par",
    "solitaire/TourInfernale-v0": "environments/tour-infernale",
    "solitaire/TourInfernaleOnePass-v0": "environments/tour-infernale-one-pass",
    "solitaire/TourInfernaleSprint-v0": "environments/tour-infernale-sprint",
    "solitaire/Klondike-v0": "environments/klondike",
    "solitaire/KlondikeDrawOne-v0": "environments/klondike-draw-one",
}
"""Environment id -> its page."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def span(first: int, last: int) -> str:
    """Returns a range of numbers as text."""
    return str(first) if first == last else f"{first} to {last}"


# --- Actions ----------------------------------------------------------------------------------------------------------

Words = tuple[str, str]
"""What an action does, and the name of its group: actions in a row with the same group share a line of the summary."""


def _pyramid_words(action: int) -> Words:
    if action == pyramid_table.DRAW:
        return "draw: the top card of the stock goes to the waste", "draw: the top card of the stock goes to the waste"
    if action == pyramid_table.REDEAL:
        return "redeal: turn the waste over to become the stock", "redeal: turn the waste over to become the stock"
    first, second = pyramid_table.ACTIONS[action]
    if second == pyramid_table.NO_PLACE:
        text = f"discard the king {_at(first)}"
        return text, "discard the king at a position" if first < pyramid_table.PYRAMID_SIZE else text
    text = f"discard the pair {_at(first)} and {_at(second)}"
    if second < pyramid_table.PYRAMID_SIZE:
        return text, "discard the pair at two positions"
    if first < pyramid_table.PYRAMID_SIZE:
        return text, f"discard the pair at a position and {_at(second)}"
    return text, text


def _at(place: int) -> str:
    piles = {pyramid_table.STOCK: "on top of the stock", pyramid_table.WASTE: "on top of the waste"}
    return piles.get(place, f"at position {place}")


def _tour_words(action: int) -> Words:
    if action == tour_infernale.DRAW:
        text = "draw: the top card of the stock goes to the waste"
    elif action == tour_infernale.REDEAL:
        text = "redeal: turn the waste over to become the stock"
    else:
        source, target = tour_infernale.ACTIONS[action]
        from_where = "the waste" if source == tour_infernale.WASTE else f"pile {source}"
        where_to = "its foundation" if target == tour_infernale.FOUNDATION else f"pile {target}"
        text = f"move the top card of {from_where} to {where_to}"
    return text, text


def _klondike_words(action: int) -> Words:
    if action == klondike_table.DRAW:
        text = "draw: cards of the stock go to the waste, one by one"
        return text, text
    if action == klondike_table.REDEAL:
        text = "redeal: turn the waste over to become the stock"
        return text, text
    source, target = klondike_table.ACTIONS[action]
    if source >= klondike_table.FOUNDATION:
        from_where = f"the foundation of {SUIT_NAMES[source - klondike_table.FOUNDATION]}"
    else:
        from_where = "the waste" if source == klondike_table.WASTE else f"pile {source}"
    if target == klondike_table.FOUNDATION:
        text = f"move the top card of {from_where} to its foundation"
        return text, "move the top card of a pile to its foundation" if source < klondike_table.PILES else text
    what = "the cards that fit" if source < klondike_table.PILES else "the top card"
    group = f"move to pile {target} from another pile, the waste or a foundation"
    return f"move {what} of {from_where} to pile {target}", group


SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
WORDS: dict[str, Callable[[int], Words]] = {
    "pyramid": _pyramid_words,
    "tour_infernale": _tour_words,
    "klondike": _klondike_words,
}
"""Name of a game -> action -> its words."""


def action_words(env_id: str) -> list[Words]:
    """Returns the words of each action of an environment, by its number."""
    entry = find_entry(env_id)
    options = make_options(entry.game.options, dict(entry.preset))
    return [WORDS[entry.game.root.name](action) for action in range(entry.game.num_actions(options))]


def actions(env_id: str) -> str:
    """Returns the table of actions; long ones in groups, with all of them in a fold below."""
    words = action_words(env_id)
    numbered = list(enumerate(words))
    groups = [(name, [number for number, _ in group]) for name, group in groupby(numbered, lambda one: one[1][1])]
    every = table(["action", "move"], [(number, text) for number, (text, _) in numbered])
    if len(groups) == len(words):
        return every
    summary = table(["actions", "move"], [(span(numbers[0], numbers[-1]), name) for name, numbers in groups])
    fold = f"<details><summary>All {len(words)} actions</summary>"
    return f"{summary}\n\n{fold}\n\n{every}\n\n</details>"


def positions(env_id: str) -> str:
    """Returns a drawing of Pyramid's positions by their numbers."""
    rows = [
        [number for (row, _), number in pyramid_table.POSITION.items() if row == line]
        for line in range(pyramid_table.ROWS)
    ]
    lines = ["".join(f"{number:^6}" for number in row).center(6 * pyramid_table.ROWS).rstrip() for row in rows]
    return "```text\n" + "\n".join(lines) + "\n```"


# --- Observation, options, outcome ------------------------------------------------------------------------------------


def observation(env_id: str) -> str:
    """Returns the table of observation slots."""
    rows, start = [], 0
    for slots in find_entry(env_id).game.observation:
        where, values = span(start, start + slots.size - 1), span(slots.low, slots.high)
        rows.append((where, f"`{slots.name}`", slots.size, values, slots.doc))
        start += slots.size
    return table(["slots", "name", "size", "values", "meaning"], rows)


def options(env_id: str) -> str:
    """Returns the table of options."""
    entry = find_entry(env_id)
    hints = get_type_hints(entry.game.options)
    chosen = make_options(entry.game.options, dict(entry.preset))
    rows = [
        (f"`{spec.name}`", f"`{getattr(chosen, spec.name)!r}`", allowed(spec, hints[spec.name]), spec.metadata["doc"])
        for spec in fields(entry.game.options)
    ]
    return table(["option", "default", "allowed", "meaning"], rows)


def allowed(spec: Field[Any], hint: Any) -> str:
    """Returns the values that an option may take, as text."""
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not type(None)]
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value!r}`" for value in kinds)
    if kinds == [bool]:
        return "`True`, `False`"
    numbers = f"{spec.metadata['minimum']:,} to {spec.metadata['maximum']:,}"
    return numbers + (", `None`" if type(None) in get_args(hint) else "")


def outcome(env_id: str) -> str:
    """Returns the table of what is reported at the end of an episode."""
    return table(["field", "meaning"], [(f"`{one.name}`", one.doc) for one in find_entry(env_id).game.outcome_fields])


def summary(env_id: str) -> str:
    """Returns the table at the top of an environment's page: its id, its spaces, and how to make it."""
    game, size = find_entry(env_id).game, len(action_words(env_id))
    rows = [
        ("Id", f"`{env_id}`"),
        ("Action space", f"`Discrete({size})`"),
        ("Observation space", f"`Box`, int16, {game.observation_size} slots"),
        ("Make", f'`gymnasium.make("{env_id}")`'),
    ]
    return table(["property", "value"], rows)


def environments(argument: str) -> str:
    """Returns the table of all environments, with links to their pages."""
    rows = []
    for env_id, entry in CATALOGUE.items():
        if env_id in PAGES:
            preset = ", ".join(f"`{name}={value!r}`" for name, value in entry.preset.items())
            size = entry.game.num_actions(make_options(entry.game.options, dict(entry.preset)))
            rows.append((f"[{env_id}]({PAGES[env_id]}.md)", preset or "none", size, entry.game.observation_size))
    return table(["id", "preset options", "actions", "observation slots"], rows)


def declared(argument: str) -> str:
    """Returns the table of the declared games."""
    rows = []
    for record in DECLARED:
        game = PILE_GAMES[record.env_id]
        own = [
            f"`{name}={getattr(game.options(), name)!r}`"
            for name in game.options.__dataclass_fields__
            if name not in ("information", "max_moves", "objective")
        ]
        hidden = "yes" if game.unseen.stop else "no"
        sizes = game.num_actions(game.options()), game.observation_size
        rows.append((record.title, f"`{record.env_id}`", ", ".join(own) or "none", hidden, *sizes))
    return table(["game", "id", "options of its own", "hidden cards", "actions", "observation slots"], rows)


def declared_rules(argument: str) -> str:
    """Returns the rules of the declared games as players read them, a section each."""
    parts = []
    for record in DECLARED:
        words = PILE_GAMES[record.env_id].words
        parts.append("\n".join([f"### {words.title}", "", words.about, "", *(f"- {rule}" for rule in words.rules)]))
    return "\n\n".join(parts)


TABLES: dict[str, Callable[[str], str]] = {
    "declared-games": declared,
    "declared-rules": declared_rules,
    "game-actions": actions,
    "game-environments": environments,
    "game-observation": observation,
    "game-options": options,
    "game-outcome": outcome,
    "game-positions": positions,
    "game-summary": summary,
}
"""Name -> what makes its Markdown from its argument, an environment id."""
