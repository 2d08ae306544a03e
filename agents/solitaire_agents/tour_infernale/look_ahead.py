"""The planner for one pass of La tour infernale: it looks one draw further than a trained network.

Before each draw it takes the candidates with the highest values. It rates each by the value of the best candidate after
the draw, averaged over cards that may come next. All are rated with the same cards, so luck cancels out.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import ActionValues, judge_by
from solitaire_agents.choices import copy, steps_over
from solitaire_agents.choosing import new_scratch
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.network import VALUE, Network
from solitaire_agents.tour_infernale.bitboard import Bitboard, board_seen
from solitaire_agents.tour_infernale.candidates import IN_PLACE, count, entry_of, read
from solitaire_agents.tour_infernale.choices import tour_infernale_choices, write_moves
from solitaire_agents.tour_infernale.component_values import choose, is_finished, rate_all
from solitaire_agents.tour_infernale.position import order_seen
from solitaire_agents.tour_infernale.uses import USES
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_agents.uses import check_uses
from solitaire_envs.cards import random_below, random_state
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.tour_infernale import DRAW, GAME, TourInfernaleOptions


class _Effort(NamedTuple):
    """The effort of a plan; see `TourInfernaleLookAhead`."""

    candidates: int
    cards: int
    margin: float


class TourInfernaleLookAhead(LineFollower):
    """Rates the best positions before a draw by the values of those within reach after it, over cards that may come.

    A plan depends only on the seed and the observation, which give the random numbers.

    Args:
        options: The options of the games to play.
        network: The network; only its value head is used.
        candidates: Most candidates to rate in each plan.
        cards: Most next cards to rate each of them with.
        margin: How much lower than the highest a candidate's value may be, as a logit.
        calibration: The calibration of the network's values; it changes no move.
        seed: Seed of the random numbers.
        folder: The folder that the network was loaded from.

    Raises:
        ValueError: A number is less than 1, the options are not for one pass, or it does not play under them.
    """

    name = "planner"
    fair = True

    def __init__(
        self,
        options: TourInfernaleOptions,
        network: Network,
        *,
        candidates: int = 3,
        cards: int = 8,
        margin: float = 1.0,
        calibration: Calibration = AS_LEARNED,
        seed: int = 0,
        folder: Path | None = None,
    ) -> None:
        if min(candidates, cards) < 1:
            raise ValueError(f"expected at least one candidate and card, got {candidates} and {cards}")
        if options.passes != 1:
            raise ValueError(f"expected passes=1, got {options.passes}: it looks ahead in one pass only")
        check_uses(USES["planner"], options, self.name)
        super().__init__(GAME, options, seed)
        choices, self.folder = tour_infernale_choices(options), folder
        self._effort, self._network = _Effort(candidates, cards, float(margin)), network
        self._calibration = calibration
        self._scratch, self._following = new_scratch(choices, network), new_scratch(choices, network)

    def _best_line(self, observation: NDArray[np.int16]) -> Sequence[int]:
        order_seen(observation)  # or raises
        scratches = self._scratch, self._following
        length = int(_plan(self._network, *scratches, self._effort, self._seed, observation))
        line: list[int] = self._scratch.line[:length].tolist()
        return line

    def action_values(
        self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int
    ) -> ActionValues:
        """Returns the probability of a win after each move: that of the best candidate, over cards that may come."""
        order_seen(observation)  # or raises
        values = np.zeros((samples, len(action_mask)))
        for action in np.flatnonzero(action_mask).tolist():
            _try_move(self._network, self._scratch, self._following, self._seed, observation, action, values)
        return judge_by("chance", self._calibration.correct(values), action_mask)


# --- Plans ------------------------------------------------------------------------------------------------------------


@entry_point("tour look-ahead")
def _plan(network: Any, scratch: Any, following: Any, effort: _Effort, seed: Any, observation: Any) -> int:
    """Writes the moves to the candidate with the best value after the next card into the line; returns how many.

    Args:
        network: The network.
        scratch: Working storage for the candidates; the line is written to it.
        following: Working storage for the candidates after the draw.
        effort: The effort.
        seed: uint64, seed of the random numbers, together with the observation.
        observation: int16 [O].
    """
    storage, now, best = scratch.storage, scratch.storage.now[0], 0
    number = count(storage, observation, observation)
    if number > 1:
        rate_all(network, VALUE, scratch, number)
        best = int(scratch.logits[:number].argmax())
        candidates = min(effort.candidates, _count_from(scratch.logits[:number], scratch.logits[best] - effort.margin))
        if candidates > 1 and now.end != IN_PLACE:
            cards = min(effort.cards, now.cards - now.drawn)
            _mix(storage, cards, random_state(seed, observation))
            _stand_there(storage, following.storage)
            best = _most_promising(network, scratch, following, number, candidates, cards)
    return int(write_moves(storage, best, scratch.line)) if number else 0


@kernel
def _count_from(logits: Any, least: float) -> int:
    """Returns how many logits are at least this high."""
    number = 0
    for logit in logits:
        number += logit >= least
    return number


@kernel
def _most_promising(network: Any, scratch: Any, following: Any, number: int, candidates: int, cards: int) -> int:
    """Returns which of the candidates with the highest values has the best chances, averaged over the first cards."""
    best, most = -1, -1.0
    for _ in range(candidates):
        k = int(scratch.logits[:number].argmax())
        scratch.logits[k] = -np.inf
        chances = 0.0
        for card in range(cards):
            chances += _chance_after(network, following, card, entry_of(scratch.storage, k))
        if chances > most:
            best, most = k, chances
    return best


_look, _see_after = steps_over(GAME)


@entry_point("tour look-ahead")
def _try_move(
    network: Any, scratch: Any, following: Any, seed: Any, observation: Any, action: int, chances: Any
) -> None:
    """Writes the probability of a win after a move, for each of some cards that may come next.

    Args:
        network: As in `_plan`.
        scratch: As in `_plan`.
        following: As in `_plan`.
        seed: As in `_plan`, so that all moves are rated with the same cards.
        observation: As in `_plan`.
        action: The move.
        chances: float64 [S, A]; the move's column is written to.
    """
    storage, now = scratch.storage, scratch.storage.now[0]
    copy(observation, storage.shown)
    if action != DRAW:
        _look(storage.steps, observation)
        _see_after(storage.steps, action, storage.shown)
    read(storage, storage.shown)
    board = board_seen(storage.shown)
    to_come = now.cards - now.drawn
    if to_come == 0:
        chances[:, action] = 1.0 if is_finished(network, scratch, board) else 0.0
        return
    if action != DRAW:
        k, value = choose(network, scratch, board)
        if np.isinf(value):
            chances[:, action] = 1.0
            return
        board = entry_of(storage, k)
    _stand_there(storage, following.storage)
    random = random_state(seed, observation)
    for sample in range(len(chances)):
        random, card = random_below(random, to_come)
        chances[sample, action] = _chance_after(network, following, card, board)


@kernel
def _stand_there(storage: Any, following: Any) -> None:
    """Copies the position to another storage."""
    copy(storage.now, following.now)
    copy(storage.order, following.order)


@kernel
def _chance_after(network: Any, scratch: Any, card: int, board: Bitboard) -> float:
    """Returns the probability of a win if a card of the stock, given by its place in it, comes next.

    It restores the storage at the end.
    """
    order, now = scratch.storage.order, scratch.storage.now[0]
    top = now.drawn
    order[top], order[top + card] = order[top + card], order[top]
    now.drawn = top + 1
    if top + 1 < now.cards:
        chance = 1 / (1 + np.exp(-choose(network, scratch, board)[1]))
    else:
        chance = 1.0 if is_finished(network, scratch, board) else 0.0
    now.drawn = top
    order[top], order[top + card] = order[top + card], order[top]
    return float(chance)


@kernel
def _mix(storage: Any, cards: int, random: Any) -> None:
    """Moves a number of random cards of the stock to its front; if that is all of them, they stay as they are."""
    order, drawn, size = storage.order, storage.now[0].drawn, storage.now[0].cards
    for place in range(drawn, drawn + cards if cards < size - drawn else drawn):
        random, chosen = random_below(random, size - place)
        order[place], order[place + chosen] = order[place + chosen], order[place]
