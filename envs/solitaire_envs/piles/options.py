"""The options of declared games."""

from dataclasses import make_dataclass
from typing import Any, Literal

from solitaire_envs.game import Options, option
from solitaire_envs.piles.shape import PileShape

MOST_MOVES = 10**9


def pile_options(shape: PileShape, module: str) -> type[Options]:
    """Makes the class of a game's options.

    Args:
        shape: The game.
        module: The module that has the class, under its own name.
    """
    game, fields = shape.game, list[Any]()
    if game.cells is not None:
        number, filled = game.cells.number, game.cells.filled
        doc = "Cells that may be used."
        fields.append(("cells", int, option(number, doc, minimum=filled, maximum=number)))
    if shape.to_waste and game.stock is not None:
        passes = option(game.stock.passes, "Passes through the stock; None: no limit.", limits="passes")
        fields.append(("draw", int, option(game.stock.draw, "Cards that a draw turns over.", maximum=4)))
        fields.append(("passes", int | None, passes))
    if shape.returns:
        doc = "Whether the top card of a foundation may go back to the tableau."
        fields.append(("returns", bool, option(True, doc)))
    if game.tableau.whole_piles is not None:
        doc = "Whether only whole piles move from pile to pile."
        fields.append(("whole_piles", bool, option(game.tableau.whole_piles, doc)))
    limit = "The episode is truncated after this many moves; None: never."
    fields.append(("max_moves", int | None, option(1_000, limit, maximum=MOST_MOVES)))
    points = "card of the tableau in the hole" if shape.hole else "card on a foundation"
    doc = f"Rewards: 1 for a win, or 1 for each {points}."
    fields.append(("objective", Literal["win", "score"], option("win", doc)))
    name = f"{game.title_words}Options"
    namespace = {"__module__": module, "__doc__": f"Options of {game.title}."}
    return make_dataclass(name, fields, bases=(Options,), frozen=True, kw_only=True, namespace=namespace)
