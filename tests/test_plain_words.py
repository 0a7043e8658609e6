"""Extreme values, dates, clocks, full disks and other versions: each is answered in plain words."""

import errno
import os
import pickle
import time
from pathlib import Path

import numpy as np
import pytest

import rbhmc
from cli.cases import QUICK as OPTIONS
from cli.cases import invoke, write_table
from draws.made import made_draws
from rbhmc._versions import InconsistentVersionWarning
from sampling.cases import QUICK, X


@pytest.mark.parametrize("value", [1.7e308, -1.7e308])
def test_values_that_would_overflow(value: float) -> None:
    table = X.copy()
    table[3, 1] = value
    with pytest.raises(rbhmc.InvalidInput, match=r"X\[3, 1\] is -?1\.7e\+308; .*rescale"):
        rbhmc.RBHMC(**QUICK).fit(table)
    model = rbhmc.RBHMC(**{**QUICK, "n_draws": 2}).fit(X)
    with pytest.raises(rbhmc.InvalidInput, match="rescale"):
        model.predict(table)


def test_arrays_of_dates_are_said_to_be_dates() -> None:
    dates = np.arange(12).reshape(6, 2).astype("datetime64[s]")
    model = rbhmc.RBHMC(**QUICK).fit(dates)
    assert "as days from 1970-01-01" in model.preparation_.describe_columns()


def test_arrays_of_durations_are_refused() -> None:
    durations = np.arange(12).reshape(6, 2).astype("timedelta64[D]")
    with pytest.raises(rbhmc.InvalidInput, match=r"X has dtype timedelta64.*convert"):
        rbhmc.RBHMC(**QUICK).fit(durations)


def test_no_jobs() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="n_jobs is 0; it must be 1 or more"):
        rbhmc.RBHMC(**QUICK, n_jobs=0).fit(X)


def test_a_clock_that_starts_in_1970(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    localtime = time.localtime
    monkeypatch.setattr(time, "localtime", lambda seconds=0: localtime(0))
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    rbhmc.RBHMC(**{**QUICK, "n_draws": 40}).fit(X, checkpoint_dir=tmp_path, resume=True)
    with pytest.raises(rbhmc.InvalidInput, match="set the clock"):
        made_draws().save(tmp_path / "draws.zip")


def fill_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every write fail as on a full disk; the error names no file."""

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    things = write_table(tmp_path / "things.csv")
    run = tmp_path / "run"
    invoke("fit", things, "--drop", "kind", "-o", run, *OPTIONS)
    fill_disk(monkeypatch)
    done = invoke("export", run, "-f", "newick", "-o", tmp_path / "tree.nwk", code=1)
    assert f"{tmp_path / 'tree.nwk'}: No space left" in " ".join(done.stderr.split())
    done = invoke("fit", "--resume", run, code=1)
    assert f"{run}" in done.stderr
    assert "No space left" in " ".join(done.stderr.split())
    with pytest.raises(OSError, match=r"draws\.zip"):
        made_draws().save(tmp_path / "draws.zip")


def test_a_full_disk_while_sampling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = rbhmc.sampling.RunFolder.create(tmp_path, {}, 30)
    with folder.locked():
        store = folder.store(0)
    fill_disk(monkeypatch)
    sampler = rbhmc.Sampler(X)
    with pytest.raises(OSError, match=r"No space left on device: .*draws-000000000-1\.npz"):
        store.save(sampler, dict(sampler.run(2)))  # type: ignore[arg-type]


def test_a_model_of_another_version() -> None:
    model = rbhmc.RBHMC(**{**QUICK, "n_draws": 5}).fit(X)
    same = pickle.loads(pickle.dumps(model))
    other = pickle.dumps(model).replace(
        f"\x8c{chr(len(rbhmc.__version__))}{rbhmc.__version__}".encode("latin-1"),
        f"\x8c{chr(len(rbhmc.__version__))}{'9' * len(rbhmc.__version__)}".encode("latin-1"),
    )
    with pytest.warns(InconsistentVersionWarning, match="the RBHMC model was made by rbhmc 9"):
        old = pickle.loads(other)
    for read in (same, old):
        assert np.array_equal(read.predict(X), model.predict(X))
        assert not hasattr(read, "_rbhmc_version")


def test_a_run_of_another_version(tmp_path: Path) -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    record = tmp_path / "run.json"
    record.write_text(record.read_text().replace(f'"rbhmc": "{rbhmc.__version__}"', '"rbhmc": "0"'))
    with pytest.warns(InconsistentVersionWarning, match="the run in .* was made by rbhmc 0, and"):
        again = rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path, resume=True)
    assert np.array_equal(again.draws_.paths, model.draws_.paths)
