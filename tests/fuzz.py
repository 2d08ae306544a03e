"""Reads files that were damaged or made up, and gives commands wrong arguments: `make fuzz`.

Every reader of files and every argument is tried with generated and mutated input. Each try has to end well, or with an
error of the documented kinds whose message is at most 500 characters long. No try may import a module that only a file
names, or end with an agent that cannot be loaded. Prints a table, and ends with 1 if a try ended in any other way.
`python -m tests.fuzz --minutes 1 --only label` tries less.
"""

import argparse
import contextlib
import io
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from solitaire_agents.catalogue import find_agent, labels_of
from solitaire_agents.trained import CARD, WEIGHTS
from solitaire_envs import pyramid
from solitaire_envs.cards import parse_deck
from solitaire_envs.transcript import parse_transcript
from solitaire_evaluation import store
from solitaire_evaluation.agent_specs import find_agent_specs
from solitaire_evaluation.chunks import CHUNKS, make_chunks, read_chunk
from solitaire_evaluation.deals import read_deals
from solitaire_evaluation.env_spec import make_env_spec
from solitaire_evaluation.learning_curve import EVALUATIONS, read_evaluations
from solitaire_evaluation.solving.label_store import read_labels
from solitaire_training.checkpoint_file import CHECKPOINT, read_checkpoint, write_checkpoint
from solitaire_training.commands.main import COMMANDS, main
from solitaire_training.config import load_config, resumed_settings
from solitaire_training.tune import JOURNAL

LONGEST = 500
SECONDS = 5.0
"""After which a command is taken to have begun its work, and is interrupted."""
PIECES = (
    *("-1", "0", "1", "٣", "1e15", "1e400", "nan", "inf", "-5", "9" * 400, "1.5", "0x10", "", " ", "\x00", "\x1b[2J"),
    *("[/x]", "$\\bad$", "../..", "=", ",", ":", "none", "true", "[", "{", "&a [*a]", "'", '"', "x" * 9_000),
    *("module:id", "os:system", "solitaire/Pyramid-v0", "pyramid", "careful", "@sample", "\ud800", "🂡", "-", "--"),
)
TRAP = "fuzz_trap"
"""A module that only files name."""
NUMBERS = (0.0, 1.0, -1.0, 7.0, 255.0, -(2.0**15), 2.0**31, 2.0**62, float("nan"), float("inf"), 1e30, -0.5)
SMALL = [
    *("--num-envs", "2", "--n-steps", "2", "--batch-size", "2", "--width", "2", "--second-width", "2"),
    *("--games", "4", "--games-per-update", "2", "--eval-deals", "1", "--total-steps", "4", "--threads", "1"),
]


@dataclass(frozen=True)
class Target:
    """Something that takes what a stranger may have made."""

    name: str
    run: Callable[[random.Random], object]


# --- Damage -----------------------------------------------------------------------------------------------------------


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Returns bytes with one to three places cut, doubled, changed or filled with something else."""
    for _ in range(draw.randint(1, 3)):
        start = draw.randint(0, len(content))
        end = min(len(content), start + draw.choice([0, 1, 1, 2, 8, 64, len(content)]))
        piece = draw.choice(PIECES).encode("utf-8", "surrogatepass")
        noise = draw.randbytes(draw.choice([1, 4, 64]))
        content = content[:start] + draw.choice([b"", content[start:end] * 2, piece, noise]) + content[end:]
    return content


def changed(value: Any, draw: random.Random) -> Any:
    """Returns plain values with one of them replaced, removed or added somewhere."""
    if not isinstance(value, dict | list) or not value or draw.random() < 0.1:
        return made_up(draw)
    if isinstance(value, list):
        place = draw.randrange(len(value))
        return [*value[:place], changed(value[place], draw), *value[place + 1 :]]
    key = draw.choice(list(value))
    rest = {name: each for name, each in value.items() if name != key or draw.random() < 0.5}
    return draw.choice([rest, {**value, key: changed(value[key], draw)}, {**value, draw.choice(PIECES): made_up(draw)}])


def made_up(draw: random.Random) -> Any:
    """Returns plain values of any shape."""
    kind = draw.randrange(8)
    if kind < 2:
        return draw.choice(PIECES)
    if kind == 2:
        return [made_up(draw) for _ in range(draw.randrange(3))]
    if kind == 3:
        return {draw.choice(PIECES): made_up(draw) for _ in range(draw.randrange(3))}
    return draw.choice([None, True, False, 0, -1, 2**70, 10**400, 1.5, float("nan"), float("inf"), -0.0])


def as_text(value: Any) -> bytes:
    """Returns plain values as JSON, which may hold what JSON should not."""
    return json.dumps(value).encode("utf-8", "surrogatepass")


# --- Readers of files -------------------------------------------------------------------------------------------------


def of_file(path: Path, read: Callable[[], object]) -> Callable[[random.Random], object]:
    """Returns what damages a file, reads it, and puts it right again."""
    whole = path.read_bytes()

    def run(draw: random.Random) -> object:
        content = damaged(whole, draw)
        if path.suffix == ".json" and draw.random() < 0.7:
            content = as_text(changed(json.loads(whole), draw))
        path.write_bytes(content)
        try:
            return read()
        finally:
            path.write_bytes(whole)

    return run


def crafted(run: Path, go_on: Callable[[], object]) -> Callable[[random.Random], object]:
    """Returns what changes the tensors of a run's checkpoint, games under way among them, and goes on with the run."""
    saved = read_checkpoint(run)

    def craft(draw: random.Random) -> object:
        name = draw.choice(list(saved))
        write_checkpoint(run, {**saved, name: another(saved[name], draw)})
        try:
            return go_on()
        finally:
            write_checkpoint(run, saved)

    return craft


def another(tensor: torch.Tensor, draw: random.Random) -> torch.Tensor:
    """Returns a tensor with some other numbers, or of another form."""
    flat = tensor.reshape(-1).clone()
    if draw.random() < 0.2:
        forms = (flat, flat[1:], torch.cat([flat, flat]), tensor.double(), tensor.to(torch.int8), tensor[None])
        return draw.choice(forms).contiguous()
    start = draw.randrange(len(flat) + 1)
    flat[start : start + draw.choice([1, 8, len(flat)])] = torch.tensor(draw.choice(NUMBERS)).to(tensor.dtype)
    return flat.reshape(tensor.shape)


def naming_modules(path: Path, read: Callable[[], object]) -> Callable[[random.Random], object]:
    """Returns what puts the name of a module in place of a text of a file, and reads it."""
    whole = path.read_text(encoding="utf-8")
    places = list(re.finditer(r'"[^"\n]*"|(?<=: )[^"\s{}\[\],]+', whole))

    def run(draw: random.Random) -> object:
        place, name = draw.choice(places), draw.choice([f"{TRAP}:{TRAP}", "builtins:exit", "os:abort"])
        path.write_text(whole[: place.start()] + json.dumps(name) + whole[place.end() :], encoding="utf-8")
        try:
            return read()
        finally:
            path.write_text(whole, encoding="utf-8")
            assert TRAP not in sys.modules, place

    return run


def make_files(folder: Path) -> None:
    """Makes one file of each kind."""
    (folder / f"{TRAP}.py").touch()
    sys.path.insert(0, str(folder))
    quiet(["train", "--out", str(folder / "run"), *SMALL, "--eval-every", "2"])
    quiet(
        ["compare", "--agents", f"careful,{folder / 'run'}", "--deals", "3", "--jobs", "1", "--out", f"{folder / 'r'}"]
    )
    quiet(["label", "--count", "3", "--jobs", "1", "--out", str(folder / "labels.csv")])
    quiet(["watch", "--agent", "careful", "--deal", "7", "--seconds", "0", "--save", str(folder / "game.txt")])
    search = ["--trials", "1", "--search", "learning_rate", *SMALL]
    quiet(["tune", "--out", str(folder / "study"), *search])
    quiet(["train", "--out", str(folder / "values"), *SMALL, "--algorithm", "self-play"])
    (folder / "deals.txt").write_text("7\n18446744073709551615\n3\n")
    (folder / "config.yaml").write_text(
        "env: solitaire/Pyramid-v0\nlearning_rate: 1e-4\noptions: {passes: 2}\nseed: 1\n"
    )


def readers_of_a_run(run: Path, name: str) -> list[Target]:
    """Returns the readers of what `train` writes."""
    options = pyramid.PyramidOptions()

    def agent() -> object:
        return find_agent(str(run), pyramid.GAME, options)

    def compare() -> int:
        return call(["compare", "--agents", str(run), "--deals", "1", "--jobs", "1"])

    def again() -> int:
        return call(["train", "--out", str(run), "--resume"])

    def further() -> None:
        if call(["train", "--out", str(run), "--resume", "--total-steps", "12", "--games", "8"]) == 0:
            agent()

    return [
        Target(f"card, {name}", of_file(run / CARD, agent)),
        Target(f"card, {name}, in a comparison", of_file(run / CARD, compare)),
        Target(f"card, {name}, to go on", of_file(run / CARD, lambda: resumed_settings(run))),
        Target(f"weights, {name}", of_file(run / WEIGHTS, agent)),
        Target(f"checkpoint, {name}", of_file(run / CHECKPOINT, again)),
        Target(f"crafted checkpoint, {name}", crafted(run, further)),
        Target(f"modules in a card, {name}", naming_modules(run / CARD, again)),
        Target(f"learning curve, {name}", of_file(run / EVALUATIONS, lambda: read_evaluations(run))),
    ]


def readers(folder: Path) -> list[Target]:
    """Returns all readers of files, with a whole file each."""
    run, results = folder / "run", folder / "r"
    env_spec = make_env_spec("solitaire/Pyramid-v0", {})
    (spec,) = find_agent_specs(["careful"], env_spec.game, env_spec.options)
    (chunk,) = make_chunks(env_spec, spec, np.arange(3, dtype=np.uint64), 0)
    labels = labels_of(pyramid.GAME)

    def transcript() -> None:
        *_, _ = parse_transcript((folder / "game.txt").read_text(encoding="utf-8")).replay()

    def results_again() -> None:
        found = store.read_result(results)
        store.read_table(results, store.METRICS, found)

    def compare_again() -> int:
        return call(["compare", "--agents", "careful", "--deals", "3", "--jobs", "1", "--out", str(results)])

    def compare_all_again() -> int:
        shutil.rmtree(results / CHUNKS, ignore_errors=True)
        return compare_again()

    def train() -> int:
        shutil.rmtree(folder / "new", ignore_errors=True)
        return call(["train", "--out", str(folder / "new"), "--config", str(folder / "config.yaml"), *SMALL])

    def tune() -> int:
        return call(["tune", "--out", str(folder / "study"), "--trials", "1", "--search", "learning_rate", *SMALL])

    return [
        Target("transcript", of_file(folder / "game.txt", transcript)),
        Target("replay", of_file(folder / "game.txt", lambda: call(["replay", str(folder / "game.txt")]))),
        Target("list of deals", of_file(folder / "deals.txt", lambda: read_deals(str(folder / "deals.txt")))),
        Target("settings", of_file(folder / "config.yaml", lambda: load_config(folder / "config.yaml", {}))),
        *readers_of_a_run(run, "PPO"),
        *readers_of_a_run(folder / "values", "self-play"),
        Target("labels", of_file(folder / "labels.csv", lambda: read_labels(folder / "labels.csv", labels))),
        Target("chunk", of_file(results / chunk.path, lambda: read_chunk(results, chunk))),
        Target("protocol", of_file(results / store.PROTOCOL, compare_again)),
        Target("result", of_file(results / store.RESULT, results_again)),
        Target("result, in a report", of_file(results / store.RESULT, lambda: call(["report", str(results)]))),
        Target("modules in a result", naming_modules(results / store.RESULT, lambda: call(["report", str(results)]))),
        Target("modules in results so far", naming_modules(results / store.RESULT, compare_all_again)),
        Target("modules in settings", naming_modules(folder / "config.yaml", train)),
        Target("modules in a transcript", naming_modules(folder / "game.txt", transcript)),
        Target("table", of_file(results / store.METRICS, results_again)),
        Target("journal of a search", of_file(folder / "study" / JOURNAL, tune)),
        Target("deck", lambda draw: parse_deck(" ".join(draw.choice(PIECES) for _ in range(draw.randrange(60))))),
    ]


# --- Commands ---------------------------------------------------------------------------------------------------------


def call(arguments: list[str]) -> int:
    """Runs a command; its message, if any, has to be one line that is not too long.

    Raises:
        AssertionError: It is not.
    """
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    said = errors.getvalue().strip().splitlines()
    if code == 2:
        assert said, arguments
        assert len(said[-1]) <= LONGEST, said[-1]
        assert said[-1].startswith("solitaire-rl"), said[-1]
        assert said[-1].isprintable(), said[-1]
    return code


def quiet(arguments: list[str]) -> None:
    """Runs a command that has to end well."""
    if code := call(arguments):
        raise RuntimeError(f"expected {arguments} to end with 0, got {code}")


def commands(folder: Path) -> list[Target]:
    """Returns all commands, each with arguments that end quickly."""
    run, out = str(folder / "run"), str(folder / "new")
    small = {
        "train": ["--out", out, "--option", "passes=2", "--seed", "1", "--learning-rate", "1e-3", *SMALL],
        "tune": ["--out", out, "--trials", "1", "--search", "learning_rate", "--goal", "won", *SMALL],
        "compare": ["--agents", f"uniform,x={run}", "--deals", "2", "--seed", "3", "--jobs", "1", "--out", out],
        "report": [str(folder / "r")],
        "submit": [str(folder / "r")],
        "play": ["--env", "solitaire/Pyramid-v0", "--deal", "3", "--agent", "careful"],
        "watch": ["--agent", "careful", "--deal", "3", "--seconds", "0", "--save", str(folder / "saved.txt")],
        "replay": [str(folder / "game.txt"), "--every-move"],
        "solve": [
            "--deal",
            "7",
            "--env",
            "solitaire/Pyramid-v0",
            "--goal",
            "score",
            "--max-nodes",
            "1000",
            "--option",
            "passes=1",
        ],
        "label": ["--count", "2", "--first", "3", "--jobs", "1", "--out", str(folder / "new.csv")],
    }

    def runner(name: str) -> Callable[[random.Random], object]:
        def run_with(draw: random.Random) -> object:
            arguments = [name, *small.get(name, [])]
            for _ in range(draw.randint(1, 2)):
                place = draw.randrange(1, len(arguments) + 1)
                kind = draw.randrange(4)
                if kind == 0:
                    arguments.insert(place, draw.choice(PIECES))
                elif place < len(arguments):
                    arguments[place] = draw.choice(PIECES) if kind < 3 else arguments[place] + draw.choice(PIECES)
            shutil.rmtree(out, ignore_errors=True)
            (folder / "new.csv").unlink(missing_ok=True)
            return call([argument.replace("\x00", "") for argument in arguments])  # no argument can hold a zero byte

        return run_with

    ending = [name for name in COMMANDS if name != "serve"]  # which goes on for ever; see tests/web/hostile.py
    return [Target(f"arguments of {name}", runner(name)) for name in ending]


# --- The table --------------------------------------------------------------------------------------------------------


class WorkBegun(BaseException):
    """A command has begun its work: its input was accepted."""

    raised = False  # in this try; native code may turn it into an error of its own


def try_target(target: Target, seconds: float) -> tuple[int, list[str]]:
    """Tries a target for some time; returns the number of tries and what went wrong."""
    end, count, wrong = time.monotonic() + seconds, 0, []
    while time.monotonic() < end:
        count += 1
        seed = f"{target.name} {count} {seconds}"
        WorkBegun.raised = False
        try:
            signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)  # again, where a finalizer swallows it
            target.run(random.Random(seed))
        except (ValueError, OSError) as error:
            if len(str(error)) > LONGEST and not WorkBegun.raised:
                wrong.append(f"{seed}: a message of {len(str(error))} characters: {str(error)[:200]}")
        except WorkBegun:
            pass
        except Exception:
            if not WorkBegun.raised:
                wrong.append(f"{seed}: {traceback.format_exc()}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return count, wrong


def fuzz(folder: Path, minutes: float, only: str = "") -> Mapping[str, tuple[int, list[str]]]:
    """Tries all targets with a word in their name, each for its share of the time; returns tries and faults."""

    def begun(*_: object) -> None:
        WorkBegun.raised = True
        raise WorkBegun

    report_unraisable = sys.unraisablehook

    def unraisable(what: Any) -> None:  # Python tells of an exception in a finalizer, and goes on
        if what.exc_type is not WorkBegun:
            report_unraisable(what)

    signal.signal(signal.SIGALRM, begun)
    sys.unraisablehook = unraisable
    make_files(folder)
    (folder / "a" / "b" / "c").mkdir(parents=True)
    os.chdir(folder / "a" / "b" / "c")  # so that what a wrong path makes is made inside the folder
    sys.stdin = io.StringIO("")
    targets = [target for target in (*readers(folder), *commands(folder)) if only in target.name]
    try:
        return {target.name: try_target(target, 60 * minutes / len(targets)) for target in targets}
    finally:
        sys.unraisablehook = report_unraisable


def run() -> int:
    """Prints the table; returns 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", default="", help="only targets with this word in their name")
    chosen = parser.parse_args()
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(Path(folder), chosen.minutes, chosen.only)
        os.chdir(here)
    for name, (_, wrong) in found.items():
        for each in wrong[:3]:
            print(f"{name}: {each}\n")
    print(f"{'target':32} {'tries':>7} {'wrong':>6}")
    for name, (count, wrong) in found.items():
        print(f"{name:32} {count:7} {len(wrong):6}")
    return int(any(wrong for _, wrong in found.values()))


if __name__ == "__main__":
    sys.exit(run())
