"""Compares an agent's chances to win with its results, and fits its calibration.

A value head learns what games are worth under the play of its training. The finished agent plays better: it takes the
best move, and leaves out moves that are proved to be mistakes. So a run ends with a fit of two numbers, a slope and
an offset for the logits of its values (J. Platt, 'Probabilistic outputs for support vector machines', 1999). They
change no move.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_agents.trained_agent import AS_LEARNED, Calibration
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_evaluation.play import step_through

ASKED: Final = 1 / 30
"""Share of the moves before which the agent's chance is recorded."""
LEAST: Final = 1e-4
"""A fit clips chances to this and to 1 minus this."""
PRIOR: Final = 10.0
"""Strength of the pull of a fit towards the uncalibrated values: about that of the outcomes of ten positions."""


def told_and_won(
    agent: Agent, game: Game, options: Options, deals: NDArray[np.uint64], samples: int = 32
) -> NDArray[np.float64]:
    """Plays deals, and records the agent's chance to win by its best move before about one move in thirty.

    Moves are sampled, not games, since lost games may be longer. Chances of 0 are left out: in some games, most moves
    are made after the agent has given up.

    Args:
        agent: An agent.
        game: The game.
        options: Its options.
        deals: Deal numbers, uint64 [D].
        samples: Orders of the stock that a planner samples for each chance.

    Returns:
        The chances, and 1 or 0 for games won or not, float64 [2, n]; n is 0 if the agent's values are not chances.
    """
    agent.seed(0)
    random = np.random.default_rng(0)
    asked: list[tuple[int, NDArray[np.int16], NDArray[np.bool_]]] = []
    engine = Engine(game, agent.shown(options), len(deals))
    engine.deal_numbers(deals)
    for playing, _ in step_through(agent, engine):
        for index in playing[random.random(len(playing)) < ASKED].tolist():
            seen = engine.buffers.observations[index], engine.buffers.action_masks[index]
            asked.append((index, seen[0].copy(), seen[1].copy()))
    won, chances = engine.buffers.outcomes["won"], []
    for index, observation, mask in asked:
        values = agent.action_values(observation, mask, samples)
        if values is None or values.unit != "chance":
            return np.empty((2, 0))
        chances.append((np.fmax.reduce(values.means, initial=0.0), won[index]))
    found = np.array(chances, np.float64).reshape(-1, 2).T
    return found[:, found[0] > 0]


def fit(values: NDArray[np.float64], won: NDArray[np.float64]) -> Calibration:
    """Fits the slope and the offset for the logits of chances, by Newton's method on the regularised likelihood.

    Args:
        values: Chances, float [n].
        won: For each chance, 1 if the game was won, else 0, float [n].
    """
    chances = np.clip(values, LEAST, 1 - LEAST)
    logits = np.log(chances / (1 - chances))
    inputs, start = np.stack([logits, np.ones(len(values))]), np.array(AS_LEARNED)
    found = start.copy()
    for _ in range(20):
        fitted = Calibration(*found).probabilities(logits)
        gradient = inputs @ (fitted - won) + PRIOR * (found - start)
        curvature = (inputs * fitted * (1 - fitted)) @ inputs.T + PRIOR * np.eye(2)
        found -= np.linalg.solve(curvature, gradient)
    return Calibration(*found.tolist())
