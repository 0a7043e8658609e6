"""The animals of Kemp and Tenenbaum: 33 animals with 102 yes/no features, in eight classes.

The features are published in the MIT-licensed repository brendenlake/structural-sparsity
(data/animals.mat). The eight classes are given in the paper on Bayesian hierarchical mixture
clustering. Kemp, C. and Tenenbaum, J. B. (2008). The discovery of structural form. PNAS 105,
10687-10692.
"""

import csv
import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from sklearn.utils import Bunch

from paper.download import data_folder, download
from rbhmc import InvalidInput
from rbhmc.datasets import load_animals

# A copy beside the repository, which the benches read if it exists.
KEMP_CSV = Path(__file__).parents[3] / "shared" / "data" / "kemp_animals.csv"
URL = (
    "https://raw.githubusercontent.com/brendenlake/structural-sparsity/"
    "cec1d5b52d369f51e54feea75384f80fc75d4963/data/animals.mat"
)
# The hash that `content_sha256` computes.
CONTENT_SHA256 = "ae7c1b26a4a35948c13fb62e0ff9a8ac3bc9ea9133b0d4dfc2b1ee316f1ba867"


class Table(NamedTuple):
    """Items in rows and features in columns; `classes` is None if the file has none."""

    names: list[str]
    classes: list[str] | None
    feature_names: list[str]
    X: NDArray[np.float64]


def fetch_kemp_animals(path: str | os.PathLike[str] | None = None) -> Any:
    """Load the animals.

    Parameters
    ----------
    path : path, optional
        The published file (``.mat``), or a ``.csv`` with the columns ``name``, ``class`` (optional)
        and the features. By default the published file is downloaded once into `data_folder`, and
        its content must have the right SHA-256.

    Returns
    -------
    Bunch
        ``data`` of shape (33, 102), zeros and ones; ``target``, the class of each animal;
        ``target_names``, ``feature_names``, ``names``.

    Raises
    ------
    InvalidInput
        If the file is not valid, or an animal has no class.
    OSError
        If there is no such file, or the download fails.
    """
    if path is None:
        file = data_folder() / "kemp-animals" / "animals.mat"
        download(URL, file, _read_published, "pass path= to read your own file")
        table = _read_published(file)
    else:
        file = Path(path)
        table = _read(file)
    classes = table.classes or _paper_classes(table.names, file)
    target_names, target = np.unique(classes, return_inverse=True)
    return Bunch(
        data=table.X,
        target=target.astype(np.int64),
        target_names=target_names,
        feature_names=table.feature_names,
        names=np.array(table.names, dtype=str),
    )


def content_sha256(table: Table) -> str:
    """Return the SHA-256 of names and values, whatever the file and the order in it.

    Rows are sorted by their names, then columns by their values. The hash is of the names in lower
    case, one per line, and of the values as bytes, row by row.

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


def _read_published(file: Path) -> Table:
    table = _read(file)
    digest = content_sha256(table)
    if digest != CONTENT_SHA256:
        raise InvalidInput(
            f"{file} does not hold the published animals: the SHA-256 of its content is {digest}, "
            f"not {CONTENT_SHA256}; remove it, or pass path= to read your own file"
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


def parse_csv(text: str, source: object) -> Table:
    r"""Parse a csv file with the columns ``name``, perhaps ``class``, then the features.

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
    return _check_table(
        source,
        [row[0] for row in rows],
        [row[1] for row in rows] if has_classes else None,
        header[first:],
        [row[first:] for row in rows],
    )


def read_mat(file: Path) -> Table:
    """Read ``data``, ``names`` and perhaps ``features`` from a MATLAB file up to version 7.2."""
    if file.read_bytes().startswith(b"MATLAB 7.3"):
        raise InvalidInput(f"{file} has version 7.3 (HDF5); save it in MATLAB with -v7")
    try:
        parts = loadmat(file)
    except Exception as error:  # A damaged file raises many kinds of errors.
        raise InvalidInput(f"{file} is not a readable MATLAB file: {error!r}") from error
    # SciPy 1.13 finds a variable without a name in a file of zeros.
    found = sorted(key for key in parts if key and not key.startswith("__"))
    if not found:
        raise InvalidInput(f"{file} is not a readable MATLAB file: it has no variables")
    for name in ("data", "names"):
        if name not in parts:
            raise InvalidInput(f"{file} has no variable {name!r}; it has: {', '.join(found)}")
    data = parts["data"]
    if np.ndim(data) != 2:
        raise InvalidInput(f"{file}: data must have two dimensions, not {np.ndim(data)}")
    features = [f"feature {number}" for number in range(data.shape[1])]
    if "features" in parts:
        features = _strings(parts["features"])
    return _check_table(file, _strings(parts["names"]), None, features, data)


def _strings(cells: Any) -> list[str]:
    """Return the strings of a cell array, or of the rows of a character array."""
    return ["".join(str(part) for part in np.ravel(cell)) for cell in np.ravel(cells)]


def _check_table(
    source: object,
    names: Sequence[str],
    classes: Sequence[str] | None,
    feature_names: Sequence[str],
    values: Any,
) -> Table:
    """Return a table of zeros and ones with unique names."""
    names = _check_names(source, "item", names)
    feature_names = _check_names(source, "feature", feature_names)
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


def _check_names(source: object, what: str, names: Sequence[str]) -> list[str]:
    stripped = [name.strip() for name in names]
    if not stripped:
        raise InvalidInput(f"{source} has no {what}s")
    if "" in stripped:
        raise InvalidInput(f"{source}: {what} {stripped.index('') + 1} has no name")
    name, count = Counter(stripped).most_common(1)[0]
    if count > 1:
        raise InvalidInput(f"{source}: {count} {what}s are called {name!r}")
    return stripped


def _paper_classes(names: list[str], source: Path) -> list[str]:
    animals = load_animals()
    classes = animals.target_names[animals.target]
    known = dict(zip(map(str.lower, animals.names), classes, strict=True))
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise InvalidInput(
            f"{source}: the paper has no class for {', '.join(map(repr, unknown))}; "
            "a csv file may have its own in a column 'class'"
        )
    return [known[name.lower()] for name in names]
