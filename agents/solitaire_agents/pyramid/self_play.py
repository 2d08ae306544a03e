"""Games of Pyramid that a value network plays against chance, and what they teach it.

What the position after a move should have been worth is the result of the game, mixed with the values met on the way
(Sutton 1988, TD(lambda)). Now and then a move is taken at random; the value before it is taught by the best choice
there, not by what came of the random one. All legal moves are tried, also those that the agent leaves out as proved
lost: played without them, as many games teach less.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.kit import Lessons, SelfPlay
from solitaire_agents.pyramid.by_value import PyramidByValue, check_by_value, choose, sole_choice
from solitaire_agents.pyramid.values import (
    INPUTS,
    MOST_ON,
    RULES_LEARNED,
    Chooser,
    inputs_after,
    mirror_image,
    new_chooser,
)
from solitaire_agents.value_network import ValueNetwork
from solitaire_envs import pyramid
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.jit import entry_point, kernel
from solitaire_envs.pyramid import CLEARED_BONUS, PyramidOptions

_BEST_SCORE: Final = int(CLEARED_BONUS[0])
_MIRROR: Final = mirror_image()


class _Choices(NamedTuple):
    """One move of each game in which there was something to choose."""

    games: NDArray[np.int64]
    inputs: NDArray[np.uint16]
    best: NDArray[np.float32]
    """The highest value, 0..1."""
    random: NDArray[np.bool_]
    """Whether a random move was taken in its place."""


class PyramidSelfPlay(SelfPlay):
    """Learns what a game will come to: the chance to win, or the score as a share of the way from worst to best."""

    inputs = INPUTS
    rules = RULES_LEARNED

    def check(self, options: PyramidOptions) -> None:
        """Checks that the games show what is needed."""
        check_by_value(options)

    def play(
        self,
        options: PyramidOptions,
        network: ValueNetwork,
        deals: NDArray[np.uint64],
        explore: float,
        mix: float,
        seed: int,
    ) -> Lessons:
        """Plays games side by side, move by move."""
        rng, engine = np.random.default_rng(seed), Engine(pyramid.GAME, options, len(deals))
        chooser = new_chooser(network)
        engine.deal_numbers(deals)
        playing, all_choices = np.arange(len(deals)), []
        while len(playing):
            all_choices.append(_move(engine, chooser, playing, explore, rng))
            playing = np.flatnonzero(~engine.states.ended)
        outcomes, targets = engine.buffers.outcomes, []
        target = _results(outcomes, options)
        for games, _, best, random in reversed(all_choices):
            targets.append(target[games])
            target[games] = np.where(random, best, best + mix * (target[games] - best))
        inputs = np.concatenate([choices.inputs for choices in all_choices])
        mirrored = rng.random(len(inputs)) < 0.5
        inputs[mirrored] = _MIRROR[inputs[mirrored]]
        return Lessons(inputs, np.concatenate(targets[::-1]), int(outcomes["won"].sum()))

    def agent(self, options: PyramidOptions, network: ValueNetwork) -> Agent:
        """Returns the agent that takes the move of the highest value."""
        return PyramidByValue(options, network)


def _results(outcomes: NDArray[np.void], options: PyramidOptions) -> NDArray[np.float32]:
    """Returns what games have come to, 0..1, [n]."""
    if options.objective == "win":
        return outcomes["won"].astype(np.float32)
    return ((outcomes["score"] + NUM_CARDS) / (_BEST_SCORE + NUM_CARDS)).astype(np.float32)


def _move(
    engine: Engine, chooser: Chooser, playing: NDArray[np.int64], explore: float, rng: np.random.Generator
) -> _Choices:
    """Plays a move in each game under way; returns the choices."""
    n, actions = len(playing), np.zeros(engine.num_envs, np.int64)
    taken, best, inputs = np.zeros(n, np.int64), np.zeros(n, np.float32), np.zeros((n, MOST_ON), np.uint16)
    random, luck = rng.random(n) < explore, rng.random(n)
    observations, masks = engine.buffers.observations[playing], engine.buffers.action_masks[playing]
    _choose_all(chooser, observations, masks, np.where(random, luck, -1.0), taken, best, inputs)
    actions[playing] = taken
    engine.step(actions)
    chosen = best >= 0
    return _Choices(playing[chosen], inputs[chosen], best[chosen], random[chosen])


@entry_point("pyramid self-play")
def _choose_all(
    chooser: Any, observations: Any, action_masks: Any, luck: Any, actions: Any, best: Any, inputs: Any
) -> None:
    """Chooses a move in each game.

    Args:
        chooser: The network and storage.
        observations: int16 [n, O].
        action_masks: bool [n, A].
        luck: float64 [n]: where it is 0..1, at which share of the legal moves a random one stands.
        actions: int64 [n], written to.
        best: float32 [n], written to: the highest value, 0..1; -1 where there is nothing to choose.
        inputs: uint16 [n, MOST_ON], written to: the inputs after the chosen move, then `INPUTS`.
    """
    for i in range(len(observations)):
        actions[i], best[i] = sole_choice(action_masks[i]), -1
        if actions[i] < 0:
            actions[i], value = choose(chooser, observations[i], action_masks[i])
            best[i] = 1 / (1 + np.exp(-value))
            if luck[i] >= 0:
                actions[i] = _random_move(action_masks[i], luck[i])
            n = inputs_after(chooser, observations[i], actions[i])
            for k in range(MOST_ON):
                inputs[i, k] = chooser.on[k] if k < n else INPUTS


@kernel
def _random_move(legal: Any, luck: float) -> int:
    """Returns the legal move that stands at a share, 0..1, of all of them."""
    moves, before = 0, 0
    for action in range(len(legal)):
        moves += legal[action]
    for action in range(len(legal)):
        if legal[action]:
            if before == int(luck * moves):
                return action
            before += 1
    return -1
