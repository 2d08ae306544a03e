"""A game that tests make up: half of its deals have no legal move. `climb/Series-v0` is a series of four such games.

The deck lies face up in a row. A move goes to the next card, which has to be of a higher rank. The score is the number
of cards climbed, and three win. In the series each game that is over has reward 1.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from solitaire_envs import register_game
from solitaire_envs.cards import NUM_CARDS, NUM_RANKS, card_text, draw_deal, shuffle
from solitaire_envs.game import Game, Options, Outcome, Slots, option, state_dtype
from solitaire_envs.jit import kernel
from solitaire_envs.layout import Layout, pile_spots

GAMES = 4


@dataclass(frozen=True, kw_only=True)
class ClimbOptions(Options):
    """Options."""

    objective: Literal["score", "win"] = option("score", "No difference.")


@kernel
def _deal(rules: Any, state: Any) -> None:
    state.at = 0
    state.games = 0
    state.series = state.deal


@kernel
def _legal(rules: Any, state: Any, mask: Any) -> bool:
    at = state.at
    mask[0] = at + 1 < NUM_CARDS and state.deck[at + 1] % NUM_RANKS > state.deck[at] % NUM_RANKS
    return bool(mask[0])


@kernel
def _apply(rules: Any, state: Any, action: int) -> float:
    state.at += 1
    return 0.0


@kernel
def _observe(rules: Any, state: Any, observation: Any) -> None:
    for place in range(NUM_CARDS):
        observation[place] = state.deck[place] % NUM_RANKS + 1
    observation[NUM_CARDS] = state.at
    observation[NUM_CARDS + 1 :] = 0


@kernel
def _imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    for place in range(NUM_CARDS):
        state.deck[place] = observation[place] - 1
    state.at = observation[NUM_CARDS]
    state.games = 0
    state.series = 0


@kernel
def _conclude(rules: Any, state: Any, outcome: Any) -> None:
    outcome.score = state.at
    outcome.won = state.at >= 3


@kernel
def _next_game(rules: Any, state: Any) -> tuple[bool, float]:
    state.games += 1
    if state.games == GAMES:
        return False, 1.0
    state.series, number = draw_deal(state.series)
    shuffle(number, state.deck)
    state.at = 0
    return True, 1.0


def _layout(state: Any, options: ClimbOptions, legal: Collection[int]) -> Layout:
    spots = pile_spots([int(state.deck[state.at])], 0, playable=bool(legal), place="pile 1")
    return Layout(spots=spots, height=2.0, columns=1)


GAME = Game(
    name="climb",
    options=ClimbOptions,
    state=state_dtype([("at", "i4"), ("games", "i4"), ("series", "u8")]),
    outcome=(
        Outcome(name="score", kind="mean", doc="cards climbed"),
        Outcome(name="won", kind="share", doc="three or more"),
    ),
    observation=(
        Slots(name="row", size=NUM_CARDS, low=1, high=NUM_RANKS, doc="ranks"),
        Slots(name="at", size=1, high=NUM_CARDS, doc="cards climbed"),
        Slots(name="unseen", size=NUM_RANKS, high=1, doc="no card is hidden"),
    ),
    num_actions=lambda options: 1,
    deal=_deal,
    legal=_legal,
    apply=_apply,
    observe=_observe,
    conclude=_conclude,
    imagine=_imagine,
    move_text=lambda state, action: card_text(int(state.deck[min(state.at + 1, NUM_CARDS - 1)])),
    layout=_layout,
    hidden=lambda state: np.zeros(0, np.int64),
)
SERIES = replace(GAME, name="climb_series", base=GAME, next_game=_next_game)

register_game(GAME, {"climb/Climb-v0": {}})
register_game(SERIES, {"climb/Series-v0": {}})
