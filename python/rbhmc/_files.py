"""Files that are whole or not there: written beside their place, then moved into it."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield an empty file in the folder of `path`, which takes its place on success.

    Content and folder are on the disk before this returns. An exception leaves what was there, and
    removes the temporary file; a killed process leaves it, as ``.rbhmc-*.tmp``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "note.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     [file.name for file in Path(folder).iterdir()]
    ['note.txt']
    """
    # A link stays one: what it points to is replaced.
    path = path.resolve()
    # No mkstemp: its files are for their owner alone, whatever the umask allows.
    temporary = path.with_name(f".rbhmc-{secrets.token_hex(8)}.tmp")
    temporary.touch(exist_ok=False)
    try:
        yield temporary
        # Windows syncs only what is open for writing.
        _sync(temporary, os.O_RDWR)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # Windows cannot open a folder.
    if os.name != "nt":
        _sync(path.parent, os.O_RDONLY)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole, or leave what was there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "data", b"whole")
    ...     (Path(folder) / "data").read_bytes()
    b'whole'
    """
    with replacing(path) as temporary:
        temporary.write_bytes(data)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, so that no other process works on it; it is free again when this one ends.

    Raises
    ------
    BlockingIOError
        If somebody else holds it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder)):
    ...     [file.name for file in Path(folder).iterdir()]
    ['.lock']
    """
    with (folder / ".lock").open("ab") as file:
        if os.name == "nt":
            import msvcrt

            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            except OSError as error:
                raise BlockingIOError(*error.args) from error
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
