"""The two tables of the paper, prepared as it says: principal components without scaling."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.fashion_mnist import fetch_fashion_mnist
from paper.kemp import fetch_kemp_animals
from paper.protocol import DESIGNS, Design
from rbhmc import InvalidInput
from rbhmc.preparation import Preparation

Source = str | PathLike[str] | None


@dataclass(frozen=True, eq=False)
class Table:
    """A table to experiment on.

    Attributes
    ----------
    X : array of shape (n_items, n_dims)
        The items, on principal components.
    data : array of shape (n_items, n_features)
        The items as published.
    names, classes : sequence
        The name and the class of each item.
    images : array or None
        The picture of each item.
    design : Design
        What the paper does with it.
    """

    name: str
    X: NDArray[np.float64]
    data: NDArray[np.float64]
    names: tuple[str, ...]
    classes: NDArray[Any]
    images: NDArray[Any] | None
    design: Design


def load_table(name: str, source: Source = None) -> Table:
    """Load one of the tables by name.

    Parameters
    ----------
    name : {"animals", "fashion", "fashion-255"}
        Kemp and Tenenbaum's 33 animals on 7 components; ten images of each class of Fashion-MNIST
        on 10 components, with pixels from 0 to 1 or from 0 to 255. The paper says neither how its
        100 images were chosen nor the scale of their pixels.
    source : path, optional
        The published file of the animals, or the folder of the images.

    Examples
    --------
    >>> load_table("flowers")
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: the table is 'flowers'; it must be one of animals, fashion, fashion-255
    """
    if name not in DESIGNS:
        raise InvalidInput(f"the table is {name!r}; it must be one of {', '.join(DESIGNS)}")
    images = None
    if name == "animals":
        bunch = fetch_kemp_animals(source)
        X = _project(bunch.data, 7)
    else:
        bunch = fetch_fashion_mnist(source, n_per_class=10, seed=0)
        X = _project(bunch.data / (255.0 if name == "fashion" else 1.0), 10)
        images = np.asarray(bunch.images)
    classes = np.asarray(bunch.target)
    return Table(name, X, bunch.data, tuple(bunch.names), classes, images, DESIGNS[name])


def fetch_or_skip(name: str, fetch: Callable[[], Any]) -> Any:
    """Fetch a table; if it is not available, print a message and return None."""
    try:
        return fetch()
    except OSError as error:
        print(f"{name}: left out ({error})", file=sys.stderr)
        return None


def _project(data: NDArray[Any], n_pca: int) -> NDArray[np.float64]:
    return Preparation(n_pca=n_pca, scale=False).fit(data).transform(data)
