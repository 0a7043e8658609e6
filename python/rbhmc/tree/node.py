"""One node of a tree."""

from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

# How sure a node is, as shares from 0 to 1.
SHARES = ("support", "at_level", "overlap")


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A group of items, and where it stands in a `Tree`.

    Examples
    --------
    >>> from rbhmc.tree import Tree
    >>> Tree.from_labels([[0, 0], [0, 1], [1, 2]]).node("1.2")
    Node('1.2', level=2, size=1)
    """

    # Names with their documentation, where help() and inspect.getdoc() look for it.
    __slots__ = {  # noqa: RUF023
        "id": 'Its place in words: "root", its children "1", "2", …, theirs "1.1", "1.2", ….',
        "parent": "The id of the node above; None for the root.",
        "level": "The level of the raw tree at which it starts; 0 for the root.",
        "children": "The ids of the nodes below: the largest first, ties by first item.",
        "items": "The indices of its items, ascending; read-only.",
        "centroid": "The mean of its items, in the units of the table; None without a table.",
        "support": "Share of draws in which its items, exactly, are a node; None if nobody said.",
        "at_level": "The same at its own level, or one that it stands for; None likewise.",
        "overlap": "Mean Jaccard overlap with the most similar node of each draw; None likewise.",
    }

    id: str
    parent: str | None
    level: int
    children: tuple[str, ...]
    items: NDArray[np.intp]
    centroid: NDArray[np.float64] | None
    support: float | None
    at_level: float | None
    overlap: float | None

    @property
    def size(self) -> int:
        """The number of its items."""
        return len(self.items)

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return not self.children

    def __repr__(self) -> str:
        support = "" if self.support is None else f", support={self.support:.3g}"
        return f"Node({self.id!r}, level={self.level}, size={self.size}{support})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    def __hash__(self) -> int:
        return hash((self.id, self.level, self.items.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Node, astuple(self)
