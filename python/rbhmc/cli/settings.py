"""The settings of a fit: their names and defaults on the command line are those of `RBHMC`."""

import inspect
from collections.abc import Callable
from typing import Any, Literal

import typer

from rbhmc.estimator import RBHMC
from rbhmc.sampling.run_length import Length


def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the defaults of a function's parameters, so that none is written twice.

    Examples
    --------
    >>> defaults_of(RBHMC)["n_levels"]
    3
    """
    parameters = inspect.signature(function).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


DEFAULTS = defaults_of(RBHMC)

# Without a seed two equal commands would give two trees.
SEED = 0

# Option, and the parameter of RBHMC that it sets.
OPTIONS = {
    "levels": "n_levels",
    "alpha": "alpha",
    "gamma": "gamma",
    "gamma0": "gamma0",
    "noise_cov": "noise_cov",
    "base_cov": "base_cov",
    "C": "C",
    "margin": "margin",
    "scheme": "scheme",
    "init": "init",
    "n_pca": "n_pca",
    "scale": "scale",
    "chains": "n_chains",
    "warmup": "n_warmup",
    "draws": "n_draws",
    "thin": "thin",
    "select": "select",
    "seed": "random_state",
}


def settings_of(given: dict[str, Any]) -> dict[str, Any]:
    """Make all settings of `RBHMC` but `n_jobs`, which changes nothing, from given options.

    Examples
    --------
    >>> settings = settings_of({"levels": 2, "seed": 7})
    >>> settings["n_levels"], settings["random_state"], settings["n_chains"]
    (2, 7, 4)
    """
    chosen = {OPTIONS[option]: value for option, value in given.items() if option in OPTIONS}
    settings = DEFAULTS | {"random_state": SEED} | chosen
    return {name: value for name, value in settings.items() if name != "n_jobs"}


def components_of(text: str) -> float | Literal["auto"] | None:
    """Read a number of principal components, or the share of variance that they keep.

    Examples
    --------
    >>> components_of("7"), components_of("0.9"), components_of("none"), components_of("auto")
    (7, 0.9, None, 'auto')
    """
    if text.lower() == "auto":
        return "auto"
    if text.lower() in ("none", "all"):
        return None
    try:
        return int(text)
    except ValueError:
        return _number(text, "a whole number such as 7, a share such as 0.9, auto or none")


def scale_of(text: str) -> float | Literal["auto", False]:
    """Read the factor for the whole table.

    Examples
    --------
    >>> scale_of("auto"), scale_of("none"), scale_of("2.5")
    ('auto', False, 2.5)
    """
    if text.lower() == "auto":
        return "auto"
    if text.lower() in ("none", "off", "false"):
        return False
    return _number(text, "auto, none, or a number such as 2.5")


def length_of(text: str) -> Length:
    """Read a number of sweeps.

    Examples
    --------
    >>> length_of("auto"), length_of("500")
    ('auto', 500)
    """
    if text.lower() == "auto":
        return "auto"
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a whole number, or auto") from None


def concentration_of(text: str) -> float | Literal["learn"]:
    """Read a concentration.

    Examples
    --------
    >>> concentration_of("0.5"), concentration_of("learn")
    (0.5, 'learn')
    """
    if text.lower() == "learn":
        return "learn"
    return _number(text, "a number such as 0.5, or learn")


def noise_cov_of(text: str) -> float | str:
    """Read the variance of the noise.

    Examples
    --------
    >>> noise_cov_of("1.5"), noise_cov_of("learn-diagonal")
    (1.5, 'learn-diagonal')
    """
    return _variance(text, "learn", "learn-diagonal")


def base_cov_of(text: str) -> float | str:
    """Read the variance of the components' means.

    Examples
    --------
    >>> base_cov_of("4"), base_cov_of("data")
    (4.0, 'data')
    """
    return _variance(text, "learn", "learn-diagonal", "data")


def _variance(text: str, *words: str) -> float | str:
    if text.lower() in words:
        return text.lower()
    return _number(text, f"a number such as 1.5, or {' or '.join(words)}")


def _number(text: str, right: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not {right}") from None
