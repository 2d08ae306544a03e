"""Ratings of a position by agents and solvers, as plain values for the report and the page in the browser."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from solitaire_agents.base import Agent
from solitaire_agents.kit import Solved, Solver
from solitaire_agents.trained_agent import TrainedAgent
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options
from solitaire_envs.layout import Spot
from solitaire_envs.render import layout_of, status_text


def table_of(engine: Engine) -> dict[str, Any]:
    """Returns the table of the first environment. Its spots have the fields of `Spot`, except ``line``."""
    table = layout_of(engine, 0)
    spots = [_spot(spot) for spot in table.spots]
    return {"status": status_text(engine, 0), "spots": spots, "height": table.height, "columns": table.columns}


def _spot(spot: Spot) -> dict[str, Any]:
    record = {**vars(spot), "x": round(spot.x, 3), "y": round(spot.y, 3)}
    del record["line"]
    return record


# --- Trained agents ---------------------------------------------------------------------------------------------------


def policy_of(agent: Agent, engine: Engine) -> dict[str, Any]:
    """Returns a trained agent's moves with their probabilities, likeliest first, and its value; empty for other agents.

    The value is left out if the agent has no calibration: it then belongs to another objective.
    """
    if not isinstance(agent, TrainedAgent):
        return {}
    observation, mask = engine.buffers.observations[0], engine.buffers.action_masks[0]
    probabilities, chances = agent.probabilities(observation, mask), dict[str, float]()
    for action in engine.legal_actions(0):  # moves to different empty piles have the same text
        move = engine.move_text(0, action)
        chances[move] = chances.get(move, 0.0) + float(probabilities[action])
    likeliest = sorted(chances.items(), key=lambda item: -item[1])
    record: dict[str, Any] = {"chances": [{"move": move, "chance": round(chance, 4)} for move, chance in likeliest]}
    if agent.calibration is None:
        return record
    value = agent.value(observation, mask)
    unit, (mean,), _ = agent.choices.judge(np.array([value]), np.zeros(1))
    known = {
        "chance": f"expects to win with probability {mean:.2f}",
        "return": f"expects {mean:.0%} of the way from the worst result to the best",
        "moves": f"expects to win in {abs(mean):.0f} moves",
    }
    return record if np.isnan(mean) else {**record, "value": known[unit]}


# --- Planners ---------------------------------------------------------------------------------------------------------


def odds_of(agent: Agent, engine: Engine, samples: int) -> dict[str, Any] | None:
    """Returns the mean and the standard error of each move, the best first; None if the agent gives no values.

    Moves that the agent leaves out come last, with None for both.

    Args:
        agent: The agent.
        engine: The position.
        samples: As in `Agent.action_values`.
    """
    judged = agent.action_values(engine.buffers.observations[0], engine.buffers.action_masks[0], samples)
    if judged is None:
        return None
    best: dict[str, tuple[float, float]] = {}
    for action in engine.legal_actions(0):
        move, odds = engine.move_text(0, action), (float(judged.means[action]), float(judged.errors[action]))
        best[move] = max(best.get(move, odds), odds, key=lambda one: (not np.isnan(one[0]), one))
    ranked = sorted(best.items(), key=lambda item: (np.isnan(item[1][0]), -item[1][0]))
    if np.isnan(ranked[0][1][0]):
        return None
    return {
        "unit": judged.unit,
        "samples": 0 if isinstance(agent, TrainedAgent) else samples,  # 0: learned values
        "odds": [{"move": move, "mean": _rounded(mean), "error": _rounded(error)} for move, (mean, error) in ranked],
    }


def _rounded(number: float) -> float | None:
    return None if np.isnan(number) else round(number, 4)


def loss_of(odds: Mapping[str, Any], move: str) -> tuple[float, float] | None:
    """Returns how much less a move is worth than the best one, and about twice the standard error of this difference.

    Args:
        odds: What `odds_of` returns.
        move: The move in words. If it has no odds, None is returned.
    """
    best, played = odds["odds"][0], next((one for one in odds["odds"] if one["move"] == move), None)
    if played is None or played["mean"] is None:
        return None
    loss = best["mean"] - played["mean"]
    return loss, 2 * float(np.hypot(best["error"], played["error"])) if loss > 0 else 0.0


# --- Solvers ----------------------------------------------------------------------------------------------------------


def verdict_of(engine: Engine, solver: Solver, *, lost: bool = False) -> dict[str, Any] | None:
    """Returns what perfect play with the stock open can still reach, and the line; None if the solver has no answer.

    Args:
        engine: The position.
        solver: The solver of the game.
        lost: Whether it is known that no win is left.
    """
    found = solved_position(engine, solver, lost=lost)
    if found is None:
        return None
    moves = line_in_words(deepcopy(engine), found.actions)
    return {"winnable": found.status.answer, "best": found.value, "moves": moves}


def solved_position(engine: Engine, solver: Solver, *, lost: bool = False) -> Solved | None:
    """Returns the solver's answer alone, as `verdict_of` does in words."""
    try:
        solver.check(replace(engine.options, max_moves=None))  # verdicts count moves
    except ValueError:
        return None
    return solver.verdict(engine.states[0], engine.options, lost=lost)


def solved_deal(solver: Solver, game: Game, options: Options, deal: int) -> Solved | None:
    """Returns what perfect play reaches from the start of a deal; None if the solver does not know the rules."""
    engine = Engine(game, options, 1)
    engine.deal_numbers([deal])
    return solved_position(engine, solver)


def line_in_words(engine: Engine, actions: Sequence[int]) -> list[str]:
    """Plays a line in the first environment; returns its moves in words."""
    moves = []
    for action in actions:
        moves.append(engine.move_text(0, action))
        engine.step(np.array([action]))
    return moves
