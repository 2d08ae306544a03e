"""The choices of Klondike: plays that make progress, each with the moves that lead to it.

`candidates` finds them, and `inputs` describes the positions after them.
"""

from functools import partial
from typing import Final

from solitaire_agents.choices import Choices, share_of, wins
from solitaire_agents.klondike.candidates import (
    MOST_CANDIDATES,
    MOST_MOVES,
    count,
    new_storage,
    write_moves,
)
from solitaire_agents.klondike.inputs import INPUTS, MOST_ON, MOST_REDEALS, describe, mirror_image
from solitaire_envs import klondike
from solitaire_envs.cards import NUM_CARDS

MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes are treated as this one."""


def klondike_choices(options: klondike.KlondikeOptions) -> Choices:
    """Returns the choices of Klondike."""
    return Choices(
        game=klondike.GAME,
        options=options,
        inputs=INPUTS,
        most_on=MOST_ON,
        most_candidates=MOST_CANDIDATES,
        most_moves=MOST_MOVES,
        new_storage=partial(new_storage, options),
        count=count,
        describe=describe,
        moves=write_moves,
        normalised_return=wins if options.objective == "win" else share_of(NUM_CARDS),
        rules={
            "draw": options.draw,
            "returns": options.returns,
            "passes": None if options.passes is None else min(options.passes, MANY_PASSES),
        },
        mirror=mirror_image(),
        same_from={"pass": 2},  # with the redeals that are left
    )
