"""Nothing in the packages runs code that a file or a person has sent."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path for root in ("envs", "agents", "training", "seeds", "web") for path in (ROOT / root).rglob("*.py")
)
KERNEL_CACHE = "jit.py"
"""The one file that unpickles: machine code that this machine has compiled."""
CALLS = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "yaml.load", "torch.load", "joblib.load"}
PICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}
ARGUMENTS = {"shell", "allow_pickle"}
"""Which may not be True."""


def dangers(source: str) -> Iterator[str]:
    """Yields what code does that may run what it reads."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            if ast.unparse(node.func) in CALLS:
                yield ast.unparse(node.func)
            for keyword in node.keywords:
                if keyword.arg in ARGUMENTS and not (
                    isinstance(keyword.value, ast.Constant) and not keyword.value.value
                ):
                    yield f"{keyword.arg}={ast.unparse(keyword.value)}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in PICKLES)
        elif isinstance(node, ast.ImportFrom) and node.module in PICKLES:
            yield str(node.module)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_code_runs_what_it_reads(path: Path) -> None:
    found = list(dangers(path.read_text(encoding="utf-8")))
    assert found == (["pickle"] if path.name == KERNEL_CACHE else [])


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "exec(text)",
        "import pickle",
        "from pickle import loads",
        "subprocess.run(text, shell=True)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=trusted)",
        "yaml.load(text)",
        "torch.load(path)",
    ],
)
def test_dangers_are_seen(source: str) -> None:
    assert list(dangers(source))


def test_sources_are_found() -> None:
    assert {path.name for path in SOURCES} >= {KERNEL_CACHE, "trained.py", "chunks.py", "config.py"}
