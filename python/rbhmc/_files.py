"""Files that are replaced atomically, folders without links, and a lock for a folder."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rbhmc._core import InvalidInput
from rbhmc._text import encode_text


def inside(folder: Path, *names: str) -> Path:
    """Return the path of a file or folder below a run folder, which somebody else may have made.

    The folder itself may be a link, since the user named it.

    Raises
    ------
    InvalidInput
        If the path leads through a symbolic link, which could point to any file of the user, or to
        something that is neither a file nor a folder, such as a pipe.

    Examples
    --------
    >>> inside(Path("run"), "chain-0", "state.npz").as_posix()
    'run/chain-0/state.npz'
    """
    path = folder
    for name in names:
        path = path / name
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            kind = "a symbolic link" if stat.S_ISLNK(mode) else "not a file"
            raise InvalidInput(
                f"{path} is {kind}; a run folder must hold its own files and folders, and nothing "
                "is read or written through links"
            )
    return path


@contextmanager
def replace_atomically(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file in the folder of `path`, and move it to `path` on success.

    The content and the folder are synced to disk before this returns, and a file that is replaced
    keeps its mode. An exception leaves the old file and removes the temporary one; a killed process
    leaves a temporary ``.rbhmc-*.tmp``.

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
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    # mkstemp would create a file that only its owner can read, whatever the umask allows.
    temporary = path.with_name(f".rbhmc-{secrets.token_hex(8)}.tmp")
    try:
        temporary.touch(0o666 if mode is None else 0o600, exist_ok=False)
        yield temporary
        # Windows syncs only files that are open for writing.
        _sync(temporary, os.O_RDWR)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            # The user asked for another file; the error of a full disk names none.
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    # Windows cannot open a folder.
    if os.name != "nt":
        _sync(path.parent, os.O_RDONLY)


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a whole file, or leave the old one unchanged; text is encoded as UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "data", b"whole")
    ...     (Path(folder) / "data").read_bytes()
    b'whole'
    """
    with replace_atomically(path) as temporary:
        temporary.write_bytes(encode_text(data) if isinstance(data, str) else data)


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
    with inside(folder, ".lock").open("ab") as file:
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
