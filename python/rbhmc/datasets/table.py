"""A table of yes/no features with named rows, checked, and as a csv file has it."""

import csv
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput


class Table(NamedTuple):
    """Items in rows, features in columns; `classes` is None where the file has none."""

    names: list[str]
    classes: list[str] | None
    feature_names: list[str]
    X: NDArray[np.float64]


def checked_table(
    source: object,
    names: Sequence[str],
    classes: Sequence[str] | None,
    feature_names: Sequence[str],
    values: Any,
) -> Table:
    """Table of these parts, if they fit together.

    Parameters
    ----------
    source : object
        What to call the file in a message.
    names, classes, feature_names : sequences of str
        What the rows are called, their classes, and what the columns are called.
    values : array-like of shape (n_items, n_features)
        Zeros and ones, as numbers or as text.

    Returns
    -------
    Table
        The table, with the spaces around all names removed.

    Raises
    ------
    InvalidInput
        If a name is missing or not unique, the shape is another, or a value is not 0 or 1.

    Examples
    --------
    >>> checked_table("an example", ["ant"], None, ["flies", "bites"], [[0, 1]]).X
    array([[0., 1.]])
    """
    names = _checked_names(source, "item", names)
    feature_names = _checked_names(source, "feature", feature_names)
    if classes is not None:
        classes = [name.strip() for name in classes]
        if "" in classes:
            raise InvalidInput(f"{source}: {names[classes.index('')]!r} has no class")
    try:
        X = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{source}: the features must be 0 or 1 ({error})") from error
    if X.shape != (len(names), len(feature_names)):
        raise InvalidInput(
            f"{source}: {len(names)} names and {len(feature_names)} features "
            f"do not fit a table of shape {X.shape}"
        )
    wrong = np.argwhere((X != 0) & (X != 1))
    if len(wrong):
        row, column = wrong[0]
        raise InvalidInput(
            f"{source}: the features must be 0 or 1; {feature_names[column]!r} of "
            f"{names[row]!r} is {X[row, column]}"
        )
    return Table(names, classes, feature_names, X)


def parse_csv(text: str, source: object) -> Table:
    r"""Table that a csv file holds: ``name``, perhaps ``class``, then the features.

    Parameters
    ----------
    text : str
        The file.
    source : object
        What to call it in a message.

    Returns
    -------
    Table
        The table.

    Raises
    ------
    InvalidInput
        If it has no names or no features, a line of another length, or a value not 0 or 1.

    Examples
    --------
    >>> parse_csv("name,class,flies\nant,insects,0\nbee,insects,1\n", "an example").names
    ['ant', 'bee']
    """
    try:
        lines = [line for line in csv.reader(StringIO(text, newline=""), strict=True) if line]
    except csv.Error as error:
        raise InvalidInput(f"{source} is not a csv file: {error}") from error
    header = [name.strip() for name in lines[0]] if lines else []
    rows = lines[1:]
    if header[:1] != ["name"]:
        raise InvalidInput(f"{source} has no names: its first column must be headed 'name'")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise InvalidInput(
                f"{source}: row {number} has {len(row)} values, the header has {len(header)}"
            )
    has_classes = header[1:2] == ["class"]
    first = 2 if has_classes else 1
    return checked_table(
        source,
        [row[0] for row in rows],
        [row[1] for row in rows] if has_classes else None,
        header[first:],
        [row[first:] for row in rows],
    )


def _checked_names(source: object, what: str, names: Sequence[str]) -> list[str]:
    stripped = [name.strip() for name in names]
    if not stripped:
        raise InvalidInput(f"{source} has no {what}s")
    if "" in stripped:
        raise InvalidInput(f"{source}: {what} {stripped.index('') + 1} has no name")
    name, count = Counter(stripped).most_common(1)[0]
    if count > 1:
        raise InvalidInput(f"{source}: {count} {what}s are called {name!r}")
    return stripped
