"""The rules of Klondike keep to what they say, move by move."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest

from solitaire_agents.catalogue import find_agent
from solitaire_agents.klondike.candidates import IS_RED
from solitaire_envs.engine import Engine
from solitaire_envs.klondike import GAME, KlondikeOptions
from solitaire_envs.klondike_table import ACTIONS, DRAW, FOUNDATION, RANK, REDEAL, SUIT, WASTE, run_length

Moment = tuple[Any, list[int], int]
"""State, legal actions, the action taken."""


def moments(name: str, draw: Literal[1, 3], deals: int = 15) -> Iterator[Moment]:
    """Plays a few games; yields what was done in each position of the first 300 moves."""
    options = KlondikeOptions(draw=draw, max_moves=300)
    agent = find_agent(name, GAME, options)
    for deal in range(deals):
        engine = Engine(GAME, options, 1)
        engine.deal_numbers([deal])
        while not engine.states.ended[0]:
            action = int(agent.act(engine.buffers.observations, engine.buffers.action_masks)[0])
            yield engine.states[0], engine.legal_actions(0), action
            engine.step(np.array([action]))


def turned_under(state: Any, action: int) -> int:
    """Returns how many face-down cards lie in the pile in which a move turns one up, else 0."""
    source, target = ACTIONS[action]
    if not 0 <= source < WASTE:
        return 0
    count = 1 if target == FOUNDATION else run_length(state, source, target)
    return int(state["downs"][source]) if count == state["heights"][source] else 0


def is_soon(state: Any, action: int) -> bool:
    """Returns whether a move puts a card up on which no card could lie that is far from its foundation."""
    source, target = ACTIONS[action]
    if target != FOUNDATION:
        return False
    card = int(state["tops"][source])
    return bool(
        RANK[card] <= min(state["foundations"][suit] for suit in range(4) if IS_RED[suit] != IS_RED[SUIT[card]]) + 2
    )


@pytest.mark.parametrize("draw", [1, 3])
def test_greedy_prefers_foundation_then_turning_up_then_the_waste_then_draws(draw: Literal[1, 3]) -> None:
    taken = set[int]()

    def rank(state: Any, action: int) -> int:
        source, target = ACTIONS[action]
        if action in (DRAW, REDEAL):
            return 1
        return 4 if target == FOUNDATION else 3 if turned_under(state, action) else 2 if source == WASTE else 0

    for state, legal, action in moments("greedy", draw):
        assert rank(state, action) == max(rank(state, each) for each in legal)
        taken.add(rank(state, action))
    assert taken >= {1, 2, 3, 4}


@pytest.mark.parametrize("draw", [1, 3])
def test_careful_keeps_to_its_advice(draw: Literal[1, 3]) -> None:
    taken = dict.fromkeys(("soon", "turned", "late", "emptied", "drawn over a late one"), 0)
    for state, legal, action in moments("careful", draw, deals=60):
        source, target = ACTIONS[action]
        if not {DRAW, REDEAL}.intersection(legal):
            continue  # where it is stuck, it does anything
        assert source < FOUNDATION  # none comes back
        if any(is_soon(state, each) for each in legal):
            assert is_soon(state, action)
            taken["soon"] += 1
            continue
        turning = {each: turned_under(state, each) for each in legal if ACTIONS[each][1] != FOUNDATION}
        tallest = max(turning.values(), default=0)
        if tallest:
            assert turning.get(action) == tallest
            taken["turned"] += 1
        if 0 <= source < WASTE and 0 <= target < WASTE and not turned_under(state, action):
            whole = run_length(state, source, target) == state["heights"][source]
            if whole:
                kings = RANK[state["tableau"][::13]] == 13
                assert (state["heights"] > 0).all()
                assert (kings & (state["downs"] > 0)).any() or RANK[state["tops"][WASTE]] == 13
                taken["emptied"] += 1
            else:
                beneath = state["tableau"][
                    13 * source + state["heights"][source] - run_length(state, source, target) - 1
                ]
                assert state["foundations"][SUIT[beneath]] == RANK[beneath] - 1
        late = [each for each in legal if ACTIONS[each][1] == FOUNDATION]
        taken["late"] += action in late
        taken["drawn over a late one"] += bool(late) and action in (DRAW, REDEAL)
    assert min(taken.values()) > 0, taken
