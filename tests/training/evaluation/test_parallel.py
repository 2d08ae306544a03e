"""Chunks of deals played side by side."""

from solitaire_training.evaluation.agent_specs import find_agent_specs
from solitaire_training.evaluation.chunks import make_chunks
from solitaire_training.evaluation.env_spec import make_env_spec
from solitaire_training.evaluation.parallel import play_chunks
from tests.training.comparing import DEALS, PYRAMID


def test_slow_agents_play_in_processes() -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (oracle,) = find_agent_specs(["oracle"], env_spec.game, env_spec.options)
    assert not oracle.quick
    chunks = make_chunks(env_spec, oracle, DEALS[:40], 0)
    assert [len(chunk.deals) for chunk in chunks] == [20, 20]
    here = {played.chunk.number: played.outcomes for played in play_chunks(chunks, 1)}
    there = {played.chunk.number: played.outcomes for played in play_chunks(chunks, 2)}
    assert all((here[number] == there[number]).all() for number in (0, 1))
