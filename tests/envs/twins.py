"""Klondike and La tour infernale once more, as declarations: they and the package's own kernels check each other."""

from dataclasses import replace

from solitaire_envs.klondike_words import KLONDIKE as OF_KLONDIKE
from solitaire_envs.piles.making import make_game
from solitaire_envs.tour_infernale_words import TOUR_INFERNALE

KLONDIKE = make_game(replace(OF_KLONDIKE, title="Twin of Klondike"), __name__)
TOUR = make_game(replace(TOUR_INFERNALE, title="Twin of La tour infernale"), __name__)
