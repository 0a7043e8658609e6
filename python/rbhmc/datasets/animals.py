"""The table of animals that ships with the library."""

import csv
from importlib.resources import files
from typing import Any

import numpy as np

from rbhmc.datasets.bunch import make_bunch

DESCR = """\
Animals: 33 animals x 118 yes/no features, in eight classes.

The animals and the eight classes come from the experiments with Bayesian hierarchical mixture
clustering; the paper took them from Kemp and Tenenbaum (2008). The features and their values are
not Kemp's: they were written for this library from general knowledge (body, limbs, size, home,
food, movement, behaviour, young, people), and are covered by its licence.

A value is 1 if the feature is true of a typical adult of the kind, with these readings: Whale is a
large baleen whale, Dolphin a bottlenose dolphin, Bee a honey bee (worker or queen), Ant a worker,
Seal an earless seal, Mouse a house mouse, Deer a red deer. The classes are the paper's words, not
zoology: the class `mouse` holds the rodents, `amphibians` two reptiles, `water animals` a bird.

The table was written with the eight classes in view (an early draft was revised after looking at
clusterings of it), so agreement with them is expected and is not evidence for a method. Use the
table for examples and tests, and published data to compare methods.

Kemp, C. and Tenenbaum, J. B. (2008). The discovery of structural form. PNAS 105, 10687-10692.
"""


def load_animals(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load 33 animals with 118 yes/no features, in eight classes.

    The animals and classes come from the paper; the features were written for this library, with
    the classes in view, and are not Kemp's. The table shows what a method does, but does not
    measure how good it is; see ``DESCR``.

    Parameters
    ----------
    return_X_y : bool
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool
        Return data and target as a data frame and a series, with the animals' names as the index.

    Returns
    -------
    Bunch or tuple
        ``data`` of shape (33, 118), zeros and ones; ``target``, the class of each animal;
        ``target_names``, ``feature_names``, ``names`` (of the animals), ``frame`` (data and target
        if `as_frame`, otherwise None), ``DESCR``.

    Examples
    --------
    >>> animals = load_animals()
    >>> print(*animals.names[animals.target_names[animals.target] == "water animals"])
    Seal Dolphin Whale Penguin
    >>> X, y = load_animals(return_X_y=True, as_frame=True)
    >>> X.loc[["Eagle", "Ostrich"], "flies well"].tolist()
    [1.0, 0.0]
    """
    text = files("rbhmc.datasets").joinpath("animals.csv").read_text(encoding="utf-8")
    (_, _, *feature_names), *rows = csv.reader(text.splitlines())
    classes, target = np.unique([row[1] for row in rows], return_inverse=True)
    return make_bunch(
        np.array([row[2:] for row in rows], dtype=np.float64),
        target.astype(np.int64),
        names=[row[0] for row in rows],
        feature_names=feature_names,
        target_names=classes.tolist(),
        descr=DESCR,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )
