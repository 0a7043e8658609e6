"""Files that are replaced atomically, and a lock for a folder."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replace_atomically(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file in the folder of `path`, and move it to `path` on success.

    The content and the folder are synced to disk before this returns. An exception leaves the old
    file and removes the temporary one; a killed process leaves a temporary ``.rbhmc-*.tmp``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replace_atomically(Path(folder) / "note.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     [file.name for file in Path(folder).iterdir()]
    ['note.txt']
    """
    # If `path` is a symbolic link, replace the file that it points to.
    path = path.resolve()
    # mkstemp would create a file that only its owner can read, whatever the umask allows.
    temporary = path.with_name(f".rbhmc-{secrets.token_hex(8)}.tmp")
    temporary.touch(exist_ok=False)
    try:
        yield temporary
        # Windows syncs only files that are open for writing.
        _sync(temporary, os.O_RDWR)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # Windows cannot open a folder.
    if os.name != "nt":
        _sync(path.parent, os.O_RDONLY)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a whole file, or leave the old one unchanged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "data", b"whole")
    ...     (Path(folder) / "data").read_bytes()
    b'whole'
    """
    with replace_atomically(path) as temporary:
        temporary.write_bytes(data)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes; the lock ends with this process at the latest.

    Raises
    ------
    BlockingIOError
        If another process holds the lock.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, lock_folder(Path(folder)):
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
