"""What is written down of a run, so that it can be made again: plain settings, hashes, seeds."""

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rbhmc._core import InvalidInput


def plain(value: Any, what: str = "settings") -> Any:
    """Make a value what it will be when it comes back from a file: numbers, texts, lists, dicts.

    Examples
    --------
    >>> plain({"noise_cov": np.eye(2), "base_mean": (0.0, 1.0)})
    {'noise_cov': [[1.0, 0.0], [0.0, 1.0]], 'base_mean': [0.0, 1.0]}
    """
    try:
        return json.loads(json.dumps(value, default=_listed, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what}: {error}; it must be what JSON can hold") from error


def _listed(value: object) -> Any:
    if hasattr(value, "__array__"):
        return np.asarray(value).tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def digest(array: NDArray[Any]) -> str:
    """Return the SHA-256 of an array's numbers and shape.

    Examples
    --------
    >>> digest(np.zeros((2, 3)))[:8] == digest(np.zeros((3, 2)))[:8]
    False
    """
    content = np.ascontiguousarray(array)
    return hashlib.sha256(repr(content.shape).encode() + content.tobytes()).hexdigest()


def seeds_of(random_state: int | np.random.RandomState | None, n: int) -> list[int]:
    """Draw a seed for each chain.

    Examples
    --------
    >>> seeds_of(0, 2)
    [900450186894289455, 3969543146641149120]
    """
    state = check_random_state(random_state)
    return [int(seed) for seed in state.randint(0, 2**63 - 1, size=n, dtype=np.int64)]


def checked_count(name: str, value: Any, least: int) -> int:
    """Check a number of chains, draws or sweeps.

    Examples
    --------
    >>> checked_count("n_draws", np.int64(5), 1)
    5
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"{name} is {value!r}; it must be a whole number, {least} at least")
    return int(value)
