"""The published animals of Kemp and Tenenbaum, from a file or downloaded once."""

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from rbhmc._core import InvalidInput
from rbhmc.datasets.animals import shipped_table
from rbhmc.datasets.bunch import pack
from rbhmc.datasets.download import download
from rbhmc.datasets.home import get_data_home
from rbhmc.datasets.matlab import read_mat
from rbhmc.datasets.table import Table, parse_csv

URL = (
    "https://raw.githubusercontent.com/brendenlake/structural-sparsity/"
    "cec1d5b52d369f51e54feea75384f80fc75d4963/data/animals.mat"
)
# Of the content, not of the file: see `content_sha256`.
CONTENT_SHA256 = "ae7c1b26a4a35948c13fb62e0ff9a8ac3bc9ea9133b0d4dfc2b1ee316f1ba867"

DESCR = """\
Kemp's animals: 33 animals x 102 yes/no features, in eight classes.

The features are those of Kemp and Tenenbaum (2008), as published in the MIT-licensed repository
brendenlake/structural-sparsity (data/animals.mat). The eight classes are those that the paper on
Bayesian hierarchical mixture clustering gives by hand; a MATLAB file has none, and then they are
attached by the animals' names. They are the paper's words, not zoology: `amphibians` are reptiles.

Kemp, C. and Tenenbaum, J. B. (2008). The discovery of structural form. PNAS 105, 10687-10692.
"""


def fetch_kemp_animals(
    path: str | os.PathLike[str] | None = None,
    data_home: str | os.PathLike[str] | None = None,
    *,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    r"""33 animals with the 102 yes/no features of Kemp and Tenenbaum, in eight classes.

    Parameters
    ----------
    path : path, optional
        The published file (``.mat``), or a ``.csv`` with the columns ``name``, ``class`` (may be
        absent) and the features. It is checked for its form, and otherwise read as it is. Where
        `path` is absent the published file is downloaded once into `data_home` (this needs
        ``rbhmc[datasets]``), and its content must have the right SHA-256.
    data_home : path, optional
        See `get_data_home`.
    return_X_y : bool
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool
        Return data and target as a data frame and a series, with the animals' names as the index.

    Returns
    -------
    Bunch or tuple
        ``data`` of shape (33, 102), zeros and ones; ``target``, the class of each animal;
        ``target_names``, ``feature_names``, ``names`` (of the animals), ``frame`` (data and target,
        if `as_frame`, else None), ``DESCR``.

    Raises
    ------
    InvalidInput
        If the file cannot be used, or has an animal without a class.
    OSError
        If there is no such file, or the download failed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "few.csv"
    ...     _ = file.write_text("name,has stripes\nTiger,1\nWhale,0\n")
    ...     few = fetch_kemp_animals(file)
    >>> [str(few.target_names[k]) for k in few.target]
    ['predators', 'water animals']
    """
    if path is None:
        file = get_data_home(data_home) / "kemp-animals" / "animals.mat"
        download(URL, file, _published, "pass path= to read a file that you have")
        table = _published(file)
    else:
        file = Path(path)
        table = _read(file)
    classes = table.classes or _paper_classes(table.names, file)
    target_names, target = np.unique(classes, return_inverse=True)
    return pack(
        table.X,
        target.astype(np.int64),
        names=table.names,
        feature_names=table.feature_names,
        target_names=target_names.tolist(),
        descr=DESCR,
        return_X_y=return_X_y,
        as_frame=as_frame,
    )


def content_sha256(table: Table) -> str:
    """SHA-256 of names and values, whatever file they came in and in whatever order.

    The rows are put in the order of their names, then the columns in the order of their values;
    hashed are the names in lower case, one a line, and the values as bytes, row by row.

    Examples
    --------
    >>> one = Table(["Ant", "Bee"], None, ["flies", "bites"], np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> two = Table(["bee", "ant"], None, ["bites", "flies"], np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> content_sha256(one) == content_sha256(two)
    True
    """
    names = [name.lower() for name in table.names]
    rows = table.X[np.argsort(names)].astype(np.uint8)
    columns = rows[:, np.lexsort(rows[::-1])]
    return hashlib.sha256("\n".join(sorted(names)).encode() + columns.tobytes()).hexdigest()


def _published(file: Path) -> Table:
    table = _read(file)
    found = content_sha256(table)
    if found != CONTENT_SHA256:
        raise InvalidInput(
            f"{file} does not hold the published animals: the SHA-256 of its content is {found}, "
            f"not {CONTENT_SHA256}; remove it, or pass path= to read a file as it is"
        )
    return table


def _read(file: Path) -> Table:
    kind = file.suffix.lower()
    if kind == ".mat":
        return read_mat(file)
    if kind != ".csv":
        raise InvalidInput(f"{file} must end in .mat or .csv")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not text in UTF-8: {error}") from error
    return parse_csv(text, file)


def _paper_classes(names: list[str], source: Path) -> list[str]:
    animals = shipped_table()
    known = dict(zip(map(str.lower, animals.names), animals.classes or [], strict=True))
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise InvalidInput(
            f"{source}: the paper has no class for {', '.join(map(repr, unknown))}; "
            "a csv file may give its own in a column 'class'"
        )
    return [known[name.lower()] for name in names]
