"""Where downloads are kept."""

from pathlib import Path

import pytest

from rbhmc.datasets import get_data_home


def test_the_argument_comes_first(tmp_path: Path) -> None:
    assert get_data_home(tmp_path) == tmp_path
    assert get_data_home(str(tmp_path)) == tmp_path


def test_then_the_environment(home: Path) -> None:
    assert get_data_home() == home


@pytest.mark.parametrize("value", [None, ""])
def test_then_a_folder_of_the_user(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    if value is None:
        monkeypatch.delenv("RBHMC_DATA")
    else:
        monkeypatch.setenv("RBHMC_DATA", value)
    assert get_data_home() == tmp_path / "rbhmc_data"
    assert get_data_home("~/mine") == tmp_path / "mine"


def test_asking_makes_no_folder(home: Path) -> None:
    get_data_home()
    assert not home.exists()
