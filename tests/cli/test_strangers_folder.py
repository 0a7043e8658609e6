"""A run folder that somebody else made cannot touch anything outside itself."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import rbhmc
from cli.cases import QUICK, invoke, table, write_table
from sampling.cases import QUICK as FIT
from sampling.cases import X

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")

CHAIN = "checkpoints/chain-0"
FILES = (
    "config.json",
    "labels.csv",
    "nodes.csv",
    "report.html",
    "summary.txt",
    "tree.json",
    "tree.nwk",
    "checkpoints",
    "checkpoints/run.json",
    "checkpoints/generation",
    "checkpoints/.lock",
    CHAIN,
    f"{CHAIN}/state.npz",
    f"{CHAIN}/draws-000000000-1.npz",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table and a finished run."""
    folder = tmp_path_factory.mktemp("made")
    write_table(folder / "things.csv")
    invoke("fit", folder / "things.csv", "--drop", "kind", "-o", folder / "run", *QUICK)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "copy")


def content_of(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file): file.read_bytes() for file in files}


def resume(folder: Path, code: int) -> str:
    done = invoke("fit", "--resume", folder / "run", "--n-draws", 60, "--no-progress", code=code)
    return " ".join(done.stderr.split())


def test_a_whole_run_is_continued(folder: Path) -> None:
    resume(folder, code=0)


@pytest.mark.parametrize("name", FILES)
def test_no_link_is_followed(folder: Path, tmp_path: Path, name: str) -> None:
    """The link points to what the run itself made, so that only the link is wrong."""
    outside = tmp_path / "outside"
    link = folder / "run" / name
    link.rename(outside)
    link.symlink_to(outside)
    before = content_of(outside)
    message = resume(folder, code=1)
    assert f"{link} is a symbolic link" in message.replace("- ", "-")
    assert content_of(outside) == before
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["config.json", "tree.json", f"{CHAIN}/state.npz"])
def test_no_pipe_is_read(folder: Path, name: str) -> None:
    """A pipe would make its reader wait for ever."""
    path = folder / "run" / name
    path.unlink()
    os.mkfifo(path)
    assert "is not a file" in resume(folder, code=1)


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    write_table(tmp_path / "things.csv")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "labels.csv").symlink_to(tmp_path / "profile")
    done = invoke("fit", tmp_path / "things.csv", "-o", tmp_path / "run", *QUICK, code=1)
    assert "labels.csv" in done.stderr
    assert not (tmp_path / "profile").exists()


def test_report_does_not_write_through_a_link(folder: Path, tmp_path: Path) -> None:
    path = folder / "run" / "report.html"
    path.unlink()
    path.symlink_to(tmp_path / "profile")
    assert "is a symbolic link" in " ".join(invoke("report", folder / "run", code=1).stderr.split())
    assert not (tmp_path / "profile").exists()


def test_the_library_follows_no_link(tmp_path: Path) -> None:
    rbhmc.RBHMC(**FIT).fit(X, checkpoint_dir=tmp_path / "run")
    state = tmp_path / "run" / "chain-1" / "state.npz"
    state.rename(tmp_path / "outside")
    state.symlink_to(tmp_path / "outside")
    with pytest.raises(rbhmc.InvalidInput, match=r"state\.npz is a symbolic link"):
        rbhmc.RBHMC(**FIT).fit(X, checkpoint_dir=tmp_path / "run", resume=True)


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    (folder / "run").rename(folder / "real")
    (folder / "run").symlink_to(folder / "real")
    resume(folder, code=0)


def test_rewritten_files_keep_their_modes(folder: Path) -> None:
    modes = {"labels.csv": 0o600, "summary.txt": 0o640, "config.json": 0o604}
    for name, mode in modes.items():
        (folder / "run" / name).chmod(mode)
    resume(folder, code=0)
    for name, mode in modes.items():
        assert (folder / "run" / name).stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("name", ["...csv", "....csv", "..csv.csv"])
def test_the_name_of_a_table_does_not_lead_out_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table().drop(columns="kind").to_csv(tmp_path / name, index=False)
    invoke("fit", name, *QUICK)
    assert {file.name for file in tmp_path.iterdir()} == {name, "runs"}
    assert [file.name for file in (tmp_path / "runs").iterdir()] == ["csv"]
