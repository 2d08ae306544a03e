"""Runs analyses in a few threads, line by line, so that play never waits for them.

Kernels and networks release the GIL. Each thread has its own agents and solvers, since their storage cannot be shared.
Answers depend on the request alone. Analyses of closed connections are cancelled after the current line.
"""

import asyncio
import secrets
import threading
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import advisers_of, agents_of, folder_of, kit_of
from solitaire_agents.kit import Solver, Status
from solitaire_agents.trained import read_card
from solitaire_envs.catalogue import CATALOGUE
from solitaire_envs.checks import did_you_mean, short
from solitaire_envs.engine import Engine
from solitaire_envs.game import Game, Options, make_options
from solitaire_envs.transcript import Transcript
from solitaire_evaluation.agent_specs import find_agent_spec, find_agent_specs, make_agent, modes_of
from solitaire_evaluation.analysis import loss_of, odds_of, policy_of, solved_deal, verdict_of
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.extras import missing_extra
from solitaire_evaluation.pool import use_one_torch_thread
from solitaire_web.positions import Recent, look_on, play_through
from solitaire_web.request import RefusedError
from solitaire_web.stuck import is_stuck

WORKERS = 2
MAX_STREAMS = 8
"""Answers streamed at the same time, at most; further ones are refused."""
KEPT_AGENTS = 6
"""Agents that each thread caches."""
SAMPLE_COUNTS = (8, 32, 128, 512)
"""Sampled orders for each line of odds in an analysis, in turn."""
REVIEW_EFFORT = 64
"""Sampled orders for each position of a review."""
MAX_REVIEWED = 1_000
DIFFICULTIES = {"any": 1, "easy": 5, "hard": 5}
"""How hard a deal should be -> among how many winnable deals it is chosen."""
TRIED = 60
"""Random deals that are tried, at most."""
FIRST_DEAL, NUM_DEALS = 2_000_000, 7_000_000
"""The page's random deals: no test deals, and easy to read aloud."""


class Agents:
    """The agents on offer: those of the catalogue, and those named when the server was started.

    Args:
        named: As on the command line. Each is offered in every game that it plays under some options.
        games: The games.

    Raises:
        ValueError: One of the agents plays none of the games under any options.
    """

    def __init__(self, named: list[str], games: list[Game]) -> None:
        self._names = {game.name: list(agents_of(game)) for game in games}
        for text in named:
            refusals = {game.name: _refusal(text, game) for game in games}
            if "" not in refusals.values():
                known = {name for names in self._names.values() for name in names}
                raise ValueError(
                    "expected an agent of one of the games, the folder of a trained agent or module:agent; "
                    f"got {short(text)}{_reason_in_short(text, refusals.values(), known)}"
                )
            for name, reason in refusals.items():
                if reason == "" and text not in self._names[name]:
                    self._names[name].append(text)

    def check(self, name: str, game: Game) -> None:
        """Checks that an agent is on offer in a game.

        Raises:
            RefusedError: It is not.
        """
        if name not in self.names(game):
            raise RefusedError(f"expected an agent among {', '.join(self.names(game))}; got {short(name)}")

    def names(self, game: Game) -> list[str]:
        """Returns the names of the agents of a game."""
        return self._names[game.name]

    def refusals(self, game: Game, options: Options) -> dict[str, str]:
        """Returns why each agent of a game does not play under the options; an empty text if it does."""
        reasons = dict.fromkeys(self.names(game), "")
        for name in reasons:
            try:
                self.make(name, game, options)
            except RefusedError as error:
                reasons[name] = str(error)
        return reasons

    def make(self, name: str, game: Game, options: Options) -> Agent:
        """Builds an agent.

        Raises:
            RefusedError: It is not on offer, does not play under the options, or needs a module that is not installed.
        """
        self.check(name, game)
        try:
            agent = make_agent(find_agent_spec(name, game, options), game, options)
        except ValueError as error:
            raise RefusedError(str(error), reason="agent") from None
        except ModuleNotFoundError as error:
            raise RefusedError(missing_extra(error) or "a module is missing") from None
        use_one_torch_thread()
        return agent


def _reason_in_short(text: str, refusals: Iterable[str | None], known: Collection[str]) -> str:
    """Returns why an agent plays none of the games, as the end of a message; for an unknown name what it is like."""
    if ":" in text or Path(text.removesuffix(modes_of(text))).is_dir():
        return ": " + next((reason for reason in refusals if reason), "it plays none of them")
    return did_you_mean(text, known)


def _refusal(text: str, game: Game) -> str | None:
    """Returns why an agent cannot play a game under any options; empty if it can, None if it is for another game."""
    reason: str | None = None
    try:
        for options in _options_to_try(text, game):
            try:
                if find_agent_specs([text], game, options, skip=True):
                    return ""
            except ValueError as error:
                reason = str(error)
    except ValueError as error:  # the card of a trained agent is damaged, or of another game
        return reason or str(error)
    return reason


def _options_to_try(text: str, game: Game) -> Iterator[Options]:
    """Yields options under which an agent may play: those of the game's environments, then those of its training."""
    yield from (game.options(**entry.preset) for entry in CATALOGUE.values() if entry.game is game)
    folder = folder_of(text.removesuffix(modes_of(text)), game)
    if folder.is_dir():
        yield make_options(game.options, read_card(folder)["options"])


class Analyses:
    """A pool of threads, each with its own cached agents and solvers.

    Args:
        agents: The agents on offer.
    """

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="analysis")
        self._own = threading.local()
        self.places = asyncio.Semaphore(MAX_STREAMS)
        """Each answer holds one while it is streamed."""

    def close(self) -> None:
        """Ends the threads after their current lines, without waiting for them."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def stream(self, lines: Iterator[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        """Yields the lines of an answer, each computed in a thread. It stops if closed, or if its task is cancelled."""
        loop = asyncio.get_running_loop()
        while (line := await loop.run_in_executor(self._pool, next, lines, None)) is not None:
            yield line

    # --- In a thread --------------------------------------------------------------------------------------------------

    def _agent(self, name: str, game: Game, options: Options) -> Agent:
        kept: Recent[Any, Agent] = self._own.__dict__.setdefault("agents", Recent(KEPT_AGENTS))
        key = name, game.name, options
        return kept.get(key) or kept.put(key, self._agents.make(name, game, options))

    def _solver(self, game: Game) -> Solver | None:
        """Returns this thread's solver for a game, or for the games of a series; None if there is none."""
        kept: dict[str, Solver] = self._own.__dict__.setdefault("solvers", {})
        make = kit_of(game).solver
        if make is not None and game.root.name not in kept:
            kept[game.root.name] = make()
        return kept.get(game.root.name)

    def _shown(self, agent: Agent, position: Transcript, options: Options) -> Engine:
        """Returns the position as the agent sees it."""
        *_, engine = play_through(position, agent.shown(options))
        return engine

    # --- Answers: lines, each of which may be computed in another thread, with that thread's agent --------------------

    def choice(self, position: Transcript, name: str, options: Options) -> Iterator[dict[str, Any]]:
        """Yields one line: the move of an agent; if it is a trained one, also its probabilities and its value."""
        agent = self._agent(name, position.game, options)
        engine, looks = look_on(position, agent.shown(options))
        if engine.states.ended[0]:
            raise RefusedError("expected a game that goes on, got one that is over")
        agent.seed(len(position.moves) if agent.stochastic else 0)
        earlier = looks[:-1] if agent.plans else ()  # if it planned anew in each position, it might go in circles
        for look in earlier:
            agent.act(*look)
        judgement = policy_of(agent, engine) if position.game.base is None else {}
        move = engine.move_text(0, int(agent.choose(engine)[0]))
        yield {"kind": "choice", "move": move, "fair": agent.fair, **judgement}

    def analysis(self, position: Transcript, name: str, options: Options, *, solver: bool) -> Iterator[dict[str, Any]]:
        """Yields the lines of an analysis of one position: choice, first odds, the solver's verdict, better odds."""
        yield from self.choice(position, name, options)
        for samples in SAMPLE_COUNTS:
            agent = self._agent(name, position.game, options)
            odds = odds_of(agent, self._shown(agent, position, options), samples)
            if odds is not None:
                yield {"kind": "odds", **odds}
            if solver and samples == SAMPLE_COUNTS[0]:
                yield self._solved(position)
            if odds is None or not odds["samples"]:  # more samples would not change the odds
                return

    def perfect(self, position: Transcript) -> Iterator[dict[str, Any]]:
        """Yields one line: the solver's verdict on the deal of a position; a game that was won is proof."""
        line = self._solved(replace(position, moves=()))
        *_, engine = play_through(position)
        if engine.outcome(0)["won"] and engine.game.base is None:
            line["verdict"] = {"best": None, "moves": [], **(line["verdict"] or {}), "winnable": True}
        yield line

    def deal(self, env_spec: EnvSpec, difficulty: str) -> Iterator[dict[str, Any]]:
        """Yields one line: a random deal that perfect play wins with all cards known; None if none was found.

        Of several such deals, the solver searched the fewest positions for an easy one, the most for a hard one.

        Raises:
            RefusedError: There is no such difficulty, or no solver that proves wins under the options.
        """
        if difficulty not in DIFFICULTIES:
            raise RefusedError(f"expected difficulty to be any, easy or hard; got {short(difficulty)}")
        game, options, found = env_spec.game, env_spec.options, dict[int, int]()
        solver = self._solver(game) if game.base is None else None
        for _ in range(TRIED):
            deal = FIRST_DEAL + secrets.randbelow(NUM_DEALS)
            solved = solved_deal(solver, game, options, deal) if solver is not None else None
            if solved is None:
                raise RefusedError("expected a game whose deals the solver knows")
            if solved.status is Status.SOLVED:
                found[deal] = solved.nodes
            if len(found) == DIFFICULTIES[difficulty]:
                break
        ranked = sorted(found, key=lambda deal: found[deal], reverse=difficulty == "hard")
        yield {"kind": "deal", "deal": str(ranked[0]) if ranked else None}

    def stuck(self, position: Transcript) -> Iterator[dict[str, Any]]:
        """Yields one line: whether it is proved that no move can help any more."""
        *_, engine = play_through(position)
        yield {"kind": "stuck", "stuck": is_stuck(engine)}

    def fitting(self, env_spec: EnvSpec, options: Options) -> Iterator[dict[str, Any]]:
        """Yields one line: why agents do not play under the options, and the agent that gives hints."""
        game = env_spec.game
        refusals = self._agents.refusals(game, options)
        playing = [name for name in advisers_of(game, options) if not refusals.get(name, "none")]
        fair = (name for name in playing if self._agent(name, game, options).fair)
        yield {"kind": "agents", "refusals": refusals, "adviser": next(fair, "uniform")}

    def review(self, position: Transcript, name: str, options: Options) -> Iterator[dict[str, Any]]:
        """Yields a line for each position of a game: the best odds, the loss of the move played, the verdict.

        Raises:
            RefusedError: The game is too long.
        """
        if len(position.moves) > MAX_REVIEWED:
            raise RefusedError(
                f"expected a game of at most {MAX_REVIEWED} moves, got {len(position.moves)}", reason="long"
            )
        game, lost = position.game, False
        shown_options = self._agent(name, game, options).shown(options)
        engines = zip(play_through(position), play_through(position, shown_options), strict=True)
        for at, (engine, shown) in enumerate(engines):
            line: dict[str, Any] = {"kind": "position", "at": at}
            if engine.states.ended[0]:
                yield {**line, "over": True, "won": bool(engine.outcome(0)["won"])}
                continue
            odds = odds_of(self._agent(name, game, options), shown, REVIEW_EFFORT)
            verdict = self._verdict(engine, lost=lost)
            lost = game.base is None and (verdict or {}).get("winnable") is False
            line["verdict"] = verdict
            if odds is not None:
                line |= {"unit": odds["unit"], "best": odds["odds"][0]}
            if at < len(position.moves):
                line["move"] = position.moves[at]
                loss = None if odds is None else loss_of(odds, position.moves[at])
                line |= {} if loss is None else {"loss": round(loss[0], 4), "error": round(loss[1], 4)}
            yield line

    def _solved(self, position: Transcript) -> dict[str, Any]:
        *_, engine = play_through(position)
        return {"kind": "verdict", "verdict": self._verdict(engine)}

    def _verdict(self, engine: Engine, *, lost: bool = False) -> dict[str, Any] | None:
        solver = self._solver(engine.game)
        return None if solver is None else verdict_of(engine, solver, lost=lost)
