"""What is written down of a run, so that it can be made again: plain settings, hashes, seeds."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state


def plain(value: Any) -> Any:
    """Turn a setting into what JSON can hold.

    Examples
    --------
    >>> plain(np.eye(2))
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic)) else value


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
