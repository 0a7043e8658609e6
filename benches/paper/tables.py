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
    names, classes : sequence
        The name and the class of each item.
    images : array or None
        The picture of each item.
    settings : dict
        Keywords of `Sampler` that the paper gives for the table.
    published : tuple of (C, margin)
        The settings whose trees the paper shows; C = 0 is BHMC.
    """

    name: str
    X: NDArray[np.float64]
    names: tuple[str, ...]
    classes: NDArray[Any]
    images: NDArray[Any] | None
    settings: dict[str, Any]
    published: tuple[tuple[float, float], ...]


def animals(source: Source) -> Table:
    """Load Kemp and Tenenbaum's 33 animals on 7 components; `source` is the published file."""
    bunch = fetch_kemp_animals(source)
    return Table(
        name="animals",
        X=_project(bunch.data, 7),
        names=tuple(bunch.names),
        classes=np.asarray(bunch.target),
        images=None,
        settings={"n_levels": 3, "alpha": 0.35, "gamma": 1.0, "gamma0": 0.85, "eta_scale": 1.0},
        published=((0.0, 1.0), (0.1, 0.1), (0.1, 10.0)),
    )


def fashion(source: Source) -> Table:
    """Load ten images of each class of Fashion-MNIST on 10 components, pixels from 0 to 1.

    `source` is the folder of the files.
    """
    bunch = fetch_fashion_mnist(source, n_per_class=10, seed=0)
    return Table(
        name="fashion",
        X=_project(bunch.data / 255.0, 10),
        names=tuple(bunch.names),
        classes=np.asarray(bunch.target),
        images=np.asarray(bunch.images),
        settings={"n_levels": 4, "alpha": 0.2, "gamma": 1.5, "gamma0": 0.85, "eta_scale": 1.0},
        published=((0.0, 1.0), (0.001, 0.01), (0.001, 1.0), (1.0, 1.0)),
    )


TABLES: dict[str, Callable[[Source], Table]] = {"animals": animals, "fashion": fashion}


def load_table(name: str, source: Source = None) -> Table:
    """Load one of the tables by name.

    Examples
    --------
    >>> load_table("flowers")
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: the table is 'flowers'; it must be one of animals, fashion
    """
    if name not in TABLES:
        raise InvalidInput(f"the table is {name!r}; it must be one of {', '.join(TABLES)}")
    return TABLES[name](source)


def fetch_or_skip(name: str, fetch: Callable[[], Any]) -> Any:
    """Fetch a table; if it is not available, print a message and return None."""
    try:
        return fetch()
    except OSError as error:
        print(f"{name}: left out ({error})", file=sys.stderr)
        return None


def _project(data: NDArray[Any], n_pca: int) -> NDArray[np.float64]:
    return Preparation(n_pca=n_pca, scale=False).fit(data).transform(data)
