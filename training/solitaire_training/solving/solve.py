"""Exact solutions: of one deal with its moves, and of lists of deals as a table of labels."""

import csv
import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_agents.files import write_whole
from solitaire_agents.pyramid.solver.api import (
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
from solitaire_agents.tour_infernale.solver import api as tour_solver
from solitaire_envs import tour_infernale
from solitaire_envs.cards import Deck, decks_of_deals
from solitaire_envs.catalogue import GAMES
from solitaire_envs.engine import Engine
from solitaire_envs.game import Options
from solitaire_envs.transcript import Transcript
from solitaire_training.evaluation.statistics import mean, share

SOLVERS = {"pyramid": GOALS, "tour_infernale": ("all",)}
"""Game -> goals that its solver knows, `DEFAULT_GOAL` of them the one meant where none is told."""
DEFAULT_GOAL = {"pyramid": "score", "tour_infernale": "all"}

LABELS = {
    "pyramid": ("deal", "winnable_in", "clearable_in", "best_score", "nodes"),
    "tour_infernale": ("deal", "winnable", "nodes"),
}
"""Columns of a table of labels.

Pyramid, default rules: the deal number; the fewest passes in which all 52 cards, and in which the 28 of the pyramid,
can be discarded (0: in no number up to three); the best score; states searched for it. La tour infernale, six piles and
one pass: the deal number; 1 a win is known, 0 a loss is proved, -1 open; configurations searched."""
CHUNK = {"pyramid": 50, "tour_infernale": 5}
TOUR_NODES = 25_000_000
"""Configurations that a label of La tour infernale is given: about ten seconds. A number, unlike a time, can be
repeated."""


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
        options: Which game it is; its passes, and so on, are taken from it.
        max_nodes: States to search at most.

    Raises:
        ValueError: The goal is unknown.
    """
    game = next(game for game in GAMES.values() if isinstance(options, game.options))
    if goal not in SOLVERS[game.name]:
        raise ValueError(f"expected a goal among {', '.join(SOLVERS[game.name])}; got {goal!r}")
    status, value, nodes, moves = _SOLVE[game.name](deck, goal, options, max_nodes)
    if not moves:
        return Answer(status, value, nodes, None)
    blank = Transcript(
        game=game,
        options=_replayed(options, goal),
        deal=deal,
        deck=None if deal is not None else deck,
        moves=moves,
        outcome=None,
    )
    return Answer(status, value, nodes, replace(blank, outcome=last_position(blank).outcome(0)))


def _replayed(options: Any, goal: str) -> Any:
    """Returns the options under which a line for a goal is replayed: to its very end."""
    goes_on = {"goal": "all"} if hasattr(options, "goal") and goal in ("all", "score", "shortest-all") else {}
    return replace(options, max_moves=None, **goes_on)


Solved = tuple[str, int | None, int, list[str]]
"""Status, value, nodes, moves in words."""


def _solve_pyramid(deck: Deck, goal: Any, options: Any, max_nodes: int | None) -> Solved:
    passes, pairs = options.passes, options.stock_waste_pairs
    found = solve(deck.tolist(), goal=goal, passes=passes, stock_waste_pairs=pairs, max_nodes=max_nodes)
    return found.status, found.value, found.nodes, [str(move) for move in found.moves]


def _solve_tour_infernale(deck: Deck, goal: str, options: Any, max_nodes: int | None) -> Solved:
    found = tour_solver.solve(deck, piles=options.piles, passes=options.passes, max_nodes=max_nodes)
    engine, moves = Engine(tour_infernale.GAME, replace(options, max_moves=None), 1), []
    engine.deal_decks([deck])
    for action in found.actions:
        moves.append(engine.move_text(0, action))
        engine.step(np.array([action]))
    return found.status, None, found.nodes, moves


_SOLVE: dict[str, Callable[[Deck, Any, Any, int | None], Solved]] = {
    "pyramid": _solve_pyramid,
    "tour_infernale": _solve_tour_infernale,
}


def last_position(transcript: Transcript) -> Engine:
    """Replays a transcript; returns the engine after its last move."""
    *_, engine = transcript.replay()
    return engine


def label_deals(
    path: Path,
    deals: NDArray[np.uint64],
    jobs: int,
    game_name: str = "pyramid",
    progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Labels a list of deals; goes on where an interrupted run has stopped.

    Args:
        path: The CSV file; rows that it has already are kept. It is always whole: replaced after each chunk.
        deals: Deal numbers.
        jobs: Processes.
        game_name: Name of the game.
        progress: Called with the number of deals finished since the last call.

    Returns:
        The number of deals labelled in this call.

    Raises:
        ValueError: The file is no table of labels of the game, a deal number is above 2**63 - 1, or a deal of Pyramid
            could not be settled.
    """
    if deals.max(initial=0) >= 2**63:
        raise ValueError(f"expected deal numbers below 2**63, got {deals.max()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    columns, size = LABELS[game_name], CHUNK[game_name]
    rows = read_labels(path, game_name) if path.exists() else {}
    progress(sum(int(deal) in rows for deal in deals))
    todo = np.array([deal for deal in deals if int(deal) not in rows], dtype=np.uint64)
    chunks = [todo[start : start + size] for start in range(0, len(todo), size)]
    for labelled in _in_parallel(_LABEL[game_name], chunks, jobs):
        rows.update({int(row[0]): tuple(int(value) for value in row) for row in labelled})
        write_whole(path, _to_csv(columns, [rows[deal] for deal in sorted(rows)]))
        progress(len(labelled))
    return len(todo)


def read_labels(path: Path, game_name: str = "pyramid") -> dict[int, tuple[int, ...]]:
    """Reads a table of labels: deal number -> row, in the order of `LABELS`.

    Raises:
        ValueError: The file is no table of labels of the game.
    """
    columns = LABELS[game_name]
    try:
        header, *rows = csv.reader(path.read_text(encoding="ascii").splitlines())
        if tuple(header) != columns or any(len(row) != len(columns) for row in rows):
            raise ValueError(f"expected columns {', '.join(columns)}")
        return {int(row[0]): tuple(map(int, row)) for row in rows}
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"expected a table of labels in {path}, got: {error}") from None


def labels_text(rows: Mapping[int, tuple[int, ...]], game_name: str = "pyramid") -> str:
    """Returns what a table of labels says of perfect play with the stock open."""
    table = np.array(list(rows.values()), dtype=np.float64)
    if game_name == "tour_infernale":
        names = {1: "winnable", 0: "proved lost", -1: "open"}
        return "\n".join(f"{name}: {_share_text(table[:, 1] == number)}" for number, name in names.items())
    lines = []
    for column, name in ((1, "winnable"), (2, "clearable")):
        for passes in (3, 2, 1):
            inside = (table[:, column] > 0) & (table[:, column] <= passes)
            lines.append(f"{name} in {passes} passes or fewer: {_share_text(inside)}")
    best = mean(table[:, 3])
    return "\n".join([*lines, f"best score, mean: {best.value:.2f} ({best.low:.2f} to {best.high:.2f})"])


def _share_text(inside: NDArray[np.bool_]) -> str:
    figure = share(inside.astype(np.float64))
    return f"{100 * figure.value:.1f} % ({100 * figure.low:.1f} to {100 * figure.high:.1f} %)"


def _to_csv(columns: Sequence[str], rows: list[tuple[int, ...]]) -> bytes:
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""]).encode("ascii")


Labeller = Callable[[NDArray[np.uint64]], NDArray[np.int64]]


def _in_parallel(labeller: Labeller, chunks: list[NDArray[np.uint64]], jobs: int) -> Iterator[NDArray[np.int64]]:
    if jobs == 1:
        yield from map(labeller, chunks)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield from pool.map(labeller, chunks)
        finally:
            pool.shutdown(cancel_futures=True)


def label_pyramid(deals: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Labels some deals of Pyramid, [n] -> [n, 5]."""
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


def label_tour_infernale(deals: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Labels some deals of La tour infernale, [n] -> [n, 3]."""
    memory = tour_solver.new_memory()
    results = tour_solver.solve_many(decks_of_deals(deals), max_nodes=TOUR_NODES, memory=memory)
    winnable = np.select([results[:, 0] == tour_solver.SOLVED, results[:, 0] == tour_solver.IMPOSSIBLE], [1, 0], -1)
    return np.stack([deals.astype(np.int64), winnable, results[:, 2]], axis=1)


_LABEL: dict[str, Labeller] = {"pyramid": label_pyramid, "tour_infernale": label_tour_infernale}


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
