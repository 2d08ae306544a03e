"""Agents for one pass of La tour infernale that have learned what positions are worth, and so never go in circles.

Before each draw they find all components within reach and go to one of them, then they draw. `TourInfernaleByValue`
takes the component of the highest value. `TourInfernaleLookAhead`, the planner, looks one draw further: it takes the
first few components, and asks of each what the best component after the next card would be worth, on average over cards
that may come next. All components meet the same cards, so luck cancels out.
"""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Judgement, judge_by, random_state
from solitaire_agents.line_follower import LineFollower
from solitaire_agents.tour_infernale.position import Position, bits_of, order_seen
from solitaire_agents.tour_infernale.reach import FIRST, FOUND
from solitaire_agents.tour_infernale.solver.api import check_options
from solitaire_agents.tour_infernale.values import choose, is_finished, new_chooser, write_line
from solitaire_agents.value_network import ValueNetwork
from solitaire_envs import tour_infernale
from solitaire_envs.cards import random_below
from solitaire_envs.jit import entry_point, kernel


def check_by_value(options: tour_infernale.TourInfernaleOptions) -> None:
    """Checks that a game can be played from draw to draw, by values.

    Raises:
        ValueError: More than one pass is played, or the solver does not know one of the options.
    """
    check_options(options)
    if options.passes != 1:
        raise ValueError(f"expected passes=1, got {options.passes}: values are learned of one pass only")


class TourInfernaleByValue(LineFollower):
    """Goes from draw to draw to the position of the highest learned value; it looks no further.

    Args:
        options: The options of the games to play.
        network: The value network.

    Raises:
        ValueError: As `check_by_value`.
    """

    name = "values"
    fair = True
    _seed = np.uint64(0)

    def __init__(self, options: tour_infernale.TourInfernaleOptions, network: ValueNetwork) -> None:
        check_by_value(options)
        super().__init__()
        self._piles = options.piles
        self._chooser = new_chooser(network, options.piles)

    def _key(self, row: list[int]) -> Hashable:
        return Position.of_observation(row, self._piles)

    def _best_line(self, row: list[int]) -> Iterator[tuple[Hashable, int]]:
        position, order = self._read(row)
        length = self._line_to_draw(row, order, (len(position.waste), *position.bitboard()))
        return position.play_along(position.spell_out(self._chooser.tableau.line[:length].tolist()))

    def _read(self, row: list[int]) -> tuple[Position, NDArray[np.int64]]:
        """Returns the position, and the order of drawing as far as it is known."""
        position = Position.of_observation(row, self._piles)
        return position, order_seen(row, position)[0]

    def _line_to_draw(self, row: list[int], order: NDArray[np.int64], at: tuple[int, int, int, int]) -> int:
        """Writes the moves up to a draw, or to a win, into the tableau's line; returns how many."""
        return int(_go_by_value(self._chooser, order, at))

    def judge(self, observation: NDArray[np.int16], action_mask: NDArray[np.bool_], samples: int) -> Judgement:
        """Returns the odds of each move: of the best position within reach after it, after cards that may come."""
        before, order = self._read(observation.tolist())
        drawn, values = len(before.waste), np.zeros((samples, len(action_mask)))
        for action in np.flatnonzero(action_mask).tolist():
            position, draws = before, action == tour_infernale.DRAW
            if not draws:
                position = before.after(action)
            known = bits_of(reversed(position.waste))
            kept = np.concatenate([known, order[drawn:]])
            at = len(known), *position.bitboard()
            _try_move(self._chooser, kept, at, draws, self._seed, observation, values[:, action])
        return judge_by("chance", values, action_mask)


class TourInfernaleLookAhead(TourInfernaleByValue):
    """Judges the best positions before a draw by the values of those within reach after it, over cards that may come.

    A plan depends on the seed and on the observation alone, because the random numbers are drawn from these.

    Args:
        options: The options of the games to play.
        network: The value network.
        candidates: Positions to judge in each plan, at most.
        cards: Next cards that each of them meets, at most.
        margin: How much lower than the highest a candidate's value may be, as a logit.
        seed: Seed of the random numbers.

    Raises:
        ValueError: A number is less than 1, or as `check_by_value`.
    """

    name = "planner"

    def __init__(
        self,
        options: tour_infernale.TourInfernaleOptions,
        network: ValueNetwork,
        *,
        candidates: int = 3,
        cards: int = 8,
        margin: float = 1.0,
        seed: int = 0,
    ) -> None:
        if min(candidates, cards) < 1:
            raise ValueError(f"expected at least one candidate and card, got {candidates} and {cards}")
        super().__init__(options, network)
        self._effort = candidates, cards, float(margin)
        self._following = new_chooser(network, options.piles)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restarts the agent's random numbers, and forgets all plans."""
        super().seed(seed)
        self._seed = np.uint64(seed)

    def _line_to_draw(self, row: list[int], order: NDArray[np.int64], at: tuple[int, int, int, int]) -> int:
        seed, observation = self._seed, np.array(row, np.int16)
        return int(_look_ahead(self._chooser, self._following, order, at, self._effort, seed, observation))


# --- Plans ------------------------------------------------------------------------------------------------------------


@entry_point("tour by value")
def _go_by_value(chooser: Any, order: Any, at: Any) -> int:
    """Writes the moves to the component of the highest value, and a draw, into the line; returns how many.

    Args:
        chooser: The network and storage; the line is written to its tableau.
        order: As in `find_components`; cards that are not drawn yet in any order.
        at: Where the game is: how many cards have been drawn, and the bitboard's words.
    """
    drawn, a, b, c = at
    best = choose(chooser, order, drawn, a, b, c)[0] if drawn < len(order) else 0
    return int(write_line(chooser, order, at, best))


@entry_point("tour look-ahead")
def _look_ahead(chooser: Any, following: Any, order: Any, at: Any, effort: Any, seed: Any, observation: Any) -> int:
    """Writes the moves to the component that promises most after the next card, and a draw; returns how many.

    Args:
        chooser: As in `_go_by_value`.
        following: The same, for what follows the draw.
        order: As in `_go_by_value`; cards that are not drawn yet change places.
        at: As in `_go_by_value`.
        effort: Candidates, cards and margin, as of the planner.
        seed: uint64, of the random numbers, together with the observation.
        observation: One row.
    """
    drawn, a, b, c = at
    if drawn == len(order):
        return int(write_line(chooser, order, at, 0))
    best, highest = choose(chooser, order, drawn, a, b, c)
    candidates, cards, margin = effort
    if best >= 0:
        candidates, cards = min(candidates, _count_from(chooser, highest - margin)), min(cards, len(order) - drawn)
        if candidates > 1:
            _mix(order, drawn, cards, random_state(seed, observation))
            best = _most_promising(chooser, following, order, drawn, candidates, cards)
    return int(write_line(chooser, order, at, best))


@kernel
def _count_from(chooser: Any, least: float) -> int:
    """Returns how many of the components found have at least a value."""
    number = 0
    for k in range(chooser.reach.counters[FOUND]):
        number += chooser.values[k] >= least
    return number


@kernel
def _most_promising(chooser: Any, following: Any, order: Any, drawn: int, candidates: int, cards: int) -> int:
    """Returns which of the candidates has the best chances after each of the first cards of the stock."""
    reach, values = chooser.reach, chooser.values[: chooser.reach.counters[FOUND]]
    best, most = -1, -1.0
    for _ in range(candidates):
        k = int(values.argmax())
        values[k] = -np.inf
        row, chances = reach.queue[reach.components[k, FIRST]], 0.0
        for card in range(drawn, drawn + cards):
            chances += _chance_after(following, order, drawn, card, row[0], row[1], row[2])
        if chances > most:
            best, most = k, chances
    return best


@entry_point("tour look-ahead")
def _try_move(chooser: Any, order: Any, at: Any, draws: bool, seed: Any, observation: Any, chances: Any) -> None:
    """Writes the chance to win after a move, for each of some cards that may come next, float64 [S].

    Args:
        chooser: The network and storage.
        order: As in `_look_ahead`.
        at: As in `_look_ahead`, after the move, if it is no draw.
        draws: Whether the move is a draw.
        seed: As in `_look_ahead`, so that all moves meet the same cards.
        observation: As in `_look_ahead`.
        chances: Written to.
    """
    drawn, a, b, c = at
    if drawn == len(order):
        chances[:] = 1.0 if is_finished(chooser, order, a, b, c) else 0.0
        return
    if not draws:
        best = choose(chooser, order, drawn, a, b, c)[0]
        if best < 0:
            chances[:] = 1.0
            return
        row = chooser.reach.queue[chooser.reach.components[best, FIRST]]
        a, b, c = row[0], row[1], row[2]
    random = random_state(seed, observation)
    for sample in range(len(chances)):
        random, card = random_below(random, len(order) - drawn)
        chances[sample] = _chance_after(chooser, order, drawn, drawn + card, a, b, c)


@kernel
def _chance_after(chooser: Any, order: Any, drawn: int, card: int, a: int, b: int, c: int) -> float:
    """Returns the chance to win if a card of the stock, given by its index in the order, comes next."""
    order[drawn], order[card] = order[card], order[drawn]
    if drawn + 1 < len(order):
        chance = 1 / (1 + np.exp(-choose(chooser, order, drawn + 1, a, b, c)[1]))
    else:
        chance = 1.0 if is_finished(chooser, order, a, b, c) else 0.0
    order[drawn], order[card] = order[card], order[drawn]
    return float(chance)


@kernel
def _mix(order: Any, drawn: int, cards: int, random: Any) -> None:
    """Puts so many random cards of the stock before the others; if it is all of them, their order does not matter."""
    to_come = len(order) - drawn
    for place in range(drawn, drawn + cards if cards < to_come else drawn):
        random, chosen = random_below(random, len(order) - place)
        order[place], order[place + chosen] = order[place + chosen], order[place]
