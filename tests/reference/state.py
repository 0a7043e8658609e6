"""The state of a chain: tree, paths, components, means and augmentation variables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from .model import Array, Model

ROOT = 0
UNSET = -1  # the component of an item that is taken out


@dataclass
class Node:
    """A node z: its items, β_z over the instantiated components, β*_z, and η_z."""

    parent: int
    level: int
    discriminant: Array | None = None  # η_z; None at the root and for C = 0
    items: set[int] = field(default_factory=set)
    weights: dict[int, float] = field(default_factory=dict)
    rest: float = 1.0


@dataclass
class State:
    """All unknowns. `paths[n]` is root, z_1, …, z_L; ids of nodes and components are never reused.

    Only in the middle of a kernel does `nodes` hold a node without items, which then counts as
    neither child nor sibling.
    """

    nodes: dict[int, Node]
    paths: list[list[int]]
    component: list[int]
    means: dict[int, Array]
    lambdas: list[float]
    next_node: int = 1
    next_component: int = 0

    @staticmethod
    def empty(n_items: int) -> State:
        """Return a root alone, with no item seated."""
        return State(
            nodes={ROOT: Node(parent=-1, level=0)},
            paths=[[] for _ in range(n_items)],
            component=[UNSET] * n_items,
            means={},
            lambdas=[1.0] * n_items,
        )

    def children(self, z: int) -> list[int]:
        return [i for i, node in self.nodes.items() if node.parent == z and node.items]

    def siblings(self, z: int) -> list[int]:
        return [i for i in self.children(self.nodes[z].parent) if i != z]

    def by_level(self) -> list[int]:
        """Return all nodes, parents first."""
        return sorted(self.nodes, key=lambda z: self.nodes[z].level)

    def plant(self, parent: int, discriminants: Sequence[Array | None]) -> list[int]:
        """Create a branch below `parent`, one node per discriminant, without items or weights."""
        branch = []
        for discriminant in discriminants:
            z, self.next_node = self.next_node, self.next_node + 1
            self.nodes[z] = Node(parent, self.nodes[parent].level + 1, discriminant)
            branch.append(z)
            parent = z
        return branch

    def prune(self, ids: Iterable[int]) -> None:
        for z in ids:
            del self.nodes[z]

    def seat(self, n: int, path: list[int]) -> None:
        self.paths[n] = path
        for z in path:
            self.nodes[z].items.add(n)

    def unseat(self, n: int) -> list[int]:
        """Take n off its path and return the nodes that this empties, topmost first."""
        for z in self.paths[n]:
            self.nodes[z].items.remove(n)
        emptied = [z for z in self.paths[n][1:] if not self.nodes[z].items]
        self.paths[n] = []
        return emptied


def check_state(state: State, model: Model) -> None:
    """Assert the invariants that hold between two kernels."""
    occupied = set(state.component)
    assert occupied == set(state.means), "a component without items, or items without component"
    for z, node in state.nodes.items():
        assert node.items == {n for n, path in enumerate(state.paths) if z in path}
        assert node.items, f"node {z} has no items"
        assert set(node.weights) == occupied
        assert min([node.rest, *node.weights.values()]) >= 0.0
        assert math.isclose(sum(node.weights.values()) + node.rest, 1.0, abs_tol=1e-9)
        assert (node.discriminant is None) == (z == ROOT or model.C == 0.0)
    for path in state.paths:
        assert len(path) == model.n_levels + 1
        assert path[0] == ROOT
        for parent, z in pairwise(path):
            assert state.nodes[z].parent == parent
            assert state.nodes[z].level == state.nodes[parent].level + 1
    assert all(np.isfinite(mean).all() for mean in state.means.values())
    assert all(value > 0.0 for value in state.lambdas)
