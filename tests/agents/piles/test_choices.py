"""Choices of declared games: plays that make progress, so that nobody goes in circles; blind to what is hidden."""

from typing import Any

import numpy as np
import pytest

from solitaire_agents.catalogue import choices_of, find_agent
from solitaire_agents.choosing import new_sheet, rating_over
from solitaire_agents.network import random_network
from solitaire_agents.self_play import play_games
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_agents.tree_planner import TreePlanner
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game
from solitaire_envs.jit import entry_point
from solitaire_evaluation.play import play
from tests.agents.piles.test_solver import GAMES, option_sets
from tests.environments import walk

DEALS = np.arange(2**42, 2**42 + 12, dtype=np.uint64)


def random_agent(game: Game, options: Any) -> TrainedAgent:
    choices = choices_of(game, options)
    return TrainedAgent(choices, random_network(choices.inputs, (8, 4), 1), "random", mode="sample")


@pytest.mark.parametrize("name", walk(GAMES))
def test_plays_end_whatever_is_chosen(name: str) -> None:
    """Without a limit of moves: so many plays make progress at most. An illegal move raises."""
    game = GAMES[name]
    for options in option_sets(game)[::3]:
        agent, engine = random_agent(game, options), Engine(game, options, len(DEALS))
        engine.deal_numbers(DEALS)
        kernels = agent._kernels
        going, chosen = np.ones(len(DEALS), np.bool_), 0
        while going.any():
            lines, lengths = agent._choose(engine.buffers.observations, engine.buffers.action_masks)
            going &= (lengths > 0) & ~engine.states.ended
            for move in range(int(lengths[going].max(initial=0))):
                engine.step(np.where(going & (lengths > move), lines[:, move], -1))
                assert not (engine.buffers.illegal & going & (lengths > move)).any()
            chosen += 1
            assert chosen < 1_000
        assert kernels.choose is not None


@pytest.mark.parametrize("name", walk(GAMES))
def test_hidden_cards_change_no_input(name: str) -> None:
    """Two games whose hidden cards are in another order have the same candidates, described alike."""
    game = GAMES[name]
    options, rng = option_sets(game)[-1], np.random.default_rng(5)
    choices = choices_of(game, options)
    count = entry_point("test of choices")(choices.count.py_func)  # type: ignore[attr-defined]
    describe = entry_point("test of choices")(choices.describe.py_func)  # type: ignore[attr-defined]
    agent = random_agent(game, options)
    for deal in range(4):
        engine = Engine(game, options, 2)
        deck = rng.permutation(52).astype(np.uint8)
        engine.deal_decks([deck, deck])
        other = deck.copy()
        hidden = np.asarray(game.hidden(engine.states[0]))
        other[hidden] = rng.permutation(other[hidden])
        engine.deal_decks([deck, other])
        for _ in range(deal):
            actions = agent.act(engine.buffers.observations, engine.buffers.action_masks)
            assert actions[0] == actions[1]
        seen = []
        for index in range(2):
            storage, on = choices.new_storage(), np.zeros(choices.most_on, np.int64)
            found = count(storage, engine.buffers.observations[index], engine.buffers.action_masks[index])
            described = [on[: describe(storage, k, on)].tolist() for k in range(found)]
            assert all(0 <= each < choices.inputs for row in described for each in row)
            seen.append(described)
        assert seen[0] == seen[1]
        assert seen[0]


@pytest.mark.parametrize("name", walk([name for name in GAMES if name not in ("spiderette", "will_o_the_wisp")]))
def test_greedy_scores_more_than_uniform(name: str) -> None:
    game = GAMES[name]
    options = game.options()
    deals = np.arange(100, dtype=np.uint64)
    scores = [
        play(find_agent(each, game, options), game, options, deals).outcomes["score"] for each in ("greedy", "uniform")
    ]
    assert scores[0].mean() > scores[1].mean()


def test_it_learns() -> None:
    """A network that has seen a thousand games of Golf plays better than one at random, and a search plays its games."""
    game = GAMES["golf"]
    options = game.options()
    choices = choices_of(game, options)
    network = random_network(choices.inputs, (16, 8), 0)
    examples = play_games(
        game,
        options,
        choices,
        network,
        np.arange(2**63, 2**63 + 8, dtype=np.uint64),
        explore=0.1,
        td_lambda=0.8,
        seed=1,
    )
    assert examples.moves > 0
    assert len(examples.inputs) == len(examples.targets)
    planner = TreePlanner(choices, network, simulations=16)
    assert len(play(planner, game, options, DEALS[:2]).outcomes) == 2
    assert rating_over(choices.describe)
    assert new_sheet(choices, network)
