"""What an agent is handed: copies of the buffers, from which nothing leads to the engine and its hidden cards."""

import gc
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import pytest

from solitaire_agents import Agent, GameBatch
from solitaire_agents.text_agent import TextAgent
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME

CODE = (ModuleType, type, FunctionType, BuiltinFunctionType, MethodType)
"""Code leads everywhere; what an agent does with it is its author's matter."""


class Keeper(Agent):
    """Keeps what it is handed."""

    def act_in(self, batch: GameBatch) -> Any:
        self.batch = batch
        return batch.action_masks.argmax(axis=1)

    def act(self, observations: Any, action_masks: Any) -> Any:
        raise NotImplementedError


class Speaker(TextAgent):
    """Keeps what it is told."""

    def answer(self, conversation: Any) -> str:
        self.conversation = conversation
        return "draw"


def dealt(count: int = 3) -> Engine:
    engine = Engine(GAME, GAME.options(), count)
    engine.deal_numbers(np.arange(count, dtype=np.uint64))
    return engine


def reached_from(agent: Agent) -> list[Any]:
    """Returns all objects that an agent's attributes lead to, code aside."""
    waiting, seen = [vars(agent)], dict[int, Any]()
    while waiting:
        one: Any = waiting.pop()
        if id(one) not in seen and not isinstance(one, CODE):
            seen[id(one)] = one
            waiting += gc.get_referents(one)
            waiting += [one.base] if isinstance(one, np.ndarray) else []
    return list(seen.values())


@pytest.mark.parametrize("make", [Keeper, Speaker])
@pytest.mark.parametrize("games", [slice(None), np.array([2, 0]), slice(1, 2)])
def test_nothing_leads_to_the_hidden_cards(make: Any, games: Any) -> None:
    engine, agent = dealt(), make()
    agent.choose(engine, games)
    found = reached_from(agent)
    assert len(found) > 5
    assert not [one for one in found if isinstance(one, Engine)]
    for array in (one for one in found if isinstance(one, np.ndarray)):
        assert not np.shares_memory(array, np.asarray(engine.states))
        assert "deck" not in (array.dtype.names or ())


def test_a_batch_says_which_games_it_shows() -> None:
    engine, agent = dealt(), Keeper()
    engine.step(np.array([GAME.num_actions(GAME.options()) - 1, -1, -1]))
    agent.choose(engine, np.array([2, 0]))
    assert agent.batch.games.tolist() == [2, 0]
    assert agent.batch.moves.tolist() == engine.states.moves[[2, 0]].tolist()
    assert (agent.batch.observations == engine.buffers.observations[[2, 0]]).all()
    assert (agent.batch.action_masks == engine.buffers.action_masks[[2, 0]]).all()


def test_what_is_illegal_stays_illegal() -> None:
    class Forger(Keeper):
        def act_in(self, batch: GameBatch) -> Any:
            chosen = (~batch.action_masks).argmax(axis=1)
            batch.action_masks[:] = True
            batch.observations[:] = 0
            return chosen

    engine = dealt()
    before = [array.tobytes() for array in engine.arrays]
    with pytest.raises(ValueError, match="expected a legal action from Forger, got"):
        Forger().choose(engine)
    assert [array.tobytes() for array in engine.arrays] == before
