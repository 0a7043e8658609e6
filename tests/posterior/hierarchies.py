"""Small random hierarchies as the core takes them: the parents of the items, then of the nodes."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Parents = NDArray[np.int32]


@st.composite
def hierarchies(draw: st.DrawFn, n_items: int) -> Parents:
    """Generate a tree over items by merging two or more entries at a time; some nodes have one."""
    parents = [-1] * n_items
    roots = list(range(n_items))
    while len(roots) > 1 or draw(st.integers(0, 3)) == 3:
        n_merged = draw(st.sampled_from([4, 3, 2, 2, 1]))
        chosen = draw(st.permutations(roots))[:n_merged]
        for entry in chosen:
            parents[entry] = len(parents)
        roots = [entry for entry in roots if entry not in chosen] + [len(parents)]
        parents.append(-1)
    return np.array(parents, np.int32)


def items_of_entries(parents: Parents, n_items: int) -> list[frozenset[int]]:
    """Return the items of each entry."""
    found = [{item} if item < n_items else set() for item in range(len(parents))]
    for entry, parent in enumerate(parents[:-1]):
        found[parent] |= found[entry]
    return [frozenset(items) for items in found]
