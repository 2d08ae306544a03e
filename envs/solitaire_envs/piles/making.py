"""Makes a game of the package from its declaration."""

import numpy as np

from solitaire_envs.game import Game
from solitaire_envs.piles.cards import make_cards, pile_state
from solitaire_envs.piles.declaration import PileGame
from solitaire_envs.piles.options import pile_options
from solitaire_envs.piles.rules import make_rules
from solitaire_envs.piles.shape import PileShape
from solitaire_envs.piles.table import PileTable
from solitaire_envs.piles.view import make_view, pile_outcome, pile_slots
from solitaire_envs.piles.words import pile_words


def make_game(declared: PileGame, module: str) -> Game:
    """Makes the game.

    Args:
        declared: Its facts.
        module: The module that has its class of options, under the class's name: pickles name it.
    """
    shape = PileShape(declared)
    cards = make_cards(shape)
    rules = make_rules(shape, cards)
    view = make_view(shape, cards, rules)
    count, table = shape.actions.total, PileTable(shape)
    most = shape.pack.number - (shape.sizes.stock + 1 if shape.hole else 0)  # the hole begins with a card
    return Game(
        name=declared.name,
        options=pile_options(shape, module),
        state=pile_state(shape),
        outcome=pile_outcome(shape),
        observation=pile_slots(shape),
        num_actions=lambda options: count,
        deal=rules.deal,
        legal=rules.legal,
        apply=rules.apply,
        **view._asdict(),
        move_text=table.move_text,
        layout=table.layout,
        gestures=table.gestures,
        hidden=lambda state: np.flatnonzero(state.unseen[state.deck]) if shape.hides else np.zeros(0, np.int64),
        words=pile_words(shape),
        score_range=lambda options: (0, most),
    )
