"""The command `predict`: where new items belong in the tree of a run."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from typer import Argument, Option

from rbhmc._files import write_atomically
from rbhmc.cli.data_file import read_again, roles_of
from rbhmc.cli.levels import nodes_by_level
from rbhmc.cli.messages import answer, counted, listed, note
from rbhmc.cli.model import stored_model
from rbhmc.cli.result_tables import csv_text
from rbhmc.cli.run_folder import Run
from rbhmc.cli.tables import read_items
from rbhmc.tree import Tree

NEW = "new branch at "


def predict(
    run: Annotated[Path, Argument(metavar="RUN", help="A run folder.")],
    items: Annotated[
        Path,
        Argument(metavar="ITEMS", help="A table of new items with the columns of the run's table."),
    ],
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FILE", help="The file; standard output where absent."),
    ] = None,
    data: Annotated[
        Path | None, Option(metavar="FILE", help="Where the run's data file is now, if it moved.")
    ] = None,
) -> None:
    """Place new items in the tree of a run.

    Writes a CSV table: for each item the path that suits it best, at each level
    the node on it and the probability that the item belongs there, and the
    probability of a branch of its own.

    Example:

      rbhmc predict runs/animals new.csv -o places.csv
    """
    opened = Run.open(run)
    _ = opened.result
    new = read_items(items, roles_of(opened), opened.config["data"]["features"])
    for text in new.notes:
        note(text)
    model = stored_model(opened, read_again(opened, data).frame)
    probability = model.predict_path_proba(new.frame)
    names = [str(name) for name in new.frame.index]
    text = places_csv(model.tree_, model.path_columns_, probability, names)
    _tell_strangers(probability[:, len(model.tree_.leaves) :].sum(axis=1), names)
    if output is None:
        typer.echo(text.encode(), nl=False)
    else:
        write_atomically(output, text.encode())
        answer(f"{counted(len(names), 'item')} written to {output}")


def places_csv(
    tree: Tree, columns: tuple[str, ...], probability: NDArray[np.float64], names: list[str]
) -> str:
    """Write where items belong.

    Parameters
    ----------
    tree : Tree
    columns : tuple of str
        The leaves of the tree, then new branches, as `RBHMC.path_columns_` names them.
    probability : array of shape (n_items, n_columns)
    names : list of str
        Of the items.
    """
    n_leaves = len(tree.leaves)
    nodes = nodes_by_level(tree)
    belongs = {
        id: probability[:, _columns_below(columns, id)].sum(axis=1)
        for id in {id for way in nodes for id in way}
    }
    new_branch = probability[:, n_leaves:].sum(axis=1)
    head = ["item", "path"]
    for level in range(1, tree.n_levels + 1):
        head += [f"node_{level}", f"probability_{level}"]
    rows: list[list[Any]] = []
    for item, leaf in enumerate(probability[:, :n_leaves].argmax(axis=1).tolist()):
        row = [names[item], tree.leaves[leaf].id]
        for id in nodes[leaf]:
            row += [id, f"{belongs[id][item]:.4f}"]
        rows.append([*row, f"{new_branch[item]:.4f}"])
    return csv_text([*head, "new_branch"], rows)


def _columns_below(columns: tuple[str, ...], id: str) -> list[int]:
    """Find the columns of a node: its leaves, and the new branches at it and below."""
    return [
        number for number, column in enumerate(columns) if _is_within(column.removeprefix(NEW), id)
    ]


def _is_within(id: str, above: str) -> bool:
    return above == "root" or id == above or id.startswith(f"{above}.")


def _tell_strangers(new_branch: NDArray[np.float64], names: list[str]) -> None:
    strangers = [name for name, share in zip(names, new_branch, strict=True) if share > 0.5]
    if strangers:
        words = counted(len(strangers), "item")
        note(f"{words} most probably on a new branch, in no leaf of the tree: {listed(strangers)}")
