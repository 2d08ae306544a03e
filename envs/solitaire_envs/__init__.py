"""Patience (solitaire) card games as Gymnasium environments.

Importing the package registers its environments:

    gymnasium.make("solitaire/Pyramid-v0")
    gymnasium.make_vec("solitaire/TourInfernale-v0", num_envs=1024)
"""

from solitaire_envs.catalogue import CATALOGUE, register_game
from solitaire_envs.gym_env import SolitaireEnv
from solitaire_envs.vector_env import SolitaireVectorEnv

__all__ = ["CATALOGUE", "SolitaireEnv", "SolitaireVectorEnv", "register_game"]
