"""Games for a reader to step through: each position with what the agent made of it, and what the solver says."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import torch

from solitaire_agents.policy import PolicyAgent, read_card
from solitaire_agents.pyramid.position import from_state
from solitaire_agents.pyramid.solver.api import new_memory, solve
from solitaire_agents.tour_infernale.solver import api as tour_solver
from solitaire_envs.engine import Engine
from solitaire_envs.render import Spot, status_text, table_of
from solitaire_training.evaluation.agent_specs import SAMPLE, Contestant, make_agent
from solitaire_training.evaluation.labels import WINNABLE
from solitaire_training.evaluation.store import Arena
from solitaire_training.report.tables import title_of

MOST_MOVES = 250
MOST_CHOICES = 5
"""Moves whose probabilities are told."""
MAX_NODES = 2_000_000
"""States that the solver of Pyramid may search for one verdict."""
TOWER_NODES = 50_000
"""Configurations that the solver of La tour infernale may look at."""


def choose_agent(outcomes: pd.DataFrame, contestants: dict[str, Contestant]) -> Contestant:
    """Returns who is shown: the fair trained policy of the best mean score; without any, the best fair agent.

    Those who draw random numbers come last: played again, they would play other games than those compared.
    """
    means = outcomes.groupby("agent")["score"].mean().sort_values(ascending=False)
    ranked = [contestants[name] for name in means.index]
    ranked.sort(key=lambda one: one.source in ("uniform", "planner") or one.source.endswith(SAMPLE))
    trained = [one for one in ranked if one.fair and one.training_seed is not None]
    return (trained or [one for one in ranked if one.fair] or ranked)[0]


def choose_deals(outcomes: pd.DataFrame, labels: pd.DataFrame, agent: str) -> Iterator[tuple[int, str]]:
    """Yields deals to show, with why: a win, a typical loss of a deal that could be won, and the dearest one."""
    rows = outcomes[outcomes["agent"] == agent].merge(labels, on="deal", how="left")
    won = rows[rows["won"]]
    if len(won):
        yield int(won["deal"].iloc[0]), "the first deal won"
    lost = rows[~rows["won"]]
    missed = lost[lost["winnable"] == WINNABLE]
    if len(missed):
        yield int(missed["deal"].iloc[0]), "the first deal lost that could be won"
    elif len(lost):
        yield int(lost["deal"].iloc[0]), "the first deal lost"
    regret = rows["best_score"] - rows["score"]
    if regret.notna().any() and regret.max() > 0:
        yield int(rows.loc[regret.idxmax(), "deal"]), "the deal that cost it most"


class Showcase:
    """Plays games of one agent and tells each position.

    Args:
        arena: The environment.
        contestant: The agent.
    """

    def __init__(self, arena: Arena, contestant: Contestant) -> None:
        self._arena = arena
        self._contestant = contestant
        self._agent = make_agent(contestant, arena.game, arena.options)
        self._solvers = Solvers()

    def play(self, deal: int, why: str) -> dict[str, Any]:
        """Plays a deal; returns the game as plain values for the page."""
        arena, agent = self._arena, self._agent
        engine = Engine(arena.game, agent.shown(arena.options), 1)
        engine.deal_numbers([deal])
        agent.seed(0)
        frames: list[dict[str, Any]] = []
        seen: set[bytes] = set()
        while not engine.states.ended[0] and len(frames) < MOST_MOVES and _position(engine) not in seen:
            if agent.memoryless:  # in the same position it would do the same again
                seen.add(_position(engine))
            action = int(agent.act(engine.buffers.observations, engine.buffers.action_masks)[0])
            frames.append({**self._tell(engine, frames), "move": engine.move_text(0, action)})
            engine.step(np.array([action]))
        frames.append({**self._tell(engine, frames), "move": None})
        if engine.outcome(0)["won"]:
            for frame in frames[:-1]:  # whatever the solver could not settle: there was a way
                frame["solver"] = frame["solver"] and {**frame["solver"], "winnable": True}
        about = title_of({"agent": self._contestant.name, "fair": self._contestant.fair})
        if not self._agent.memoryless:  # it drew other random numbers in the comparison
            why = f"{'won' if engine.outcome(0)['won'] else 'lost'}, with moves drawn anew"
        circles = " From here on it goes round in circles." if agent.memoryless else " It goes on."
        end = "" if engine.states.ended[0] else circles
        return {"env": arena.env, "agent": about, "deal": deal, "why": why, "end": end, "frames": frames}

    def _tell(self, engine: Engine, before: list[dict[str, Any]]) -> dict[str, Any]:
        told = {
            "status": status_text(engine, 0),
            "spots": [_spot(spot) for spot in table_of(engine, 0).spots],
            "height": table_of(engine, 0).height,
        }
        if not engine.states.ended[0]:
            lost = any(frame["solver"] and frame["solver"]["winnable"] is False for frame in before[-1:])
            told |= {"solver": self._solvers.verdict(engine, lost=lost), **self._thoughts(engine)}
        return told

    def _thoughts(self, engine: Engine) -> dict[str, Any]:
        agent = self._agent
        if not isinstance(agent, PolicyAgent):
            return {}
        logits, value = _ask(agent, engine)
        chances: dict[str, float] = {}
        for action in engine.legal_actions(0):  # on to one of several empty piles is one move in words
            move = engine.move_text(0, action)
            chances[move] = chances.get(move, 0.0) + float(logits[action])
        likeliest = sorted(chances.items(), key=lambda item: -item[1])[:MOST_CHOICES]
        return {
            "chances": [[move, round(chance, 4)] for move, chance in likeliest],
            "value": self._words(agent, engine, value),
        }

    def _words(self, agent: PolicyAgent, engine: Engine, value: float) -> str:
        """Returns what the value says: rewards still to come, in the unit in which the policy was trained."""
        card = read_card(agent.folder) if agent.folder else {}
        ahead = value / card.get("hyperparameters", {}).get("reward_scale", 1.0)
        if card.get("options", {}).get("objective") == "score":
            return f"expects a final score of {engine.outcome(0)['score'] + ahead:.1f}"
        return f"expects to win with probability {min(1.0, max(0.0, ahead)):.2f}"


@torch.no_grad()
def _ask(agent: PolicyAgent, engine: Engine) -> tuple[torch.Tensor, float]:
    """Returns the probability of each action and the value of a position."""
    logits, values = agent.network(torch.as_tensor(engine.buffers.observations))
    masked = logits[0].masked_fill(~torch.as_tensor(engine.buffers.action_masks[0]), -torch.inf)
    return torch.softmax(masked, 0), float(values[0])


KNOWN = {"solved": True, "impossible": False, "unknown": None}
"""What a solver's status says of whether a win is left."""


class Solvers:
    """Says what perfect play with the stock open can still reach."""

    def __init__(self) -> None:
        self._memory = new_memory(16)
        self._tower_memory: Any = None

    def verdict(self, engine: Engine, *, lost: bool) -> dict[str, Any] | None:
        """Returns whether a position can be won and what its best score is; None where no solver knows the rules.

        Args:
            engine: The game, a batch of one.
            lost: No win was left before already.
        """
        options: Any = engine.options
        if engine.game.name == "pyramid" and options.goal == "all" and options.max_moves is None:
            return self._pyramid(engine.states[0], options, lost)
        if engine.game.name == "tour_infernale" and options.passes is not None:
            return {"winnable": False if lost else self._tour_infernale(engine.states[0], options), "best": None}
        return None

    def _pyramid(self, state: Any, options: Any, lost: bool) -> dict[str, Any]:
        position, deck, memory = from_state(state), state.deck.tolist(), self._memory
        rules: Any = {"passes": options.passes, "stock_waste_pairs": options.stock_waste_pairs, "max_nodes": MAX_NODES}
        win = "impossible" if lost else solve(deck, goal="all", position=position, memory=memory, **rules).status
        best = solve(deck, goal="score", position=position, memory=memory, **rules)
        return {"winnable": KNOWN[win], "best": best.value if best.status == "solved" else None}

    def _tour_infernale(self, state: Any, options: Any) -> bool | None:
        if self._tower_memory is None:
            self._tower_memory = tour_solver.new_memory(64)
        found = tour_solver.solve(
            position=tour_solver.position_of(state, options.piles),
            piles=options.piles,
            passes=options.passes,
            max_nodes=TOWER_NODES,
            memory=self._tower_memory,
        )
        return KNOWN[found.status]


def _position(engine: Engine) -> bytes:
    state = engine.states[:1].copy()
    state["moves"] = 0
    return b"".join(state[name].tobytes() for name in state.dtype.names)


def _spot(spot: Spot) -> list[Any]:
    flags = int(spot.available) + 2 * int(spot.playable)
    return [round(spot.x, 3), round(spot.y, 3), -2 if spot.card is None else spot.card, flags, spot.caption, spot.sign]


def to_script(games: list[dict[str, Any]]) -> str:
    """Returns games as JSON that may stand in a page's script element."""
    return json.dumps(games, separators=(",", ":")).replace("<", "\\u003c")
