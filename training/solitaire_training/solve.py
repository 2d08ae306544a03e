"""Exact solutions of Pyramid: of one deal with its moves, and of lists of deals as a table of labels."""

import csv
import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.policy import write_whole
from solitaire_agents.solver.pyramid import (
    GOALS,
    SOLVED,
    STATUSES,
    UNKNOWN,
    Goal,
    Memory,
    new_memory,
    solve,
    solve_many,
)
from solitaire_envs import pyramid
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options
from solitaire_envs.transcript import Transcript
from solitaire_training.statistics import mean, share

LABELS = ("deal", "winnable_in", "clearable_in", "best_score", "nodes")
"""Columns of a table of labels: the deal number; the fewest passes in which all 52 cards, and in which the 28 of the
pyramid, can be discarded (0: in no number up to three); the best score by the default rules; states searched for it."""
CHUNK = 50


@dataclass(frozen=True)
class Answer:
    """What the solver says of one deal."""

    status: str
    """solved, impossible (proved), or unknown (the limit of nodes was reached)."""
    value: int | None
    """Best score, or fewest moves; None for other goals."""
    nodes: int
    """States searched."""
    transcript: Transcript | None
    """The line of play that reaches the goal, replayed; None if there is none."""

    def to_json(self) -> dict[str, Any]:
        """Returns the answer as plain values."""
        moves = None if self.transcript is None else list(self.transcript.moves)
        return {"status": self.status, "value": self.value, "nodes": self.nodes, "moves": moves}


def solve_deal(deal: int | None, deck: Deck, goal: str, options: Options, max_nodes: int | None = None) -> Answer:
    """Solves one deal and replays the solution in the environment.

    Args:
        deal: The deal number, told in the transcript; None if the deck was given.
        deck: The deck, uint8 [52].
        goal: One of the solver's goals.
        options: Passes and stock+waste pairs are taken from it.
        max_nodes: States to search at most.

    Raises:
        ValueError: The goal is unknown.
    """
    if not isinstance(options, pyramid.PyramidOptions):
        raise ValueError(f"expected options of Pyramid, got {options!r}")
    if goal not in GOALS:
        raise ValueError(f"expected a goal among {', '.join(GOALS)}; got {goal!r}")
    found = solve(
        deck.tolist(),
        goal=goal,
        passes=options.passes,
        stock_waste_pairs=options.stock_waste_pairs,
        max_nodes=max_nodes,
    )
    if not found.moves:
        return Answer(found.status, found.value, found.nodes, None)
    moves = [str(move) for move in found.moves]
    own_deck = None if deal is not None else deck
    blank = Transcript(game=pyramid.GAME, options=options, deal=deal, deck=own_deck, moves=moves, outcome=None)
    engine = last_position(blank)
    whole = Transcript(
        game=pyramid.GAME, options=options, deal=deal, deck=own_deck, moves=moves, outcome=engine.outcome(0)
    )
    return Answer(found.status, found.value, found.nodes, whole)


def last_position(transcript: Transcript) -> Engine:
    """Replays a transcript; returns the engine after its last move."""
    *_, engine = transcript.replay()
    return engine


def label_deals(
    path: Path, deals: NDArray[np.uint64], jobs: int, progress: Callable[[int], None] = lambda count: None
) -> int:
    """Labels a list of deals; goes on where an interrupted run has stopped.

    Args:
        path: The CSV file; rows that it has already are kept. It is always whole: replaced after each chunk.
        deals: Deal numbers.
        jobs: Processes.
        progress: Called with the number of deals finished since the last call.

    Returns:
        The number of deals labelled in this call.

    Raises:
        ValueError: The file is no table of labels, or a deal could not be settled.
    """
    rows = read_labels(path) if path.exists() else {}
    progress(sum(int(deal) in rows for deal in deals))
    todo = np.array([deal for deal in deals if int(deal) not in rows], dtype=np.uint64)
    chunks = [todo[start : start + CHUNK] for start in range(0, len(todo), CHUNK)]
    for labelled in _in_parallel(chunks, jobs):
        rows.update({int(row[0]): tuple(int(value) for value in row) for row in labelled})
        write_whole(path, _to_csv([rows[int(deal)] for deal in deals if int(deal) in rows]))
        progress(len(labelled))
    return len(todo)


def read_labels(path: Path) -> dict[int, tuple[int, ...]]:
    """Reads a table of labels: deal number -> row, in the order of `LABELS`.

    Raises:
        ValueError: The file is no table of labels.
    """
    try:
        header, *rows = csv.reader(path.read_text(encoding="ascii").splitlines())
        if tuple(header) != LABELS or any(len(row) != len(LABELS) for row in rows):
            raise ValueError(f"expected columns {', '.join(LABELS)}")
        return {int(row[0]): tuple(map(int, row)) for row in rows}
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"expected a table of labels in {path}, got: {error}") from None


def labels_text(rows: Mapping[int, tuple[int, ...]]) -> str:
    """Returns what a table of labels says of perfect play with the stock open."""
    table = np.array(list(rows.values()), dtype=np.float64)
    lines = []
    for column, name in ((1, "winnable"), (2, "clearable")):
        for passes in (3, 2, 1):
            inside = (table[:, column] > 0) & (table[:, column] <= passes)
            figure = share(inside.astype(np.float64))
            ends = f"{100 * figure.low:.1f} to {100 * figure.high:.1f} %"
            lines.append(f"{name} in {passes} passes or fewer: {100 * figure.value:.1f} % ({ends})")
    best = mean(table[:, 3])
    return "\n".join([*lines, f"best score, mean: {best.value:.2f} ({best.low:.2f} to {best.high:.2f})"])


def _to_csv(rows: list[tuple[int, ...]]) -> bytes:
    return "\n".join([",".join(LABELS), *(",".join(map(str, row)) for row in rows), ""]).encode("ascii")


def _in_parallel(chunks: list[NDArray[np.uint64]], jobs: int) -> Iterator[NDArray[np.int64]]:
    if jobs == 1:
        yield from map(label_chunk, chunks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(label_chunk, chunks)


def label_chunk(deals: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Labels some deals under the default rules, [n] -> [n, len(LABELS)]."""
    decks, memory = decks_of_deals(deals), new_memory()
    scores = _settled(decks, "score", 3, memory)
    columns = [
        deals.astype(np.int64),
        _fewest_passes(decks, "all", memory),
        _fewest_passes(decks, "pyramid", memory),
        scores[:, 1],
        scores[:, 2],
    ]
    return np.stack(columns, axis=1)


def _fewest_passes(decks: NDArray[np.uint8], goal: Goal, memory: Memory) -> NDArray[np.int64]:
    """Returns in how few passes a goal can be reached, 0 if not in three; three are tried first, as most tell."""
    fewest = np.zeros(len(decks), dtype=np.int64)
    chosen = np.arange(len(decks))
    for passes in (3, 2, 1):
        solved = _settled(decks[chosen], goal, passes, memory)[:, 0] == SOLVED
        chosen = chosen[solved]
        fewest[chosen] = passes
    return fewest


def _settled(decks: NDArray[np.uint8], goal: Goal, passes: int, memory: Memory) -> NDArray[np.int64]:
    results = solve_many(decks, goal=goal, passes=passes, memory=memory)
    if (results[:, 0] == UNKNOWN).any():
        raise ValueError(f"expected every deal to be settled, got {STATUSES[UNKNOWN]} for goal {goal!r}")
    return results


def answer_text(answer: Answer, *, as_json: bool) -> str:
    """Returns an answer to print: JSON, or a line and the transcript."""
    if as_json:
        return json.dumps(answer.to_json())
    value = "" if answer.value is None else f", {answer.value}"
    line = f"{answer.status}{value} ({answer.nodes:,} positions searched)"
    return line if answer.transcript is None else f"{line}\n\n{answer.transcript.to_text()}"
