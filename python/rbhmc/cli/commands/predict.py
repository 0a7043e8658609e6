"""The command `predict`: places new items in the tree of a run."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from typer import Argument

from rbhmc._files import write_atomically
from rbhmc._text import pluralize
from rbhmc.cli.console import format_list, print_note, print_result
from rbhmc.cli.options import MovedData, OutputFile, RunFolder
from rbhmc.cli.results import node_ids, paths_csv
from rbhmc.cli.run import Run
from rbhmc.cli.table import read_new_items
from rbhmc.tree import Tree

NEW_BRANCH = "new branch at "


def predict(
    run: RunFolder,
    items: Annotated[
        Path,
        Argument(metavar="ITEMS", help="A table of new items with the columns of the run's table."),
    ],
    output: OutputFile = None,
    data: MovedData = None,
) -> None:
    """Place new items in the tree of a run.

    Writes a CSV table with the most probable path of each item, the node on
    it at each level with the probability that the item belongs there, and the
    probability of a new branch.

    Example:

      rbhmc predict runs/animals new.csv -o places.csv
    """
    opened = Run.open(run)
    _ = opened.result
    new = read_new_items(items, opened.roles, opened.config["data"]["features"])
    for text in new.notes:
        print_note(text)
    model = opened.restore_model(opened.read_table(data))
    tree, probability = model.tree_, model.predict_path_proba(new.frame)
    names = [str(name) for name in new.frame.index]
    new_branch = probability[:, len(tree.leaves) :].sum(axis=1)
    outliers = [name for name, share in zip(names, new_branch, strict=True) if share > 0.5]
    if outliers:
        print_note(
            f"{pluralize(len(outliers), 'item')} most probably on a new branch, and not in any "
            f"leaf of the tree: {format_list(outliers)}"
        )
    leaves = probability[:, : len(tree.leaves)].argmax(axis=1)
    shares = node_probabilities(tree, model.path_columns_, probability, leaves)
    text = paths_csv(tree, names, leaves, shares, "probability", new_branch=new_branch)
    if output is None:
        typer.echo(text.encode(), nl=False)
    else:
        write_atomically(output, text.encode())
        print_result(f"{pluralize(len(names), 'item')} written to {output}")


def node_probabilities(
    tree: Tree, columns: tuple[str, ...], probability: NDArray[np.float64], leaves: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the probability that each item belongs to each node on the path to a leaf.

    Parameters
    ----------
    tree : Tree
    columns : tuple of str
        The leaves of the tree, then new branches, as `RBHMC.path_columns_` names them.
    probability : array of shape (n_items, n_columns)
    leaves : array of shape (n_items,)
        The leaf of each item.

    Returns
    -------
    array of shape (n_items, n_levels)
    """
    ids = [column.removeprefix(NEW_BRANCH) for column in columns]
    paths = node_ids(tree)
    # A node's probability is the sum over its leaves, and the new branches at it and below.
    by_node = {
        node: probability[:, [_is_within(id, node) for id in ids]].sum(axis=1)
        for node in set(paths.ravel())
    }
    return np.array(
        [[by_node[node][item] for node in paths[leaf]] for item, leaf in enumerate(leaves)]
    )


def _is_within(id: str, node: str) -> bool:
    return node == "root" or id == node or id.startswith(f"{node}.")
