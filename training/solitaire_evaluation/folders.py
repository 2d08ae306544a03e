"""Sends folders to workers on machines that do not have them."""

import atexit
import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

Files = Mapping[str, bytes]
"""Path of a file inside a folder -> its content."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """Returns the files directly in a folder, without hidden ones."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."}


def write_folder(folder: Path, files: Files) -> None:
    """Writes files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def unpack(files: Files) -> Path:
    """Returns a temporary folder of this process with these files; the same folder for the same files."""
    checksum = hashlib.sha256(b"".join(name.encode() + content for name, content in sorted(files.items())))
    folder = _own_folder() / checksum.hexdigest()
    if not folder.exists():
        write_folder(folder, files)
    return folder


@cache
def _own_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="solitaire-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
