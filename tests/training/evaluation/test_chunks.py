"""Chunks of deals on disk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from solitaire_evaluation.agent_specs import find_agent_specs
from solitaire_evaluation.chunks import PlayedChunk, make_chunks, read_chunk, write_chunk
from solitaire_evaluation.env_spec import EnvSpec, make_env_spec
from tests.training.comparing import DEALS, PYRAMID


@pytest.mark.parametrize(("agent", "sizes"), [("careful", [200, 200, 50]), ("oracle", [20] * 22 + [10])])
def test_chunks_hold_all_deals_in_order(agent: str, sizes: list[int]) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (spec,) = find_agent_specs([agent], env_spec.game, env_spec.options)
    chunks = make_chunks(env_spec, spec, DEALS, 0)
    assert [len(chunk.deals) for chunk in chunks] == sizes
    assert (np.concatenate([chunk.deals for chunk in chunks]) == DEALS).all()
    assert len({chunk.path for chunk in chunks}) == len(sizes)


def scores_of(env_spec: EnvSpec, *scores: int) -> NDArray[np.void]:
    outcomes = np.zeros(len(scores), env_spec.game.outcome_dtype)
    outcomes["score"] = scores
    return outcomes


def test_only_whole_chunks_are_read(tmp_path: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (spec,) = find_agent_specs(["careful"], env_spec.game, env_spec.options)
    chunk, longer = (make_chunks(env_spec, spec, DEALS[:count], 0)[0] for count in (3, 4))
    outcomes = scores_of(env_spec, 1, 2, 3)
    assert read_chunk(tmp_path, chunk) is None
    write_chunk(tmp_path, PlayedChunk(chunk, outcomes, 0.5))
    found = read_chunk(tmp_path, chunk)
    assert found is not None
    assert (found.outcomes == outcomes).all()
    assert found.seconds == 0.5
    assert read_chunk(tmp_path, longer) is None
    content = (tmp_path / chunk.path).read_bytes()
    for damaged in (content[:-1], content[:100], b"", b"\x80\x04pickle"):
        (tmp_path / chunk.path).write_bytes(damaged)
        assert read_chunk(tmp_path, chunk) is None


def test_an_altered_chunk_is_not_read(tmp_path: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (spec,) = find_agent_specs(["careful"], env_spec.game, env_spec.options)
    (chunk,) = make_chunks(env_spec, spec, DEALS[:3], 0)
    write_chunk(tmp_path, PlayedChunk(chunk, scores_of(env_spec, 1, 77, 3), 0.5))
    path = tmp_path / chunk.path
    content = path.read_bytes()
    path.write_bytes(content.replace(b"\x4d", b"\x4e"))
    assert path.read_bytes() != content
    assert read_chunk(tmp_path, chunk) is None


def test_a_chunk_with_a_right_checksum_and_a_wrong_content_is_not_read(tmp_path: Path) -> None:
    env_spec = make_env_spec(PYRAMID, {})
    (spec,) = find_agent_specs(["careful"], env_spec.game, env_spec.options)
    (chunk,) = make_chunks(env_spec, spec, DEALS[:3], 0)
    outcomes = scores_of(env_spec, 1, 2, 3)
    write_chunk(tmp_path, PlayedChunk(chunk, outcomes, 0.5))
    assert read_chunk(tmp_path, chunk) is not None
    for wrong in (outcomes[:2], outcomes[["score"]], outcomes[None], np.zeros(3)):
        write_chunk(tmp_path, PlayedChunk(chunk, wrong, 0.5))
        assert read_chunk(tmp_path, chunk) is None
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    claim = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    (tmp_path / chunk.path).write_bytes(chunk.checksum(claim) + claim)
    assert read_chunk(tmp_path, chunk) is None


def test_a_chunk_of_something_else_is_not_read(tmp_path: Path) -> None:
    """All that the outcomes depend on is under the checksum, so no file passes for another."""
    env_spec = make_env_spec(PYRAMID, {})
    careful, patient = find_agent_specs(["careful", "patient"], env_spec.game, env_spec.options)
    (chunk,) = make_chunks(env_spec, careful, DEALS[:3], 0)
    write_chunk(tmp_path, PlayedChunk(chunk, scores_of(env_spec, 1, 2, 3), 0.5))
    content = (tmp_path / chunk.path).read_bytes()
    for other in (
        replace(chunk, agent=patient),
        replace(chunk, agent=replace(careful, sha256="0" * 64)),
        replace(chunk, env_spec=make_env_spec(PYRAMID, {"passes": 2})),
        replace(chunk, deals=DEALS[1:4]),
        replace(chunk, number=1),
        replace(chunk, seed=1),
    ):
        (tmp_path / other.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / other.path).write_bytes(content)
        assert read_chunk(tmp_path, other) is None
    assert read_chunk(tmp_path, chunk) is not None
