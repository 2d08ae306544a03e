"""A rule for all declared games: of the plays that make progress, it makes the one that does most."""

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionMasks, Observations
from solitaire_agents.candidate_player import CandidatePlayer
from solitaire_agents.choices import Choices
from solitaire_agents.piles.candidates import candidates_of
from solitaire_agents.piles.progress import APART, BLOCKS, LEFT, NOT_UP, OCCUPIED, part_of, survey_of
from solitaire_agents.piles.tables import ACTION, Storage
from solitaire_envs.cards import NUM_RANKS
from solitaire_envs.game import Game
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.piles.shape import EMPTY, PileShape

UP, TURNED, OUT_OF_RESERVE, OUT_OF_WASTE = 1_000, 400, 300, 100
"""What a card counts for that goes up, that is turned up, or that leaves the reserve, or waste and stock."""
FREED, OCCUPIED_MORE, UNBLOCKED, JOINED = 60, 45, 50, 20
"""What a place counts for that is free then, or is not; a card that fits on the card beneath then, or joins its run."""
MAY_FOLLOW: Final = 3
"""Worth of each card that can go up next."""
BURIED, LEAST_BURIED = 4, 12
"""Cost of each card that lies on a card that its foundation waits for, and on the one of these with the fewest."""
PREPARED: Final = 1
"""Cost of a move."""
DRAW: Final = -500
"""A draw from a stock that has not been seen comes last, but for plays that do harm."""


class Greedy(CandidatePlayer):
    """Plays to the foundations or the hole; else turns up, frees and builds; takes cells and draws last."""

    name = "greedy"

    def __init__(self, choices: Choices, shape: PileShape) -> None:
        super().__init__(choices)
        self._storage, self._choose_all = choices.new_storage(), _chooser(choices.game, shape)

    def _choose(
        self, observations: Observations, action_masks: ActionMasks
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        n = len(observations)
        lines, lengths = np.zeros((n, self.choices.most_moves), np.int16), np.zeros(n, np.int64)
        self._choose_all(self._storage, observations, action_masks, lines, lengths)
        return lines, lengths


@cache
def _chooser(game: Game, shape: PileShape) -> Any:
    """Makes the entry point that chooses in some games."""
    count, moves, play_out = candidates_of(game, shape)
    survey, rate = survey_of(shape), _rating(game, shape)
    FRESH_DRAW = shape.actions.draw

    @entry_point(f"{game.name} greedy")
    def choose_all(storage: Storage, observations: Any, masks: Any, lines: Any, lengths: Any) -> None:
        for i in range(len(observations)):
            found, best, highest = count(storage, observations[i], masks[i]), 0, -(1 << 30)
            before, _ = survey(storage.steps.states[0])
            for k in range(found):
                rating = DRAW
                if storage.candidates[k, ACTION] != FRESH_DRAW:
                    play_out(storage, k)
                    rating = rate(storage, before) - PREPARED * moves(storage, k, storage.line)
                if rating > highest:
                    best, highest = k, rating
            lengths[i] = moves(storage, best, storage.line) if found else 0
            for j in range(lengths[i]):
                lines[i, j] = storage.line[j]

    return choose_all


def _rating(game: Game, shape: PileShape) -> Any:
    """Makes the kernel (storage, measure before) -> the rating of the position after a play."""
    legal, survey, actions, sizes = game.legal, survey_of(shape), shape.actions, shape.sizes
    FIRST, UPS, HOLE = actions.up, shape.ups, shape.hole is not None
    NEXT_UP, LINES, COPIES = shape.pack.next_up, shape.pack.lines, shape.pack.copies
    TO_WASTE, DOWN, PILES, ROWS = shape.to_waste, sizes.downs > 0, sizes.piles, sizes.rows
    BY_CARD = shape.hole is None and not shape.takes_runs

    @kernel
    def buried(state: Any) -> int:
        """Returns what it costs that cards lie on those that the foundations wait for."""
        total, least = 0, NUM_RANKS
        if BY_CARD:
            for pile in range(PILES):
                height = state.heights[pile]
                for row in range(height):
                    card = state.tableau[ROWS * pile + row]
                    for line in range(LINES):
                        for copy in range(COPIES):
                            if card == NEXT_UP[line, state.foundations[line], copy] and card != EMPTY:
                                total += height - 1 - row
                                least = min(least, height - 1 - row)
        return BURIED * total + LEAST_BURIED * least

    @kernel
    def rate(storage: Storage, before: int) -> int:
        old, new = storage.steps.states[0], storage.steps.states[1]
        after, _ = survey(new)
        turned = out = 0
        if DOWN:
            for pile in range(PILES):
                turned += old.downs[pile] - new.downs[pile]
        if TO_WASTE:
            out = int(old.waste_size + old.stock_size - new.waste_size - new.stock_size)
        beside = part_of(before, LEFT) - part_of(after, LEFT) - turned - out
        rating = TURNED * turned + OUT_OF_WASTE * out + (UP if HOLE else OUT_OF_RESERVE) * beside
        rating += UP * (part_of(before, NOT_UP) - part_of(after, NOT_UP))
        rating += UNBLOCKED * (part_of(before, BLOCKS) - part_of(after, BLOCKS))
        rating += JOINED * (part_of(before, APART) - part_of(after, APART))
        freed = part_of(before, OCCUPIED) - part_of(after, OCCUPIED)
        rating += FREED * freed if freed > 0 else OCCUPIED_MORE * freed
        legal(storage.steps.rules[0], new, storage.mask)
        for action in range(FIRST, FIRST + UPS):
            rating += MAY_FOLLOW * storage.mask[action]
        return rating - buried(new)

    return rate
