"""The checks of a release that need no build: versions that agree."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.release import ROOT, check_version

FILES = ("pyproject.toml", "CHANGELOG.md")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CITATION.cff").write_text("version: 0.1.0\n")
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def tag(project: Path, name: str) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "a"], ["tag", name]):
        subprocess.run(["git", *command], cwd=project, check=True)


def test_this_project_names_one_version() -> None:
    check_version()


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"', "first in CHANGELOG.md"),
        ("CHANGELOG.md", "## 0.1.0 (", "## 0.1 (", "first in CHANGELOG.md"),
        ("CITATION.cff", "0.1.0", "0.0.9", "in CITATION.cff"),
    ],
)
def test_versions_that_differ(name: str, old: str, new: str, message: str, project: Path) -> None:
    change(project / name, old, new)
    with pytest.raises(SystemExit, match=message):
        check_version(project)


@pytest.mark.parametrize(("name", "message"), [("v0.2.0", "expected the tag v0.1.0"), ("v0.1.0", "expected a date")])
def test_tags_that_do_not_fit(name: str, message: str, project: Path) -> None:
    tag(project, name)
    with pytest.raises(SystemExit, match=message):
        check_version(project)


def test_a_release_with_tag_and_date(project: Path) -> None:
    tag(project, "v0.1.0")
    change(project / "CHANGELOG.md", "(unreleased)", "(2026-11-22)")
    check_version(project)
