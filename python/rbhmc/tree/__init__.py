"""The hierarchy that a user reads: a `Tree` of `Node`."""

from rbhmc.tree.node import Node
from rbhmc.tree.tree import Tree

__all__ = ["Node", "Tree"]
