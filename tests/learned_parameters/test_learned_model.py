"""A fitted model with learned parameters: draws, files, summary, predictions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbhmc
from learned_parameters.cases import ALL, DIAGONAL
from rbhmc import plots
from rbhmc.draws.variables import VARIABLES
from rbhmc.predictive import Predictive, draw_parameters
from sampling.cases import QUICK, X, assert_same_model

LEARNING: dict[str, Any] = {**QUICK, **DIAGONAL, "base_cov": "learn"}


@pytest.fixture(scope="module")
def model() -> Any:
    return rbhmc.RBHMC(**LEARNING).fit(X)


def test_draws_hold_the_learned_parameters(model: Any) -> None:
    draws, n_dims = model.draws_, X.shape[1]
    each = (draws.n_chains, draws.n_draws)
    shapes = {name: values.shape for name, values in draws.learned.items()}
    assert shapes == {**dict.fromkeys(ALL, each), "noise_cov": (*each, n_dims)}
    assert draws.settings["noise_cov"] == "learn-diagonal"
    assert np.array_equal(draws.read("alpha", 1, 3), draws.learned["alpha"][1, 3])


def test_files_and_datatrees_hold_the_learned_parameters(model: Any, tmp_path: Path) -> None:
    model.draws_.save(tmp_path / "draws.zip")
    loaded = rbhmc.Draws.load(tmp_path / "draws.zip")
    posterior: Any = loaded.to_datatree()["posterior"]
    assert posterior["noise_cov"].dims == ("chain", "draw", "dim")
    for name, values in model.draws_.learned.items():
        assert np.array_equal(posterior[name].values, values)
        assert np.array_equal(loaded.learned[name], values)
    fixed = rbhmc.Draws({name: loaded.read(name) for name in VARIABLES}, loaded.names)
    assert fixed.learned == {}
    fixed.save(tmp_path / "draws.zip")
    assert rbhmc.Draws.load(tmp_path / "draws.zip").learned == {}


@pytest.mark.parametrize("shape", [(2,), (2, 3), (2, 3, 4, 5)])
def test_learned_values_of_another_shape_are_refused(model: Any, shape: tuple[int, ...]) -> None:
    arrays = {name: model.draws_.read(name) for name in VARIABLES}
    with pytest.raises(rbhmc.InvalidInput, match="noise_cov has shape"):
        rbhmc.Draws(arrays | {"noise_cov": np.zeros(shape)}, model.draws_.names)


@pytest.mark.parametrize("other", [{}, {"noise_cov": "learn"}, {"noise_cov": "learn-diagonal"}])
def test_chains_must_have_learned_the_same(other: Any) -> None:
    chains = [rbhmc.Sampler(X, **kw).run(3) for kw in ({"alpha": "learn"} | other, other)]
    with pytest.raises(rbhmc.InvalidInput, match="all must have learned the same"):
        rbhmc.Draws.of_chains(chains, [str(n) for n in range(len(X))])


def test_a_resumed_run_continues_to_the_bit(model: Any, tmp_path: Path) -> None:
    rbhmc.RBHMC(**{**LEARNING, "n_draws": 10}).fit(X, checkpoint_dir=tmp_path)
    more = rbhmc.RBHMC(**LEARNING).fit(X, checkpoint_dir=tmp_path, resume=True)
    assert_same_model(more, model)
    for name, values in model.draws_.learned.items():
        assert np.array_equal(values, more.draws_.learned[name])
    with pytest.raises(rbhmc.InvalidInput, match="alpha"):
        rbhmc.RBHMC(**LEARNING | {"alpha": 0.5}).fit(X, checkpoint_dir=tmp_path, resume=True)


def test_summary_report_and_traces_show_the_learned_parameters(model: Any, tmp_path: Path) -> None:
    learned = rbhmc.posterior.learned(model.draws_)
    assert list(learned) == list(ALL)
    low, high = learned["alpha"].interval()
    assert low < learned["alpha"].mean < high
    summary, page = model.summary(), model.report(tmp_path / "page.html").read_text("utf-8")
    for text in (summary, page):
        assert str(learned["alpha"]) in text
    names = ["alpha", "gamma", "gamma0", "noise_cov, mean", "base_cov"]
    assert all(f'"name":"{name}"' in page.replace(": ", ":") for name in names)
    figures = {row.name: row for row in model.diagnostics().table}
    assert figures["noise_cov, mean"].mean == pytest.approx(np.mean(learned["noise_cov"].mean))
    assert figures["alpha"].mean == pytest.approx(learned["alpha"].mean)
    assert len(plots.plot_traces(model, ["alpha", "gamma"])) == 2
    assert "learned" not in rbhmc.RBHMC(**QUICK, noise_cov=1.0).fit(X).summary()


def test_predictions_average_over_what_was_learned() -> None:
    """The probabilities are the mean over the draws, each with its own learned values."""
    sampler = rbhmc.Sampler(X, n_levels=2, **DIAGONAL, seed=1)
    sampler.sweep(50)
    drawn: Any = draw_parameters(sampler, n_draws=6, n_warmup=2, thin=1)
    predictive = Predictive(drawn, sampler.settings)
    assert len({draw["alpha"] for draw in drawn.learned}) == len(drawn.weights)
    new = X[:5] + 0.1

    def predict_with(draws: slice, learned: Any, **settings: Any) -> Any:
        """Return the probabilities by some of the draws."""
        kept = {name: getattr(drawn, name)[draws] for name in ("weights", "means", "discriminants")}
        parameters = replace(drawn, **kept, learned=learned)
        given = {**predictive.settings, **settings}
        return replace(predictive, settings=given, parameters=parameters).probabilities(new)

    first = slice(0, 4)
    each = [predict_with(slice(draw, draw + 1), None, **drawn.learned[draw]) for draw in range(4)]
    assert np.allclose(predict_with(first, drawn.learned[first]), np.mean(each, axis=0))
    # Control: with one value for all draws the probabilities differ.
    assert not np.allclose(predict_with(first, None), np.mean(each, axis=0))


def test_units_of_the_table_do_not_matter(model: Any) -> None:
    for unit in (2.0**-10, 2.0**10):
        other: Any = rbhmc.RBHMC(**LEARNING).fit(unit * X)
        assert np.array_equal(other.draws_.paths, model.draws_.paths)
        assert np.array_equal(other.draws_.learned["noise_cov"], model.draws_.learned["noise_cov"])
        assert np.array_equal(other.predict(unit * X), model.predict(X))
