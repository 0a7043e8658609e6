"""Files are replaced as a whole or stay as they were."""

import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rbhmc import InvalidInput, _files
from rbhmc._files import inside, lock_folder, replace_atomically, write_atomically

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_file_is_created_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"old", b"", b"new" * 1000):
        write_atomically(path, content)
        assert path.read_bytes() == content
        assert names(tmp_path) == ["file"]


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with replace_atomically(path) as temporary:
        assert temporary.parent == tmp_path
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"

    def fail() -> None:
        with replace_atomically(path) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == []
    path.write_text("old")
    with pytest.raises(error):
        fail()
    assert names(tmp_path) == ["file"]
    assert path.read_text() == "old"


@on_posix
def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "report.html"
    with pytest.raises(FileNotFoundError) as raised:
        write_atomically(path, b"")
    assert raised.value.filename == str(path)


def test_content_that_cannot_be_synced_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


@on_posix
def test_content_is_synced_before_the_move_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    steps: list[str] = []
    replace = Path.replace

    def synced(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "content")

    def replaced(source: Path, target: Any) -> Path:
        steps.append("moved")
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_atomically(path, b"new")
    assert steps == ["content", "moved", "folder"]


def test_windows_does_not_sync_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    path = tmp_path / "file"
    monkeypatch.setattr(_files, "IS_WINDOWS", True)
    write_atomically(path, b"new")
    monkeypatch.undo()
    assert len(synced) == 1
    assert path.read_bytes() == b"new"


@on_posix
def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_atomically(tmp_path / "file", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


@on_posix
def test_a_symbolic_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real" / "file", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert names(tmp_path / "real") == ["file"]


def test_a_missing_folder_raises_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none"):
        write_atomically(tmp_path / "none" / "file", b"new")


def deny(monkeypatch: pytest.MonkeyPatch, n_times: int) -> None:
    """Let Windows refuse to replace a file some times, as if another program had it open."""
    replace, left = Path.replace, [n_times]

    def refuse(self: Path, target: Path) -> Path:
        if left[0]:
            left[0] -= 1
            raise PermissionError(13, "Access is denied", str(self))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(_files, "ATTEMPT_SECONDS", 0.0)


def test_on_windows_a_file_that_is_open_for_a_moment_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "IS_WINDOWS", True)
    deny(monkeypatch, 3)
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_on_windows_a_file_that_stays_open_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "IS_WINDOWS", True)
    deny(monkeypatch, 10**6)
    with pytest.raises(PermissionError, match=r"close that, and try again: .*file"):
        write_atomically(tmp_path / "file", b"new")
    assert names(tmp_path) == []


def test_elsewhere_a_refusal_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_files, "IS_WINDOWS", False)
    deny(monkeypatch, 1)
    with pytest.raises(PermissionError, match="Access is denied"):
        write_atomically(tmp_path / "file", b"new")


def test_on_windows_a_lock_is_released_before_the_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    msvcrt = SimpleNamespace(
        LK_NBLCK="lock", LK_UNLCK="unlock", locking=lambda handle, what, n: calls.append(what)
    )
    monkeypatch.setattr(_files, "IS_WINDOWS", True)
    monkeypatch.setattr(_files, "SYSTEM", msvcrt)
    with pytest.raises(ValueError, match="stop"), lock_folder(tmp_path):
        raise ValueError("stop")
    assert calls == ["lock", "unlock"]


def test_on_windows_a_lock_of_another_process_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, what: str, n: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(_files, "IS_WINDOWS", True)
    monkeypatch.setattr(_files, "SYSTEM", SimpleNamespace(LK_NBLCK="lock", locking=refuse))
    with pytest.raises(BlockingIOError), lock_folder(tmp_path):
        pass


@pytest.mark.parametrize("supported", [True, False])
def test_on_macos_data_are_written_to_the_disk_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, supported: bool
) -> None:
    calls: list[str] = []

    def control(handle: int, what: str) -> None:
        calls.append(what)
        if not supported:
            raise OSError(45, "Operation not supported")

    monkeypatch.setattr(_files, "SYSTEM", SimpleNamespace(F_FULLFSYNC="full", fcntl=control))
    monkeypatch.setattr(os, "fsync", lambda handle: calls.append("fsync"))
    write_atomically(tmp_path / "file", b"new")
    assert calls == ["full"] * 2 if supported else ["full", "fsync"] * 2


def test_a_junction_of_windows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chain-0").mkdir()
    assert inside(tmp_path, "chain-0").is_dir()  # the control
    found = SimpleNamespace(st_mode=stat.S_IFDIR, st_reparse_tag=7)
    monkeypatch.setattr(_files, "JUNCTION", 7)
    monkeypatch.setattr(Path, "lstat", lambda self: found)
    with pytest.raises(InvalidInput, match="is a symbolic link"):
        inside(tmp_path, "chain-0")
