"""The experiments run on a small table, resume after a stop, and write their results."""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rbhmc
from paper import experiments
from paper.claims import write_page
from paper.experiment import EFFORTS, Effort
from paper.intervals import change, difference, mean
from paper.kemp import KEMP_CSV
from paper.runs import EXPERIMENTS, run_experiments
from paper.tables import Table, load_table
from rbhmc.sampling import run as chains_run
from sampling.watching import Recorder

pyplot = pytest.importorskip("matplotlib.pyplot")
CLASSES = np.repeat([0, 1, 2], 4)
TINY = Effort(n_warmup=20, n_sweeps=100, thin=5, n_repeats=2, n_chains=2, n_trace=200)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    monkeypatch.setitem(EFFORTS, "quick", TINY)
    rng = np.random.default_rng(0)
    X = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[CLASSES] + rng.normal(size=(12, 2))
    return Table(
        name="made",
        X=X,
        names=tuple(f"item {n}" for n in range(12)),
        classes=CLASSES,
        images=rng.random((12, 6, 6)),
        settings={"n_levels": 2},
        published=((0.0, 1.0), (0.1, 1.0)),
    )


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_every_experiment_writes_its_page(table: Table, tmp_path: Path) -> None:
    sections = run_experiments(table, tmp_path, scheme="collapsed")
    assert [section.title for section in sections] == [
        "Convergence",
        "Sensitivity",
        "Case",
        "F-measure",
        "Co-occurrence",
    ]
    place = tmp_path / "made-collapsed-quick"
    file = write_page(tmp_path, "made", "collapsed", "quick")
    assert file == place / "results.md"
    page = file.read_text()
    for name in EXPERIMENTS:
        numbers = json.loads((place / name / "numbers.json").read_text())
        assert numbers
        figures = list((place / name).glob("*.png"))
        assert figures
        for figure in figures:
            assert f"({name}/{figure.name})" in page
    assert "singular" in page
    assert "RBHMC, C = 0.1, margin = 1, less BHMC" in page
    # Complete chains are not run again.
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(rbhmc.sampling.Chain, "start")
        assert run_experiments(table, tmp_path, scheme="collapsed", experiments=["fmeasure"]) == [
            sections[3]
        ]
    assert write_page(tmp_path, "made", "collapsed", "quick").read_text() == page


@pytest.mark.parametrize("name", ["sensitivity", "case"])
def test_a_stopped_experiment_resumes(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    long = Effort(n_warmup=20, n_sweeps=3000, thin=1, n_repeats=2, n_chains=2, n_trace=200)
    monkeypatch.setitem(EFFORTS, "quick", long)
    monkeypatch.setattr(experiments, "STRENGTHS", (0.1,))
    monkeypatch.setattr(experiments, "MARGINS", (1.0,))
    with monkeypatch.context() as patch:
        patch.setattr(chains_run, "make_display", lambda n_chains, progress: Recorder(1, 2))
        with (
            pytest.raises(KeyboardInterrupt, match="the same command resumes the run"),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", "interrupted", RuntimeWarning)
            run_experiments(table, tmp_path / "a", experiments=[name])
    resumed = run_experiments(table, tmp_path / "a", experiments=[name])
    whole = run_experiments(table, tmp_path / "b", experiments=[name])
    assert resumed == whole


def test_unknown_names_are_refused_with_the_known_ones(table: Table, tmp_path: Path) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="one of quick, medium, paper"):
        run_experiments(table, tmp_path, effort="long")
    with pytest.raises(rbhmc.InvalidInput, match="no experiment 'fun'; there are convergence"):
        run_experiments(table, tmp_path, experiments=["fun"])


def test_bootstrap_intervals_match_the_normal_approximation() -> None:
    values = np.random.default_rng(1).normal(size=200)
    found = mean(values)
    assert found.value == pytest.approx(values.mean())
    half = 1.96 * values.std() / np.sqrt(200)
    assert found.low == pytest.approx(values.mean() - half, abs=0.25 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.25 * half)
    assert difference(values + 1.0, values) == pytest.approx((1.0, 1.0, 1.0))
    assert change([3.0, 3.0], [2.0, 2.0]) == pytest.approx((0.5, 0.5, 0.5))


def test_the_papers_table_of_animals() -> None:
    if not KEMP_CSV.exists():
        pytest.skip("Kemp's table is not part of the repository, and not beside it")
    table = load_table("animals", KEMP_CSV)
    assert table.X.shape == (33, 7)
    assert table.settings["alpha"] == 0.35
    assert len(set(table.classes)) == 8
