"""How learners see Golf: as a choice among the legal moves, by what is seen after each."""

from typing import Any

from golf.game import GAME, STARTER, GolfOptions
from solitaire_agents.choices import Choices, slot_choices, wins
from solitaire_envs.jit import kernel


def golf_choices(options: GolfOptions) -> Choices:
    """Returns the choices of Golf."""
    normalised_return = wins if options.objective == "win" else share_played
    return slot_choices(GAME, options, normalised_return, rules={"wrap": options.wrap})


@kernel
def share_played(outcome: Any) -> float:
    """Returns which share of the columns' cards was played."""
    return float((outcome.score + STARTER) / STARTER)
