"""The tables of `demo`, with how to fit them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc.datasets import load_animals

N_DIGITS = 200


class Example(NamedTuple):
    """A table with names and classes, the options to fit it with, and the size of its pictures."""

    names: list[str]
    classes: list[str]
    features: list[str]
    values: NDArray[np.float64]
    options: dict[str, Any]
    image_shape: tuple[int, int] | None


def animals() -> Example:
    """Return 33 animals with yes/no features.

    Examples
    --------
    >>> animals().values.shape
    (33, 118)
    """
    given = load_animals()
    return Example(
        names=given.names.tolist(),
        classes=given.target_names[given.target].tolist(),
        features=list(given.feature_names),
        values=given.data,
        options={"n_pca": 7},
        image_shape=None,
    )


def digits() -> Example:
    """Return pictures of handwritten digits, twenty or so of each.

    Examples
    --------
    >>> digits().names[:3], digits().values.shape
    (['zero 1', 'one 1', 'two 1'], (200, 64))
    """
    from sklearn.datasets import load_digits

    given = load_digits()
    target = given.target[:N_DIGITS]
    words = "zero one two three four five six seven eight nine".split()
    seen = [0] * len(words)
    names = []
    for digit in target.tolist():
        seen[digit] += 1
        names.append(f"{words[digit]} {seen[digit]}")
    return Example(
        names=names,
        classes=[words[digit] for digit in target.tolist()],
        features=list(given.feature_names),
        values=given.data[:N_DIGITS],
        options={"n_pca": 10},
        image_shape=given.images.shape[1:],
    )
