"""The cut of least expected variation of information against all cuts."""

import math
from itertools import chain, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.trees import quick
from posterior.hierarchies import Parents, hierarchies, items_of_entries
from rbhmc import _core

Cut = list[int]
Case = tuple[Parents, NDArray[np.uint32], int]


@st.composite
def hierarchy_and_counts(draw: st.DrawFn) -> Case:
    n_items, n_total = draw(st.integers(1, 7)), draw(st.integers(1, 9))
    numbers = st.lists(st.integers(0, n_total), min_size=n_items**2, max_size=n_items**2)
    upper = np.triu(np.array(draw(numbers)).reshape(n_items, n_items), 1)
    counts = upper + upper.T + n_total * np.eye(n_items, dtype=np.int64)
    return draw(hierarchies(n_items)), counts.astype(np.uint32), n_total


def all_cuts(parents: Parents, entry: int) -> list[Cut]:
    children = np.flatnonzero(parents == entry).tolist()
    if not children:
        return [[entry]]
    below = product(*(all_cuts(parents, child) for child in children))
    return [[entry], *(list(chain(*parts)) for parts in below)]


def cost(cluster: frozenset[int], counts: NDArray[np.uint32], n_total: int, weight: float) -> float:
    shares = [sum(int(counts[i, j]) for j in cluster) / n_total for i in cluster]
    return sum(weight * math.log2(len(cluster)) - 2 * math.log2(share) for share in shares)


@quick
@given(hierarchy_and_counts(), st.sampled_from([0.5, 0.8, 1.0, 1.5]))
def test_no_cut_costs_less(case: Case, weight: float) -> None:
    parents, counts, n_total = case
    sets = items_of_entries(parents, len(counts))
    costs = {
        tuple(cut): sum(cost(sets[entry], counts, n_total, weight) for entry in cut)
        for cut in all_cuts(parents, len(parents) - 1)
    }
    found = np.flatnonzero(_core.vi_cut(parents, counts, n_total, weight)).tolist()
    best = min(costs.values())
    equal = [cut for cut, value in costs.items() if value < best + 1e-9]
    assert tuple(found) in {tuple(sorted(cut)) for cut in equal}
    # Of equal cuts the coarsest, and of a node and its only child the node.
    assert len(found) == min(map(len, equal))
    assert min(found) == max(min(cut) for cut in equal if len(cut) == len(found))
