"""The bound on fair players against the exact value of the best fair play, by an expectimax in plain Python."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_agents.kit import Status, dealt
from solitaire_agents.pyramid.fair_bound import PassOne, pass_one
from solitaire_agents.pyramid.planner import PlannerAgent
from solitaire_agents.pyramid.solver.api import new_memory, solve_many
from solitaire_envs.imagination import imagine_games
from solitaire_envs.pyramid import AT, GAME, PyramidOptions
from tests.agents.pyramid.positions import MEMORY, state_of
from tests.reference.pyramid_search import COVERS, State, moves, rank

Values = NDArray[np.float64]


class Hand(NamedTuple):
    """What a fair player knows in pass 1, and the rules that he plays by."""

    deck: tuple[int, ...]
    options: PyramidOptions

    def can_win(self, state: State) -> bool:
        """Returns whether a game can be won from here on, with all cards known."""
        seen, stack = {state}, [state]
        while stack:
            here = stack.pop()
            if self.is_won(here):
                return True
            for after in self.after(here):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        return False

    def is_won(self, state: State) -> bool:
        return not state.pyramid and (self.options.goal == "pyramid" or not (state.stock or state.waste))

    def after(self, state: State) -> list[State]:
        options = self.options
        return [after for _, after in moves(list(self.deck), state, options.passes, options.stock_waste_pairs)]


@cache
def fair_value(hand: Hand, state: State) -> float:
    """Returns the chance to win by the best fair play. Of the stock only the top is known, and which cards follow."""
    if hand.is_won(state):
        return 1.0
    if state.pass_number > 1 or len(state.stock) < 2:
        return float(hand.can_win(state))
    return max(mean_over_tops(hand, after, len(state.stock)) for after in hand.after(state))


def mean_over_tops(hand: Hand, state: State, stock_before: int) -> float:
    if len(state.stock) == stock_before or not state.stock:
        return fair_value(hand, state)
    return float(np.mean([fair_value(hand, with_top(state, top)) for top in state.stock]))


def with_top(state: State, top: int) -> State:
    """Returns the state as it is known if this card of the stock lies on top: the others are in no order."""
    return state._replace(stock=(top, *sorted(set(state.stock) - {top})))


def small_position(seed: int, hidden: int = 4) -> tuple[tuple[int, ...], State]:
    """Returns a deck and a position late in pass 1, of which some cards are hidden."""
    rng = np.random.default_rng(seed)
    rows = 3 + seed % 2
    pyramid = list(range(rows * (rows + 1) // 2))
    pyramid = pyramid[: len(pyramid) - int(rng.integers(0, 3))]
    waste = int(rng.integers(1, 4))
    size = len(pyramid) + waste + 1 + hidden
    kings = size % 2 + 2 * int(rng.integers(0, 2))
    lows = rng.permutation([card for card in range(52) if card % 13 < 6])[: (size - kings) // 2]
    cards = [12 + 13 * k for k in range(kings)]
    cards += [card for low in lows.tolist() for card in (low, low - low % 13 + 11 - low % 13)]
    cards = rng.permutation(cards).tolist()
    stock = range(52 - 1 - hidden, 52)
    places = [*pyramid, *range(28, 28 + waste), *stock]
    deck = [0] * 52
    for place, card in zip(places, cards, strict=True):
        deck[place] = card
    return tuple(deck), State(frozenset(pyramid), tuple(stock), tuple(range(28, 28 + waste)))


def orders_of(state: State) -> list[State]:
    """Returns a position with each order of its hidden cards."""
    return [state._replace(stock=(state.stock[0], *order)) for order in permutations(state.stock[1:])]


Value = Callable[[Hand, State], float]


def values_of(hand: Hand, state: State, found: PassOne, value: Value) -> Values:
    """Returns a function of what is known, for each position of a pass 1 and each rank that may turn up there."""
    talon = (*state.waste, *state.stock)
    values = np.zeros((14, len(found.positions.left)))
    for at in np.flatnonzero(found.positions.came):
        left, place = int(found.positions.left[at]), int(found.positions.place[at])
        pyramid: set[int] = set()
        for i in sorted(state.pyramid, reverse=True):
            covered = i < 21 and not pyramid.isdisjoint(COVERS[i])
            if left >> int(found.slot[i]) & 1 or (rank(hand.deck[i]) == 13 and covered):
                pyramid.add(i)
        waste = tuple(c for k, c in enumerate(talon[:place]) if left >> int(found.slot[28 + k]) & 1)
        for top in talon[place:]:
            known = with_top(State(frozenset(pyramid), talon[place:], waste), top)
            values[rank(hand.deck[top]), at] = value(hand, known)
    return values


def by_chance(hand: Hand, state: State) -> float:
    """A function of what is known that makes no sense: of the ranks, as suits make no difference."""
    ranks = [[rank(hand.deck[place]) for place in places] for places in (sorted(state.pyramid), state.waste)]
    stock = [rank(hand.deck[place]) for place in state.stock]
    known = (tuple(sorted(state.pyramid)), *map(tuple, ranks), stock[0], tuple(sorted(stock[1:])))
    return float(np.random.default_rng(abs(hash(known))).random())


def rules(passes: int, pairs: bool, goal: Any) -> PyramidOptions:
    return PyramidOptions(objective="win", passes=passes, stock_waste_pairs=pairs, goal=goal)


DEFAULT = rules(3, True, "all")
CASES = {
    rules(1, True, "all"): (3, 67),
    rules(1, True, "pyramid"): (3, 129),
    rules(1, False, "pyramid"): (2, 129),
    rules(2, True, "all"): (0, 4),
    DEFAULT: (0, 1),
}
"""Rules -> seeds of positions. In the last of each, one who sees all cards wins more often in one pass."""


@pytest.mark.parametrize(("options", "seeds"), CASES.items())
def test_the_bound_is_never_below_the_best_fair_play_and_equals_it_if_v_does(
    options: PyramidOptions, seeds: tuple[int, ...]
) -> None:
    for seed in seeds:
        deck, position = small_position(seed)
        hand = Hand(deck, options)
        best, bounds = fair_value(hand, with_top(position, position.stock[0])), []
        for state in orders_of(position):
            found = pass_one(state_of(deck, state), options, MEMORY)
            exact, random = (values_of(hand, state, found, value) for value in (fair_value, by_chance))
            assert found.bound(0 * exact) == hand.can_win(state)
            assert found.bound(exact) == pytest.approx(best, abs=1e-9)
            values = [0 * exact, 0.5 * exact, random, -random, 0.1 * random]
            regrets = [-found.regrets(most_hidden) for most_hidden in (3, 5)]
            bounds.append([found.bound(each) for each in [*values, *regrets]])
            assert max(bounds[-1][-2:]) <= bounds[-1][0] + 1e-9  # regrets never raise it
        means = np.mean(bounds, axis=0)
        assert (means >= best - 1e-9).all()
        assert means[1] <= (means[0] + best) / 2 + 1e-9  # it is convex in v
    assert options.passes > 1 or means[0] > best


@pytest.mark.parametrize("options", CASES)
def test_without_penalties_it_is_the_verdict_with_all_cards_known(options: PyramidOptions) -> None:
    deals = np.arange(2**42, 2**42 + 5, dtype=np.uint64)
    states, memory = dealt(GAME, options, deals), new_memory(16)
    solved = solve_many(states, options, memory=memory)[:, 0] == Status.SOLVED
    found = [pass_one(state, options, memory) for state in states]
    assert [one.bound(np.zeros((14, len(one.positions.left)))) for one in found] == solved.tolist()


def test_it_lies_above_the_planner() -> None:
    options = rules(1, True, "all")
    deck, position = small_position(67)
    hand, orders = Hand(deck, options), orders_of(position)
    row = np.zeros(GAME.observation_size, np.int16)
    for first, places in ((0, ()), (AT.stock, position.stock[:1]), (AT.waste, position.waste[::-1])):
        row[first : first + len(places)] = [rank(deck[place]) for place in places]
    row[list(position.pyramid)] = [rank(deck[place]) for place in sorted(position.pyramid)]
    row[AT.stock + 1 : AT.stock + len(position.stock)] = 14
    np.add.at(row, [AT.unseen + rank(deck[place]) - 1 for place in position.stock[1:]], 1)
    row[AT.pass_] = 1
    cards = np.array([[rank(deck[place]) for place in state.stock[1:]] for state in orders])
    engine, planner = imagine_games(GAME, options, np.tile(row, (len(orders), 1)), cards), PlannerAgent(options)
    while not engine.states["ended"].all():
        live, actions = np.flatnonzero(~engine.states["ended"]), np.zeros(len(orders), np.int64)
        actions[live] = planner.act(engine.buffers.observations[live], engine.buffers.action_masks[live])
        engine.step(actions)
    won = engine.buffers.outcomes["won"].mean()
    assert 0 < won <= fair_value(hand, with_top(position, position.stock[0]))


@pytest.mark.parametrize("wrong", [{"objective": "score"}, {"max_moves": 50}, {"information": "open"}])
def test_other_options_are_refused_in_one_line(wrong: dict[str, Any]) -> None:
    options = replace(DEFAULT, **wrong)
    with pytest.raises(ValueError, match=f"^expected {next(iter(wrong))}=.* for a bound on fair players; got .*$"):
        pass_one(dealt(GAME, DEFAULT, np.zeros(1, np.uint64))[0], options, MEMORY)
