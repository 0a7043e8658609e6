"""Chains of subsamples: the law of the placed items, and runs that resume to the bit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import chi2

import rbhmc
from rbhmc import InvalidCheckpoint, InvalidInput, Sampler
from rbhmc.predictive import TreeParameters
from rbhmc.sampling import RunFolder, chain_store, run_chains
from rbhmc.sampling.chain import Chain
from rbhmc.sampling.subsample import SubsampleSampler, draw_subsample, place_items
from reference.predictive import covariance, ln_loss_factor, ln_normals
from sampling.cases import QUICK, X, assert_same_chunks, assert_same_model
from sampling.watching import stop_after

FITTED = np.array([0, 2, 3, 5, 8, 9, 11, 12, 14, 17, 18])
# Placements of the same item, and the level of each comparison.
N_PLACED = 20_000
LEVEL = 1e-4


def subsample_chains(n: int, n_draws: int = 30) -> list[Chain]:
    return [
        Chain(X, seed=seed, n_warmup=40, n_draws=n_draws, thin=3, fitted=FITTED)
        for seed in range(n)
    ]


def find_law(sampler: Sampler, x: NDArray[np.float64], *, C: float) -> NDArray[np.float64]:
    """Return the probability of each leaf and component of an item, from the equations."""
    tree: Any = sampler.tree
    settings = sampler.settings | {"C": C}
    known = TreeParameters(tree["parent"], tree["level"], tree["n_items"], [], [], None, None)
    noise, base = (covariance(settings[key], len(x)) for key in ("noise_cov", "base_cov"))
    base_mean = np.broadcast_to(settings["base_mean"], (1, len(x)))
    ln_f = ln_normals(x[None], sampler.means, noise)[0]
    ln_new = ln_normals(x[None], base_mean, noise + base)[0]
    leaves = np.flatnonzero(known.level == known.level.max())
    sizes = known.n_items.astype(float)
    ln_prior = np.zeros(len(sizes))
    for node in range(1, len(sizes)):
        above = known.parent[node]
        ln_prior[node] = ln_prior[above] + np.log(sizes[node] / sizes[above])
    ln_loss = ln_loss_factor(known, x[None], tree["discriminants"], settings)[0]
    weights = tree["weights"][leaves]
    ln_mix = logsumexp(np.append(ln_f, ln_new)[None], axis=1, b=weights)
    ln_leaf = ln_prior[leaves] + ln_mix + ln_loss[leaves]
    with np.errstate(divide="ignore"):
        ln_component = np.log(weights[:, :-1]) + ln_f
    ln_component -= logsumexp(ln_component, axis=1, keepdims=True)
    law: NDArray[np.float64] = np.exp(ln_leaf - logsumexp(ln_leaf))[:, None] * np.exp(ln_component)
    return law


def p_value(counts: NDArray[Any], law: NDArray[np.float64]) -> float:
    """Return the p-value of Pearson's test; cells of fewer than five expected are one cell."""
    expected = law.ravel() * counts.sum()
    is_rare = expected < 5.0
    observed = np.append(counts.ravel()[~is_rare], counts.ravel()[is_rare].sum())
    expected = np.append(expected[~is_rare], expected[is_rare].sum() + 1e-9)
    statistic = ((observed - expected) ** 2 / np.maximum(expected, 1e-9))[expected > 1.0].sum()
    return float(chi2.sf(statistic, (expected > 1.0).sum() - 1))


@pytest.mark.parametrize("noise_cov", [4.0, "learn-diagonal", "full"])
def test_the_law_of_a_placed_item(noise_cov: Any) -> None:
    if noise_cov == "full":
        noise_cov = np.array([[4.0, 0.5, 0.0], [0.5, 3.0, 0.2], [0.0, 0.2, 5.0]])
    sampler = Sampler(X, C=0.2, margin=1.0, intercept=1.0, noise_cov=noise_cov, alpha=2.0, seed=1)
    sampler.sweep(20)
    x = np.array([0.4, -0.3, 0.2])
    paths, components = place_items(sampler, np.tile(x, (N_PLACED, 1)), np.random.default_rng(2))
    law = find_law(sampler, x, C=0.2)
    assert (law > 0.02).sum() >= 4
    counts = np.zeros(law.shape)
    np.add.at(counts, (paths[:, -1], components), 1)
    assert p_value(counts, law) > LEVEL
    # The control: without its margins, an item has another law.
    assert p_value(counts, find_law(sampler, x, C=0.0)) < LEVEL


def test_placed_items_are_in_nodes_of_the_tree() -> None:
    sampler = Sampler(X[FITTED], C=1.0, seed=3)
    chunk = SubsampleSampler(sampler, X, FITTED, seed=3).run(5, thin=4)
    alone: Any = Sampler(X[FITTED], C=1.0, seed=3).run(5, thin=4)
    assert chunk["paths"].shape == (5, len(X), 3)
    assert np.array_equal(chunk["cdll"], alone["cdll"])
    for draw in range(5):
        assert len(np.unique(chunk["paths"][draw], axis=0)) == alone["n_nodes"][draw, -1]
        for own, given in (
            (chunk["paths"][draw, FITTED, -1], alone["paths"][draw, :, -1]),
            (chunk["components"][draw, FITTED], alone["components"][draw]),
        ):
            pairs = set(zip(own.tolist(), given.tolist(), strict=True))
            assert len(pairs) == len(np.unique(own)) == len(np.unique(given))
        first = [chunk["components"][draw].tolist().index(k) for k in range(2)]
        assert first == sorted(first)


def test_an_item_far_from_all_others_is_placed() -> None:
    sampler = Sampler(X, C=1.0, seed=0)
    paths, components = place_items(sampler, np.full((3, 3), 1e9), np.random.default_rng(0))
    assert (paths[:, -1] < sampler.tree["n_items"].size).all()
    assert (components < len(sampler.means)).all()


def test_a_stopped_run_resumes_to_the_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_store, "CHECKPOINT_SECONDS", 0.0)
    whole = run_chains(subsample_chains(2, n_draws=300))
    folder = RunFolder.create(tmp_path, {}, 300)
    with monkeypatch.context() as patch:
        _, partial = stop_after(
            patch, subsample_chains(2, n_draws=300), n_reports=20, n_jobs=1, folder=folder
        )
    assert 0 < len(partial[0]["cdll"]) < 300
    resumed = RunFolder.open(tmp_path)
    assert resumed is not None
    again = run_chains(subsample_chains(2, n_draws=300), folder=resumed)
    for one, other in zip(whole, again, strict=True):
        assert_same_chunks(one, other)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_model_of_subsamples(n_jobs: int, tmp_path: Path) -> None:
    settings = QUICK | {"items_per_chain": 12, "n_jobs": n_jobs}
    model = rbhmc.RBHMC(**settings).fit(X)
    assert model.draws_.n_items == len(X)
    assert model.draws_.settings["items_per_chain"] == 12
    assert "4 chains of 12 items each x 30 draws" in " ".join(model.summary().split())
    assert model.draws_.starts.tolist() == [0, 1, 2, 3]
    rbhmc.RBHMC(**settings | {"n_draws": 7}).fit(X, checkpoint_dir=tmp_path)
    more = rbhmc.RBHMC(**settings).fit(X, checkpoint_dir=tmp_path, resume=True)
    assert_same_model(model, more)


def test_all_items_by_default_and_by_none() -> None:
    default, everything = (
        rbhmc.RBHMC(**QUICK | given).fit(X) for given in ({}, {"items_per_chain": None})
    )
    assert_same_model(default, everything)


def test_given_paths_are_those_of_the_subsample() -> None:
    given = np.arange(20)[:, None].repeat(4, axis=1) // 10
    settings = QUICK | {"n_warmup": 0, "n_draws": 1, "thin": 1, "items_per_chain": 12}
    model = rbhmc.RBHMC(**settings, initial_paths=given).fit(X)
    assert model.draws_.n_items == 20


@pytest.mark.parametrize("items_per_chain", [1, 0, "many", 2.5])
def test_other_numbers_are_refused(items_per_chain: object) -> None:
    with pytest.raises((InvalidInput, TypeError), match="items_per_chain"):
        rbhmc.RBHMC(items_per_chain=items_per_chain).fit(X)  # type: ignore[arg-type]


def test_subsamples_differ() -> None:
    one, other = (draw_subsample(100, 30, seed) for seed in (0, 1))
    assert one is not None and other is not None
    assert len(one) == len(set(one.tolist())) == 30
    assert not np.array_equal(one, other)


def test_a_checkpoint_with_another_number_of_items_is_refused(tmp_path: Path) -> None:
    store = RunFolder.create(tmp_path, {}, 30).store(0)
    sampler: Any = subsample_chains(1)[0].start()
    store.save(sampler, sampler.run(2))
    file = tmp_path / "chain-0" / "state.npz"
    state = chain_store.read_npz(file, file.read_bytes())
    record = json.loads(state["record"].tobytes())
    assert record["n_items"] == len(X)
    for n_items, message in ((5, "its draws have 5 items"), ("20", "draws of '20' items")):
        content = json.dumps(record | {"n_items": n_items}).encode()
        forged = state | {"record": np.frombuffer(content, np.uint8)}
        file.write_bytes(chain_store.write_npz(forged))
        with pytest.raises(InvalidCheckpoint, match=message):
            store.load()
