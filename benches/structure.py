"""Measure false alarms and power of the reference test (`rbhmc.posterior.reference`).

Tables without groups: one Gaussian, uniform, t with 4 degrees of freedom (independent columns, and
multivariate), one Gaussian with one column ten times as wide. Beside them log-normal columns, which
have no groups but are skewed, and are not held to the bound. Tables with groups: two Gaussian
groups of equal size, or of one to four, whose centres are 2, 3, 4 or 6 standard deviations apart.
Prints the share of tables that are found to be structured, by items and by columns; then some real
tables, and the time of the test beside that of the fit. The settings were chosen with other seeds,
below 10,000. Records are in runs/structure, so that a run that was stopped can be resumed.
"""

import argparse
import hashlib
import json
import time
import zlib
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

import rbhmc
from rbhmc.posterior import reference, separation
from rbhmc.posterior.reference import reference_test
from rbhmc.preparation import Preparation

Array = NDArray[np.float64]
Generator = np.random.Generator

RECORDS = Path(__file__).parents[1] / "runs" / "structure"
N_ITEMS = (60, 120, 250, 500)
N_COLUMNS = (1, 2, 5, 10)
FIRST_SEED = 10_000


def t_columns(shape: tuple[int, int], rng: Generator) -> Array:
    """Draw independent t variables."""
    return rng.standard_t(4, size=shape)


def t_rows(shape: tuple[int, int], rng: Generator) -> Array:
    """Draw items from the multivariate t distribution."""
    return np.asarray(rng.normal(size=shape) / np.sqrt(rng.chisquare(4, (shape[0], 1)) / 4))


def elongated(shape: tuple[int, int], rng: Generator) -> Array:
    """Draw one Gaussian whose first column is ten times as wide as the others."""
    return np.asarray(rng.normal(size=shape) * np.append(10.0, np.ones(shape[1] - 1)))


def two_groups(distance: float, share: float) -> Callable[[tuple[int, int], Generator], Array]:
    """Return a function that draws two Gaussian groups, the first with a share of the items."""

    def draw(shape: tuple[int, int], rng: Generator) -> Array:
        X = rng.normal(size=shape)
        X[: round(share * shape[0]), 0] += distance
        return X

    return draw


KINDS: dict[str, Callable[[tuple[int, int], Generator], Array]] = {
    "Gaussian": lambda shape, rng: rng.normal(size=shape),
    "uniform": lambda shape, rng: rng.uniform(size=shape),
    "t4, independent": t_columns,
    "t4, multivariate": t_rows,
    "elongated": elongated,
    "log-normal": lambda shape, rng: rng.lognormal(sigma=0.8, size=shape),
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
    sources = [Path(str(module.__file__)).read_bytes() for module in (reference, separation)]
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
    return reference_test(Preparation().fit_transform(table), case.seed).p_value


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


def real_tables() -> dict[str, Array]:
    """Return real tables with known classes."""
    standardize = StandardScaler().fit_transform
    return {
        "animals": np.asarray(rbhmc.datasets.load_animals().data, np.float64),
        "iris": load_iris().data,
        "wine, standardised": standardize(load_wine().data),
        "digits, the first 500": load_digits().data[:500],
        "breast cancer, standardised": standardize(load_breast_cancer().data),
    }


def print_real_tables() -> None:
    """Print the p-values of real tables with five seeds, and the time of test and fit."""
    print(f"\n{'':>28}{'items':>7}{'largest p of 5':>16}{'test, s':>9}{'fit, s':>8}")
    for name, table in real_tables().items():
        start = time.perf_counter()
        model = rbhmc.RBHMC(reference=False, random_state=0).fit(table, progress=False)
        fitted = time.perf_counter()
        p_values = [reference_test(model.prepared_, seed).p_value for seed in range(5)]
        tested = (time.perf_counter() - fitted) / len(p_values)
        print(
            f"{name:>28}{len(table):>7}{max(p_values):>16.4f}{tested:>9.2f}{fitted - start:>8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
