"""Tests of downloads use a temporary folder and no proxy."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("RBHMC_DATA", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return folder
