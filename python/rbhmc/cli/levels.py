"""The node of each leaf at each level of the tree that is presented."""

from rbhmc.tree import Tree


def nodes_by_level(tree: Tree) -> list[tuple[str, ...]]:
    """Return for each leaf, in the order of `tree.leaves`, its node at levels 1 … n_levels.

    A node that was merged with an only child stands for both.

    Examples
    --------
    >>> nodes_by_level(Tree.from_labels([[0, 0], [0, 1], [1, 2]]))
    [('1', '1.1'), ('1', '1.2'), ('2', '2')]
    """
    found = []
    for leaf in tree.leaves:
        way = [tree.node(id) for id in tree.path_of(int(leaf.items[0]))]
        found.append(
            tuple(
                [node.id for node in way if node.level <= level][-1]
                for level in range(1, tree.n_levels + 1)
            )
        )
    return found
