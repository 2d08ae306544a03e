"""Positions in which suits change places."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_envs.cards import NUM_CARDS, NUM_RANKS
from solitaire_envs.game import Game


def with_suits(game: Game, seen: NDArray[np.int16], suits: Sequence[int]) -> NDArray[np.int16]:
    """Returns an observation with other suits."""
    new, one_pack = seen.copy(), NUM_RANKS * np.repeat(suits, NUM_RANKS) + np.tile(np.arange(NUM_RANKS), 4)
    cards = np.concatenate([NUM_CARDS * pack + one_pack for pack in range(game.num_cards // NUM_CARDS)])
    for stretch in game.observation:
        if stretch.name in ("tableau", "face_down", "cells", "reserve", "stock", "waste"):
            slots = game.slots(stretch.name)
            new[slots] = np.concatenate([[0], 1 + cards, [game.num_cards + 1]])[seen[slots]]
    foundations = seen[game.slots("foundations")].reshape(-1, 4)
    new[game.slots("foundations")] = foundations[:, np.argsort(suits)].ravel()
    new[game.unseen] = seen[game.unseen][np.argsort(cards)[: seen[game.unseen].size]]
    return new
