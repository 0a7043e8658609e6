"""What the records say on each of the paper's measures, with intervals over chains."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.chain import TRACE_STEP
from paper.intervals import Interval, change, difference, mean
from paper.protocol import BHMC, DESIGNS, MARGINS, Cell, Design, Lengths
from paper.records import Records

# The three forms of AID, in the order of a record.
AID_FORMS = ("as printed", "one-item nodes left out", "merged trees")


class Evidence:
    """The chains of a table and a reading.

    Claims on AID take it in the form `aid_form`, an index of `AID_FORMS`.
    """

    def __init__(self, records: Records, aid_form: int = 0) -> None:
        self.records = records
        self.aid_form = aid_form
        self.design: Design = DESIGNS[records.table]
        self.lengths = records.lengths or Lengths()

    def without_one_item_nodes(self) -> "Evidence":
        """Return the same chains with the AID in which one-item nodes are left out."""
        return Evidence(self.records, aid_form=1)

    @property
    def n_repeats(self) -> int:
        """Chains that every cell of the grid has."""
        return self.records.repeats([BHMC, *self.design.grid])

    def chains(self, cell: Cell, n: int | None = None) -> list[dict[str, Any]]:
        """Return the first n chains of a cell."""
        return self.records.of(cell, n)

    def scored(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the chains that are taken for F-measures and co-occurrence."""
        return self.chains(cell, self.lengths.n_scored)

    def has(self, cells: Sequence[Cell], n: int = 3) -> bool:
        """Whether each of the cells has n chains: three are the fewest for an interval."""
        return self.records.repeats(list(cells)) >= n

    # AID and AOD.

    def aid_change(self, cell: Cell, form: int | None = None) -> Interval:
        """Return the relative change of AID against BHMC."""
        form = self.aid_form if form is None else form
        return change(*([one["aid"][form] for one in self._kept(at)] for at in (cell, BHMC)))

    def aod_change(self, cell: Cell) -> Interval:
        """Return the relative change of AOD against BHMC."""
        return change(*([one["aod"] for one in self._kept(at)] for at in (cell, BHMC)))

    def changes(self, measure: str) -> dict[Cell, Interval]:
        """Return the changes of "AID" or "AOD" over the grid."""
        of = self.aid_change if measure == "AID" else self.aod_change
        return {cell: of(cell) for cell in self.design.grid}

    def best_cell(self, measure: str, form: int | None = None) -> tuple[Cell, Interval]:
        """Return the cell of the grid with the lowest AID or the highest AOD."""
        if measure == "AOD":
            return max(self.changes("AOD").items(), key=lambda pair: pair[1].value)
        found = {cell: self.aid_change(cell, form) for cell in self.design.grid}
        return min(found.items(), key=lambda pair: pair[1].value)

    def surface(self, measure: str) -> NDArray[np.float64]:
        """Return the changes in percent, by C and margin."""
        values = [found.value for found in self.changes(measure).values()]
        return 100.0 * np.reshape(values, (len(self.design.strengths), len(MARGINS)))

    def singular(self, cell: Cell) -> float:
        """Return the share of draws that are a single path."""
        return float(np.mean(self.singular_shares(cell)))

    def singular_shares(self, cell: Cell) -> list[float]:
        """Return the share of draws that are a single path, by chain."""
        return [one["singular"] for one in self.chains(cell)]

    def n_lost(self) -> int:
        """Return the number of chains without any other draw."""
        return sum("aid" not in one for one in self.records)

    def _kept(self, cell: Cell) -> list[dict[str, Any]]:
        return [one for one in self.chains(cell) if "aid" in one]

    # F-measure, shape, co-occurrence.

    def f(self, cell: Cell, of_all: bool = False) -> NDArray[np.float64]:
        """Return F of the presented trees by chain and level, of the scored or of all chains."""
        chains = self.chains(cell) if of_all else self.scored(cell)
        return np.array([one["f"] for one in chains])

    def f_gain(self, cell: Cell, level: int | None = None, of_all: bool = False) -> Interval:
        """Return F less that of BHMC, at a level or, for each tree, at its best level."""
        scores = [self.f(at, of_all) for at in (cell, BHMC)]
        return difference(*(f.max(axis=1) if level is None else f[:, level - 1] for f in scores))

    def of_trees(self, cell: Cell, key: str) -> Interval:
        """Return the mean of a number of the presented trees: "top", "leaves" or "flat"."""
        return mean([one[key] for one in self.scored(cell)])

    def nodes(self, cell: Cell) -> NDArray[np.float64]:
        """Return the mean number of nodes at each level, over all draws."""
        found: NDArray[np.float64] = self.nodes_of_chains(cell).mean(axis=0)
        return found

    def nodes_of_chains(self, cell: Cell) -> NDArray[np.float64]:
        """Return the mean number of nodes by chain and level."""
        return np.array([one["nodes"] for one in self.chains(cell)])

    def evenness(self, cell: Cell) -> list[float]:
        """Return how even the leaves are, by chain."""
        return [one["evenness"] for one in self._kept(cell)]

    def pairs(self, cell: Cell, level: int, key: str) -> list[float]:
        """Return "mean", "grey" or "uncertainty" of the co-occurrence at a level, by chain."""
        return [one["pairs"][level - 1][key] for one in self.scored(cell)]

    def stays_together(self, cell: Cell, level: int) -> list[float]:
        """Return ΣP² / ΣP by chain: how often a pair that is together in a draw is together."""
        means, uncertainties = (self.pairs(cell, level, key) for key in ("mean", "uncertainty"))
        # The uncertainty is the mean of 4 P (1 − P).
        return [1.0 - u / (4.0 * m) for m, u in zip(means, uncertainties, strict=True)]

    # Traces.

    def between_within_ratio(self, cell: Cell) -> float:
        """Return the standard deviation of CDLL between chains over that within a chain."""
        levels = [one["cdll"][0] for one in self.chains(cell)]
        return float(np.std(levels, ddof=1)) / self.spread(cell, "cdll")

    def spread(self, cell: Cell, key: str) -> float:
        """Return the standard deviation of "cdll" or "rcdll" after burn-in: the mean of chains."""
        return float(np.mean([one[key][1] for one in self.chains(cell)]))

    def level(self, cell: Cell, key: str) -> float:
        """Return the mean of "cdll" or "rcdll" after burn-in."""
        return float(np.mean([one[key][0] for one in self.chains(cell)]))

    def traces(self, cell: Cell, key: str) -> NDArray[np.float64]:
        """Return the traces by chain: the start, then one value each 250 sweeps."""
        traced = self.chains(cell, self.lengths.n_traced)
        return np.array([one[f"{key} trace"] for one in traced], float)

    def rises_to_a_level(self, cell: Cell, key: str) -> list[bool]:
        """Return for each trace whether it rises, and then has no drift.

        It starts more than two standard deviations below the mean of its draws after burn-in, and
        the halves of these draws differ by less than one.
        """
        n_before = self.lengths.n_burn_in // TRACE_STEP + 1
        found = []
        for trace in self.traces(cell, key):
            first, last = np.array_split(trace[n_before:], 2)
            spread = trace[n_before:].std()
            rises = trace[0] < trace[n_before:].mean() - 2.0 * spread
            found.append(bool(rises and abs(last.mean() - first.mean()) < spread))
        return found

    def grows_and_fluctuates(self, cell: Cell, key: str) -> list[bool]:
        """Return for each trace whether it grows rapidly and keeps fluctuating.

        Within 5,000 sweeps 90 % of the rise from the start to the mean of the second half is done;
        and that half varies at least half as much as all after burn-in.
        """
        n_before = self.lengths.n_burn_in // TRACE_STEP + 1
        n_early = self.lengths.n_burn_in // (5 * TRACE_STEP) + 1
        found = []
        for trace in self.traces(cell, key):
            half = trace[len(trace) // 2 :]
            rise = half.mean() - trace[0]
            grows = rise > 0.0 and trace[1:n_early].max() >= trace[0] + 0.9 * rise
            found.append(bool(grows and half.std() >= 0.5 * trace[n_before:].std()))
        return found


def published_columns(columns: dict[str, Evidence]) -> dict[str, Evidence]:
    """Return the columns of the published algorithm, without those of our default scheme."""
    return {title: one for title, one in columns.items() if one.records.reading != "collapsed"}
