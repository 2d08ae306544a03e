"""Where a result comes from."""

import subprocess
from pathlib import Path

import pytest

from solitaire_training import provenance
from solitaire_training.provenance import git_revision


@pytest.mark.parametrize(("place", "known"), [("training/solitaire_training", True), ("lib/solitaire_training", False)])
def test_only_the_revision_of_this_project_is_told(
    place: str, known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / place).mkdir(parents=True)
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / place / "provenance.py"))
    assert git_revision() is None  # no repository at all
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "--quiet"], [*author, "commit", "--quiet", "--allow-empty", "--message", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    assert (git_revision() is not None) == known
