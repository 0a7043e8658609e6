"""Path probabilities of new items, against their definition."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

import rbhmc
from rbhmc.predictive import Predictive, TreeParameters, draw_parameters, ln_expected_factor

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


@pytest.mark.parametrize("loss", [0.0, 0.7])
@pytest.mark.parametrize("gap", [-3.0, 0.5, 4.0])
@pytest.mark.parametrize("spread", [0.0, 0.3, 2.5])
@pytest.mark.parametrize("C", [0.2, 3.0])
def test_the_expected_factor_is_its_integral(
    loss: float, gap: float, spread: float, C: float
) -> None:
    got = ln_expected_factor(np.array(loss), np.array(gap), np.array(spread), C)
    if spread == 0.0:
        want = math.exp(-2 * C * max(loss, gap))
    else:

        def integrand(g: float) -> float:
            return math.exp(-2 * C * max(loss, gap - g)) * float(stats.norm.pdf(g, scale=spread))

        kink = min(max(gap - loss, -12 * spread), 12 * spread)
        want = sum(
            integrate.quad(integrand, low, high, epsabs=1e-14, limit=200)[0]
            for low, high in ((-12 * spread, kink), (kink, 12 * spread))
        )
    assert math.exp(got) == pytest.approx(want, rel=1e-6)


def by_definition(x: Floats, parameters: TreeParameters, draw: int) -> Floats:
    """Weights of all nodes, normalised: Section 4.2's candidates with the new η integrated out."""
    C, margin, alpha = SETTINGS["C"], SETTINGS["margin"], SETTINGS["alpha"]
    noise, base = SETTINGS["noise_cov"], np.diag(SETTINGS["base_cov"])
    weights, means = parameters.weights[draw], parameters.means[draw]
    parent, size = parameters.parent, parameters.n_items
    density = [stats.multivariate_normal(mean, noise).pdf(x) for mean in means]
    density.append(stats.multivariate_normal(SETTINGS["base_mean"], noise + base).pdf(x))
    assert parameters.discriminants is not None
    score = parameters.discriminants[draw] @ x
    out = []
    for node in range(len(parent)):
        way = [node]
        while parent[way[-1]] >= 0:
            way.append(int(parent[way[-1]]))
        prior, loss = 1.0, 0.0
        for child in way[:-1]:
            above = parent[child]
            prior *= size[child] / (size[above] + alpha)
            for sibling in np.flatnonzero(parent == above):
                if sibling != child:
                    loss = max(loss, margin - score[child] + score[sibling])
        factor = math.exp(-2 * C * loss)
        children = np.flatnonzero(parent == node)
        if len(children):
            prior *= alpha / (size[node] + alpha)
            spread = np.array(SETTINGS["eta_scale"] * np.linalg.norm(x))
            gap = np.array(margin + score[children].max())
            factor = math.exp(ln_expected_factor(np.array(loss), gap, spread, C))
        out.append(prior * factor * float(weights[node] @ np.array(density)))
    return np.array(out) / sum(out)


def test_probabilities_are_those_of_the_definition() -> None:
    sampler = rbhmc.Sampler(X, n_levels=2, **SETTINGS, seed=3)
    sampler.sweep(200)
    paths = sampler.paths
    parameters = draw_parameters(sampler, n_draws=3, n_warmup=5, thin=2)
    assert np.array_equal(sampler.paths, paths)
    predictive = Predictive.build(parameters, n_dims=2, **SETTINGS)
    new = np.array([[0.1, 0.0], [3.0, 3.0], [-9.0, 7.0], [0.0, 0.0]])
    got = predictive.probabilities(new)
    for x, probability in zip(new, got, strict=True):
        want = np.mean([by_definition(x, parameters, draw) for draw in range(3)], axis=0)
        assert np.allclose(probability, want, rtol=1e-6, atol=1e-12)


def test_items_far_from_everything_still_have_probabilities() -> None:
    model = rbhmc.RBHMC(n_chains=1, n_warmup=50, n_draws=50, thin=1, random_state=0).fit(X)
    probability = model.predict_path_proba(np.array([[1e6, -1e6], [1e12, 1e12]]))
    assert np.allclose(probability.sum(axis=1), 1.0)
