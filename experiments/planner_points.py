"""What each answer of the solver should count for, where Pyramid's planner plays for the score.

    .venv/bin/python experiments/planner_points.py --games 300

A quick planner plays validation deals. In two of its decisions of each game, the two moves that it rates best are
played on to the end: by the same planner, and both in the same orders of the hidden cards. So it is known, but for
luck, by how much one scores more. The answers by hindsight predict that by least squares: for each question, in how
many more of 128 orders the answer is yes.
"""

import argparse
import os
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from solitaire_agents.pyramid.choices import count, pyramid_choices
from solitaire_agents.pyramid.hindsight import Points, rate_moves
from solitaire_agents.pyramid.planner import POINTS, PlannerAgent
from solitaire_envs.cards import NUM_CARDS
from solitaire_envs.engine import Engine
from solitaire_envs.pyramid import GAME, PyramidOptions
from solitaire_evaluation.deals import VALIDATION_DEALS
from solitaire_evaluation.pool import ThisMachine

OPTIONS, UNSEEN = PyramidOptions(), GAME.slots("unseen")
ORDERS, STATES, PLAYED_ON, CLOSE = 128, 1_000, 24, 6
"""Orders and states for hindsight; orders that are played on; points between moves that are worth a look."""
QUESTIONS = {
    "the pyramid cleared by pass 1": Points((1, 0, 0), 0),
    "the pyramid cleared by pass 2": Points((0, 1, 0), 0),
    "the pyramid cleared by pass 3": Points((0, 0, 1), 0),
    "no card left after pass 2": Points((0, 0, 0), 1),
}


class Decision(NamedTuple):
    """What the better of two moves by hindsight has over the other."""

    answers: NDArray[np.float64]
    """[4] how much more often the answer is yes, by question."""
    scores: NDArray[np.float64]
    """[PLAYED_ON] how many points more it scores, in each order."""


@cache
def player() -> PlannerAgent:
    """Returns the quick planner."""
    return PlannerAgent(OPTIONS, samples=12, max_nodes=100)


@cache
def storage() -> Any:
    return pyramid_choices(OPTIONS).new_storage()


def is_choice(observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> bool:
    """Returns whether there is more than one move, and no king to discard."""
    return bool(count(storage(), observation, mask) > 1)


def play(decks: NDArray[np.uint8], moves: list[int]) -> tuple[Engine, list[tuple[Any, Any, list[int]]]]:
    """Plays decks, all by these moves first; returns how they ended, and the decisions of the first of them."""
    engine, decisions = Engine(GAME, OPTIONS, len(decks), autoreset="disabled"), []
    engine.deal_decks(list(decks))
    for move in moves:
        engine.step(np.full(len(decks), move))
    played = list(moves)
    while not engine.states.ended.all():
        live, (observations, masks) = ~engine.states.ended, (engine.buffers.observations, engine.buffers.action_masks)
        actions = np.zeros(len(decks), np.int64)
        actions[live] = player().act(observations[live], masks[live])
        if observations[0, UNSEEN].sum() > 1 and is_choice(observations[0], masks[0]):
            decisions.append((observations[0].copy(), masks[0].copy(), list(played)))
        played.append(int(actions[0]))
        engine.step(actions)
    return engine, decisions


def study(deal: int) -> list[Decision]:
    """Plays a deal, and looks at two of its decisions, if there are so many between moves that are close."""
    engine, rng, found = Engine(GAME, OPTIONS, 1), np.random.default_rng(deal), list[Decision]()
    engine.deal_numbers([deal])
    deck = engine.states.deck[0].copy()
    decisions = play(deck[None], [])[1]
    for k in rng.permutation(len(decisions)):
        observation, mask, moves = decisions[k]
        hidden = int(observation[UNSEEN].sum())
        answers = ask(observation, mask)
        points = np.array([*POINTS.cleared, POINTS.all_gone]) @ answers
        points[~mask] = -np.inf
        best, second = np.argsort(-points, kind="stable")[:2]
        if points[best] - points[second] <= CLOSE and (answers[:, best] != answers[:, second]).any():
            decks = np.tile(deck, (PLAYED_ON, 1))
            decks[:, NUM_CARDS - hidden :] = rng.permuted(decks[:, NUM_CARDS - hidden :], axis=1)
            scores = [play(decks, [*moves, int(move)])[0].buffers.outcomes["score"] for move in (best, second)]
            found.append(Decision(answers[:, best] - answers[:, second], scores[0] - scores[1].astype(np.float64)))
        if len(found) == 2:
            break
    return found


def ask(observation: NDArray[np.int16], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Returns in which share of the orders the answer is yes after each move, by question: [4, A]."""
    planner = player()
    asked = *planner._imagine(observation, ORDERS), np.tile(mask, (ORDERS, 1)), OPTIONS, STATES, planner._memory
    return np.array([points.most * rate_moves(*asked, points).mean(axis=0) for points in QUESTIONS.values()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=300, help="validation deals (default 300)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: all cores)")
    arguments = parser.parse_args()
    deals = range(VALIDATION_DEALS, VALIDATION_DEALS + arguments.games)
    with ThisMachine(arguments.jobs) as workers:
        work = tqdm(workers.share(study, deals), total=len(deals))
        found = sorted((decision for game in work for decision in game), key=lambda decision: decision.scores.tolist())
    answers, scores = np.array([d.answers for d in found]), np.array([d.scores for d in found])
    gains, luck = scores.mean(axis=1), scores.var(axis=1, ddof=1).mean() / PLAYED_ON
    weights, *_ = np.linalg.lstsq(answers, gains, rcond=None)
    left = gains - answers @ weights
    errors = 1.96 * np.sqrt(left.var() * np.linalg.inv(answers.T @ answers).diagonal())
    print(f"{len(found)} decisions")
    for question, weight, error in zip(QUESTIONS, weights, errors, strict=True):
        print(f"{question:32}{weight:6.1f} ± {error:.1f} points")
    shipped = gains - answers @ np.array([*POINTS.cleared, POINTS.all_gone])
    for name, rest in (("in all", gains), ("left by these weights", left), ("left by the planner's", shipped)):
        print(f"{name:32}{(rest**2).mean() - luck:6.2f} points², without luck")


if __name__ == "__main__":
    main()
