"""The choices of declared games: plays that make progress, each with the moves that lead to it.

`candidates` finds them, and `inputs` describes the positions after them. Both are made from the declaration, and are
compiled when a game's agents are first asked.
"""

from functools import cache, partial
from typing import Any, Final

from solitaire_agents.choices import Choices, share_of, wins
from solitaire_agents.piles.candidates import candidates_of
from solitaire_agents.piles.inputs import MOST_REDEALS, inputs_of
from solitaire_agents.piles.tables import MOST_CANDIDATES, Storage, most_moves, new_storage
from solitaire_envs.game import Game, Options
from solitaire_envs.jit import kernel
from solitaire_envs.piles.shape import PileShape

MANY_PASSES: Final = MOST_REDEALS + 1
"""Higher numbers of passes are treated as this one."""
RULES: Final = ("cells", "draw", "passes", "returns", "whole_piles")
"""The options of declared games that change what a learner has to know."""


def pile_choices(game: Game, shape: PileShape, options: Options) -> Choices:
    """Returns the choices of a declared game.

    Args:
        game: The game.
        shape: Its numbers.
        options: Its options.
    """
    inputs, (count, moves, _) = inputs_of(game, shape), candidates_of(game, shape)
    rules = {name: getattr(options, name) for name in RULES if hasattr(options, name)}
    if rules.get("passes") is not None:
        rules["passes"] = min(rules["passes"], MANY_PASSES)
    return Choices(
        game=game,
        options=options,
        inputs=inputs.number,
        most_on=inputs.most_on,
        most_candidates=MOST_CANDIDATES,
        most_moves=most_moves(shape),
        new_storage=partial(new_storage, game, shape, options),
        count=count,
        describe=_describing(game, shape),
        moves=moves,
        normalised_return=wins if getattr(options, "objective", "win") == "win" else share_of(shape.pack.number),
        rules=rules,
        mirror=inputs.mirror,
        same_from={"pass": 2} if shape.to_waste else {},  # with the redeals that are left
    )


@cache
def _describing(game: Game, shape: PileShape) -> Any:
    play_out, describe_state = candidates_of(game, shape).play_out, inputs_of(game, shape).describe

    @kernel
    def describe(storage: Storage, k: int, on: Any) -> int:
        play_out(storage, k)
        steps = storage.steps
        return int(describe_state(steps.rules[0], steps.states[1], storage.mask, storage.codes, on))

    return describe
