"""What every planner that samples what is hidden has to keep to."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_evaluation.play import play


def check_hidden_cards_change_no_decision(
    make: Callable[[], Agent], game: Game, options: Options, alike: Sequence[int]
) -> None:
    """Plays four games whose first cards are alike, so many of them, until others come up."""
    rng = np.random.default_rng(1)
    for cards in alike:
        deck = rng.permutation(NUM_CARDS).astype(np.uint8)
        others = [np.r_[deck[:cards], rng.permutation(deck[cards:])] for _ in range(3)]
        engine, agents = Engine(game, options, 4, autoreset="disabled"), [make() for _ in range(4)]
        engine.deal_decks([deck, *others])
        while set(range(cards, NUM_CARDS)) <= set(game.hidden(engine.states[0])) and not engine.states.ended[0]:
            seen = engine.buffers.observations[:, None], engine.buffers.action_masks[:, None]
            actions = np.array([int(agent.act(*row)[0]) for agent, *row in zip(agents, *seen, strict=True)])
            assert len(set(actions.tolist())) == 1
            engine.step(actions)


def check_that_seed_and_observation_decide(
    make: Callable[[], Agent], game: Game, options: Options, deals: NDArray[np.uint64]
) -> None:
    """Plays games side by side and one by one, and with another seed."""
    together = play(make(), game, options, deals, seed=3).outcomes
    alone = np.concatenate([play(make(), game, options, [deal], seed=3).outcomes for deal in deals[::-1]])
    assert np.array_equal(together, alone[::-1])
    assert not np.array_equal(together, play(make(), game, options, deals, seed=4).outcomes)
