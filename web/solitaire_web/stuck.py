"""Proves that no move of a game can help any more, from nothing but what the player has seen."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.engine import Engine
from solitaire_envs.imagination import sample_games

MAX_POSITIONS = 4_000
"""Positions that a proof visits, at most. Without a proof, the game goes on."""


def is_stuck(engine: Engine) -> bool:
    """Returns whether it is proved that no line of moves wins, raises the score or turns up a hidden card.

    It searches games that show what the player has seen. A line ends where it turns up a card, so the order in which
    these games have the hidden cards makes no difference. It needs information 'memory', and knows no series.

    Args:
        engine: One game in play.
    """
    game = engine.game
    if game.base is not None or engine.options.information != "memory" or engine.states.ended[0]:
        return False
    options = replace(engine.options, max_moves=None)
    score, hidden = engine.outcome(0)["score"], int(engine.buffers.observations[0][game.unseen].sum())
    at, seen = [field.name for field in game.outcome_fields].index("score"), {_key(engine, 0)}
    observations, masks = engine.buffers.observations.copy(), engine.buffers.action_masks.copy()
    while len(observations):
        rows, actions = np.nonzero(masks)
        games = sample_games(game, options, observations[rows], 1, seed=0)
        games.step(actions)
        told = games.buffers.observations
        if (games.outcomes()[:, at] > score).any() or (told[:, game.unseen].sum(axis=1) < hidden).any():
            return False
        new = [row for row in range(len(rows)) if not games.states.ended[row] and _is_new(_key(games, row), seen)]
        if len(seen) > MAX_POSITIONS:
            return False
        observations, masks = told[new], games.buffers.action_masks[new]
    return True


def _is_new(key: bytes, seen: set[bytes]) -> bool:
    known = len(seen)
    seen.add(key)
    return len(seen) > known


def _key(engine: Engine, row: int) -> bytes:
    """Returns what tells positions apart. Where passes have no limit, only the first differs from the others."""
    observation: NDArray[np.int16] = engine.buffers.observations[row].copy()
    if getattr(engine.options, "passes", 0) is None:
        place = engine.game.slots("pass")
        observation[place] = np.minimum(observation[place], 2)
    return observation.tobytes()
