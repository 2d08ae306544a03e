"""Chunks: parts of a list of deals. Each is stored as soon as it is played."""

import hashlib
import io
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import write_whole
from solitaire_evaluation.agent_specs import AgentSpec
from solitaire_evaluation.env_spec import EnvSpec

CHUNKS = "chunks"
CHECKSUM_SIZE = 32
"""Bytes of the SHA-256 at the start of a file. It is the hash of what the chunk is and of the rest of the file."""
QUICK_CHUNK, SLOW_CHUNK = 200, 20
"""Deals in a chunk, for quick and for slow agents. These sizes belong to the protocol, since each chunk restarts the
agent's random numbers."""


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Consecutive deals of a list, for one agent in one environment."""

    env_spec: EnvSpec
    agent: AgentSpec
    number: int
    """Number of the chunk among those of the agent, from 0."""
    deals: NDArray[np.uint64]
    seed: int
    """Seed of the comparison."""

    @property
    def path(self) -> Path:
        """File of its outcomes, relative to the folder of results."""
        agent = f"{_safe(self.agent.name)}-{self.agent.sha256[:12]}"
        return Path(CHUNKS) / _safe(self.env_spec.env) / agent / f"{self.number:05}.npy"

    @property
    def agent_seed(self) -> int:
        """Seed of the agent's random numbers. It depends only on the comparison's seed and on the number."""
        return int(np.random.SeedSequence((self.seed, self.number)).generate_state(1)[0])

    def checksum(self, content: bytes) -> bytes:
        """Returns the SHA-256 of a file's content together with all that the outcomes depend on.

        So the file of another agent, environment or seed, or of other deals, does not pass for this chunk's.
        """
        spec, agent = self.env_spec, self.agent
        about = [spec.env, asdict(spec.options), agent.name, agent.sha256, self.number, self.deals.tolist(), self.seed]
        return hashlib.sha256(json.dumps(about).encode() + content).digest()


@dataclass(frozen=True)
class PlayedChunk:
    """A chunk with its outcomes."""

    chunk: Chunk
    outcomes: NDArray[np.void]
    """[n] records of the game's outcome, in the order of the chunk's deals."""
    seconds: float
    """Wall time of play."""


def make_chunks(env_spec: EnvSpec, agent: AgentSpec, deals: NDArray[np.uint64], seed: int) -> list[Chunk]:
    """Cuts a list of deals into chunks. Their size depends only on whether the agent is quick."""
    size = QUICK_CHUNK if agent.quick else SLOW_CHUNK
    return [
        Chunk(env_spec=env_spec, agent=agent, number=start // size, deals=deals[start : start + size], seed=seed)
        for start in range(0, len(deals), size)
    ]


def _safe(name: str) -> str:
    """Returns a name that is safe for files: at most 80 ASCII letters, digits and hyphens."""
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name)[:80]


def read_chunk(folder: Path, chunk: Chunk) -> PlayedChunk | None:
    """Returns a chunk with its stored outcomes; None if it has not been played, or the file is damaged or altered."""
    try:
        stored = (folder / chunk.path).read_bytes()
    except OSError:
        return None
    checksum, content = stored[:CHECKSUM_SIZE], stored[CHECKSUM_SIZE:]
    if chunk.checksum(content) != checksum:
        return None
    file = io.BytesIO(content)
    try:
        outcomes, seconds = (np.load(file, allow_pickle=False) for _ in range(2))
        seconds = float(seconds)
    except (ValueError, TypeError, MemoryError):  # a header may claim any size or dtype
        return None
    fits = outcomes.shape == chunk.deals.shape and outcomes.dtype == chunk.env_spec.game.outcome_dtype
    return PlayedChunk(chunk, outcomes, seconds) if fits else None


def write_chunk(folder: Path, played: PlayedChunk) -> None:
    """Stores the outcomes of a chunk."""
    path, content = folder / played.chunk.path, io.BytesIO()
    np.save(content, played.outcomes, allow_pickle=False)
    np.save(content, np.float64(played.seconds), allow_pickle=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, played.chunk.checksum(content.getvalue()) + content.getvalue())
