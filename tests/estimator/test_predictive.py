"""Path probabilities of new items: their definition, and that items do not affect each other."""

import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import dask.array
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

import rbhmc
from rbhmc.placement import find_equal_rows
from rbhmc.predictive import (
    Predictive,
    TreeParameters,
    draw_parameters,
)
from reference import predictive as reference
from support import SAMPLER_DEFAULTS

Floats = NDArray[np.float64]
SETTINGS: dict[str, Any] = {
    "alpha": 0.7,
    "C": 0.6,
    "margin": 1.2,
    "eta_scale": 0.9,
    "noise_cov": np.array([[0.8, 0.2], [0.2, 0.5]]),
    "base_mean": np.array([0.3, -0.1]),
    "base_cov": np.array([3.0, 2.0]),
}
X = np.array([[0.0, 0.2], [0.4, 0.1], [3.0, 3.1], [3.2, 2.7], [-2.0, 3.0], [0.1, 0.4]])


def expected_factor(loss: float, gap: float, spread: float, C: float) -> float:
    """E[exp(−2C max(loss, gap − g))] with g ~ N(0, spread²), by quadrature."""
    if spread == 0.0:
        return math.exp(-2 * C * max(loss, gap))

    def integrand(g: float) -> float:
        return math.exp(-2 * C * max(loss, gap - g) - 0.5 * (g / spread) ** 2)

    kink = min(max(gap - loss, -12 * spread), 12 * spread)
    total = sum(
        integrate.quad(integrand, low, high, epsabs=1e-14, limit=200)[0]
        for low, high in ((-12 * spread, kink), (kink, 12 * spread))
    )
    return float(total) / (spread * math.sqrt(2 * math.pi))


def by_definition(x: Floats, parameters: TreeParameters, draw: int, kappa: float = 0.0) -> Floats:
    """Return the path probabilities: the candidates of a Gibbs step, with the new η integrated.

    Margins have x̃ = (x, κ) in place of x.
    """
    extended = np.append(x, kappa) if kappa > 0 else x
    margin, alpha = SETTINGS["margin"], SETTINGS["alpha"]
    C = 0.0 if parameters.discriminants is None else SETTINGS["C"]
    noise, base = SETTINGS["noise_cov"], np.diag(SETTINGS["base_cov"])
    weights, means = parameters.weights[draw], parameters.means[draw]
    parent, size = parameters.parent, parameters.n_items
    density = [stats.multivariate_normal(mean, noise).pdf(x) for mean in means]
    density.append(stats.multivariate_normal(SETTINGS["base_mean"], noise + base).pdf(x))
    score = np.zeros(len(parent))
    if parameters.discriminants is not None:
        score = parameters.discriminants[draw] @ extended
    out = []
    for node in range(len(parent)):
        branch = [node]
        while parent[branch[-1]] >= 0:
            branch.append(int(parent[branch[-1]]))
        prior, loss = 1.0, 0.0
        for child in branch[:-1]:
            above = parent[child]
            prior *= size[child] / (size[above] + alpha)
            for sibling in np.flatnonzero(parent == above):
                if sibling != child:
                    loss = max(loss, margin - score[child] + score[sibling])
        factor = math.exp(-2 * C * loss)
        children = np.flatnonzero(parent == node)
        if len(children):
            prior *= alpha / (size[node] + alpha)
            spread = float(SETTINGS["eta_scale"] * np.linalg.norm(extended))
            factor = expected_factor(loss, margin + float(score[children].max()), spread, C)
        out.append(prior * factor * float(weights[node] @ np.array(density)))
    return np.array(out) / sum(out)


@pytest.mark.parametrize(("C", "intercept"), [(0.0, 0.0), (0.6, 0.0), (0.0, 1.7), (0.6, 1.7)])
def test_probabilities_follow_their_definition(C: float, intercept: float) -> None:
    settings = SETTINGS | {"C": C, "intercept": intercept}
    sampler = rbhmc.Sampler(X, n_levels=2, **settings, seed=3)
    sampler.sweep(200)
    paths = sampler.paths
    parameters = draw_parameters(sampler, n_draws=3, n_warmup=5, thin=2)
    assert np.array_equal(sampler.paths, paths)
    predictive = Predictive(parameters, settings)
    new = np.array([[0.1, 0.0], [3.0, 3.0], [-9.0, 7.0], [0.0, 0.0], [40.0, -30.0]])
    probabilities = predictive.probabilities(new)
    for x, probability in zip(new, probabilities, strict=True):
        expected = np.mean(
            [by_definition(x, parameters, draw, intercept) for draw in range(3)], axis=0
        )
        assert np.allclose(probability, expected, rtol=1e-6, atol=1e-12)
        if C * intercept > 0:
            # Control: with 1 % more intercept the probabilities differ.
            more = [by_definition(x, parameters, draw, 1.01 * intercept) for draw in range(3)]
            assert not np.allclose(probability, np.mean(more, axis=0), rtol=1e-6, atol=1e-12)
    merged = predictive.probabilities(new, np.zeros(len(parameters.parent), np.intp))
    assert merged.shape == (5, 1)
    assert np.allclose(merged, 1.0)


@pytest.fixture(scope="module")
def model() -> rbhmc.RBHMC:
    """Fit 50 items with 12 features on 5 principal components."""
    table = rbhmc.simulate(50, 12, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=1)["X"]
    settings: dict[str, Any] = {"n_chains": 1, "n_warmup": 50, "n_draws": 50, "thin": 1}
    return rbhmc.RBHMC(**SAMPLER_DEFAULTS, n_pca=5, random_state=0, **settings).fit(table)


def new_items(n_items: int) -> Floats:
    return 4.0 * np.random.default_rng(2).normal(size=(n_items, 12))


@pytest.mark.parametrize("intercept", [0.0, "auto"])
@pytest.mark.parametrize("alpha", [0.35, "learn"])
def test_many_nodes_agree_with_the_reference(alpha: Any, intercept: Any) -> None:
    table = rbhmc.simulate(200, 4, alpha=2.0, gamma0=3.0, base_cov=9.0, seed=5)["X"]
    sampler = rbhmc.Sampler(table, alpha=alpha, intercept=intercept, n_levels=5, margin=1.0, seed=1)
    sampler.sweep(60)
    parameters = draw_parameters(sampler, n_draws=3, n_warmup=5, thin=1)
    assert len(parameters.parent) > 20
    assert (parameters.learned is not None) == (alpha == "learn")
    predictive = Predictive(parameters, sampler.settings)
    items = 3.0 * np.random.default_rng(6).normal(size=(100, 4))
    expected = reference.path_probabilities(predictive, items)
    probabilities = predictive.probabilities(items)
    np.testing.assert_allclose(probabilities, expected, rtol=1e-9, atol=1e-100)


@pytest.mark.parametrize("settings", [{}, SAMPLER_DEFAULTS, {"alpha": "learn"}, {"C": 0.0}])
def test_leaves_of_the_tree_by_the_paths_of_the_draws(settings: dict[str, Any]) -> None:
    """The probability of a leaf, path by path of each draw, from the definition."""
    table = rbhmc.simulate(60, 3, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=5)["X"]
    lengths: dict[str, Any] = {"n_chains": 3, "n_warmup": 30, "n_draws": 10, "thin": 1}
    model = rbhmc.RBHMC(**settings, random_state=1, **lengths).fit(table)
    found = model._learn_placement().predictive
    assert len(found.draws) == 24
    items = table[::7] + 0.3
    prepared = model.preparation_.transform(items)
    leaves = [set(leaf.items.tolist()) for leaf in model.tree_.leaves]
    assert len(leaves) > 2
    expected = np.zeros((len(items), len(leaves) + 1))
    clusters = np.zeros((len(items), len(model.tree_.clusters)))
    places = [(chain, draw) for chain in range(3) for draw in reversed(range(10))]
    # Eight draws of each chain, evenly spaced, and the last of them first.
    kept = [round(draw) for draw in np.linspace(9, 0, 9)[:-1]]
    used = [place for place in places if place[1] in kept]
    for (chain, at), draw in zip(used, found.draws, strict=True):
        paths = model.draws_.paths[chain, at]
        probabilities = reference.path_probabilities(draw.predictive, prepared)
        for node, is_leaf, groups in iterate_nodes(paths):
            leaf = lead_to_leaf(model.tree_, groups)
            column = leaves.index(leaf) if is_leaf else len(leaves)
            expected[:, column] += probabilities[:, node] / 24
            cluster = model.labels_[min(leaf)]
            clusters[:, cluster] += probabilities[:, node] / 24
    np.testing.assert_allclose(model.predict_path_proba(items), expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_array_equal(model.predict(items), clusters.argmax(axis=1))
    chosen = model._learn_placement().leaves(model.preparation_.encode(items))
    for item, leaf in enumerate(chosen):
        assert model.labels_[min(leaves[leaf])] == clusters[item].argmax()


def iterate_nodes(paths: NDArray[np.int32]) -> Iterator[tuple[int, bool, list[set[int]]]]:
    """Yield each node of a draw: its number, whether it is a leaf, and the nodes of its path."""
    yield 0, False, []
    number = 0
    for level in range(paths.shape[1]):
        for label in range(paths[:, level].max() + 1):
            number += 1
            first = np.flatnonzero(paths[:, level] == label)[0]
            above = [
                set(np.flatnonzero(paths[:, up] == paths[first, up]).tolist())
                for up in range(level + 1)
            ]
            yield number, level == paths.shape[1] - 1, above


def lead_to_leaf(tree: rbhmc.Tree, groups: list[set[int]]) -> set[int]:
    """Descend from the root to the child whose items are together with most of the groups."""
    node = tree.root
    while not node.is_leaf:
        children = [tree.node(child) for child in node.children]
        shares = [
            Fraction(sum(len(group & set(child.items.tolist())) for group in groups), child.size)
            for child in children
        ]
        node = children[shares.index(max(shares))]
    return set(node.items.tolist())


def test_probabilities_of_an_item_do_not_depend_on_the_others(model: rbhmc.RBHMC) -> None:
    items = new_items(300)
    together = model.predict_path_proba(items)
    assert len(model.tree_.leaves) > 2
    for size in (1, 7, 63, 64, 65, 299):
        parts = [items[start : start + size] for start in range(0, 300, size)]
        np.testing.assert_array_equal(
            np.concatenate([model.predict_path_proba(part) for part in parts]), together
        )
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(model.predict_path_proba(items[order]), together[order])
    # Neither does the memory layout of the table matter.
    np.testing.assert_array_equal(
        model.predict_path_proba(np.asfortranarray(items)[::2]), together[::2]
    )


def test_predict_gives_the_same_in_blocks_of_any_size(
    model: rbhmc.RBHMC, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = new_items(200)
    whole = model.predict(items)
    assert len(set(whole)) > 1
    for size in (1, 64, 199):
        monkeypatch.setattr("rbhmc.placement.ITEMS_PER_BLOCK", size)
        np.testing.assert_array_equal(model.predict(items), whole)


def test_blocks_of_a_dask_array_give_the_same(model: rbhmc.RBHMC) -> None:
    items = new_items(500)
    blocks: Any = dask.array.from_array(items, chunks=(77, -1))  # type: ignore[no-untyped-call]
    leaves = blocks.map_blocks(model.predict, dtype=np.intp, drop_axis=1)
    np.testing.assert_array_equal(leaves.compute(scheduler="threads"), model.predict(items))
    n_columns = len(model.path_columns_)
    paths = blocks.map_blocks(model.predict_path_proba, dtype=np.float64, chunks=(77, n_columns))
    whole = model.predict_path_proba(items)
    np.testing.assert_array_equal(paths.compute(scheduler="threads"), whole)


def test_a_signal_handler_can_end_a_long_prediction(model: rbhmc.RBHMC) -> None:
    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    items = np.zeros((1_000_000, 5))
    predictive = model._learn_placement().predictive
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeoutError):
            predictive.probabilities(items)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


THREADS = """
import hashlib, pickle, sys
model, items = pickle.load(sys.stdin.buffer)
print(hashlib.sha256(model.predict_path_proba(items).tobytes()).hexdigest())
"""


def test_the_number_of_threads_changes_nothing(model: rbhmc.RBHMC) -> None:
    given = pickle.dumps((model, new_items(5000)))
    digests = {
        subprocess.run(
            [sys.executable, "-c", THREADS],
            input=given,
            capture_output=True,
            check=True,
            env=os.environ | {"RAYON_NUM_THREADS": n_threads},
        ).stdout
        for n_threads in ("1", "3")
    }
    assert len(digests) == 1


def test_items_far_from_everything_still_have_probabilities() -> None:
    model = rbhmc.RBHMC(n_chains=1, n_warmup=50, n_draws=50, thin=1, random_state=0).fit(X)
    far = np.array([[1e6, -1e6], [1e12, 1e12], [1e200, 1e200], [-1e299, 1e299]])
    probability = model.predict_path_proba(far)
    assert np.allclose(probability.sum(axis=1), 1.0)
    assert np.allclose(probability[2], probability[1])


GROUPS = np.repeat([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]], 15, axis=0)
GROUPS += np.random.default_rng(4).normal(size=GROUPS.shape)


@pytest.fixture(scope="module")
def grouped() -> rbhmc.RBHMC:
    """Fit three separate groups with the default settings."""
    return rbhmc.RBHMC(random_state=0).fit(GROUPS)


def test_new_items_near_a_cluster_get_it(grouped: rbhmc.RBHMC) -> None:
    assert len(grouped.tree_.clusters) == 3
    near = GROUPS + np.random.default_rng(5).normal(size=GROUPS.shape)
    np.testing.assert_array_equal(grouped.predict(near), grouped.labels_)
    probability = grouped.predict_path_proba(GROUPS)
    assert np.allclose(probability.sum(axis=1), 1.0, rtol=0.0, atol=1e-12)
    assert (probability >= 0.0).all()
    assert (probability[:, -1] < 0.2).all()


@pytest.mark.parametrize("far", [[100.0, 100.0], [-80.0, 0.0], [0.0, 1e6], [60.0, -60.0]])
def test_items_far_away_are_a_new_branch(grouped: rbhmc.RBHMC, far: list[float]) -> None:
    probability = grouped.predict_path_proba(np.array([far]))
    assert grouped.path_columns_[-1] == "new branch"
    assert probability[0, -1] > 0.95
    assert probability.sum() == pytest.approx(1.0)
    assert grouped.predict(np.array([far]))[0] in grouped.labels_


def load_tables() -> dict[str, Floats]:
    from sklearn import datasets
    from sklearn.preprocessing import StandardScaler

    return {
        "iris": datasets.load_iris().data,
        "wine": StandardScaler().fit_transform(datasets.load_wine().data),
        "animals": rbhmc.datasets.load_animals().data,
        "digits": datasets.load_digits().data[:500],
    }


@pytest.mark.parametrize("name", ["iris", "wine", "animals", "digits"])
def test_training_items_get_their_clusters(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = load_tables()[name]
    model = rbhmc.RBHMC(random_state=0).fit(table)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    # Without the rule for equal rows, as if the items were new.
    monkeypatch.setattr(
        "rbhmc.placement.find_equal_rows", lambda rows, known: np.full(len(rows), -1)
    )
    assert (model.predict(table) == model.labels_).mean() >= 0.95


def test_predictions_are_the_same_again_and_after_pickling() -> None:
    model = rbhmc.RBHMC(random_state=0, n_chains=4).fit(GROUPS)
    new = GROUPS + 0.5
    before = pickle.loads(pickle.dumps(model))
    probability = model.predict_path_proba(new)
    after = pickle.loads(pickle.dumps(model))
    again = rbhmc.RBHMC(random_state=0, n_chains=4, n_jobs=1).fit(GROUPS)
    for other in (before, after, again, model):
        np.testing.assert_array_equal(other.predict_path_proba(new), probability)
        np.testing.assert_array_equal(other.predict(new), model.predict(new))


@pytest.mark.parametrize(
    "table",
    [
        np.array([[1.0, 2.0]]),
        np.array([[0.0, 0.0], [1.0, 1.0]]),
        np.ones((2, 2)),
        np.ones((7, 3)),
        np.zeros((5, 1)),
        np.repeat([[0.0, 1.0], [5.0, 5.0]], 6, axis=0),
        np.column_stack([np.arange(6.0), np.ones(6)]),
    ],
    ids=["one", "two", "two equal", "constant", "zeros", "duplicates", "constant column"],
)
def test_few_equal_and_constant_items(table: Floats) -> None:
    model = rbhmc.RBHMC(random_state=0).fit(table)
    assert model.labels_.shape == (len(table),)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    probability = model.predict_path_proba(np.vstack([table, table + 0.5]))
    assert np.isfinite(probability).all()
    assert np.allclose(probability.sum(axis=1), 1.0)
    assert set(model.predict(table + 0.5)) <= set(model.labels_)
    # Equal items are in the same cluster.
    for row in np.unique(table, axis=0):
        assert len(set(model.labels_[(table == row).all(axis=1)])) == 1


def test_equal_rows_are_found() -> None:
    rng = np.random.default_rng(0)
    known = rng.integers(-2, 3, size=(200, 3)).astype(np.float64)
    rows = np.asfortranarray(rng.integers(-3, 4, size=(500, 3)).astype(np.float64))
    rows[rows == 0.0] *= -1.0  # -0 equals 0
    expected = [max(np.flatnonzero((known == row).all(axis=1)), default=-1) for row in rows]
    assert -1 in expected
    assert find_equal_rows(rows, known).tolist() == expected
    assert find_equal_rows(rows[:0], known).tolist() == []
    np.testing.assert_array_equal(find_equal_rows(rows[:, ::-1], known[:, ::-1]), expected)


def test_equal_rows_of_many_items_take_seconds() -> None:
    rng = np.random.default_rng(0)
    known, rows = rng.normal(size=(2_000, 10)), rng.normal(size=(1_000_000, 10))
    rows[::1000] = known[:1000]
    start = time.process_time()
    found = find_equal_rows(rows, known)
    assert time.process_time() - start < 10.0
    np.testing.assert_array_equal(np.flatnonzero(found >= 0), np.arange(0, 1_000_000, 1000))
    np.testing.assert_array_equal(found[::1000], np.arange(1000))
