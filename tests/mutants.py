"""Breaks each rule in turn, in a copy of the sources, and sees whether a test fails: `make mutants`.

Prints a line for each break. Ends with 1 if a break went unnoticed. `python -m tests.mutants WORD ...` tries only those
with one of the words in their names.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 900
"""A break may make the tests go on for ever."""
TESTS = [
    f"envs/{name}"
    for name in (
        "test_cards",
        "test_series",
        "test_playthroughs",
        "test_agreement",
        "test_properties",
        "test_environments",
    )
]

PYRAMID, TOUR, SERIES = (f"envs/solitaire_envs/{name}.py" for name in ("pyramid", "tour_infernale", "series"))
ENGINE, CARDS = "envs/solitaire_envs/engine.py", "envs/solitaire_envs/cards.py"
MUTANTS = [
    ("a six does not go with a seven", PYRAMID, "range(1, KING // 2 + 1):  # ace", "range(1, KING // 2):  # ace"),
    ("a king in the waste stays", PYRAMID, "    if rank == KING:", "    if rank == KING and place == STOCK:"),
    ("the stock's top has to be drawn first", PYRAMID, "_allow_top(state, mask, STOCK, stock) |", "False |"),
    ("stock never goes with waste", PYRAMID, "and stock and waste and rules.stock_waste_pairs", "and False"),
    ("stock goes with waste whatever the option", PYRAMID, "and waste and rules.stock_waste_pairs", "and waste"),
    ("one pass too many", PYRAMID, "state.current_pass < rules.passes", "state.current_pass <= rules.passes"),
    (
        "a redeal at any time",
        PYRAMID,
        "    if state.stock_size > 0:\n        mask[DRAW]",
        "    if True:\n        mask[DRAW]",
    ),
    (
        "a redeal turns the order round",
        PYRAMID,
        "= state.waste[STOCK_SIZE - 1 - index]",
        "= state.waste[STOCK_SIZE - state.stock_size + index]",
    ),
    ("one cover gone is enough", PYRAMID, "!= NO_PLACE and COVERS[below] & state.pyramid == 0", "!= NO_PLACE"),
    ("the bonus of pass 2 is 30", PYRAMID, "[50, 35, 20]", "[50, 30, 20]"),
    ("a bonus in every pass", PYRAMID, "if 1 <= in_pass <= len(CLEARED_BONUS) else 0", "if in_pass > 0 else 0"),
    ("a king counts as two cards", PYRAMID, "discarded = 1 if SECOND[action] == NO_PLACE else 2", "discarded = 2"),
    ("clearing ends every game", PYRAMID, "if rules.goal == GOAL_PYRAMID and state", "if state"),
    ("clearing ends no game", PYRAMID, "if rules.goal == GOAL_PYRAMID and state.pyramid == 0", "if False"),
    ("clearing wins every game", PYRAMID, "or state.discarded == NUM_CARDS", "or True"),
    ("the stock is open to memory", PYRAMID, "== MEMORY and state.current_pass > 1", "== MEMORY"),
    ("a card turned up stays unseen", PYRAMID, "state.unseen[_stock_rank(state)] -= 1", "pass"),
    ("the waste is open to 'table'", PYRAMID, "[_WASTE_SLOT + 1 : _WASTE_SLOT + max(1, state.waste_size)]", "[0:0]"),
    ("a card goes on its own rank", TOUR, "state.piles_at[rank + 1]", "state.piles_at[rank]"),
    ("a lone card may change places", TOUR, "state.heights[source] > 1:", "state.heights[source] > 0:"),
    ("no waste card on an empty pile", TOUR, "if source == WASTE or state.heights", "if state.heights"),
    ("foundations of any suit", TOUR, "if state.foundations[SUIT[card]] + 1", "if state.foundations[0] + 1"),
    ("redeals without end", TOUR, "and state.current_pass < rules.passes", "and True"),
    (
        "a redeal turns the order round, here too",
        TOUR,
        "= state.waste[STOCK_SIZE - 1 - index]",
        "= state.waste[STOCK_SIZE - state.stock_size + index]",
    ),
    (
        "always six piles",
        TOUR,
        "    for pile in range(rules.piles):\n        _put",
        "    for pile in range(6):\n        _put",
    ),
    ("won at 51 cards", TOUR, "cards_up(state) == NUM_CARDS else", "cards_up(state) == NUM_CARDS - 1 else"),
    ("a drawn card stays unseen", TOUR, "state.unseen[card - 1] = 0", "pass"),
    ("par needs more than zero", SERIES, "if state.total >= 0 else", "if state.total > 0 else"),
    (
        "a series deals the same deck again",
        SERIES,
        "    shuffle(number, state.deck)",
        "    shuffle(state.deal, state.deck)",
    ),
    (
        "a sprint of one move more",
        SERIES,
        "    if state.moves >= rules.budget:\n        mask",
        "    if state.moves > rules.budget:\n        mask",
    ),
    ("one move more before truncation", ENGINE, "state.moves >= rules.max_moves", "state.moves > rules.max_moves"),
    ("an illegal action is played", ENGINE, "< len(mask) and mask[action]:", "< len(mask):"),
    ("biased draws", CARDS, "        while product & low_half < threshold:", "        while False:"),
    ("ten of clubs for nine", CARDS, '"A23456789TJQK"', '"A2345678T9JQK"'),
]


def main() -> int:
    """Tries the mutants; returns 1 if any went unnoticed."""
    words, unnoticed = sys.argv[1:] or [""], 0
    chosen = [mutant for mutant in MUTANTS if any(word in mutant[0] for word in words)]
    for name, file, old, new in chosen:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            shutil.copytree(
                ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "runs", "results", "*.egg-info")
            )
            failed = _test_mutant(copy, copy / file, old, new)
        unnoticed += not failed
        print(f"{'noticed by ' + failed if failed else 'UNNOTICED'}: {name}", flush=True)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} breaks noticed")
    return int(unnoticed > 0)


def _test_mutant(copy: Path, file: Path, old: str, new: str) -> str:
    """Breaks a file of a copy; returns the first test that fails, or nothing."""
    source = file.read_text(encoding="utf-8")
    if source.count(old) != 1:
        raise ValueError(f"expected {old!r} once in {file.name}, got it {source.count(old)} times")
    file.write_text(source.replace(old, new), encoding="utf-8")
    roots = os.pathsep.join(str(copy / root) for root in ("envs", "agents", "training", "seeds"))
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", *(f"tests/{test}.py" for test in TESTS)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": roots, "AGREEMENT_STEPS": "40_000"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"tests without end in {SECONDS} seconds"
    failures = [line.split()[1] for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if ran.returncode not in (0, 1, 2):
        raise RuntimeError(ran.stdout + ran.stderr)
    return failures[0] if failures else ""


if __name__ == "__main__":
    sys.exit(main())
