"""Tables with plain groups: the default settings find them, in any number of columns."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

import rbhmc

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
SEEDS = range(5)


def on_a_line(n_columns: int) -> Floats:
    """Return three centres that are ten standard deviations apart along the diagonal."""
    return np.outer(10.0 * np.arange(3), np.full(n_columns, 1.0 / np.sqrt(n_columns)))


def corners(n_groups: int, n_columns: int) -> Floats:
    """Return centres that are ten standard deviations from each other."""
    return np.asarray(10.0 / np.sqrt(2.0) * np.eye(n_groups, n_columns))


CASES: dict[str, tuple[Floats, tuple[int, ...]]] = {
    **{f"line, {d} columns": (on_a_line(d), (40, 40, 40)) for d in (1, 2, 5, 10)},
    "far from the origin": (1e4 + 10.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), (40,) * 4),
    "unequal sizes": (corners(3, 3), (150, 20, 10)),
    "more columns than items of a group": (corners(5, 40), (12,) * 5),
    "many groups": (corners(20, 20), (12,) * 20),
}


def make_table(centres: Floats, sizes: tuple[int, ...], seed: int) -> tuple[Floats, Ints]:
    """Draw Gaussian groups of unit variance, with the items in random order."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return centres[classes] + rng.normal(size=(len(classes), centres.shape[1])), classes


@pytest.mark.parametrize("case", CASES)
def test_the_groups_are_the_clusters(case: str) -> None:
    scores = []
    for seed in SEEDS:
        X, classes = make_table(*CASES[case], seed)
        labels = rbhmc.RBHMC(random_state=seed).fit(X).labels_
        scores.append(adjusted_rand_score(classes, labels))
    assert np.mean(scores) >= 0.95, scores
    assert min(scores) >= 0.85, scores


def test_without_an_intercept_the_cuts_pass_through_the_mean() -> None:
    """Control: three groups on a line in one column come out wrong."""
    for seed in SEEDS:
        X, classes = make_table(*CASES["line, 1 columns"], seed)
        labels = rbhmc.RBHMC(random_state=seed, intercept=0.0).fit(X).labels_
        assert adjusted_rand_score(classes, labels) < 0.85


def nested_centres(n_columns: int) -> Floats:
    """Return two far triples of centres: 8 standard deviations apart within, 85 between."""
    if n_columns == 1:
        return np.array([[0.0], [8.0], [16.0], [101.0], [109.0], [117.0]])
    triangle = 8.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    centres = np.zeros((6, n_columns))
    centres[:3, :2] = triangle
    centres[3:, :2] = triangle + np.array([8.0 + 85.0, 0.0])
    return centres


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_nested_groups_are_nodes_of_the_tree(n_columns: int) -> None:
    for seed in SEEDS:
        X, classes = make_table(nested_centres(n_columns), (20,) * 6, seed)
        tree = rbhmc.RBHMC(random_state=seed).fit(X).tree_
        nodes = [set(node.items) for node in tree]
        for group in [[0, 1, 2], [3, 4, 5], *([leaf] for leaf in range(6))]:
            items = set(np.flatnonzero(np.isin(classes, group)).tolist())
            best = max(len(items & node) / len(items | node) for node in nodes)
            assert best >= 0.95, (seed, group, round(best, 2))
