"""Files are replaced as a whole or stay as they were."""

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from rbhmc._files import replace_atomically, write_atomically

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
    monkeypatch.setattr(os, "name", "nt")
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
