"""Where results come from."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from solitaire_evaluation import provenance
from solitaire_evaluation.provenance import git_revision, hash_files, versions


@pytest.mark.parametrize(
    ("place", "known"), [("training/solitaire_evaluation", True), ("lib/solitaire_evaluation", False)]
)
def test_only_the_revision_of_this_project_is_recorded(
    place: str, known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / place).mkdir(parents=True)
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / place / "provenance.py"))
    assert git_revision() is None  # no repository at all
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "--quiet"], [*author, "commit", "--quiet", "--allow-empty", "--message", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    assert (git_revision() is not None) == known


def test_a_revision_with_changes_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "training" / "solitaire_evaluation" / "provenance.py"
    file.parent.mkdir(parents=True)
    file.write_text("1")
    monkeypatch.setattr(provenance, "__file__", str(file))
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    clean = git_revision()
    assert clean is not None
    assert len(clean) == 40
    file.write_text("2")
    assert git_revision() == f"{clean}+"


def test_packages_that_are_not_installed_have_no_version() -> None:
    assert {"python", "numpy", "numba", "solitaire-rl"} <= set(versions())
    assert set(versions(["numpy", "solitaire-rl-no-such-package"])) == {"python", "numpy"}


def test_hashes_change_with_the_files_and_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    assert len({hash_files([]), hash_files([], "@sample"), hash_files([path]), hash_files([path], "@sample")}) == 4
    other = tmp_path / "b.txt"
    other.write_text("b")
    assert hash_files([path, other], "c") == hashlib.sha256(b"abc").hexdigest()
