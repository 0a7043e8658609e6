"""The command `simulate`: a table from the model, with the tree behind it."""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from rbhmc._files import write_atomically
from rbhmc.cli.errors import UserError
from rbhmc.cli.levels import nodes_by_level
from rbhmc.cli.messages import answer, command, counted, wrapped
from rbhmc.cli.result_tables import csv_text
from rbhmc.cli.settings import SEED, defaults_of
from rbhmc.datasets import make_hierarchy
from rbhmc.tree import Tree

HIERARCHY = defaults_of(make_hierarchy)


def simulate(
    output: Annotated[
        Path, Option("--output", "-o", metavar="FILE", help="The table, a .csv file.")
    ],
    items: Annotated[int, Option(min=1, metavar="N", help="How many items.")] = HIERARCHY[
        "n_items"
    ],
    dims: Annotated[int, Option(min=1, metavar="N", help="How many features.")] = HIERARCHY[
        "n_dims"
    ],
    levels: Annotated[int, Option(min=1, metavar="N", help="Levels below the root.")] = HIERARCHY[
        "n_levels"
    ],
    alpha: Annotated[float, Option(metavar="X", help="Concentration of the tree.")] = HIERARCHY[
        "alpha"
    ],
    gamma: Annotated[
        float, Option(metavar="X", help="Concentration of the nodes' weights.")
    ] = HIERARCHY["gamma"],
    gamma0: Annotated[
        float, Option(metavar="X", help="Concentration of the root's weights.")
    ] = HIERARCHY["gamma0"],
    spread: Annotated[
        float,
        Option(metavar="X", help="Variance of the components' means; that of the noise is 1."),
    ] = HIERARCHY["base_cov"],
    seed: Annotated[int, Option(min=0, metavar="N", help="Equal seeds give equal tables.")] = SEED,
    in_table: Annotated[
        bool,
        Option(
            "--truth-in-table",
            help="Put the true path in a column of the table, and not in a file beside it.",
        ),
    ] = False,
) -> None:
    """Draw a table from the model, with the true path of each item.

    Example:

      rbhmc simulate --items 200 --dims 5 --levels 3 -o data.csv
    """
    if output.suffix.lower() != ".csv":
        raise UserError(f"{output}: the name must end with .csv")
    drawn = make_hierarchy(
        items,
        dims,
        n_levels=levels,
        alpha=alpha,
        gamma=gamma,
        gamma0=gamma0,
        base_cov=spread,
        seed=seed,
    )
    tree = Tree.from_labels(drawn.paths, names=drawn.names)
    head, truth = _truth(tree)
    values = [[name, *row] for name, row in zip(tree.names, drawn.data.tolist(), strict=True)]
    columns = ["item", *drawn.feature_names]
    said = f"{counted(items, 'item')} from a tree with {len(tree.leaves)} leaves"
    if in_table:
        rows = [[*row, *path[:1]] for row, path in zip(values, truth, strict=True)]
        write_atomically(output, csv_text([*columns, "true_path"], rows).encode())
        answer(wrapped(f"{said}: {output}. Fit it with:"))
        answer(
            f"  {command('fit', output, '--levels', str(levels), '--class-column', 'true_path')}"
        )
        return
    beside = output.with_name(f"{output.stem}-truth.csv")
    named = [[name, *path] for name, path in zip(tree.names, truth, strict=True)]
    write_atomically(output, csv_text(columns, values).encode())
    write_atomically(beside, csv_text(["item", *head], named).encode())
    answer(wrapped(f"{said}: {output}; the true paths: {beside}. Fit it with:"))
    answer(f"  {command('fit', output, '--levels', str(levels))}")


def _truth(tree: Tree) -> tuple[list[str], list[list[Any]]]:
    """Return the columns of the truth: the path of each item, and its node at each level."""
    nodes = nodes_by_level(tree)
    head = ["true_path", *(f"true_node_{level}" for level in range(1, tree.n_levels + 1))]
    return head, [[tree.leaves[leaf].id, *nodes[leaf]] for leaf in tree.labels.tolist()]
