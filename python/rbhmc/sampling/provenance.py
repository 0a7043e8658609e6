"""The record that makes a run repeatable: inputs as JSON, hashes of arrays, seeds."""

import hashlib
import json
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rbhmc._core import InvalidInput


def to_json(value: Any, what: str = "settings") -> Any:
    """Return a value as JSON represents it: numbers, strings, lists and dicts.

    Examples
    --------
    >>> to_json({"noise_cov": np.eye(2), "base_mean": (0.0, 1.0)})
    {'noise_cov': [[1.0, 0.0], [0.0, 1.0]], 'base_mean': [0.0, 1.0]}
    """
    try:
        return json.loads(json.dumps(value, default=_as_list, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what}: {error}; JSON must be able to represent it") from error


def _as_list(value: object) -> Any:
    if hasattr(value, "__array__"):
        return np.asarray(value).tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def digest(array: NDArray[Any]) -> str:
    """Return the SHA-256 of the shape and the bytes of an array.

    Examples
    --------
    >>> digest(np.zeros((2, 3)))[:8] == digest(np.zeros((3, 2)))[:8]
    False
    """
    content = np.ascontiguousarray(array)
    return hashlib.sha256(repr(content.shape).encode() + content.tobytes()).hexdigest()


def seeds_from(random_state: int | np.random.RandomState | None, n: int) -> list[int]:
    """Draw n seeds.

    Examples
    --------
    >>> seeds_from(0, 2)
    [900450186894289455, 3969543146641149120]
    """
    try:
        state = check_random_state(random_state)
    except ValueError as error:
        allowed = "a whole number, a numpy.random.RandomState, or None"
        if isinstance(random_state, Integral):
            allowed = f"from 0 to {2**32 - 1}"
        raise InvalidInput(f"random_state is {random_state!r}; it must be {allowed}") from error
    return [int(seed) for seed in state.randint(0, 2**63 - 1, size=n, dtype=np.int64)]
