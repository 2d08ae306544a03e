"""Games to step through: each position with the ratings of the agent and the solver."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from solitaire_agents.catalogue import kit_of, solver_of
from solitaire_agents.kit import Status
from solitaire_agents.text_agent import TextAgent
from solitaire_envs.engine import Engine
from solitaire_evaluation.agent_specs import AgentSpec, make_agent
from solitaire_evaluation.analysis import policy_of, solved_position, table_of
from solitaire_evaluation.env_spec import EnvSpec

MOVES_SHOWN = 250
"""Moves shown of a game, at most."""
MAX_UNSETTLED, SELDOM = 10, 10
"""After so many unsettled positions in a row, the solver is asked only at each tenth: each may take a second."""
MAX_CHOICES = 5
"""Moves whose probabilities are shown, at most."""


def ranked_agents(outcomes: pd.DataFrame, agents: Mapping[str, AgentSpec]) -> list[AgentSpec]:
    """Returns the agents in the order in which the page offers their games.

    Fair trained agents come first, then other fair agents, then those that are not fair. Within each kind, agents that
    draw random numbers come last, since their replays differ from the games compared. Ties are broken by mean score.

    Args:
        outcomes: Rows of `Results.outcomes` of the environment.
        agents: Name -> agent.
    """
    means = outcomes.groupby("agent")["score"].mean().sort_values(ascending=False)
    ranked = [agents[name] for name in means.index]
    return sorted(ranked, key=lambda agent: (not agent.fair, agent.training_seed is None, agent.stochastic))


def deals_to_show(outcomes: pd.DataFrame, labels: pd.DataFrame, agent: str) -> dict[int, str]:
    """Returns deals to show, each with the reason: a win, a loss (an avoidable one, if any), the largest regret."""
    found: dict[int, str] = {}
    rows = outcomes[outcomes["agent"] == agent].merge(labels, on="deal", how="left")
    won = rows[rows["won"]]
    if len(won):
        found[int(won["deal"].iloc[0])] = "the first deal won"
    lost = rows[~rows["won"]]
    missed = lost[lost["winnable"] == Status.SOLVED]
    if len(missed):
        found[int(missed["deal"].iloc[0])] = "the first deal lost that could be won"
    elif len(lost):
        found[int(lost["deal"].iloc[0])] = "the first deal lost"
    regret = rows["best_score"] - rows["score"]
    if regret.notna().any() and regret.max() > 0:
        found.setdefault(int(rows.loc[regret.idxmax(), "deal"]), "the deal with the largest regret")
    return found


class Replayer:
    """Plays games of one agent and describes each position.

    Args:
        env_spec: The environment.
        spec: The agent.

    Raises:
        ValueError: The agent no longer exists, or has changed since.
    """

    def __init__(self, env_spec: EnvSpec, spec: AgentSpec) -> None:
        self._env_spec, self._spec = env_spec, spec
        self._agent = make_agent(spec, env_spec.game, env_spec.options)

    def play(self, deal: int, why: str) -> dict[str, Any]:
        """Plays a deal.

        Args:
            deal: Deal number.
            why: The reason to show the deal.

        Returns:
            The game as plain values for the page, with a frame for each position.
        """
        engine, frames = self._play(deal)
        ended, won = bool(engine.states.ended[0]), bool(engine.outcome(0)["won"])
        if won and any(frame["solver"] for frame in frames[:-1]):
            for frame in frames[:-1]:  # the game proves it, even if the solver gave up or was not asked
                frame["solver"] = {"best": None, **(frame["solver"] or {}), "winnable": True}
        if self._agent.stochastic:  # it drew other random numbers in the comparison
            why = f"{'won' if won else 'lost'}, with moves drawn anew"
        repeats = " From here on it repeats itself." if self._agent.memoryless else " The rest is not shown."
        return {
            "env": self._env_spec.env,
            "agent": self._spec.title,
            "won": won,
            "deal": deal,
            "why": why,
            "end": "" if ended else repeats,
            "frames": frames,
        }

    def _play(self, deal: int) -> tuple[Engine, list[dict[str, Any]]]:
        """Plays a deal; returns the engine after the last move, and the frames."""
        agent = self._agent
        engine = Engine(self._env_spec.game, agent.shown(self._env_spec.options), 1)
        engine.deal_numbers([deal])
        agent.seed(0)
        frames: list[dict[str, Any]] = []
        seen: set[bytes] = set()
        while not engine.states.ended[0] and len(frames) < MOVES_SHOWN and _position(engine) not in seen:
            if agent.memoryless:  # it always picks the same move in the same state
                seen.add(_position(engine))
            action = int(agent.choose(engine)[0])
            frame = {**self._frame(engine, frames), "move": engine.move_text(0, action)}
            frames.append({**frame, "said": agent.said} if isinstance(agent, TextAgent) else frame)
            engine.step(np.array([action]))
        return engine, [*frames, {**self._frame(engine, frames), "move": None}]

    def _frame(self, engine: Engine, before: list[dict[str, Any]]) -> dict[str, Any]:
        frame = table_of(engine)
        if engine.states.ended[0]:
            return frame
        judgement = policy_of(self._agent, engine)
        if judgement:
            judgement["chances"] = judgement["chances"][:MAX_CHOICES]
        return {**frame, "solver": self._solver(engine, before), **judgement}

    def _solver(self, engine: Engine, before: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Returns the solver's verdict; None if it has none, or if it is not asked, to save time."""
        asked = [frame["solver"] for frame in before if frame["solver"]]
        unsettled = 0
        for verdict in reversed(asked):
            if verdict["winnable"] is not None:
                break
            unsettled += 1
        if unsettled >= MAX_UNSETTLED and len(before) % SELDOM:
            return None
        return _verdict(engine, lost=bool(asked) and asked[-1]["winnable"] is False)


def _verdict(engine: Engine, *, lost: bool) -> dict[str, Any] | None:
    """Returns what perfect play with the stock open can still reach; None if no solver knows the rules."""
    if kit_of(engine.game).solver is None or engine.game.base is not None:
        return None
    found = solved_position(engine, solver_of(engine.game), lost=lost)
    return None if found is None else {"winnable": found.status.answer, "best": found.value}


def _position(engine: Engine) -> bytes:
    """Returns the state without its number of moves."""
    state = engine.states[:1].copy()
    state["moves"] = 0
    return b"".join(state[name].tobytes() for name in state.dtype.names)


def to_script(games: list[dict[str, Any]]) -> str:
    """Returns games as JSON that is safe inside a page's script element; see `_packed`."""
    return json.dumps([_packed(game) for game in games], separators=(",", ":")).replace("<", "\\u003c")


def _packed(game: dict[str, Any]) -> dict[str, Any]:
    """Returns a game whose ``spots`` lists each spot once. The frames hold indices into this list.

    From one position to the next, few spots change, so the result has about a tenth of the size.
    """
    known: dict[str, int] = {}
    frames = [
        {**frame, "spots": [known.setdefault(json.dumps(spot), len(known)) for spot in frame["spots"]]}
        for frame in game["frames"]
    ]
    return {**game, "spots": [json.loads(spot) for spot in known], "frames": frames}
