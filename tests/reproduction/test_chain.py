"""A chain of the reproduction is measured as its definition says, in all readings."""

import dataclasses

import numpy as np
import pytest

from paper.chain import DEFAULTS, Measured, draw_by_path_sums, run_chain, start_chain
from paper.measures import inner_distances
from paper.protocol import BHMC, READINGS, Cell, Task
from paper.records import unpack
from rbhmc import RBHMC, Sampler
from rbhmc.metrics import aid, aod, co_occurrence, f_measure, is_singular
from reproduction.made import CLASSES, DESIGN, SHORT, made_table


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("cell", [BHMC, Cell(0.1, 1.0)])
def test_a_record_describes_the_chain(reading: str, cell: Cell) -> None:
    table, task = made_table(), Task(cell, 0)
    record = run_chain(table, reading, task, SHORT)
    _, draw = start_chain(table, reading, task)
    draw(SHORT.n_burn_in // 250, 250)
    draws = draw(SHORT.n_draws, 1)
    fifth = draws["paths"][4::5]
    kept = fifth[~np.asarray(is_singular(fifth))]
    assert record["singular"] == pytest.approx(1.0 - len(kept) / len(fifth), abs=1e-5)
    assert record["aid"][:2] == pytest.approx(
        [
            np.mean(aid(table.X, kept)),
            np.nanmean(aid(table.X, kept, singletons="skip")),
        ],
        rel=1e-4,
    )
    assert record["aod"] == pytest.approx(np.mean(aod(table.X, kept)), rel=1e-4)
    best = draws["paths"][int(np.argmax(draws["rcdll"]))]
    assert record["tree"] == best.tolist()
    assert record["f"] == pytest.approx(f_measure(best, CLASSES), rel=1e-4)
    together = co_occurrence(draws["paths"], 1)[np.triu_indices(12, k=1)]
    np.testing.assert_allclose(unpack(record["maps"][0]), together, atol=0.003)
    assert record["rcdll"] == pytest.approx([draws["rcdll"].mean(), draws["rcdll"].std()], rel=1e-4)
    assert len(record["cdll trace"]) == 1 + (SHORT.n_burn_in + SHORT.n_draws) // 250
    # The cases go on for half as many draws.
    assert set(record["longer"]) >= {"f", "tree"}


def test_collapsed_has_the_defaults_of_the_estimator() -> None:
    # The table of the paper's settings gives these.
    given = {"n_levels", "alpha", "gamma", "gamma0", "C", "margin"}
    settings = Sampler([[0.0]]).settings | DEFAULTS
    params = RBHMC().get_params()
    assert {name: params[name] for name in settings.keys() - given} == {
        name: value for name, value in settings.items() if name not in given
    }


def test_collapsed_without_margins_is_the_same_on_any_scale() -> None:
    table = made_table()
    wide = dataclasses.replace(table, X=256.0 * table.X)
    for cell, is_same in ((BHMC, True), (Cell(0.1, 1.0), False)):
        narrow_paths, wide_paths = (
            start_chain(one, "collapsed", Task(cell, 0))[1](200, 1)["paths"]
            for one in (table, wide)
        )
        assert np.array_equal(narrow_paths, wide_paths) == is_same


def test_aid_of_merged_trees_leaves_out_nodes_without_siblings() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 3))
    paths = np.array(Sampler(X, n_levels=3, C=0.0, alpha=1.0, seed=3).run(60)["paths"])
    merged = inner_distances(paths, X)[2]
    for tree, value in zip(paths, merged, strict=True):
        inner = []
        for level in range(3):
            above = tree[:, level - 1] if level else np.zeros(8, int)
            for node in np.unique(tree[:, level]):
                items = tree[:, level] == node
                siblings = np.unique(tree[above == above[items][0], level])
                if len(siblings) > 1:
                    distances = ((X[items][:, None] - X[items][None]) ** 2).sum(axis=2)
                    n = int(items.sum())
                    inner.append(distances.sum() / max(1, n * (n - 1)))
        np.testing.assert_allclose(value, np.mean(inner) if inner else np.nan, rtol=1e-9)


def test_path_sums_are_another_chain() -> None:
    table = made_table()
    settings = {**DESIGN.settings, "C": 0.5, "margin": 1.0, "scheme": "paper", "seed": 4}
    paths = draw_by_path_sums(Sampler(table.X, **settings), 50, 2)
    active = Sampler(table.X, **settings).run(50, thin=2)
    assert paths["paths"].shape == active["paths"].shape
    assert (paths["n_nodes"] == paths["paths"].max(axis=1) + 1).all()
    assert not np.array_equal(paths["rcdll"], active["rcdll"])


def test_chunks_do_not_change_the_measures() -> None:
    table = made_table()
    draws = draw_by_path_sums(Sampler(table.X, **DESIGN.settings, scheme="paper", seed=1), 400, 1)
    whole, halves = Measured(table, True), Measured(table, True)
    whole.add(draws, 5)
    for part in (slice(200), slice(200, None)):
        halves.add({key: values[part] for key, values in draws.items()}, 5)
    assert whole.describe() == halves.describe()
