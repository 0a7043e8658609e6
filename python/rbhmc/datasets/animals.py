"""Our own table of animals, which ships with the library."""

from importlib.resources import files
from typing import Any

import numpy as np

from rbhmc.datasets.bunch import pack
from rbhmc.datasets.table import Table, parse_csv

DESCR = """\
Animals: 33 animals x 118 yes/no features, in eight classes.

The animals, and the eight classes, are those of the experiments with Bayesian hierarchical mixture
clustering; the paper took them from Kemp and Tenenbaum (2008). The features and their values are
not Kemp's: they were written for this library from general knowledge (body, limbs, size, home,
food, movement, behaviour, young, people), and have its licence. For the published features see
`rbhmc.datasets.fetch_kemp_animals`.

A value is 1 where the feature is true of a typical adult of the kind, with these readings: Whale is
a large baleen whale, Dolphin a bottlenose dolphin, Bee a honey bee (worker or queen), Ant a worker,
Seal an earless seal, Mouse a house mouse, Deer a red deer. The classes are the paper's words, not
zoology: the class `mouse` holds the rodents, `amphibians` two reptiles, `water animals` a bird.

The table was written and trimmed with the eight classes in view (an early draft was revised after
clusterings of it had been looked at), so that agreement with them is a matter of course and no
evidence for a method. It is for examples and tests. Use published data to compare methods.

Kemp, C. and Tenenbaum, J. B. (2008). The discovery of structural form. PNAS 105, 10687-10692.
"""


def load_animals(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """33 animals with 118 yes/no features, in eight classes.

    The animals and classes are those of the paper; the features were written for this library and
    are not Kemp's. They were written with the classes in view: the table shows what a method does,
    and does not measure how good it is. See ``DESCR``.

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
        ``target_names``, ``feature_names``, ``names`` (of the animals), ``frame`` (data and target,
        if `as_frame`, else None), ``DESCR``.

    Examples
    --------
    >>> animals = load_animals()
    >>> print(*animals.names[animals.target_names[animals.target] == "water animals"])
    Seal Dolphin Whale Penguin
    >>> X, y = load_animals(return_X_y=True, as_frame=True)
    >>> X.loc[["Eagle", "Ostrich"], "flies well"].tolist()
    [1.0, 0.0]
    """
    table = shipped_table()
    classes, target = np.unique(table.classes or [], return_inverse=True)
    return pack(
        table.X,
        target.astype(np.int64),
        names=table.names,
        feature_names=table.feature_names,
        target_names=classes.tolist(),
        descr=DESCR,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def shipped_table() -> Table:
    """Read the table that the package carries.

    Examples
    --------
    >>> shipped_table().names[:3]
    ['Elephant', 'Rhino', 'Horse']
    """
    text = files("rbhmc.datasets").joinpath("animals.csv").read_text(encoding="utf-8")
    return parse_csv(text, "animals.csv")
