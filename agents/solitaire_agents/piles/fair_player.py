"""The best fair player of games where a stock goes to a hole, such as Golf: it plays by the exact optimum.

It is no agent of the kits, as its first move takes half a minute in Golf. Name it by its module:
``solitaire-rl compare --env solitaire/Golf-v0 --agents solitaire_agents.piles.fair_player:FairPlayer --deals 10``
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.line_follower import LineFollower
from solitaire_agents.piles.fair_optimum import chances_of_draws, table_by_heights
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.checks import short
from solitaire_envs.game import Options
from solitaire_envs.piles.games import DECLARED, PILE_GAMES
from solitaire_envs.piles.shape import PileShape


class FairPlayer(LineFollower):
    """Makes the moves with the largest chance to win of all players who do not know the order of the stock.

    It plays to win, whatever the objective. Once there is no chance, it plays the first legal action. A limit of moves
    is left out of account.

    Args:
        options: The options of the games to play.

    Raises:
        ValueError: The observations hide what a player has seen; or as `fair_optimum`.
    """

    name = "fair-player"
    fair = True

    def __init__(self, options: Options) -> None:
        if options.information == "table":
            raise ValueError("expected information='memory' or 'open', got 'table', which hides what a player has seen")
        declared = next((each for each in DECLARED if PILE_GAMES[each.env_id].options is type(options)), None)
        if declared is None:
            raise ValueError(f"expected options of a declared game, got {short(options)}")
        super().__init__(PILE_GAMES[declared.env_id], options)
        self._shape = PileShape(declared)
        table_by_heights(self._shape, self._imagined.states[0])  # refuses other games

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        """Returns the plays before the next draw, and the draw, unless the plays win."""
        shape, state, unseen = self._shape, self._imagine(observation), observation[self._imagined.game.unseen]
        in_stock = state.talon[shape.sizes.stock - state.stock_size : shape.sizes.stock]
        if unseen.sum() > 1:  # else they are known
            in_stock = 1 + np.flatnonzero(unseen)
        table, first = table_by_heights(shape, state), int(shape.pack.rank[state.tops[shape.places.foundation]])
        draws = chances_of_draws(first, shape.pack.rank[in_stock], table)

        @cache
        def best(heights: int, top: int) -> tuple[float, tuple[int, ...]]:
            """Returns the largest chance to win, and the piles to play from before the next draw."""
            chance, plays = draws.get(heights, 0.0) if heights else 1.0, tuple[int, ...]()
            for pile, rank in enumerate(table.tops[heights].tolist()):
                if rank > 0 and rank in table.near[top]:
                    later, more = best(heights - int(table.strides[pile]), rank)
                    if later > chance:
                        chance, plays = later, (pile, *more)
            return chance, plays

        chance, plays = best(len(table.tops) - 1, first)
        if chance == 0:
            return ()
        draw = [] if len(plays) == state.heights.sum() else [shape.actions.draw]
        return [*self._actions(state, plays), *draw]

    def _actions(self, state: Any, plays: Sequence[int]) -> Iterator[int]:
        """Yields the action of each play."""
        shape = self._shape
        rank_of, rows, left = shape.pack.rank, state.tableau.reshape(-1, shape.sizes.rows), state.heights.astype(int)
        top = rank_of[state.tops[shape.places.foundation]]
        for pile in plays:
            left[pile] -= 1
            card = rows[pile, left[pile]]
            is_higher = rank_of[card] == top % NUM_RANKS + 1
            yield int(shape.actions.up + 2 * shape.pack.suit[card] + is_higher)
            top = rank_of[card]
