"""Chunks of deals played side by side."""

import numpy as np

from solitaire_evaluation.agent_specs import find_agent_specs
from solitaire_evaluation.chunks import Chunk, make_chunks
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.parallel import play_chunk, play_chunks
from solitaire_evaluation.pool import ALONE, ThisMachine
from tests.training.comparing import DEALS, PYRAMID


def test_slow_agents_play_in_processes() -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (oracle,) = find_agent_specs(["oracle"], env_spec.game, env_spec.options)
    assert not oracle.quick
    chunks = make_chunks(env_spec, oracle, DEALS[:40], 0)
    assert [len(chunk.deals) for chunk in chunks] == [20, 20]
    here = {played.chunk.number: played.outcomes for played in play_chunks(chunks, ALONE)}
    with ThisMachine(2) as workers:
        there = {played.chunk.number: played.outcomes for played in play_chunks(chunks, workers)}
    assert all((here[number] == there[number]).all() for number in (0, 1))


def test_each_chunk_has_random_numbers_of_its_own() -> None:
    """The same deal in two chunks, or under two seeds, is played in different ways; in the same one, the same way."""
    env_spec = make_env_spec(PYRAMID, {})
    (uniform,) = find_agent_specs(["uniform"], env_spec.game, env_spec.options)
    deals = np.zeros(20, dtype=np.uint64)

    def outcomes(number: int, seed: int) -> bytes:
        chunk = Chunk(env_spec=env_spec, agent=uniform, number=number, deals=deals, seed=seed)
        return bytes(play_chunk(chunk).outcomes.tobytes())

    assert outcomes(0, 0) == outcomes(0, 0)
    assert len({outcomes(0, 0), outcomes(1, 0), outcomes(0, 1)}) == 3
