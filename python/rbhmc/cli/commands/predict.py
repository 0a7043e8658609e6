"""The command `predict`: places new items in the tree of a run."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from typer import Argument

from rbhmc._files import write_atomically
from rbhmc._text import encode_text, pluralize
from rbhmc.cli.console import format_list, print_note, print_result
from rbhmc.cli.options import MovedData, OutputFile, RunFolder
from rbhmc.cli.results import leaf_columns, to_csv
from rbhmc.cli.run import Run
from rbhmc.cli.table import read_new_items


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

    Writes a CSV table with the cluster and the leaf of each item, the
    probability of that leaf, and the probability of a new branch: that the
    item belongs to none of the leaves.

    Example:

      rbhmc predict runs/animals new.csv -o places.csv
    """
    opened = Run.open(run)
    _ = opened.result
    columns = opened.config["data"]
    new = read_new_items(items, opened.roles, columns["features"], columns["columns"])
    for text in new.notes:
        print_note(text)
    model = opened.restore_model(opened.read_table(data))
    # Encoded once: remarks about unknown categories are printed once.
    encoded = model.preparation_.encode(new.frame)
    placement = model._learn_placement()
    leaves = placement.leaves(encoded)
    probability = placement.predictive.probabilities(placement.prepare(encoded))
    names = [str(name) for name in new.frame.index]
    new_branch = probability[:, -1]
    outliers = [name for name, share in zip(names, new_branch, strict=True) if share > 0.5]
    if outliers:
        print_note(
            f"{pluralize(len(outliers), 'item')} most probably on a new branch, and not in any "
            f"leaf of the tree: {format_list(outliers)}"
        )
    text = to_csv(
        leaf_columns(model.tree_, names, leaves)
        | {"probability": probability[np.arange(len(names)), leaves], "new_branch": new_branch}
    )
    if output is None:
        typer.echo(encode_text(text), nl=False)
    else:
        write_atomically(output, text)
        print_result(f"{pluralize(len(names), 'item')} written to {output}")
