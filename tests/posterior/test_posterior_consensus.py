"""The consensus: by hand, what it must not depend on, and what it must give back."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, build_paths, quick, random_draws, several_trees, trees
from posterior.brute_force import Clade, as_draws, clades, relabel_and_shuffle
from rbhmc import Draws, Tree
from rbhmc.posterior import Consensus, attach, consensus, presented, similarity, support
from rbhmc.posterior import dendrogram as dendrogram_module


def supports(found: Consensus) -> dict[Clade, tuple[float, float, float]]:
    """Return support, recurrence and height of each node, by its items."""
    rows = zip(found.nodes, found.support, found.exact, found.height, strict=True)
    return {
        frozenset(items.tolist()): tuple(round(float(value), 12) for value in values)  # type: ignore[misc]
        for items, *values in rows
    }


def clusters(found: Consensus) -> set[Clade]:
    numbers = np.unique(found.labels)
    return {frozenset(np.flatnonzero(found.labels == number).tolist()) for number in numbers}


def assert_same(found: Consensus, other: Consensus, items: list[int] | None = None) -> None:
    """Check that two are equal, after the items of the second are renamed."""

    def rename(clade: Clade) -> Clade:
        return clade if items is None else frozenset(items[item] for item in clade)

    assert {rename(clade): values for clade, values in supports(other).items()} == supports(found)
    assert {rename(clade) for clade in clusters(other)} == clusters(found)


def check(found: Consensus, n_items: int) -> None:
    """Check what holds for any consensus."""
    tree = Tree.from_labels(found.paths, clusters=found.labels, in_remainder=found.in_remainder)
    assert [node.items.tolist() for node in tree.nodes] == [items.tolist() for items in found.nodes]
    assert [node.is_remainder for node in tree.nodes] == found.is_remainder.tolist()
    assert [node.is_cluster for node in tree.nodes] == found.is_cluster.tolist()
    assert found.paths.dtype == np.int32
    for node, items in enumerate(found.nodes):
        assert node == 0 or (found.paths[items] == node).any(axis=1).all()
    assert len(found.labels) == n_items
    assert set(np.unique(found.labels)) == set(range(int(found.labels.max()) + 1))
    own = [frozenset(found.nodes[node].tolist()) for node in np.flatnonzero(found.is_cluster)]
    assert len(own) == len(set(own))
    assert set(own) == clusters(found)
    leaves = [leaf.items for leaf in tree.leaves]
    for items in leaves:
        assert len(set(found.in_remainder[items])) == 1
        assert len(set(found.labels[items])) == 1
    flagged = [found.nodes[node] for node in np.flatnonzero(found.is_remainder)]
    expected = np.sort(np.concatenate([np.empty(0, np.intp), *flagged]))
    assert expected.tolist() == np.flatnonzero(found.in_remainder).tolist()
    assert (found.exact <= found.support + 1e-12).all()
    assert (found.support >= -1e-12).all()
    assert (found.support <= 1.0).all()


def test_two_groups_and_a_wandering_item() -> None:
    one, other = [[0]] * 4 + [[1]] * 5, [[0]] * 5 + [[1]] * 4
    found = consensus([one, one, one, other])
    check(found, 9)
    assert found.labels.tolist() == [0] * 4 + [1] * 5
    assert [items.tolist() for items in found.nodes] == [
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        [4, 5, 6, 7, 8],
        [0, 1, 2, 3],
    ]
    by_items = supports(found)
    # One item of five and one of four has to move in one of four draws.
    assert by_items[frozenset(range(4, 9))][:2] == pytest.approx((1 - 1 / 4 / 4, 3 / 4))
    assert by_items[frozenset(range(4))][:2] == pytest.approx((1 - 1 / 3 / 4, 3 / 4))


def test_items_in_no_child_are_one_remainder(monkeypatch: pytest.MonkeyPatch) -> None:
    # {0,1,2} recurs within {0,…,8}; the others form other pairs in each draw, each pair once.
    pairings = ["34 56 78", "35 47 68", "36 48 57", "37 46 58", "38 45 67"]
    draws = np.zeros((5, 12, 2), int)
    draws[:, 9:] = 1, 9
    for draw, pairs in zip(draws, pairings, strict=True):
        for number, pair in enumerate(pairs.split(), start=1):
            draw[[int(item) for item in pair], 1] = number
    monkeypatch.setattr(dendrogram_module, "VI_WEIGHT", 0.5)
    found = consensus(draws)
    check(found, 12)
    assert [items.tolist() for items in found.nodes[1:]] == [
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        [0, 1, 2],
        [3, 4, 5, 6, 7, 8],
        [9, 10, 11],
    ]
    assert found.labels.tolist() == [0] * 9 + [1] * 3
    assert np.flatnonzero(found.in_remainder).tolist() == [3, 4, 5, 6, 7, 8]
    assert found.is_remainder.tolist() == [False, False, False, True, False]


def test_components_count_as_a_level() -> None:
    paths = np.zeros((1, 4, 6, 1), int)
    plain = as_draws(paths)
    arrays = plain.to_arrays()
    arrays["components"][:] = [0, 0, 0, 1, 1, 1]
    found = similarity.similarity(Draws(arrays, plain.names), np.arange(6))
    assert (found.n_levels, found.n_all) == (4, 8)
    assert set(found.levels.ravel()) == {4}
    assert found.all[0].tolist() == [8, 8, 8, 4, 4, 4]
    linked = dendrogram_module.dendrogram(found)
    assert linked.parents.tolist() == [6, 6, 6, 7, 7, 7, 8, 8, -1]
    assert linked.heights[6:].tolist() == [0.0, 0.0, 0.5]


@quick
@given(several_trees(1, 6), st.integers(0, 2**32))
def test_the_order_of_items_draws_and_nodes_does_not_matter(draws: Paths, seed: int) -> None:
    found = consensus(draws)
    check(found, draws.shape[1])
    order = np.random.default_rng(seed).permutation(draws.shape[1])
    assert_same(found, consensus(draws[:, order]), order.tolist())
    assert_same(found, consensus(relabel_and_shuffle(draws, seed)))
    assert_same(found, consensus(np.repeat(draws, 2, axis=0)))
    assert_same(found, consensus(draws[:, None]))


@pytest.mark.parametrize("n_items", [12, 40, 150])
def test_the_order_does_not_matter_for_more_items(n_items: int) -> None:
    rng = np.random.default_rng(n_items)
    classes = np.sort(rng.integers(6, size=n_items))
    noisy = np.where(rng.random((2, 10, n_items)) < 0.1, rng.integers(6, size=n_items), classes)
    paths = np.stack([noisy // 3, noisy], axis=-1)
    found = consensus(as_draws(paths))
    check(found, n_items)
    order = rng.permutation(n_items)
    assert_same(found, consensus(as_draws(paths[::-1][:, :, order])), order.tolist())


@quick
@given(trees(), st.integers(1, 4), st.sampled_from([0.01, 0.8, 1.0, 5.0]))
def test_equal_draws_give_back_their_tree(paths: Paths, times: int, weight: float) -> None:
    before = dendrogram_module.VI_WEIGHT
    dendrogram_module.VI_WEIGHT = weight  # moves the clusters to another level
    try:
        found = consensus(np.repeat(paths[None], times, axis=0))
    finally:
        dendrogram_module.VI_WEIGHT = before
    check(found, len(paths))
    assert set(supports(found)) == clades(paths)
    assert set(found.support) == set(found.exact) == {1.0}
    assert not found.in_remainder.any()


def test_supports_are_those_of_the_tree() -> None:
    draws = random_draws(5, 2, 30, 14, 3)
    found = consensus(draws)
    tree = Tree.from_labels(found.paths)
    for node, each in zip(tree.nodes, support(tree, draws).values(), strict=True):
        place = [items.tolist() for items in found.nodes].index(node.items.tolist())
        assert each == pytest.approx((found.support[place], found.exact[place]))
    assert found.distances.shape == (2, 30, len(found.nodes))


def test_nodes_above_and_below_the_clusters_are_selected_by_support(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draws = random_draws(6, 30, 14, 3)
    sets: Callable[[], set[Clade]] = lambda: set(supports(consensus(draws)))  # noqa: E731
    for name in ("MIN_SUPPORT_ABOVE", "MIN_SUPPORT_BELOW", "MIN_SHARE_ALONE"):
        monkeypatch.setattr(presented, name, 1.01)
    fewest = sets()
    assert fewest == clusters(consensus(draws)) | {frozenset(range(14))}
    monkeypatch.setattr(presented, "MIN_SUPPORT_ABOVE", 0.0)
    monkeypatch.setattr(presented, "MIN_SUPPORT_BELOW", 0.0)
    assert sets() > fewest


def grouped_draws(n_items: int) -> Paths:
    """Return two chains of draws of six groups in two, each item astray in a tenth of them."""
    rng = np.random.default_rng(1)
    classes = np.arange(n_items) % 6
    astray = rng.random((2, 20, n_items)) < 0.1
    leaves = np.where(astray, rng.integers(6, size=astray.shape), classes)
    return np.stack([leaves // 3, leaves], axis=-1)


@pytest.mark.parametrize("as_run", [False, True])
def test_a_large_table_is_sampled_and_the_others_attached(
    as_run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = grouped_draws(90)
    monkeypatch.setattr(similarity, "MAX_PAIRWISE_ITEMS", 60)
    found = consensus(as_draws(paths) if as_run else paths)
    check(found, 90)
    assert len(found.sample) == 60
    assert (np.diff(found.sample) > 0).all()
    assert found.linkage.shape == (59, 4)
    sample = paths[:, :, found.sample]
    alone = consensus(as_draws(sample) if as_run else sample)
    inside = np.full(90, -1)
    inside[found.sample] = np.arange(60)
    of_sample = {frozenset(inside[items][inside[items] >= 0].tolist()) for items in found.nodes}
    assert of_sample == set(supports(alone))
    for items, *values in zip(found.nodes, found.support, found.exact, found.height, strict=True):
        own = frozenset(inside[items][inside[items] >= 0].tolist())
        assert supports(alone)[own] == pytest.approx(values)
    # The leaves are the six groups: every item is in the group that it is in most often.
    leaves = {frozenset(leaf.items.tolist()) for leaf in Tree.from_labels(found.paths).leaves}
    assert leaves == {frozenset(range(first, 90, 6)) for first in range(6)}


def descend(found: Consensus, item: int, draws: Draws) -> list[int]:
    """Return the path of an item by the similarities of all pairs."""
    counts = similarity.similarity(draws, np.arange(draws.n_items)).all[item]
    sampled = [np.intersect1d(items, found.sample) for items in found.nodes]
    at, path = 0, []
    for column in found.paths.T:
        children = sorted(set(column[found.nodes[at]].tolist()) - {at})
        if children:
            # Ties go to the child with the most sampled items, and then to the first of them; a
            # remainder comes last.
            at = max(
                children,
                key=lambda child: (
                    Fraction(int(counts[sampled[child]].sum()), len(sampled[child])),
                    not found.is_remainder[child],
                    len(sampled[child]),
                    -int(sampled[child][0]),
                ),
            )
        path.append(at)
    return path


@pytest.mark.parametrize("seed", range(6))
def test_an_item_descends_to_the_child_of_highest_mean_similarity(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similarity, "MAX_PAIRWISE_ITEMS", 20)
    arrays = as_draws(random_draws(seed, 2, 5, 40, 2)).to_arrays()
    arrays["components"][:] = np.random.default_rng(seed).integers(4, size=(2, 5, 40))
    draws = Draws(arrays, [str(item) for item in range(40)])
    for name in ("MIN_SUPPORT_ABOVE", "MIN_SUPPORT_BELOW"):
        monkeypatch.setattr(presented, name, 0.0)
    found = consensus(draws)
    check(found, 40)
    assert found.paths.max() > 1
    for item in set(range(40)) - set(found.sample.tolist()):
        assert found.paths[item].tolist() == descend(found, item, draws)
    monkeypatch.setattr(attach, "BLOCK_SIMILARITIES", 5 * len(found.nodes))
    assert_same(found, consensus(draws))
    monkeypatch.setattr(attach, "MAX_SUM", 1)  # the last draw of each chain
    check(consensus(draws), 40)


def test_one_item() -> None:
    found = consensus(np.zeros((3, 1, 2), int))
    check(found, 1)
    assert found.paths.tolist() == [[0]]
    assert found.linkage.shape == (0, 4)
    assert found.is_cluster.tolist() == [True]


def test_a_deep_tree_of_groups_of_unequal_depth() -> None:
    choices = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [1, 0, 0]])
    paths = build_paths(choices, np.arange(6))
    found = consensus(paths[None])
    assert set(supports(found)) == clades(paths)
