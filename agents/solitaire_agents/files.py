"""Files that are replaced whole or not at all, and that have one writer at a time."""

import errno
import os
import secrets
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

PARTIAL = ".partial"
"""Suffix of a file that is being written."""
LOCK = ".lock"
"""Name, or suffix, of the file that a writer holds locked."""


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file under another name and renames it, so that nobody ever reads half of it, even after a crash.

    Raises:
        OSError: It cannot be written; the error names the file, which has not changed.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(partial)):
            error.filename = str(path)
        raise


def check_writable(path: Path) -> None:
    """Makes the folder of a file that will be written, so that long work does not fail at its end.

    Raises:
        OSError: The folder cannot be made, nothing can be written in it, or the path is a folder itself.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))


def append_line(path: Path, line: str) -> None:
    """Adds a line to a file. If a crash has cut the last line off, the new text still begins on a line of its own.

    Raises:
        OSError: It cannot be written; the error names the file.
    """
    try:
        with path.open("a+b") as file:
            torn = False
            if file.seek(0, os.SEEK_END) > 0:
                file.seek(-1, os.SEEK_END)
                torn = file.read(1) != b"\n"
            file.write(b"\n" * torn + line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextmanager
def locked(path: Path, *, wait: float = 0) -> Iterator[None]:
    """Locks a file or a folder for one writer. The lock ends with the process, even if that is killed.

    Args:
        path: A folder that exists, or a file that need not exist.
        wait: Seconds to wait for another writer.

    Raises:
        ValueError: Another process holds it; the message says which.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  # only writers need it

    place = path / LOCK if path.is_dir() else path.with_name(f".{path.name}{LOCK}")
    lock = FileLock(place)
    try:
        lock.acquire(timeout=wait)
    except Timeout:
        holder = place.read_text(encoding="utf-8").strip() or "another process"
        raise ValueError(f"expected {path} to be free for writing, got it held by {holder}") from None
    try:
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        place.write_text(f"process {os.getpid()} on {socket.gethostname()} since {now}\n", encoding="utf-8")
        pattern = f".*{PARTIAL}"
        _remove_partials(path.rglob(pattern) if path.is_dir() else path.parent.glob(pattern))
        yield
    finally:
        lock.release()


def _remove_partials(partials: Iterable[Path]) -> None:
    """Removes the partial files of writers that were killed on this machine."""
    for partial in partials:
        owner = partial.name.split(".")[-3]
        if owner.isdecimal() and not _is_alive(int(owner)):
            partial.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        pass
    return True


def _sync_folder(folder: Path) -> None:
    """Makes a new name in a folder survive a power cut, where the system supports that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
