"""Measure false alarms and power of the reference test (`rbhmc.posterior.reference`).

Tables without groups: one Gaussian, uniform, t with 4 degrees of freedom (independent columns, and
multivariate), one Gaussian with one column ten times as wide, log-normal columns (independent, and
correlated), random yes/no columns, independent categories of two to six values, ratings from one to
five (independent, and with a common factor), and numbers beside categories. Tables with groups: two
Gaussian groups of equal size, or of one to four, whose centres are 2, 3, 4 or 6 standard deviations
apart. Prints the share of tables found to be structured, by items and by columns; then some
real tables, and the time of the test beside that of the fit. The settings were chosen with other
seeds, below 40,000. Records are in runs/structure, so that a run that was stopped can be resumed.
"""

import argparse
import hashlib
import json
import time
import zlib
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import rbhmc
from class_tables import read_tables
from rbhmc.posterior import clouds, reference, separation
from rbhmc.posterior.clouds import find_columns
from rbhmc.posterior.reference import ReferenceTest, reference_test
from rbhmc.preparation import Preparation

Array = NDArray[np.float64]
Generator = np.random.Generator
Shape = tuple[int, int]

RECORDS = Path(__file__).parents[1] / "runs" / "structure"
N_ITEMS = (60, 120, 250, 500)
N_COLUMNS = (1, 2, 5, 10)
FIRST_SEED = 40_000


def t_columns(shape: Shape, rng: Generator) -> Array:
    """Draw independent t variables."""
    return rng.standard_t(4, size=shape)


def t_rows(shape: Shape, rng: Generator) -> Array:
    """Draw items from the multivariate t distribution."""
    return np.asarray(rng.normal(size=shape) / np.sqrt(rng.chisquare(4, (shape[0], 1)) / 4))


def elongated(shape: Shape, rng: Generator) -> Array:
    """Draw one Gaussian whose first column is ten times as wide as the others."""
    return np.asarray(rng.normal(size=shape) * np.append(10.0, np.ones(shape[1] - 1)))


def correlated_log_normal(shape: Shape, rng: Generator) -> Array:
    """Draw log-normal columns whose logarithms are correlated."""
    return np.asarray(
        np.exp(0.8 * (0.6 * rng.normal(size=(shape[0], 1)) + 0.8 * rng.normal(size=shape)))
    )


def yes_no(shape: Shape, rng: Generator) -> Array:
    """Draw independent columns of 0 and 1, of which each has its own share of 1."""
    return (rng.uniform(size=shape) < rng.uniform(0.2, 0.8, size=shape[1])).astype(np.float64)


def categories(shape: Shape, rng: Generator) -> NDArray[Any]:
    """Draw independent categories of two to six values."""
    n_values = rng.integers(2, 7, size=shape[1])
    return np.array(list("abcdef"), object)[rng.integers(n_values, size=shape)]


def ratings(factor: float) -> Callable[[Shape, Generator], Array]:
    """Return a function that draws ratings from one to five, with a common factor or without."""

    def draw(shape: Shape, rng: Generator) -> Array:
        opinion = factor * rng.normal(size=(shape[0], 1))
        mean = 3.0 + rng.uniform(-1.0, 1.0, size=shape[1])
        return np.asarray(np.clip(np.rint(mean + opinion + rng.normal(size=shape)), 1, 5))

    return draw


def numbers_and_categories(shape: Shape, rng: Generator) -> NDArray[Any]:
    """Draw independent columns of which every second is a category, the others Gaussian."""
    table = categories(shape, rng)
    table[:, ::2] = rng.normal(size=table[:, ::2].shape)
    return table


def two_groups(distance: float, share: float) -> Callable[[Shape, Generator], Array]:
    """Return a function that draws two Gaussian groups, the first with a share of the items."""

    def draw(shape: Shape, rng: Generator) -> Array:
        X = rng.normal(size=shape)
        X[: round(share * shape[0]), 0] += distance
        return X

    return draw


KINDS: dict[str, Callable[[Shape, Generator], NDArray[Any]]] = {
    "Gaussian": lambda shape, rng: rng.normal(size=shape),
    "uniform": lambda shape, rng: rng.uniform(size=shape),
    "t4, independent": t_columns,
    "t4, multivariate": t_rows,
    "elongated": elongated,
    "log-normal": lambda shape, rng: rng.lognormal(sigma=0.8, size=shape),
    "log-normal, correlated": correlated_log_normal,
    "yes/no": yes_no,
    "categories": categories,
    "ratings": ratings(0.0),
    "ratings, one factor": ratings(1.0),
    "numbers and categories": numbers_and_categories,
    "two groups, 2 s.d.": two_groups(2.0, 0.5),
    "two groups, 3 s.d.": two_groups(3.0, 0.5),
    "two groups, 4 s.d.": two_groups(4.0, 0.5),
    "two groups, 6 s.d.": two_groups(6.0, 0.5),
    "two groups, 4 s.d., 20 %": two_groups(4.0, 0.2),
}


class Case(NamedTuple):
    """One simulated table."""

    kind: str
    n_items: int
    n_columns: int
    seed: int


def main() -> None:
    """Test all tables, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=10, help="of each kind, size and width")
    n_tables = parser.parse_args().tables
    cases = [
        Case(kind, n_items, n_columns, FIRST_SEED + number)
        for number in range(n_tables)
        for kind, n_items, n_columns in product(KINDS, N_ITEMS, N_COLUMNS)
    ]
    p_values = measure(cases)
    print(f"Share of tables that are structured (p ≤ {reference.LEVEL}); n = {n_tables} in a cell")
    print_shares(p_values, "items", N_ITEMS, lambda case: case.n_items)
    print_shares(p_values, "columns", N_COLUMNS, lambda case: case.n_columns)
    print_real_tables()


def measure(cases: list[Case]) -> dict[Case, float]:
    """Return the p-value of each case; those that are not recorded are computed and stored."""
    sources = [
        Path(str(module.__file__)).read_bytes() for module in (clouds, reference, separation)
    ]
    version = hashlib.sha256(b"".join(sources)).hexdigest()[:12]
    RECORDS.mkdir(parents=True, exist_ok=True)
    file = RECORDS / f"{version}.jsonl"
    known: dict[Case, float] = {}
    if file.exists():
        for line in file.read_text().splitlines():
            *fields, p_value = json.loads(line)
            known[Case(*fields)] = p_value
    missing = [case for case in cases if case not in known]
    jobs = (joblib.delayed(test_case)(case) for case in missing)
    results = joblib.Parallel(n_jobs=-1, return_as="generator")(jobs)
    with file.open("a") as stream:
        for case, p_value in zip(missing, results, strict=True):
            known[case] = p_value
            print(json.dumps([*case, p_value]), file=stream, flush=True)
    return {case: known[case] for case in cases}


def test_case(case: Case) -> float:
    """Draw a table, and return its p-value."""
    entropy = [case.seed, case.n_items, case.n_columns, zlib.crc32(case.kind.encode())]
    table = KINDS[case.kind]((case.n_items, case.n_columns), np.random.default_rng(entropy))
    return test_table(table, case.seed).p_value


def test_table(table: Any, seed: int) -> ReferenceTest:
    """Prepare and test a table."""
    preparation = Preparation()
    encoded = preparation.learn_encoding(table)
    filled = preparation.learn(encoded).fill(encoded)
    prepared = preparation.prepare(filled)
    return reference_test(prepared, seed, find_columns(preparation, filled))


def print_shares(
    p_values: dict[Case, float], what: str, sides: Iterable[int], side_of: Callable[[Case], int]
) -> None:
    """Print the share of structured tables of each kind, by items or columns, and of all."""
    columns = list(sides)
    print(f"\n{what:>26}" + "".join(f"{side:>8}" for side in columns) + f"{'all':>8}")
    for kind in KINDS:
        found = {case: p <= reference.LEVEL for case, p in p_values.items() if case.kind == kind}
        of_sides = [
            np.mean([found[case] for case in found if side_of(case) == side]) for side in columns
        ]
        shares = [*of_sides, np.mean(list(found.values()))]
        print(f"{kind:>26}" + "".join(f"{share:8.2f}" for share in shares))


def real_tables() -> dict[str, Any]:
    """Return real tables with known classes."""
    standardize = StandardScaler().fit_transform
    return {
        "animals": np.asarray(rbhmc.datasets.load_animals().data, np.float64),
        "iris": load_iris().data,
        "wine, raw": load_wine().data,
        "wine, standardised": standardize(load_wine().data),
        "digits, the first 500": load_digits().data[:500],
        "breast cancer, standardised": standardize(load_breast_cancer().data),
        "penguins, mixed": load_penguins().drop(columns="species"),
        **{table.name: table.X for table in read_tables(["Fashion-100"])},
    }


def print_real_tables() -> None:
    """Print the p-values of real tables with five seeds, and processor times of test and fit."""
    print(f"\n{'':>28}{'items':>7}{'largest p of 5':>16}{'test, s':>9}{'fit, s':>8}")
    for name, table in real_tables().items():
        start = time.process_time()
        rbhmc.RBHMC(reference=False, random_state=0).fit(table, progress=False)
        fitted = time.process_time()
        p_values = [test_table(table, seed).p_value for seed in range(5)]
        tested = (time.process_time() - fitted) / len(p_values)
        print(
            f"{name:>28}{len(table):>7}{max(p_values):>16.4f}{tested:>9.2f}{fitted - start:>8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
