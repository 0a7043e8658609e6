"""Invalid input raises InvalidInput with a helpful message."""

from collections.abc import Callable

import numpy as np
import pytest

from posterior.brute_force import as_draws
from rbhmc import Draws, InvalidInput, Tree, _core, posterior
from rbhmc.draws.variables import VARIABLES

DRAWS = [[[0, 0], [0, 1], [1, 2]], [[0, 0], [0, 0], [1, 1]]]
TREE = Tree.from_labels(DRAWS[0])


def no_draws() -> Draws:
    sizes = {"chain": 2, "draw": 0, "item": 3, "level": 2}
    arrays = {
        name: np.zeros([sizes[dim] for dim in variable.dims], variable.dtype)
        for name, variable in VARIABLES.items()
    }
    return Draws(arrays, list("abc"))


def labelled(*labels: int) -> Draws:
    """Return two draws of three items; the second has these labels at the last level."""
    draws = as_draws(np.array([DRAWS]))
    paths = np.array(draws.paths)
    paths[0, 1, :, 1] = labels
    arrays = {name: draws.read(name) for name in VARIABLES}
    return Draws(arrays | {"paths": paths}, draws.names)


BAD: dict[str, tuple[Callable[[], object], list[str]]] = {
    "a tree for draws": (lambda: posterior.consensus(DRAWS[0]), ["draws has shape (3, 2)"]),
    "no draws": (lambda: posterior.consensus(no_draws()), ["2 chains x 0 draws", "at least"]),
    "an array for a tree": (
        lambda: posterior.support(DRAWS[0], DRAWS),  # type: ignore[arg-type]
        ["tree is a list", "Tree.from_labels"],
    ),
    "other items": (
        lambda: posterior.support(Tree.from_labels([[0, 0], [1, 1]]), DRAWS),
        ["tree has 2 items and 2 levels", "must have 3 items, as the draws"],
    ),
    "other levels": (
        lambda: posterior.credible_ball(DRAWS, Tree.from_labels([[0], [0], [1]])),
        ["tree has 3 items and 1 levels", "3 items and 2 levels", "support(tree, draws)"],
    ),
    "unstable items, levels": (
        lambda: posterior.unstable_items(DRAWS, Tree.from_labels([[0], [0], [1]])),
        ["3 items and 2 levels", 'select="vi"', "group_similarity(draws, tree.clusters)"],
    ),
    "high label": (
        lambda: posterior.support(TREE, labelled(0, 0, 3)),
        ["chain 0, draw 1: item 2 has label 3 at level 2", "from 0 to 3 - 1"],
    ),
    "low label": (lambda: posterior.support(TREE, labelled(0, 0, -1)), ["label -1"]),
    "no tree": (
        lambda: posterior.consensus(labelled(0, 1, 1)),
        ["chain 0, draw 1: items 1 and 2 share node 1 at level 2 but not its parent"],
    ),
    "loss of the ball": (
        lambda: posterior.credible_ball(DRAWS, TREE, loss="l2"),  # type: ignore[arg-type]
        ["loss is 'l2'", '"binder" or "vi"'],
    ),
    "probability 0": (
        lambda: posterior.credible_ball(DRAWS, TREE, probability=0.0),
        ["probability is 0.0", "above 0"],
    ),
    "a tree of others in a ball": (
        lambda: Tree.from_labels([[0], [1]]) in posterior.credible_ball(DRAWS, TREE),
        ["tree has 2 items", "3 items and 2 levels"],
    ),
    "nothing to measure by": (lambda: posterior.measures(DRAWS), ["neither X nor classes"]),
    "few rows": (
        lambda: posterior.measures(DRAWS, X=[[0.0], [1.0]]),
        ["X has shape (2, 1)", "(3, n_features)"],
    ),
    "few classes": (lambda: posterior.measures(DRAWS, classes=[0, 1]), ["classes", "(3,)"]),
    "interval": (
        lambda: posterior.Distribution(np.ones((1, 2))).interval(1.0),
        ["probability is 1.0", "between 0 and 1"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_invalid_input(name: str) -> None:
    call, words = BAD[name]
    with pytest.raises(InvalidInput) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


TREES = _core.canonical_labels(np.array(DRAWS, np.int64))
ITEMS, ENDS = np.array([0, 1, 2], np.uint32), np.array([2, 3], np.uint64)
PARENTS = np.array([3, 3, 3, -1], np.int32)
SAMPLE = np.array([1, 2]), np.array([1, 2]), np.array([0, 0, 0])
SHARED = np.zeros((1, 3), np.uint32)
COUNTS = np.zeros((2, 3, 3), np.uint32)

WRONG: dict[str, Callable[[], object]] = {
    "order": lambda: _core.frequent_clades(TREES[:, :, ::-1], 1),
    "negative": lambda: _core.frequent_clades(TREES - 1, 1),
    "counted items": lambda: _core.count_clades((ITEMS + 1, ENDS), TREES),
    "no parent": lambda: _core.transfer_distances(np.array([3, 3, -1, -1], np.int32), TREES),
    "early parent": lambda: _core.transfer_distances(np.array([4, 4, 4, 3, -1], np.int32), TREES),
    "node without children": lambda: _core.transfer_distances(
        np.array([4, 4, 4, 4, -1], np.int32), TREES
    ),
    "item for a parent": lambda: _core.transfer_distances(np.array([1, 3, 3, -1], np.int32), TREES),
    "trees of others": lambda: _core.transfer_distances(np.array([2, 2, -1], np.int32), TREES),
    "oblong": lambda: _core.average_linkage(COUNTS[0, :2], 2),
    "asymmetric": lambda: _core.average_linkage(np.triu(COUNTS[0] + 1), 2),
    "high counts": lambda: _core.average_linkage(COUNTS[0] + 3, 2),
    "counts of nothing": lambda: _core.average_linkage(COUNTS[0], 0),
    "cut of others": lambda: _core.vi_cut(np.array([2, 2, -1], np.int32), COUNTS[0], 2, 1.0),
    "weight": lambda: _core.vi_cut(PARENTS, COUNTS[0], 2, float("nan")),
    "targets": lambda: _core.add_shared_items(SAMPLE, np.array([3]), TREES, SHARED),
    "sums": lambda: _core.add_shared_items(SAMPLE, np.array([0, 2]), TREES, SHARED),
    "leaf": lambda: _core.add_shared_items(
        (SAMPLE[0], SAMPLE[1] + 2, SAMPLE[2]), np.array([0]), TREES, SHARED
    ),
    "order of nodes": lambda: _core.add_shared_items(
        (SAMPLE[0], SAMPLE[1], np.array([0, 2, 0])), np.array([0]), TREES, SHARED
    ),
    "items": lambda: _core.best_jaccard((ITEMS + 1, ENDS), TREES),
    "empty set": lambda: _core.best_jaccard((ITEMS, np.array([0, 3], np.uint64)), TREES),
    "falling ends": lambda: _core.best_jaccard((ITEMS, np.array([3, 2], np.uint64)), TREES),
    "long ends": lambda: _core.best_jaccard((ITEMS, np.array([2, 4], np.uint64)), TREES),
    "tree": lambda: _core.match_nodes(TREES[0, :1], TREES),
    "labels of a tree": lambda: _core.match_nodes(TREES[0] + 1, TREES),
    "square": lambda: _core.count_coclustered(TREES[:, 0], COUNTS[0, :2]),
    "shared": lambda: _core.sum_coclustered(TREES, TREES, np.zeros((2, 3, 2), np.uint64)),
    "levels to share": lambda: _core.sum_coclustered(
        TREES, TREES[:, :1], np.zeros(TREES.shape, np.uint64)
    ),
    "counts": lambda: _core.expected_losses(TREES, COUNTS[:1], 2, "vi"),
    "layout": lambda: _core.expected_losses(TREES, COUNTS.transpose(0, 2, 1), 2, "vi"),
    "draws": lambda: _core.expected_losses(TREES, COUNTS, 2**24, "vi"),
    "loss": lambda: _core.expected_losses(TREES, COUNTS, 2, "rand"),
    "rows": lambda: _core.aid_aod(np.zeros((2, 1)), TREES),
    "classes": lambda: _core.class_agreement(np.array([0, 1, 3], np.int32), TREES),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_core_checks_its_arguments(name: str) -> None:
    with pytest.raises(InvalidInput):
        WRONG[name]()
