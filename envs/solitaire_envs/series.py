"""Episodes of many deals: a par series of Pyramid, a sprint of La tour infernale.

Each is a game built on another. The moves are the same, the observation has a few more slots, and the end and the
rewards differ. The first deck is the one asked for. The others are drawn from SplitMix64 seeded with the first deal's
number (0 if the deck was given), so one number names the whole series. An imagined series draws them from a stream
that the engine's seeds.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solitaire_envs import pyramid, tour_infernale
from solitaire_envs.cards import NUM_CARDS, draw_deal, next_random, shuffle
from solitaire_envs.game import Game, Outcome, Slots, first_slots, option
from solitaire_envs.jit import kernel
from solitaire_envs.pyramid_words import PAR_WORDS
from solitaire_envs.tour_infernale_words import SPRINT_WORDS

SERIES_FIELDS = [
    ("series", "u8"),  # SplitMix64 state that the later deals are drawn from
    ("games", "i4"),  # games finished
    ("total", "i4"),  # sum of their scores, or number of wins
]


def _state_dtype(game: Game) -> np.dtype[np.void]:
    fields = [(name, game.state[name]) for name in game.state.names or ()]
    return np.dtype([*SERIES_FIELDS, *fields], align=True)  # own fields first, as in `Options.to_rules`


@kernel
def _start(state: Any) -> None:
    state.series = state.deal
    state.games = 0
    state.total = 0


@kernel
def _imagine_next_deals(state: Any) -> None:
    """Seeds the later deals by the stream of deals, on which they do not depend in a true series."""
    state.series, _ = next_random(state.stream)


@kernel
def _deal_next_deck(state: Any) -> None:
    state.series, number = draw_deal(state.series)
    shuffle(number, state.deck)


# --- Par: six games of Pyramid with a total score of zero or more -----------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PyramidParOptions(pyramid.PyramidOptions):
    """Options of a par series; the objective has no effect, since only the total counts."""

    games: int = option(6, "Games in a series.", maximum=100, limits="games")


PASS_OUTCOME = Outcome(name="passes", kind="count", doc="the pass under way in the last game", status="pass")
GAMES_FINISHED = Outcome(name="games", kind="count", doc="games finished", status="games played")
PAR_OUTCOME = (
    Outcome(name="score", kind="mean", doc="sum of the scores"),
    Outcome(name="won", kind="share", doc="all games were played, with a total of zero or more"),
    PASS_OUTCOME,
    GAMES_FINISHED,
)
PAR_OBSERVATION = (
    *pyramid.OBSERVATION,
    Slots(name="total", size=1, low=-10_000, high=10_000, doc="sum of the scores of the finished games"),
    Slots(name="games", size=1, high=100, doc="games left, the one under way included"),
)
_IN_PAR = first_slots(PAR_OBSERVATION)


@kernel
def _par_deal(rules: Any, state: Any) -> None:
    _start(state)
    pyramid.deal(rules, state)


@kernel
def _par_apply(rules: Any, state: Any, action: int) -> float:
    pyramid.apply(rules, state, action)
    return 0.0


@kernel
def _par_next(rules: Any, state: Any) -> tuple[bool, float]:
    state.total += pyramid.score(state)
    state.games += 1
    if state.games == rules.games:
        return False, 1.0 if state.total >= 0 else 0.0
    _deal_next_deck(state)
    pyramid.deal(rules, state)
    return True, 0.0


@kernel
def _par_observe(rules: Any, state: Any, observation: Any) -> None:
    pyramid.observe(rules, state, observation)
    observation[_IN_PAR.total] = state.total
    observation[_IN_PAR.games] = rules.games - state.games


@kernel
def _par_conclude(rules: Any, state: Any, outcome: Any) -> None:
    unfinished = pyramid.score(state) if state.games < rules.games else 0
    outcome.score = state.total + unfinished
    outcome.won = state.games == rules.games and state.total >= 0
    outcome.games = state.games
    outcome.passes = state.current_pass


@kernel
def _par_imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    _imagine_next_deals(state)
    pyramid.imagine(rules, observation, cards, state)
    state.total = observation[_IN_PAR.total]
    state.games = rules.games - observation[_IN_PAR.games]


PAR = replace(
    pyramid.GAME,
    name="pyramid_par",
    base=pyramid.GAME,
    options=PyramidParOptions,
    state=_state_dtype(pyramid.GAME),
    outcome=PAR_OUTCOME,
    observation=PAR_OBSERVATION,
    deal=_par_deal,
    apply=_par_apply,
    observe=_par_observe,
    conclude=_par_conclude,
    imagine=_par_imagine,
    next_game=_par_next,
    words=PAR_WORDS,
    score_range=lambda options: (-NUM_CARDS * options.games, int(pyramid.CLEARED_BONUS.max()) * options.games),
    aim=lambda options: "won",
    blocks=(),
)


# --- Sprint: wins of La tour infernale within a budget of moves -------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TourInfernaleSprintOptions(tour_infernale.TourInfernaleOptions):
    """Options of a sprint.

    The budget is part of the task and stands in the observation, so its end terminates the episode; it does not
    truncate it.
    """

    max_moves: int | None = option(None, "The episode is truncated after this many moves; None: never.", maximum=10**9)
    budget: int = option(1_000, "Moves in a sprint.", maximum=30_000, limits="moves")


SPRINT_OUTCOME = (
    Outcome(name="score", kind="mean", doc="deals won within the moves of the sprint"),
    Outcome(name="won", kind="share", doc="at least one deal was won"),
    PASS_OUTCOME,
    GAMES_FINISHED,
)
SPRINT_OBSERVATION = (
    *tour_infernale.OBSERVATION,
    Slots(name="wins", size=1, high=1_000, doc="deals won so far"),
    Slots(name="moves", size=1, high=30_000, doc="moves left"),
)
_IN_SPRINT = first_slots(SPRINT_OBSERVATION)


@kernel
def _sprint_deal(rules: Any, state: Any) -> None:
    _start(state)
    tour_infernale.deal(rules, state)


@kernel
def _sprint_legal(rules: Any, state: Any, mask: Any) -> bool:
    if state.moves >= rules.budget:
        mask[:] = False
        return False
    return tour_infernale.legal(rules, state, mask)


@kernel
def _sprint_apply(rules: Any, state: Any, action: int) -> float:
    tour_infernale.apply(rules, state, action)
    if tour_infernale.cards_up(state) < NUM_CARDS:
        return 0.0
    state.total += 1
    return 1.0


@kernel
def _sprint_next(rules: Any, state: Any) -> tuple[bool, float]:
    """Deals the next game after a win or, with limited passes, a loss, unless the budget is used up."""
    if state.moves >= rules.budget:
        return False, 0.0
    state.games += 1
    _deal_next_deck(state)
    tour_infernale.deal(rules, state)
    return True, 0.0


@kernel
def _sprint_observe(rules: Any, state: Any, observation: Any) -> None:
    tour_infernale.observe(rules, state, observation)
    observation[_IN_SPRINT.wins] = state.total
    observation[_IN_SPRINT.moves] = rules.budget - state.moves


@kernel
def _sprint_conclude(rules: Any, state: Any, outcome: Any) -> None:
    outcome.score = state.total
    outcome.won = state.total > 0
    outcome.games = state.games
    outcome.passes = state.current_pass


@kernel
def _sprint_imagine(rules: Any, observation: Any, cards: Any, state: Any) -> None:
    """Sets up a sprint; its observation shows the moves left, and so the moves made."""
    _imagine_next_deals(state)
    tour_infernale.imagine(rules, observation, cards, state)
    state.total = observation[_IN_SPRINT.wins]
    state.games = max(state.games, state.total)
    state.moves = rules.budget - observation[_IN_SPRINT.moves]


SPRINT = replace(
    tour_infernale.GAME,
    name="tour_infernale_sprint",
    base=tour_infernale.GAME,
    options=TourInfernaleSprintOptions,
    state=_state_dtype(tour_infernale.GAME),
    outcome=SPRINT_OUTCOME,
    observation=SPRINT_OBSERVATION,
    deal=_sprint_deal,
    legal=_sprint_legal,
    apply=_sprint_apply,
    observe=_sprint_observe,
    conclude=_sprint_conclude,
    imagine=_sprint_imagine,
    remembered=("games",),
    next_game=_sprint_next,
    words=SPRINT_WORDS,
    score_range=lambda options: (0, max(1, options.budget // NUM_CARDS)),  # a card goes up in a move
    aim=lambda options: "score",
)
