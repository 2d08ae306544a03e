"""What every game owes to a person's hands; strangers' games are held to it as well."""

import numpy as np

from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.layout import Gesture
from solitaire_envs.render import layout_of


def check_gestures(game: Game, options: Options, deal: int, moves: int = 150) -> None:
    """Plays random moves: each legal move has a gesture, no other move has it, and its places are on the layout."""
    engine, rng = Engine(game, options, 1), np.random.default_rng(deal)
    engine.deal_numbers([deal])
    for _ in range(moves):
        if engine.states.ended[0]:
            break
        places = {spot.place for spot in layout_of(engine, 0).spots}
        assert "" not in places
        known: dict[Gesture, int] = {}
        for action in engine.legal_actions(0):
            gestures = game.gestures(engine.states[0], action)
            assert gestures, engine.move_text(0, action)
            for gesture in gestures:
                assert known.setdefault(gesture, action) == action
                assert {gesture.source, gesture.target or gesture.source} <= places
        engine.step(rng.choice(engine.legal_actions(0), 1))
