"""Rows of the quality tables: the records of one table over samples and seeds, and their format."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from class_tables import ClassTable
from quality_records import Record, Records

# Each part of the method taken away: keywords of `RBHMC`.
VARIANTS: dict[str, dict[str, Any]] = {
    "all parts": {},
    "no margins (C = 0)": {"C": 0.0},
    "no intercept": {"intercept": 0.0},
    "unit prior of η": {"eta_scale": 1.0},
    "fixed noise": {"noise_cov": 1.0, "base_cov": 1.0},
    "one draw, no consensus": {"select": "vi"},
}
ALL_PARTS, NO_MARGINS = list(VARIANTS)[:2]


@dataclass(frozen=True)
class Row:
    """The records of all samples of one table.

    Attributes
    ----------
    fits : list of list of dict
        One list for each sample, with one record for each seed.
    others : list of dict
        The record of the other methods for each sample.
    """

    name: str
    n_items: int
    n_classes: int
    fits: list[list[Record]] = field(default_factory=list)
    others: list[Record] = field(default_factory=list)

    def values(self, measure: str) -> list[float]:
        """Return our values of a measure: of each seed, or if there are samples, of each sample."""
        by_sample = [[record[measure] for record in seeds] for seeds in self.fits]
        return by_sample[0] if len(by_sample) == 1 else [float(np.mean(of)) for of in by_sample]

    def mean(self, measure: str) -> float:
        """Return our mean of a measure."""
        return float(np.mean(self.values(measure)))

    def other(self, measure: str) -> float:
        """Return the mean over samples of a measure of the other methods."""
        return float(np.mean([record[measure] for record in self.others]))


def collect(
    tables: list[ClassTable], records: Records, seeds: range, variant: str = ALL_PARTS
) -> list[Row]:
    """Measure tables, and return one row for each group of samples."""
    rows = []
    for name, group in itertools.groupby(tables, key=lambda table: table.group):
        samples = list(group)
        first = samples[0]
        row = Row(name, len(first.X), len(np.unique(first.classes)))
        for table in samples:
            row.others.append(records.baseline(table))
            row.fits.append(
                [records.fit(table, seed, variant, VARIANTS[variant]) for seed in seeds]
            )
        rows.append(row)
    return rows


def mean_over(rows: list[Row], measure: str) -> float:
    """Return the mean over tables of a measure of ours."""
    return float(np.mean([row.mean(measure) for row in rows]))


def mean_other(rows: list[Row], measure: str) -> float:
    """Return the mean over tables of a measure of the other methods."""
    return float(np.mean([row.other(measure) for row in rows]))


def with_error(values: list[float], form: str = "{:.3f}") -> str:
    """Format the mean and its standard error; undefined values are left out.

    Examples
    --------
    >>> with_error([1.0, 2.0, 3.0], "{:.1f}")
    '2.0 ± 0.6'
    """
    defined = [value for value in values if not np.isnan(value)]
    if not defined:
        return "–"
    mean = form.format(np.mean(defined))
    if len(defined) == 1:
        return mean
    return f"{mean} ± {form.format(stats.sem(defined)).lstrip('+')}"


def print_table(header: list[str], lines: list[list[str]]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(header) + " |")
    print("|---" * len(header) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print(flush=True)
