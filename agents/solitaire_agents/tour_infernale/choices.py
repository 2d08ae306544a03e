"""The choices of La tour infernale: the positions to reach before the next draw or redeal.

`candidates` finds them, and `inputs` describes them. This file turns a candidate's line into actions.
"""

from functools import partial
from typing import Any, Final

from solitaire_agents.choices import Choices, copy, share_of, wins
from solitaire_agents.tour_infernale.candidates import MOST_CANDIDATES, MOST_MOVES, count, new_storage, write_path
from solitaire_agents.tour_infernale.inputs import INPUTS, MOST_ON, MOST_REDEALS, describe
from solitaire_agents.tour_infernale.position import write_actions
from solitaire_envs import tour_infernale
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.jit import kernel

MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes are treated as this one."""
DISCOUNT: Final = 0.99
"""Factor of the return for each move where passes have no limit: every deal can be won, so few moves count."""


def tour_infernale_choices(options: tour_infernale.TourInfernaleOptions) -> Choices:
    """Returns the choices of La tour infernale.

    Agents play only with the numbers of piles and passes that they were trained with, since they play others badly.
    """
    count_moves = options.objective == "win" and options.passes is None
    return Choices(
        game=tour_infernale.GAME,
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
        discount=DISCOUNT if count_moves else 1.0,
        rules={
            "piles": options.piles,
            "passes": None if options.passes is None else min(options.passes, MANY_PASSES),
        },
    )


@kernel
def write_moves(storage: Any, k: int, line: Any) -> int:
    """Writes the actions that lead to candidate k; returns how many. As in `Choices`."""
    length, (rules, states) = min(write_path(storage, k), len(line)), storage.steps
    copy(storage.path, line[:length])
    states[1] = states[0]
    write_actions(rules[0], states[1], storage.shown, line[:length])
    return int(length)
