"""The tree that a user holds: how it is made, and where it goes."""

import importlib
import os
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_names, check_table
from rbhmc._core import InvalidInput
from rbhmc.tree import d3, dot, frames, graphs, linkage, newick, text
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.labels import check_paths


class Tree(Hierarchy):
    """A hierarchy of named items: the one that is presented, read off the labels of each level.

    Levels are counted from the root, which is level 0 and holds every item; column ``l`` of the
    labels is level ``l + 1``. A node without siblings says nothing that its parent does not, so
    that the two are merged: the upper one stays, with its id and its level, and takes over the
    children of the lower. With ``raw=True`` every node of every level is kept. There are no empty
    nodes. `labels_at` and `paths` speak of the raw levels either way.

    A tree never changes. Two are equal if their names, labels, centroids and supports are, and
    both are raw or neither is.

    Use `from_labels`, `from_linkage` or `from_json` to make one.

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
        raw: bool = False,
    ) -> Self:
        """Make a tree of the node of each item at each level, as `Sampler.paths` gives them.

        Parameters
        ----------
        paths : array of shape (n_items, n_levels)
            Whole numbers; items with equal numbers in a column share a node at that level.
            Labels are unique within a level: nodes with different parents have different ones.
        names : iterable, optional
            The items' names; "0", "1", … where absent. They need not differ.
        X : array of shape (n_items, n_features), optional
            The table, in the units in which centroids are wanted.
        feature_names : iterable, optional
            The names of the columns of `X`; "x0", "x1", … where absent.
        raw : bool
            Whether nodes without siblings are kept, and not merged with their parents.

        Raises
        ------
        InvalidInput
            Where the labels do not form a tree, or the lengths differ.

        Examples
        --------
        >>> paths = [[4, 0], [4, 0], [7, 1]]
        >>> tree = Tree.from_labels(paths, X=[[1.0], [3.0], [8.0]], feature_names=["mass"])
        >>> tree.node("1").centroid
        array([2.])
        >>> len(tree), len(Tree.from_labels(paths, raw=True))
        (3, 5)
        """
        labels = check_paths(paths)
        item_names = check_names(names, len(labels), what="names")
        if X is None:
            if feature_names is not None:
                raise InvalidInput("feature_names is given without X, whose columns it names")
            return cls(labels, item_names, raw=bool(raw))
        table = check_table(X, len(labels))
        columns = check_names(feature_names, table.shape[1], what="feature_names", prefix="x")
        return cls(labels, item_names, raw=bool(raw), feature_names=columns, X=table)

    @classmethod
    def from_linkage(
        cls,
        Z: ArrayLike,
        *,
        n_clusters_per_level: Sequence[int] | None = None,
        heights: Sequence[float] | None = None,
        names: Iterable[object] | None = None,
        X: ArrayLike | None = None,
        feature_names: Iterable[object] | None = None,
        raw: bool = False,
    ) -> Self:
        """Make a tree by cutting a SciPy linkage matrix once for each level.

        Parameters
        ----------
        Z : array of shape (n_items - 1, 4)
            A linkage matrix.
        n_clusters_per_level : sequence of int, optional
            The number of clusters of each level, the top level first, so never falling.
        heights : sequence of float, optional
            The height of the cut of each level, the top level first, so never rising. Items are
            together if they are joined at or below it, as with ``criterion="distance"`` of
            `scipy.cluster.hierarchy.fcluster`. Exactly one of the two is given.
        names, X, feature_names, raw
            As for `from_labels`.

        Examples
        --------
        >>> from scipy.cluster.hierarchy import linkage
        >>> Z = linkage([[0.0], [1.0], [10.0], [12.0], [50.0]], "average")
        >>> print(Tree.from_linkage(Z, n_clusters_per_level=[2, 3], names=list("abcde")))
        5 items
        ├─ 4 items
        │  ├─ a, b
        │  └─ c, d
        └─ e
        """
        paths = linkage.paths_of(Z, n_clusters_per_level, heights)
        return cls.from_labels(paths, names=names, X=X, feature_names=feature_names, raw=raw)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote; the tree is equal to the one that was written.

        Parameters
        ----------
        text : str or bytes
            The JSON itself.

        Raises
        ------
        InvalidInput
            Where the text is not the JSON of a tree.

        Examples
        --------
        >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]])
        >>> Tree.from_json(tree.to_json()) == tree
        True
        """
        return cls(**d3.read(text))

    def to_text(self, *, max_items: int | None = None, width: int | None = 100) -> str:
        """Draw the tree with lines, the items of each leaf by name; ``print(tree)`` does this.

        Nodes that have a support show it first, in percent.

        Parameters
        ----------
        max_items : int, optional
            The number of names to give for a leaf; how many more there are follows.
        width : int or None
            Where lines break, in characters; only between names. None never breaks them.

        Examples
        --------
        >>> tree = Tree.from_labels([[0], [0], [0], [1]], names=["ant", "bee", "fly", "cat"])
        >>> print(tree.to_text(max_items=2))
        4 items
        ├─ ant, bee, +1 more
        └─ cat
        """
        return text.draw(self, max_items, width)

    def __str__(self) -> str:
        return self.to_text()

    def plot(self, **options: Any) -> Any:
        """Draw the tree, see `rbhmc.plots.plot_tree`; returns matplotlib's axes.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
        >>> tree.plot(ax=Figure().add_subplot()).texts[-1].get_text()
        'cat'
        """
        return importlib.import_module("rbhmc.plots").plot_tree(self, **options)

    def to_pandas(self) -> Any:
        """Make a `pandas.DataFrame` of the nodes.

        Returns
        -------
        pandas.DataFrame
            Columns `id`, `parent`, `level`, `size`, `is_leaf`, `support`, `at_level`, `overlap`,
            `items` (a list of names), and the centroid, a column for each feature. A feature that
            is called as one of the former has ``"centroid "`` before its name.

        Examples
        --------
        >>> tree = Tree.from_labels([[0], [0], [1]], X=[[1.0], [3.0], [8.0]])
        >>> tree.to_pandas()[["id", "size", "x0"]]
             id  size   x0
        0  root     3  4.0
        1     1     2  2.0
        2     2     1  8.0
        """
        return frames.frame_of(self)

    def to_networkx(self) -> Any:
        """Make a `networkx.DiGraph`, with an edge from each node to each child.

        Returns
        -------
        networkx.DiGraph
            Nodes are the ids, with `level`, `size`, `is_leaf`, `support`, `at_level`, `overlap`,
            `items` (indices), `names` and `centroid` (a dict by feature); what is not known is left
            out.

        Examples
        --------
        >>> graph = Tree.from_labels([[0], [0], [1]]).to_networkx()
        >>> list(graph.edges), graph.nodes["1"]["names"]
        ([('root', '1'), ('root', '2')], ('0', '1'))
        """
        return graphs.graph_of(self)

    def to_newick(
        self, path: str | os.PathLike[str] | None = None, *, support: bool = False
    ) -> str:
        """Write the tree in Newick's format: items are tips, ids the labels of inner nodes.

        All labels stand in quotes, in which a quote is written twice.

        Parameters
        ----------
        path : path, optional
            A file to write it to as well, in UTF-8.
        support : bool
            Whether inner nodes are labelled with their supports in the place of their ids: bare
            numbers from 0 to 1, which is where programs for phylogenetic trees look for them.

        Examples
        --------
        >>> Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"]).to_newick()
        "(('ant','bee')'1',('cat')'2')'root';"
        >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
        >>> tree.with_support({"root": 1.0, "1": 0.925}).to_newick(support=True)
        "(('ant','bee')0.925,('cat'))1;"
        """
        return newick.write(self, path, support=support)

    def to_dot(self) -> str:
        r"""Write the tree in Graphviz's language; leaves show the names of their items.

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
        return dot.write(self)

    def to_json(self, indent: int | None = None) -> str:
        """Write the tree as JSON that d3's ``hierarchy`` reads and `from_json` too.

        A node is ``{"name", "id", "level", "size", "children"}``, with `centroid`, `support`,
        `at_level` and `overlap` where it has them; the children of a leaf are its items,
        ``{"name", "item"}``. The root carries `n_levels`, `raw` and `feature_names` besides. All
        characters are ASCII.

        Parameters
        ----------
        indent : int, optional
            The number of spaces by which each level is indented; one line where absent.

        Examples
        --------
        >>> import json
        >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
        >>> json.loads(tree.to_json())["children"][0]["children"]
        [{'name': 'ant', 'item': 0}, {'name': 'bee', 'item': 1}]
        """
        return d3.write(self, indent)

    def to_linkage(self) -> NDArray[np.float64]:
        """Make a linkage matrix for `scipy.cluster.hierarchy`.

        Items of a leaf are joined at height 1, nodes of the lowest level with the same parent at
        height 2, and so on, up to ``n_levels + 1`` for the children of the root. A node with more
        than two parts is joined in several merges of one height, the smallest two parts first, so
        that the merges are balanced and SciPy's recursions stay shallow. Hence
        ``fcluster(Z, n_levels - level + 1, "distance")`` are the clusters of ``labels_at(level)``.

        Returns
        -------
        array of shape (n_items - 1, 4)
            The merges, by height.

        Raises
        ------
        InvalidInput
            Where there is one item only, for which SciPy has no linkage matrix.

        Examples
        --------
        >>> Tree.from_labels([[0], [0], [1]]).to_linkage()
        array([[0., 1., 1., 2.],
               [2., 3., 2., 3.]])
        """
        return linkage.merges_of(self)
