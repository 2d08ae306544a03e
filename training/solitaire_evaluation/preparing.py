"""Compiles what the commands need for an environment, so that nobody waits for it later."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from solitaire_agents.base import Agent
from solitaire_agents.catalogue import agents_of, kit_of
from solitaire_envs.engine import Engine
from solitaire_evaluation.agent_specs import AgentSpec, find_agent_specs, make_agent
from solitaire_evaluation.analysis import odds_of, policy_of, verdict_of
from solitaire_evaluation.deals import TEST_DEALS
from solitaire_evaluation.env_spec import EnvSpec
from solitaire_evaluation.play import step_through

_DEALS = 4
"""Deals that each agent plays: some need kernels that others do not."""
_MOVES = 40
"""Moves that a slow agent plays in each."""
MOST_NODES = 100
"""Positions that the solver searches for each goal."""


def prepare(env_spec: EnvSpec) -> Iterator[str]:
    """Compiles an environment, then its solver and its agents with their odds of moves.

    Yields:
        What comes next, in a word or two.
    """
    game, options = env_spec.game, env_spec.options
    yield "the engine"
    engine = Engine(game, options, _DEALS, privileged=True)
    engine.deal_numbers(range(TEST_DEALS, TEST_DEALS + _DEALS))
    engine.step(engine.buffers.action_masks.argmax(axis=1))
    engine.outcomes()
    make = kit_of(game).solver
    if make is not None and game.base is None:
        solver = make()
        for goal in solver.goals:
            yield f"the solver for {goal}"
            replayed = solver.replay_options(options, goal)
            solver.solve(engine.states[0], replayed, goal=goal, max_nodes=MOST_NODES)
        verdict_of(engine, solver)
    for spec in specs_of(env_spec):
        yield spec.name
        _play(env_spec, make_agent(spec, game, options))


def specs_of(env_spec: EnvSpec) -> list[AgentSpec]:
    """Returns the agents of the catalogue that play under the options of an environment."""
    game, options, found = env_spec.game, env_spec.options, []
    for name in agents_of(game):
        with suppress(ValueError):  # an agent refuses rules that it has not learned
            found += find_agent_specs([name], game, options)
    return found


def _play(env_spec: EnvSpec, agent: Agent) -> None:
    game, options = env_spec.game, env_spec.options
    engine = Engine(game, agent.shown(options), _DEALS)
    engine.deal_numbers(range(TEST_DEALS, TEST_DEALS + _DEALS))
    for _ in islice(step_through(agent, engine), None if agent.quick else _MOVES):
        pass
    if game.base is None:
        one = Engine(game, agent.shown(options), 1)
        one.deal_numbers([TEST_DEALS])
        policy_of(agent, one)
        odds_of(agent, one, 2)
