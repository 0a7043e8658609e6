"""The results of a fit: the files in the run folder, and what is printed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc._files import inside, write_atomically
from rbhmc._text import guard_formula, pluralize
from rbhmc.cli import run as files
from rbhmc.cli.class_comparison import compare_with_classes, format_measures
from rbhmc.cli.console import (
    format_command,
    print_note,
    print_result,
    print_table,
    terminal_width,
    wrap,
)
from rbhmc.cli.options import use_option_names
from rbhmc.cli.run import Run
from rbhmc.cli.table import Table
from rbhmc.estimator import RBHMC
from rbhmc.posterior import coclustering_share, group_similarity
from rbhmc.tree import Tree
from rbhmc.tree.description import lists_items
from rbhmc.tree.exports import CLUSTER_MARK

# Limits of what is printed.
MAX_LINES = 60
SUPPORT_LEGEND = (
    "A percentage is the transfer support of a node: how much of the group recurs in the draws of "
    "all chains. 100% means that every draw has exactly this group, 0% that no draw has a group "
    "that is more like it than a single item is."
)
CLUSTER_LEGEND = (
    f"{CLUSTER_MARK} marks the clusters, which together hold every item once; above them are "
    "groups of clusters, below them nested groups."
)
DESCRIPTION_LEGEND = (
    "A node is described by the columns that set it apart from its siblings, with its mean. "
    f"{files.NODES} has the means of the siblings too."
)


def write_results(run: Run, model: RBHMC, table: Table) -> None:
    """Write all results of a fitted model, and record what they were made from."""
    # While the files are replaced one by one, they do not belong together.
    run.config["result"] = None
    run.save()
    (run.path / files.REPORT).unlink(missing_ok=True)
    tree, draws, verdict = model.tree_, model.draws_, model.verdict()
    classes = table.classes
    if classes is not None:
        classes = [classes[row] for row in model.items_]
    measures = compare_with_classes(model, classes)
    summary = model.summary()
    if measures is not None:
        summary += f"\n\n{format_measures(measures, str(table.roles.classes))}"
    texts = {
        files.LABELS: labels_csv(model, [str(name) for name in table.frame.index]),
        files.NODES: nodes_csv(tree),
        files.NEWICK: f"{tree.to_newick()}\n",
        files.TREE: f"{tree.to_json()}\n",
        files.SUMMARY: f"{summary}\n",
    }
    for name, text in texts.items():
        write_atomically(inside(run.path, name), text)
    run.config["result"] = {
        "chains": draws.settings["chains"],
        "n_draws": draws.n_draws,
        "status": verdict.status,
        "verdict": verdict.text,
        "measures": measures,
    }
    run.save()
    try:
        write_report(run, model, table, inside(run.path, files.REPORT))
    except (ImportError, InvalidInput) as error:
        print_note(f"{files.REPORT} was not written: {error}")


def write_report(run: Run, model: RBHMC, table: Table, path: Path) -> None:
    """Write the report of a run."""
    name = Path(run.config["data"]["file"]).stem
    title = f"{name}: a hierarchy of {pluralize(len(table.frame), 'item')}"
    images = _images(run, table)
    if images is not None:
        images = images[model.items_]
    model.report(path, images=images, title=title, wording=use_option_names)


def _images(run: Run, table: Table) -> NDArray[np.float64] | None:
    """Return the rows of the table as images from 0 to 1, if the run records that they are."""
    shape: list[int] | None = run.config["data"].get("image_shape")
    if shape is None:
        return None
    values = table.frame.to_numpy()
    low, high = values.min(), values.max()
    return np.asarray((values - low) / max(high - low, 1e-300)).reshape(-1, *shape)


def print_columns(table: Table) -> None:
    """Print what each column of the file is, and what had to be guessed."""
    print_table(table.describe())
    for text in table.notes:
        print_note(text)


def print_results(run: Run, model: RBHMC) -> None:
    """Print the tree, the verdict, the measures, and where the files are."""
    tree = model.tree_
    print_note(model.preparation_.units_)
    paragraphs = [format_tree(tree, run.path / files.SUMMARY)]
    paragraphs.append("\n".join(wrap(line) for line in tree_legend(tree)))
    paragraphs.append(wrap(use_option_names(run.result["verdict"])))
    if run.result["measures"] is not None:
        class_column = run.config["data"]["class_column"]
        paragraphs.append(format_measures(run.result["measures"], class_column))
    written = [name for name in files.RESULTS if (run.path / name).exists()]
    paragraphs.append(wrap(f"Written to {run.path}: {', '.join(written)}"))
    print_result("\n\n".join(text for text in paragraphs if text))
    if files.REPORT in written:
        report = (run.path / files.REPORT).absolute().as_uri()
        print_result(f"Open the report in a browser: {report}")


def print_advice(run: Run, model: RBHMC) -> None:
    """Print how to sample more, if the chains do not agree yet and one draw is presented.

    Short chains seldom agree, and the consensus is what they have in common.
    """
    if model.select != "consensus" and model.verdict().chains.status in ("doubtful", "bad"):
        n_draws = str(2 * int(run.settings["n_draws"]))
        print_note("Run longer, with twice the draws:")
        print_note(f"  {format_command('fit', '--resume', run.path, '--n-draws', n_draws)}")


def format_tree(tree: Tree, summary: Path) -> str:
    """Draw a tree for a screen; a long one is cut, with a reference to the summary file.

    Examples
    --------
    >>> print(format_tree(Tree.from_labels([[0], [1]], names=["ant", "bee"]), Path("tree.txt")))
    2 items
    ├─ ant
    └─ bee
    """
    lines = tree.to_text(width=terminal_width()).split("\n")
    if len(lines) > MAX_LINES:
        n_more = len(lines) - MAX_LINES
        lines = [*lines[:MAX_LINES], f"… {n_more} more lines; the whole tree is in {summary}"]
    return "\n".join(lines)


def tree_legend(tree: Tree) -> list[str]:
    """Explain the percentages, marks and descriptions of a printed tree, if it has any.

    Examples
    --------
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]], clusters=[0, 0, 1])
    >>> [line.partition(",")[0] for line in tree_legend(tree)]
    ['● marks the clusters']
    """
    lines = [] if tree.clusters_are_leaves else [CLUSTER_LEGEND]
    if any(node.support is not None for node in tree.nodes[1:]):
        lines.append(SUPPORT_LEGEND)
    described = tree.describe()
    if any(described[node.id].mentions for node in tree if not lists_items(tree, node)):
        lines.append(DESCRIPTION_LEGEND)
    return lines


def labels_csv(model: RBHMC, names: Sequence[str]) -> str:
    """Write the cluster, the leaf and the nodes of each item, and how certain its place is.

    For a consensus tree, of a model with a ``dendrogram_``: the similarity of an item to its
    cluster, and the next best cluster with its similarity, see `group_similarity`. Otherwise the
    levels are those of the draws, and each has its `coclustering_share`. Items outside the sample
    that was fitted have a place, and no measure of its certainty; dropped items are left out.

    Parameters
    ----------
    model : RBHMC
        A fitted model.
    names : sequence of str
        The names of all rows of the table.

    Examples
    --------
    >>> model = RBHMC(n_draws=5, random_state=0).fit([[0.0], [0.1], [9.0], [9.1]])
    >>> print(labels_csv(model, ["ant", "bee", "cat", "dog"]).split()[0])
    item,cluster,leaf,node_1,similarity,next_cluster,next_similarity
    """
    tree, leaves = model.tree_, model.leaves_
    rows = np.flatnonzero(leaves >= 0)
    columns = leaf_columns(tree, [names[row] for row in rows.tolist()], leaves[rows])

    def of_fitted(values: ArrayLike, missing: object = np.nan) -> NDArray[Any]:
        """Return the values of all rows, of which only those of the fitted items are known."""
        known = np.asarray(values)
        column = np.full(len(leaves), missing, known.dtype)
        column[model.items_] = known
        return column[rows]

    is_consensus = hasattr(model, "dendrogram_")
    shares = None if is_consensus else coclustering_share(model.draws_, tree)
    ids = node_ids(tree)[leaves[rows]]
    for level in range(tree.n_levels):
        columns[f"node_{level + 1}"] = ids[:, level]
        if shares is not None:
            columns[f"coclustering_{level + 1}"] = of_fitted(shares[:, level])
    if is_consensus:
        found = group_similarity(model.draws_, tree.clusters)
        cluster_ids = np.array([*(node.id for node in tree.clusters), ""])  # the last: no other
        columns["similarity"] = of_fitted(found.own)
        columns["next_cluster"] = of_fitted(cluster_ids[found.other], "")
        columns["next_similarity"] = of_fitted(found.other_similarity)
    return to_csv(columns)


def leaf_columns(tree: Tree, names: Sequence[str], leaves: NDArray[np.intp]) -> dict[str, Any]:
    """Return the columns with the names, clusters and leaves of items.

    Parameters
    ----------
    tree : Tree
    names : sequence of str
        The items.
    leaves : array of shape (n_items,)
        The leaf of each item, by its position in `tree.leaves`.

    Examples
    --------
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]])
    >>> leaf_columns(tree, ["ant"], np.array([1]))
    {'item': ['ant'], 'cluster': ['1.2'], 'leaf': ['1.2']}
    """
    labels = tree.labels
    cluster_of_leaf = [tree.clusters[labels[leaf.items[0]]].id for leaf in tree.leaves]
    return {
        "item": names,
        "cluster": [cluster_of_leaf[leaf] for leaf in leaves.tolist()],
        "leaf": [tree.leaves[leaf].id for leaf in leaves.tolist()],
    }


def node_ids(tree: Tree) -> NDArray[np.object_]:
    """Return the ids of the nodes above each leaf, and its own, at levels 1 … n_levels.

    Examples
    --------
    >>> node_ids(Tree.from_labels([[0, 0], [0, 1], [1, 2]])).tolist()
    [['1', '1.1'], ['1', '1.2'], ['2', '2']]
    """
    ids = np.empty((len(tree.leaves), tree.n_levels), object)
    leaf_of_item = tree.leaf_labels
    for level in range(tree.n_levels):
        for node in tree.nodes_at(level + 1):
            ids[np.unique(leaf_of_item[node.items]), level] = node.id
    return ids


def nodes_csv(tree: Tree) -> str:
    """Write the table of `Tree.to_pandas`.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1]], X=[[1e-9], [2.0]], names=["ant", "bee"])
    >>> print(nodes_csv(tree).split()[0])
    id,parent,level,size,is_leaf,is_cluster,is_remainder,support,exact,height,chain_share,probabil...
    """
    frame = tree.to_pandas()
    frame["items"] = frame["items"].map("; ".join)
    # Shares have four decimals, but centroids are in the units of the table.
    n_features = len(tree.feature_names or ())
    own, centroids = frame.iloc[:, : frame.shape[1] - n_features], frame.iloc[:, -n_features:]
    parts = [own, centroids.map("{:.7g}".format)] if n_features else [own]
    return to_csv(require("pandas", "frames").concat(parts, axis=1))


def to_csv(columns: Any) -> str:
    """Write columns by name, or a data frame, with shares to four decimals.

    Texts that a spreadsheet would run have a quote before them, see `guard_formula`.
    """
    frame = guard_formulas(require("pandas", "frames").DataFrame(columns))
    return str(frame.to_csv(index=False, float_format="%.4f", lineterminator="\n"))


def guard_formulas(frame: Any) -> Any:
    """Guard the texts and the column names of a data frame, see `guard_formula`.

    Examples
    --------
    >>> import pandas
    >>> print(guard_formulas(pandas.DataFrame({"@x": ["=1", "one"]})).to_csv(index=False), end="")
    '@x
    '=1
    one
    """

    def guard(value: Any) -> Any:
        return guard_formula(value) if isinstance(value, str) else value

    return frame.map(guard).rename(columns=guard)
