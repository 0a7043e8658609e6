"""A stopped run resumes to the bit, and other inputs are refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rbhmc
from rbhmc.sampling import RunFolder, chain_store, run_chains
from sampling.cases import QUICK, X, assert_same_chunks, assert_same_model, chains
from sampling.watching import stop_after


@pytest.fixture(autouse=True)
def short_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_store, "CHECKPOINT_SECONDS", 0.0)


def folder_of(path: Path, n_draws: int = 30) -> RunFolder:
    return RunFolder.open(path) or RunFolder.create(path, {}, n_draws)


def test_checkpoints_change_nothing(tmp_path: Path) -> None:
    long = chains(2, n_draws=3000)
    kept = run_chains(long, folder=folder_of(tmp_path))
    for one, other in zip(run_chains(long), kept, strict=True):
        assert_same_chunks(one, other)
    assert len(list(tmp_path.glob("chain-0/draws-*.npz"))) > 1


def test_a_stopped_run_resumes_to_the_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_chains(chains(2, n_draws=4000))
    with monkeypatch.context() as patch:
        _, partial = stop_after(
            patch, chains(2, n_draws=4000), n_reports=2, n_jobs=1, folder=folder_of(tmp_path)
        )
    assert 0 < len(partial[0]["cdll"]) < 4000
    for one, other in zip(
        whole, run_chains(chains(2, n_draws=4000), folder=folder_of(tmp_path)), strict=True
    ):
        assert_same_chunks(one, other)


def test_a_finished_run_takes_more_draws(tmp_path: Path) -> None:
    rbhmc.RBHMC(**{**QUICK, "n_draws": 10}).fit(X, checkpoint_dir=tmp_path)
    more = rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path, resume=True)
    assert_same_model(more, rbhmc.RBHMC(**QUICK).fit(X))
    again = rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path, resume=True)
    assert_same_model(more, again)


def test_resume_starts_a_new_run_if_there_is_none(tmp_path: Path) -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path / "a" / "b", resume=True)
    assert_same_model(model, rbhmc.RBHMC(**QUICK).fit(X))


def test_a_resumed_run_without_random_state_keeps_its_seeds(tmp_path: Path) -> None:
    quick = {**QUICK, "random_state": None}
    first = rbhmc.RBHMC(**quick).fit(X, checkpoint_dir=tmp_path)
    assert_same_model(first, rbhmc.RBHMC(**quick).fit(X, checkpoint_dir=tmp_path, resume=True))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"C": 0.5}, r"C = 1\.0, and now it is 0\.5"),
        ({"random_state": 8}, "seeds = "),
        ({"n_chains": 3}, "n_chains = 4, and now it is 3"),
        ({"noise_cov": np.eye(3)}, 'noise_cov = "auto"'),
        ({"n_draws": 10}, "n_draws is 10, but .* 30 draws per chain"),
        ({"initial_paths": np.zeros((20, 4), int)}, "initial_paths"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    before = sorted(path.read_bytes() for path in tmp_path.rglob("*.*"))
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.RBHMC(**{**QUICK, **changes}).fit(X, checkpoint_dir=tmp_path, resume=True)
    assert before == sorted(path.read_bytes() for path in tmp_path.rglob("*.*"))


def test_other_data_are_refused(tmp_path: Path) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    with pytest.raises(rbhmc.InvalidInput, match=r"X \(SHA-256\) = "):
        rbhmc.RBHMC(**QUICK).fit(X + 1e-9, checkpoint_dir=tmp_path, resume=True)


def test_an_existing_run_is_not_overwritten(tmp_path: Path) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    with pytest.raises(rbhmc.InvalidInput, match="resume=True"):
        rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    with pytest.raises(rbhmc.InvalidInput, match="resume is True, but checkpoint_dir is None"):
        rbhmc.RBHMC(**QUICK).fit(X, resume=True)


def test_the_record_holds_the_inputs(tmp_path: Path) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["versions"]["rbhmc"] == rbhmc.__version__
    assert record["inputs"]["C"] == 1.0
    assert len(record["inputs"]["seeds"]) == 5
    assert len(record["inputs"]["X (SHA-256)"]) == 64


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("state.npz", "cut"),
        ("state.npz", "other"),
        ("draws-000000000-1.npz", "cut"),
        ("draws-000000000-1.npz", "other"),
        ("draws-000000000-1.npz", "gone"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, name: str, damage: str) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    file = tmp_path / "chain-1" / name
    if damage == "gone":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:-40])
    else:
        file.write_bytes(b"not a checkpoint")
    more = {**QUICK, "n_draws": 40}
    with pytest.raises(rbhmc.InvalidCheckpoint, match=name):
        rbhmc.RBHMC(**more).fit(X, checkpoint_dir=tmp_path, resume=True)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 99}', "null"])
def test_a_foreign_record_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(rbhmc.InvalidInput, match=r"run\.json (is not|has format)"):
        rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path, resume=True)


def test_settings_of_any_type_are_recorded(tmp_path: Path) -> None:
    """Tuples, NumPy scalars and frames equal their recorded values."""
    kinds = {
        **QUICK,
        "n_draws": np.int64(30),
        "base_mean": (0.0, 0.0, 0.0),
        "noise_cov": pd.DataFrame(np.eye(3)),
        "alpha": np.float32(0.5),
    }
    first = rbhmc.RBHMC(**kinds).fit(X, checkpoint_dir=tmp_path)
    assert_same_model(first, rbhmc.RBHMC(**kinds).fit(X, checkpoint_dir=tmp_path, resume=True))


def test_an_invalid_setting_leaves_no_run(tmp_path: Path) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="alpha"):
        rbhmc.RBHMC(**QUICK, alpha=-1.0).fit(X, checkpoint_dir=tmp_path)
    assert not list(tmp_path.iterdir())


def test_only_one_process_runs_the_chains_of_a_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with folder.locked(), pytest.raises(rbhmc.InvalidInput, match="another process is running"):
        run_chains(chains(1), folder=folder)
    run_chains(chains(1), folder=folder)


def test_a_chain_of_another_run_is_refused(tmp_path: Path) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path / "a")
    rbhmc.RBHMC(**{**QUICK, "random_state": 8}).fit(X, checkpoint_dir=tmp_path / "b")
    for file in (tmp_path / "a" / "chain-0").iterdir():
        file.replace(tmp_path / "b" / "chain-0" / file.name)
    with pytest.raises(rbhmc.InvalidCheckpoint, match="another run"):
        rbhmc.RBHMC(**{**QUICK, "random_state": 8}).fit(
            X, checkpoint_dir=tmp_path / "b", resume=True
        )


def test_temporary_files_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    run_chains(chains(1), folder=folder)
    left = tmp_path / "chain-0" / ".rbhmc-0123.tmp"
    left.write_bytes(b"half")
    run_chains(chains(1), folder=folder)
    assert not left.exists()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(rbhmc.InvalidInput, match="must be a folder"):
        rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path / "file")
