"""Fixtures of the tests of files of draws."""

import zipfile
from typing import Any

import pytest


@pytest.fixture
def entries_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the names of the entries that are opened in ZIP files."""
    read: list[str] = []
    opened = zipfile.ZipFile.open

    def noted(archive: zipfile.ZipFile, name: Any, *rest: Any, **more: Any) -> Any:
        read.append(name)
        return opened(archive, name, *rest, **more)

    monkeypatch.setattr(zipfile.ZipFile, "open", noted)
    return read
