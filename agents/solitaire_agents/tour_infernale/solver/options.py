"""The options of a game that the solver, and all that plays by rules of its own, knows."""

from dataclasses import fields
from typing import Final

from solitaire_envs.checks import short
from solitaire_envs.tour_infernale import TourInfernaleOptions

KNOWN_OPTIONS: Final = frozenset(
    {
        # These are rules that the solver plays by:
        "piles",
        "passes",
        # These make no difference to what can be won from a position:
        "objective",  # rewards
        "information",  # what the observation shows
        "max_moves",  # not counted; see `api`
        "resign",  # ends lost games only
        "budget",  # of a sprint, which is a series of deals
    }
)
"""Names of the options that the solver, the rollouts and the choices know."""


def check_options(options: TourInfernaleOptions) -> None:
    """Checks that the solver knows the game that is played under the options.

    The rule: an option that is not among `KNOWN_OPTIONS`, such as one that a subclass adds, must have its default. At
    its default, an option leaves the game as it was before the option existed.

    Raises:
        ValueError: An option that the solver does not know has another value than its default.
    """
    for spec in fields(options):
        value = getattr(options, spec.name)
        if spec.name not in KNOWN_OPTIONS and value != spec.default:
            raise ValueError(
                f"expected {spec.name}={spec.default!r}, the only value the solver knows; got {short(value)}"
            )
