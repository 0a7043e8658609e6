"""Invalid input raises InvalidInput with a helpful message."""

from collections.abc import Callable

import numpy as np
import pytest

import rbhmc
from diagnostics.runs import make_run
from rbhmc import metrics
from rbhmc.posterior.selection import expected_loss, select

PATHS = [[0, 0], [0, 1], [1, 2]]
DRAWS = [PATHS, PATHS]
X = [[0.0], [1.0], [2.0]]
CLASSES = [0, 0, 1]
NEAR = [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]

BAD: dict[str, tuple[Callable[[], object], list[str]]] = {
    "vector": (
        lambda: metrics.is_singular([0, 1]),
        ["paths has shape (2,)", "n_levels", "labels[:, None]"],
    ),
    "ragged": (lambda: metrics.is_singular([[0], [0, 1]]), ["paths could not be converted"]),
    "no items": (lambda: metrics.is_singular(np.empty((0, 2), int)), ["(0, 2)", "one item"]),
    "no levels": (lambda: metrics.is_singular(np.empty((2, 0), int)), ["(2, 0)", "one level"]),
    "no draws": (lambda: select(np.empty((0, 2, 2), int)), ["(0, 2, 2)", "one draw"]),
    "floats": (lambda: metrics.is_singular([[0.0], [1.5]]), ["dtype float64", "integers"]),
    "text": (lambda: metrics.is_singular([["a"]]), ["dtype <U1", "integers"]),
    "no tree": (
        lambda: metrics.is_singular([[0, 7], [1, 5], [1, 7]]),
        ["paths is not a tree", "items 0 and 2", "node 7", "level 2"],
    ),
    "draws where a tree is wanted": (
        lambda: metrics.f_measure(DRAWS, CLASSES),
        ["paths has shape (2, 3, 2)", "(n_items, n_levels)"],
    ),
    "a tree where draws are wanted": (
        lambda: metrics.co_occurrence(PATHS, 1),
        ["draws has shape (3, 2)", "n_draws"],
    ),
    "root": (lambda: metrics.co_occurrence(DRAWS, 0), ["level is 0", "1 to 2", "root"]),
    "deep level": (lambda: metrics.co_occurrence(DRAWS, 3), ["level is 3", "1 to 2"]),
    "high level": (lambda: metrics.aid(X, PATHS, level=-3), ["level is -3", "-2"]),
    "half level": (
        lambda: metrics.aod(X, PATHS, level=1.0),  # type: ignore[arg-type]
        ["level is 1.0", "whole number"],
    ),
    "true level": (lambda: metrics.aod(X, PATHS, level=True), ["level is True"]),
    "few classes": (lambda: metrics.f_measure(PATHS, [0, 1]), ["classes", "(2,)", "(3,)"]),
    "mixed classes": (
        lambda: metrics.dendrogram_purity(PATHS, np.array([0, "a", None], dtype=object)),
        ["classes cannot be sorted"],
    ),
    "NaN classes": (
        lambda: metrics.f_measure(PATHS, [0.0, np.nan, 1.0]),
        ["classes", "NaN"],
    ),
    "few rows": (lambda: metrics.aid(X[:2], PATHS), ["X has shape (2, 1)", "(3, n_features)"]),
    "NaN": (lambda: metrics.aid([[0.0], [1.0], [np.nan]], PATHS), ["X[2, 0] is nan", "finite"]),
    "words": (lambda: metrics.aid([["a"], ["b"], ["c"]], PATHS), ["X has dtype", "numbers"]),
    "objects": (
        lambda: metrics.aid(np.array([["a"], [1], [2]], dtype=object), PATHS),
        ["X has dtype object"],
    ),
    "singletons": (
        lambda: metrics.aid(X, PATHS, singletons="none"),  # type: ignore[arg-type]
        ["singletons is 'none'", '"zero" or "skip"'],
    ),
    "other tree": (lambda: metrics.ari(PATHS, PATHS[:2]), ["paths_b", "(2, 2)", "(3, 2)"]),
    "other labels": (lambda: metrics.binder_loss(PATHS, [0, 1]), ["paths_b", "(2,)"]),
    "criterion": (
        lambda: select(DRAWS, criterion="best"),  # type: ignore[arg-type]
        ["criterion is 'best'", '"binder"'],
    ),
    "no rcdll": (lambda: select(DRAWS, criterion="rcdll"), ['"rcdll" needs Draws']),
    "no cdll": (lambda: select(DRAWS, criterion="cdll"), ['"cdll" needs Draws']),
    "NaN rcdll": (
        lambda: select(make_run([DRAWS], rcdll=np.array([[0.0, np.nan]])), criterion="rcdll"),
        ["draws.rcdll holds NaN"],
    ),
    "loss": (
        lambda: expected_loss(PATHS, DRAWS, loss="f"),  # type: ignore[arg-type]
        ["loss is 'f'", '"vi"'],
    ),
    "other items": (
        lambda: expected_loss(PATHS[:2], DRAWS),
        ["draws has 3 items and 2 levels", "2 items, 2 levels"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_input(case: str) -> None:
    call, words = BAD[case]
    with pytest.raises(rbhmc.InvalidInput) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)


def test_accepted_types() -> None:
    objects = np.array(X, dtype=object)
    assert metrics.aid(objects, PATHS) == metrics.aid(X, np.array(PATHS, dtype=np.uint8))
    assert metrics.aid(np.array(X) > 0, PATHS) == pytest.approx(1 / 5)
    assert metrics.aid(X, PATHS, level=np.int64(1)) == metrics.aid(X, PATHS, level=1)  # type: ignore[arg-type]
    fortran = np.asfortranarray(DRAWS)
    fortran.flags.writeable = False
    np.testing.assert_array_equal(
        metrics.co_occurrence(fortran, 1), metrics.co_occurrence(DRAWS, 1)
    )
    assert np.array(DRAWS).tolist() == DRAWS
