"""Records games step by step, for datasets: observations, action masks, actions, rewards."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from minari.data_collector import EpisodeBuffer
from numpy.typing import NDArray

from solitaire_agents.base import Agent
from solitaire_envs.engine import Engine
from solitaire_evaluation.agent_specs import AgentSpec, make_agent
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.people import CountedGame
from solitaire_evaluation.pool import ThisMachine, use_one_torch_thread

GAMES_AT_A_TIME = 10
"""Games in one piece of work for a process."""


def record_games(
    env_spec: EnvSpec, agent: AgentSpec, deals: NDArray[np.uint64], *, seed: int = 0, jobs: int = 1
) -> Iterator[EpisodeBuffer]:
    """Plays an agent on a list of deals.

    Args:
        env_spec: The environment.
        agent: The agent.
        deals: Deal numbers, uint64 [n].
        seed: Seed of the agent's random numbers.
        jobs: Number of processes. It changes the order of the games, but not the games.

    Yields:
        The games, as they are finished. They hold the environment's observations, even if the agent saw more.
    """
    chunks = [deals[start : start + GAMES_AT_A_TIME] for start in range(0, len(deals), GAMES_AT_A_TIME)]
    with ThisMachine(jobs) as workers:
        for games in workers.share(partial(_record_chunk, env_spec, agent, seed), chunks):
            yield from games


def _record_chunk(env_spec: EnvSpec, spec: AgentSpec, seed: int, deals: Sequence[np.uint64]) -> list[EpisodeBuffer]:
    agent = _agent(env_spec, spec)
    return [record_game(env_spec, agent, int(deal), seed) for deal in deals]


@lru_cache(maxsize=1)
def _agent(env_spec: EnvSpec, spec: AgentSpec) -> Agent:
    agent = make_agent(spec, env_spec.game, env_spec.options)
    use_one_torch_thread()
    return agent


def record_game(env_spec: EnvSpec, agent: Agent, deal: int, seed: int = 0) -> EpisodeBuffer:
    """Plays one deal.

    Args:
        env_spec: The environment.
        agent: The agent. If it is not fair, it sees the same game with the stock open.
        deal: Deal number.
        seed: Together with the deal number, the seed of the agent's random numbers.
    """
    shown = Engine(env_spec.game, agent.shown(env_spec.options), 1)
    shown.deal_numbers([deal])
    agent.seed(int(np.random.SeedSequence((seed, deal)).generate_state(1)[0]))

    def choose(engine: Engine) -> int:
        if engine.states.untold[0]:
            return 0
        action = agent.choose(shown)
        shown.step(action)
        return int(action[0])

    return _record(env_spec, deal, choose)


def record_human_game(env_spec: EnvSpec, game: CountedGame) -> EpisodeBuffer:
    """Records a person's game. It ends with a truncation if the person gave up.

    Raises:
        ValueError: The file was altered: the game does not replay.
    """
    for _ in game.transcript.replay():
        pass
    moves = iter(game.transcript.moves)

    def choose(engine: Engine) -> int | None:
        move = next(moves, None)
        return None if move is None else engine.parse_move(0, move)

    return _record(env_spec, game.deal, choose)


def _record(env_spec: EnvSpec, deal: int, choose: Callable[[Engine], int | None]) -> EpisodeBuffer:
    engine = Engine(env_spec.game, env_spec.options, 1)
    engine.deal_numbers([deal])
    steps, positions = list[tuple[int, float, bool, bool]](), [_position(engine)]
    while engine.states.untold[0] or not engine.states.ended[0]:
        action = choose(engine)
        if action is None:
            steps[-1] = (*steps[-1][:3], True)
            break
        buffers = engine.step(np.array([action]))
        steps.append((action, float(buffers.rewards[0]), bool(buffers.terminated[0]), bool(buffers.truncated[0])))
        positions.append(_position(engine))
    actions, rewards, terminations, truncations = map(list, zip(*steps, strict=True))
    observations, masks, outcomes = zip(*positions, strict=True)
    infos = {"action_mask": masks, "deal": np.full(len(masks), deal, np.uint64)}
    infos |= {name: [outcome[name] for outcome in outcomes] for name in outcomes[0]}
    return EpisodeBuffer(
        options={"deal": deal},
        observations=list(observations),
        actions=actions,
        rewards=rewards,
        terminations=terminations,
        truncations=truncations,
        # Two axes each: with one axis, Minari reads only lists, but writes what it has read as arrays.
        infos={name: np.array(values).reshape(len(values), -1) for name, values in infos.items()},
    )


def _position(engine: Engine) -> tuple[NDArray[np.int16], NDArray[np.int8], dict[str, Any]]:
    buffers = engine.buffers
    return buffers.observations[0].copy(), buffers.action_masks[0].astype(np.int8), engine.outcome(0)
