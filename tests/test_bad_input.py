"""Invalid input raises an error that names what was received and what is allowed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbhmc
from support import KERNELS_OF_MARGINS, TABLE, assert_valid, call_within

N_ITEMS, N_DIMS = TABLE.shape


def table_with(value: float, row: int, column: int) -> Any:
    x = TABLE.copy()
    x[row, column] = value
    return x


def refusal(call: Callable[[], object]) -> str:
    """Return the message of the InvalidInput that a call raises; a panic fails the test."""
    with pytest.raises(rbhmc.InvalidInput) as caught:
        call()
    return str(caught.value)


def assert_words(message: str, *words: str) -> None:
    for word in words:
        assert word in message, message


def test_invalid_input_is_a_value_error() -> None:
    assert issubclass(rbhmc.InvalidInput, ValueError)
    assert issubclass(rbhmc.InvalidCheckpoint, rbhmc.InvalidInput)
    assert rbhmc.InvalidInput.__module__ == rbhmc.InvalidCheckpoint.__module__ == "rbhmc"


@pytest.mark.parametrize(
    ("value", "text"),
    [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf"), (1e31, ""), (-1e300, "")],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_error_names_the_first_bad_value(value: float, text: str, order: Any) -> None:
    x = table_with(value, 2, 1)
    x[4, 0] = np.nan
    message = refusal(lambda: rbhmc.Sampler(np.asarray(x, order=order)))
    assert_words(message, f"X[2, 1] is {text}", "finite", "1e30")


BAD_TABLES: dict[str, tuple[Any, list[str]]] = {
    "number": (3.0, ["X has shape ()", "two dimensions"]),
    "vector": (TABLE[0], ["X has shape (2,)", "two dimensions", "row", "column"]),
    "cube": (TABLE[None], ["X has shape (1, 7, 2)", "two dimensions"]),
    "empty list": ([], ["X has shape (0,)", "two dimensions"]),
    "no items": (np.empty((0, 3)), ["X has shape (0, 3)", "at least one item"]),
    "no dimensions": (np.empty((3, 0)), ["X has shape (3, 0)", "one dimension"]),
    "ragged": (
        [[1.0, 2.0], [3.0]],
        ["X could not be converted to an array", "inhomogeneous", "table of numbers"],
    ),
    "text": ([["1", "2"]], ["X has dtype <U1", "table of numbers"]),
    "bytes": (np.array([[b"a"]]), ["X has dtype |S1", "table of numbers"]),
    "complex": (TABLE + 1j, ["X has dtype complex128", "table of numbers"]),
    "dates": (np.zeros((2, 2), dtype="M8[s]"), ["X has dtype datetime64", "table of numbers"]),
    "records": (np.zeros((2, 2), dtype=[("a", "f8")]), ["X has dtype", "table of numbers"]),
    "None": (None, ["X"]),
    "holes": ([[1.0, None]], ["X[0, 1] is NaN", "finite"]),
    "objects": ([[1.0, object()]], ["X could not be converted to numbers", "table of numbers"]),
    "huge integers": ([[10**400, 1]], ["X could not be converted to numbers"]),
}


@pytest.mark.parametrize(("x", "words"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_anything_but_a_table_of_numbers_is_refused(x: Any, words: list[str]) -> None:
    assert_words(refusal(lambda: rbhmc.Sampler(x)), *words)


SYMMETRIC = "symmetric and positive definite"
BAD_SETTINGS: list[tuple[dict[str, Any], list[str]]] = [
    *(
        ({name: value}, [f"{name} is", "above 0"])
        for name in ("alpha", "gamma", "gamma0", "eta_scale", "noise_cov", "base_cov")
        for value in (0.0, -1.0, np.nan, np.inf, -np.inf, 1e31, 1e-31)
    ),
    *(
        ({name: value}, [f"{name} is", "it must be 0, or a number from"])
        for name in ("C", "margin", "intercept")
        for value in (-1.0, -1e-300, np.nan, np.inf, 1e31)
    ),
    *(
        ({"n_levels": value}, [f"n_levels is {value}", "whole number"])
        for value in (0, -1, 256, 2**40, 2**64, -(2**70))
    ),
    *(
        ({"noise_warmup": value}, [f"noise_warmup is {value}", "whole number", "at least 0"])
        for value in (-1, 2**64)
    ),
    ({"scheme": "paper", "intercept": 1.0}, ["intercept is 1", '0 with scheme="paper"']),
    *(({"seed": value}, [f"seed is {value}", "whole number"]) for value in (-1, 2**64)),
    ({"scheme": "gibbs"}, ['scheme is "gibbs"', '"collapsed"', '"exact"', '"paper"']),
    ({"scheme": ""}, ['scheme is ""', '"collapsed"']),
    ({"scheme": "Exact"}, ['scheme is "Exact"', '"exact"']),
    ({"path_move": "metropolis"}, ['path_move is "metropolis"', '"gibbs"', '"mh"']),
    ({"scheme": "paper", "path_move": "gibbs"}, ["path_move", "paper", "collapsed"]),
    ({"base_mean": np.nan}, ["base_mean is NaN", "finite"]),
    ({"base_mean": [0.0, np.inf]}, ["base_mean is inf", "finite"]),
    ({"base_mean": [0.0] * 3}, ["base_mean", "length 3", "2"]),
    ({"base_mean": []}, ["base_mean", "length 0", "2"]),
    ({"base_mean": [[0.0, 0.0]]}, ["base_mean", "shape (1, 2)", "vector"]),
    ({"base_mean": "zero"}, ["base_mean", "number or a vector"]),
]
for name in ("noise_cov", "base_cov"):
    BAD_SETTINGS += [
        ({name: [1.0, 0.0]}, [name, "above 0"]),
        ({name: [1.0, np.nan]}, [name, "above 0"]),
        ({name: [1.0] * 3}, [name, "3 variances", "2 dimensions"]),
        ({name: []}, [name, "0 variances", "2 dimensions"]),
        ({name: np.eye(3)}, [name, "(3, 3)", "2 dimensions", "square"]),
        ({name: np.ones((2, 3))}, [name, "(2, 3)", "square"]),
        ({name: np.ones((1, 2, 2))}, [name, "(1, 2, 2)", "matrix"]),
        ({name: [[1.0, 0.5], [0.4, 1.0]]}, [name, "[0, 1] and [1, 0] differ", SYMMETRIC]),
        ({name: [[1.0, 2.0], [2.0, 1.0]]}, [name, "not positive definite", SYMMETRIC]),
        ({name: [[1.0, 1.0], [1.0, 1.0]]}, [name, "not positive definite", SYMMETRIC]),
        ({name: -np.eye(2)}, [name, "not positive definite", SYMMETRIC]),
        ({name: np.zeros((2, 2))}, [name, "not positive definite", SYMMETRIC]),
        ({name: [[1e-300, 0.0], [0.0, 1.0]]}, [name, "not positive definite", SYMMETRIC]),
        ({name: [[1.0, np.nan], [np.nan, 1.0]]}, [name, "[0, 1]", "NaN", "finite"]),
        ({name: [[np.inf, 0.0], [0.0, 1.0]]}, [name, "[0, 0]", "inf", "finite"]),
        ({name: "wide"}, [name, "a number, a vector or a matrix"]),
        ({name: None}, [name]),
        ({name: [[1.0], [1.0, 2.0]]}, [name, "a number, a vector or a matrix"]),
    ]


def setting_name(value: object) -> str | None:
    return ", ".join(f"{k}={v!r}" for k, v in value.items()) if isinstance(value, dict) else ""


@pytest.mark.parametrize(("settings", "words"), BAD_SETTINGS, ids=setting_name)
def test_bad_settings_are_refused(settings: dict[str, Any], words: list[str]) -> None:
    message = refusal(lambda: rbhmc.Sampler(TABLE, **settings))
    assert_words(message, *words)
    assert len(message) < 300


OF_SIMULATE = {"n_levels", "alpha", "gamma", "gamma0", "noise_cov", "base_mean", "base_cov", "seed"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [(settings, words) for settings, words in BAD_SETTINGS if set(settings) <= OF_SIMULATE],
    ids=setting_name,
)
def test_bad_settings_are_refused_by_simulate(settings: dict[str, Any], words: list[str]) -> None:
    assert_words(refusal(lambda: rbhmc.simulate(5, 2, **settings)), *words)


@pytest.mark.parametrize("bad", [0, -1, 2**64])
@pytest.mark.parametrize("name", ["n_items", "n_dims"])
def test_bad_sizes_are_refused_by_simulate(name: str, bad: int) -> None:
    sizes: dict[str, Any] = {"n_items": 3, "n_dims": 2} | {name: bad}
    assert_words(refusal(lambda: rbhmc.simulate(**sizes)), f"{name} is {bad}", "whole number")


BAD_PATHS: dict[str, tuple[Any, list[str]]] = {
    "no tree": (
        [[0, 0], [1, 1], [0, 2], [1, 2], [0, 0], [0, 0], [0, 0]],
        ["items 2 and 3 share node 2 at level 2", "parent at level 1", "tree"],
    ),
    "too few items": ([[0, 0]] * 6, ["(6, 2)", "(7, 2)", "row for each item"]),
    "too few levels": ([[0]] * 7, ["(7, 1)", "(7, 2)", "column for each level"]),
    "too many levels": ([[0, 0, 0]] * 7, ["(7, 3)", "(7, 2)"]),
    "vector": ([0] * 7, ["(7,)", "two dimensions"]),
    "fractions": (np.zeros((7, 2)), ["float64", "whole numbers"]),
    "truths": (np.zeros((7, 2), dtype=bool), ["bool", "whole numbers"]),
    "text": ([["a", "b"]] * 7, ["<U1", "whole numbers"]),
    "ragged": ([[0, 0], [0]], ["could not be converted to an array", "whole numbers"]),
    "empty": ([], ["initial_paths"]),
}


@pytest.mark.parametrize(("paths", "words"), BAD_PATHS.values(), ids=BAD_PATHS)
def test_paths_that_do_not_form_a_tree_are_refused(paths: Any, words: list[str]) -> None:
    message = refusal(lambda: rbhmc.Sampler(TABLE, n_levels=2, initial_paths=paths))
    assert_words(message, "initial_paths", *words)


BAD_COMPONENTS: dict[str, tuple[Any, list[str]]] = {
    "too few": ([0] * 6, ["the length of initial_components is 6", "7: one number for each item"]),
    "too many": ([0] * 8, ["the length of initial_components is 8", "7: one number for each item"]),
    "none": (np.empty(0, int), ["the length of initial_components is 0", "7"]),
    "matrix": ([[0]] * 7, ["initial_components has shape (7, 1)", "one dimension"]),
    "fractions": (np.zeros(7), ["initial_components has dtype float64", "whole numbers"]),
    "text": (["a"] * 7, ["initial_components has dtype <U1", "whole numbers"]),
    "truths": ([True] * 7, ["initial_components has dtype bool", "whole numbers"]),
    "ragged": ([[0], [0, 1]], ["initial_components could not be converted to an array"]),
}


@pytest.mark.parametrize(("components", "words"), BAD_COMPONENTS.values(), ids=BAD_COMPONENTS)
def test_components_that_do_not_fit_are_refused(components: Any, words: list[str]) -> None:
    paths = np.zeros((N_ITEMS, 2), int)
    given: dict[str, Any] = {"initial_paths": paths, "initial_components": components}
    assert_words(refusal(lambda: rbhmc.Sampler(TABLE, n_levels=2, **given)), *words)


def test_components_without_paths_are_refused() -> None:
    message = refusal(lambda: rbhmc.Sampler(TABLE, initial_components=[0] * N_ITEMS))
    assert_words(message, "initial_components", "without initial_paths", "give both")


@pytest.mark.parametrize("name", ["eta_scale", "intercept"])
@pytest.mark.parametrize("given", ["automatic", "", None, [1.0]])
def test_a_setting_is_a_number_or_auto(name: str, given: Any) -> None:
    with pytest.raises(TypeError, match=f'{name} is .*; it must be a number, or "auto"'):
        rbhmc.Sampler(TABLE, **{name: given})


@pytest.mark.parametrize("name", ["eta_scale", "intercept", "noise_cov", "base_cov"])
def test_a_simulation_has_no_data_for_auto(name: str) -> None:
    given: dict[str, Any] = {name: "auto"}
    message = refusal(lambda: rbhmc.simulate(5, 2, **given))
    assert_words(message, f'{name} is "auto"', "must be a number", "if there are no data")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_draws": -1}, ["n_draws is -1", "at least 0"]),
        ({"n_draws": 2**64}, ["n_draws is", "below 2**64"]),
        ({"n_draws": 1, "thin": 0}, ["thin is 0", "at least 1"]),
        ({"n_draws": 1, "thin": -2}, ["thin is -2", "at least 1"]),
        ({"n_draws": 1, "burn_in": -1}, ["burn_in is -1", "at least 0"]),
        ({"n_draws": 2, "thin": 2**63}, ["burn_in + n_draws * thin", "fewer"]),
        ({"n_draws": 1, "burn_in": 2**64 - 1}, ["burn_in + n_draws * thin", "fewer"]),
    ],
)
def test_bad_runs_are_refused_and_do_not_change_the_chain(
    given: dict[str, Any], words: list[str]
) -> None:
    sampler = rbhmc.Sampler(TABLE)
    before = sampler.to_bytes()
    assert_words(refusal(lambda: sampler.run(**given)), *words)
    assert sampler.to_bytes() == before


def test_bad_sweeps_and_kernels_are_refused() -> None:
    sampler = rbhmc.Sampler(TABLE, C=0.0)
    assert_words(refusal(lambda: sampler.sweep(-1)), "n is -1", "whole number")
    assert_words(refusal(lambda: sampler.apply("gibs")), 'kernel is "gibs"', "items_gibbs", "means")
    for kernel in KERNELS_OF_MARGINS:
        assert_words(refusal(lambda kernel=kernel: sampler.apply(kernel)), "C is 0", "above 0")  # type: ignore[misc]
    assert_valid(sampler)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rbhmc.Sampler(),  # type: ignore[call-arg]
        lambda: rbhmc.Sampler(TABLE, 3),  # type: ignore[call-arg]
        lambda: rbhmc.Sampler(TABLE, levels=3),  # type: ignore[call-arg]
        lambda: rbhmc.Sampler(TABLE, alpha="much"),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, alpha=None),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, C=1j),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, n_levels=2.0),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, noise_warmup=1.5),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, seed=None),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, seed="0"),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE, scheme=1),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE).run(2.5),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE).run(1, progress=3),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE).sweep("1"),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler(TABLE).apply(1),  # type: ignore[arg-type]
        lambda: rbhmc.Sampler.from_bytes("text"),  # type: ignore[arg-type]
        lambda: rbhmc.simulate(3),  # type: ignore[call-arg]
        lambda: rbhmc.simulate(3.0, 2),  # type: ignore[arg-type]
    ],
)
def test_values_of_another_type_raise_a_type_error(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: rbhmc.Sampler(TABLE).run(2**50),
        lambda: rbhmc.Sampler(TABLE).run(2**64 - 1),
        lambda: rbhmc.simulate(2**60, 3),
        lambda: rbhmc.simulate(2**40, 2**40),
        lambda: rbhmc.simulate(3, 2**64 - 1),
    ],
)
def test_absurd_sizes_raise_a_memory_error(call: Callable[[], object]) -> None:
    with pytest.raises(MemoryError, match=r"cannot allocate [0-9]+ bytes for"):
        call_within(10, call)


def test_values_at_the_limits_are_allowed() -> None:
    for limit in (1e-30, 1e30):
        names = ("alpha", "gamma", "gamma0", "C", "margin", "eta_scale", "noise_cov", "base_cov")
        for name in names:
            sampler = rbhmc.Sampler(TABLE, **{name: limit})  # type: ignore[arg-type]
            sampler.sweep(3)
            assert_valid(sampler)
    rbhmc.Sampler(TABLE, n_levels=255).check()
    rbhmc.Sampler(TABLE, margin=0.0).check()


@pytest.mark.parametrize("other", [1e4, 1e8, 1e16, 1e24])
def test_covariances_of_different_scales_are_allowed(other: float) -> None:
    """Variances of other scales do not make a positive definite matrix invalid."""
    settings: dict[str, Any] = {"noise_cov": [1e-3, other], "base_cov": [[2.0, 1.0], [1.0, 2.0]]}
    sampler = rbhmc.Sampler(TABLE, **settings)
    sampler.sweep(5)
    assert_valid(sampler)
