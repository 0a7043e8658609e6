"""The tree that a user holds: how it is constructed, and what it is exported to."""

import importlib
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_names, check_table
from rbhmc._core import InvalidInput
from rbhmc.tree.d3_json import read_json, write_json
from rbhmc.tree.description import Descriptions, describe_nodes
from rbhmc.tree.exports import (
    build_frame,
    build_graph,
    build_linkage,
    draw_text,
    write_dot,
    write_newick,
)
from rbhmc.tree.features import compute_features
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.labels import check_paths
from rbhmc.tree.marks import check_clusters, check_in_remainder


class Tree(Hierarchy):
    """A hierarchy of named items.

    The root is level 0 and holds every item; column ``l`` of the labels is level ``l + 1``. A node
    without siblings holds the same items as its parent, so the two are merged: the upper one stays,
    with its id and its level, and takes over the children of the lower. There are no empty nodes.

    Some nodes are the *clusters*, which partition the items: by default the leaves. Nodes above
    them are groups of clusters, nodes below them nested groups. An item may stay directly in a node
    that has children; such items of a node are its *remainder*, the last of its children.

    A tree is immutable. Two trees are equal if their names, labels, clusters, centroids and
    supports are. Use `from_labels` or `from_json` to construct one.

    Examples
    --------
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]], names=["ant", "bee", "cat"])
    >>> print(tree)
    3 items
    ├─ 2 items
    │  ├─ ant
    │  └─ bee
    └─ cat
    >>> [node.id for node in tree.leaves]
    ['1.1', '1.2', '2']
    >>> tree.labels
    array([0, 1, 2])
    >>> tree.labels_at(1)
    array([0, 0, 1])
    """

    __slots__ = ()

    @classmethod
    def from_labels(
        cls,
        paths: ArrayLike,
        *,
        names: Iterable[object] | None = None,
        X: ArrayLike | None = None,
        feature_names: Iterable[object] | None = None,
        clusters: ArrayLike | None = None,
        in_remainder: ArrayLike | None = None,
    ) -> Self:
        """Construct a tree from the node of each item at each level.

        SciPy's ``cut_tree(Z, n_clusters=[2, 3])`` makes such an array from a linkage matrix.

        Parameters
        ----------
        paths : array of shape (n_items, n_levels)
            Whole numbers, such as `Sampler.paths`; items with equal numbers in a column share a
            node at that level. Nodes of a level with different parents have different numbers.
        names : iterable, optional
            The names of the items, not necessarily unique. The default is "0", "1", ….
        X : array of shape (n_items, n_features), optional
            The table from which centroids are computed.
        feature_names : iterable, optional
            The names of the columns of `X`. The default is "x0", "x1", ….
        clusters : array of shape (n_items,), optional
            The cluster of each item, as numbers or texts. The items of each cluster must be exactly
            the items of a node. By default, the leaves are the clusters.
        in_remainder : array of bool of shape (n_items,), optional
            Whether the leaf of the item is a remainder: the items that stay directly in its parent.
            It must be constant over a leaf, at most one child of a node can be a remainder, and
            neither the root nor a cluster of several items is one.

        Raises
        ------
        InvalidInput
            If the labels are not a tree, lengths do not match, or a cluster is not a node.

        Examples
        --------
        >>> paths = [[4, 0], [4, 0], [7, 1]]
        >>> tree = Tree.from_labels(paths, X=[[1.0], [3.0], [8.0]], feature_names=["mass"])
        >>> tree.node("1").centroid
        array([2.])
        >>> paths = [[0, 0], [0, 0], [0, 1], [1, 2]]
        >>> names = ["ant", "bee", "moth", "cat"]
        >>> in_remainder = [False, False, True, False]
        >>> tree = Tree.from_labels(
        ...     paths, names=names, clusters=[0, 0, 0, 1], in_remainder=in_remainder
        ... )
        >>> print(tree)
        4 items
        ├─ ● 3 items
        │  ├─ ant, bee
        │  └─ moth
        └─ ● cat
        >>> [node.id for node in tree.clusters], tree.labels, tree.node("1.2").is_remainder
        (['1', '2'], array([0, 0, 0, 1]), True)
        """
        labels = check_paths(paths)
        item_names = check_names(names, len(labels), what="names")
        features = table = None
        if X is not None:
            table = check_table(X, len(labels))
            columns = check_names(feature_names, table.shape[1], what="feature_names", prefix="x")
            features = compute_features(table, columns)
        elif feature_names is not None:
            raise InvalidInput("feature_names is given without X, whose columns it names")
        return cls(
            labels,
            item_names,
            features=features,
            clusters=None if clusters is None else check_clusters(clusters, len(labels)),
            in_remainder=(
                None if in_remainder is None else check_in_remainder(in_remainder, len(labels))
            ),
            X=table,
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Construct a tree from the output of `to_json`; it is equal to the original.

        Examples
        --------
        >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]])
        >>> Tree.from_json(tree.to_json()) == tree
        True
        """
        return cls(*read_json(text))

    def describe(self) -> Descriptions:
        """Describe each node: its size, and the features that set it apart from its siblings.

        A node is compared with the other items of its parent, by the difference of the means in
        standard deviations of a feature over all items. Up to three features are mentioned, the
        largest difference first: "high mass (5,092; others 3,733)", or for a column that holds only
        0 and 1, "fins (8 of 9; others 1 of 20)". A node between its siblings has a "medium mass".
        Without a table, or if it has more than 20 columns that are only numbered, such as pixels, a
        description is the size alone.

        Returns
        -------
        dict of str to Description
            By id, in printing order; it prints as a table, and each description as a text.

        Examples
        --------
        >>> X = [[410.0, 1.0], [390.0, 1.0], [210.0, 0.0], [200.0, 1.0], [190.0, 0.0]]
        >>> tree = Tree.from_labels([[0], [0], [1], [1], [1]], X=X, feature_names=["mass", "fins"])
        >>> print(tree.describe())
        root  5 items
        1     3 items: low mass (200; others 400), fins (only 1 of 3; others 2 of 2)
        2     2 items: high mass (400; others 200), fins (all; others 1 of 3)
        >>> tree.describe()["1"].features[0].deviations
        -2.0...
        """
        return describe_nodes(self)

    def to_text(
        self,
        *,
        max_items: int | None = 12,
        width: int | None = 80,
        max_level: int | None = None,
    ) -> str:
        """Draw the tree with lines of text; ``print(tree)`` does the same.

        Nodes with a support show it first, in percent. Leaves show the names of their items; if
        the items have no names, every node shows its size and what sets it apart from its siblings,
        see `describe`. If the clusters are not simply the leaves, each is marked by ●. A remainder
        has no percentage.

        Parameters
        ----------
        max_items : int or None
            The largest number of names to show for a leaf; the number of others follows. None shows
            all names.
        width : int or None
            The width in characters; lines break only between names or features. None means no
            breaks.
        max_level : int or None
            The lowest level to show. A node of this level shows how many clusters are below it.
            None shows all levels.

        Examples
        --------
        >>> tree = Tree.from_labels([[0], [0], [0], [1]], names=["ant", "bee", "fly", "cat"])
        >>> print(tree.to_text(max_items=2))
        4 items
        ├─ ant, bee, +1 more
        └─ cat
        >>> tree = Tree.from_labels([[0], [0], [0], [1]], X=[[8.0], [9.0], [10.0], [1.0]])
        >>> print(tree)
        4 items
        ├─ 3 items: high x0 (9.0)
        └─ 1 item: low x0 (1.0)
        >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]], names=["ant", "bee", "cat"])
        >>> print(tree.to_text(max_level=1))
        3 items
        ├─ 2 items in 2 clusters
        └─ cat
        """
        return draw_text(self, max_items, width, max_level)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the nodes as a list, with supports and descriptions."""
        html: str = importlib.import_module("rbhmc.report.notebook").tree_html(self)
        return html

    def plot(self, **options: Any) -> Any:
        """Plot the tree with `rbhmc.plots.plot_tree` and return the matplotlib axes.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
        >>> tree.plot(ax=Figure().add_subplot()).texts[-1].get_text()
        'cat'
        """
        return importlib.import_module("rbhmc.plots").plot_tree(self, **options)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row for each node.

        Returns
        -------
        pandas.DataFrame
            Columns `id`, `parent`, `level`, `size`, `is_leaf`, `is_cluster`, `is_remainder`,
            `support`, `exact`, `height`, `chain_share`, `probability`, `support_error`,
            `effective_chains`, `description` (see `describe`), `items` (a list of names), and the
            centroid, one column for each feature. A feature that has the name of another column
            gets the prefix ``"centroid "``.

        Examples
        --------
        >>> tree = Tree.from_labels([[0], [0], [1]], X=[[1.0], [3.0], [8.0]])
        >>> tree.to_pandas()[["id", "size", "x0"]]
             id  size   x0
        0  root     3  4.0
        1     1     2  2.0
        2     2     1  8.0
        """
        return build_frame(self)

    def to_networkx(self) -> Any:
        """Return a `networkx.DiGraph` with an edge from each node to each child.

        Returns
        -------
        networkx.DiGraph
            Nodes are the ids, with `level`, `size`, `is_leaf`, `is_cluster`, `is_remainder`,
            `support`, `exact`, `height`, `chain_share`, `probability`, `support_error`,
            `effective_chains`, `description`, `items` (indices), `names` and `centroid` (a dict by
            feature); unknown values are left out.

        Examples
        --------
        >>> graph = Tree.from_labels([[0], [0], [1]]).to_networkx()
        >>> list(graph.edges), graph.nodes["1"]["names"]
        ([('root', '1'), ('root', '2')], ('0', '1'))
        """
        return build_graph(self)

    def to_newick(self) -> str:
        """Write the tree in the Newick format: items are tips, ids label the inner nodes.

        The items of a remainder are tips directly below its parent. All labels are quoted, and
        quotes within them doubled. What is known of a node follows its label by name, in a comment
        of the extended format NHX: `transfer`, its transfer support; `exact`, the share of draws
        that have exactly its items; and `height`. Programs that do not know NHX skip comments.

        Examples
        --------
        >>> Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"]).to_newick()
        "(('ant','bee')'1',('cat')'2')'root';"
        >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
        >>> tree.with_support({"1": 0.925}, exact={"1": 0.41}).to_newick()
        "(('ant','bee')'1'[&&NHX:transfer=0.925:exact=0.41],('cat')'2')'root';"
        """
        return write_newick(self)

    def to_dot(self) -> str:
        r"""Write the tree in the DOT language of Graphviz; nodes show what `to_text` shows.

        If the clusters are not simply the leaves, they are drawn bold; a remainder is dashed.

        Examples
        --------
        >>> print(Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"]).to_dot())
        digraph {
          rankdir=LR;
          node [shape=box];
          "root" [label="3 items"];
          "1" [label="ant\nbee"];
          "root" -> "1";
          "2" [label="cat"];
          "root" -> "2";
        }
        """
        return write_dot(self)

    def to_json(self) -> str:
        """Write the tree as JSON that both d3's ``hierarchy`` and `from_json` read.

        A node is ``{"name", "id", "level", "size", "description", "children"}``, with `centroid`,
        `support`, `exact`, `height`, `chain_share`, `probability`, `support_error` and
        `effective_chains` if it has them, and with `is_cluster` or `is_remainder` if it is one; the
        children of a leaf are its items, ``{"name", "item"}``. The root also has `n_levels`, and of
        the features their names, standard deviations (`feature_std`) and whether they hold only 0
        and 1 (`is_binary`). The text is one line of ASCII characters.

        Examples
        --------
        >>> import json
        >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
        >>> json.loads(tree.to_json())["children"][0]["children"]
        [{'name': 'ant', 'item': 0}, {'name': 'bee', 'item': 1}]
        """
        return write_json(self)

    def to_linkage(self) -> NDArray[np.float64]:
        """Return a linkage matrix for `scipy.cluster.hierarchy`.

        Items of a leaf are merged at height 1, nodes of the lowest level with the same parent at
        height 2, and so on, up to ``n_levels + 1`` for the children of the root. A node with more
        than two parts takes several merges of the same height, the two smallest parts first, so
        that the merges are balanced and SciPy's recursions stay shallow. Hence
        ``fcluster(Z, n_levels - level + 1, "distance")`` gives the clusters of
        ``labels_at(level)``.

        Returns
        -------
        array of shape (n_items - 1, 4)
            The merges in order of height. A tree of a single item has none and is refused.

        Examples
        --------
        >>> Tree.from_labels([[0], [0], [1]]).to_linkage()
        array([[0., 1., 1., 2.],
               [2., 3., 2., 3.]])
        """
        return build_linkage(self)
