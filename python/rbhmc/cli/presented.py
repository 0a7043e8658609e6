"""What a fit prints when it is done: the tree, whether to trust it, and where all of it is."""

from pathlib import Path

from rbhmc.cli import run_folder
from rbhmc.cli.measures import measures_text
from rbhmc.cli.messages import answer, command, note, width, wrapped
from rbhmc.cli.run_folder import Run
from rbhmc.cli.words import in_options
from rbhmc.tree import Tree

# What a screen or two can hold.
MOST_NAMES = 12
MOST_LINES = 60


def present(run: Run, tree: Tree) -> None:
    """Print the tree, the verdict, the measures, and where the files are."""
    answer(tree_text(tree, run.path / run_folder.SUMMARY))
    answer()
    answer(wrapped(in_options(run.result["verdict"])))
    if run.result["measures"] is not None:
        answer()
        answer(measures_text(run.result["measures"], run.config["data"]["class_column"]))
    written = [name for name in run_folder.RESULTS if (run.path / name).exists()]
    answer()
    answer(wrapped(f"Written to {run.path}: {', '.join(written)}"))
    if run_folder.REPORT in written:
        answer(
            f"Open the report in a browser: {(run.path / run_folder.REPORT).absolute().as_uri()}"
        )


def advise(run: Run) -> None:
    """Say how to sample more, where the chains do not agree yet."""
    if run.result["status"] in ("nearly", "disagree"):
        more = 2 * int(run.settings["n_draws"])
        note("To run longer, with twice the draws:")
        note(f"  {command('fit', '--resume', run.path, '--draws', str(more))}")


def tree_text(tree: Tree, whole: Path) -> str:
    """Draw a tree for a screen; one that is too long is cut, and `whole` named as where it is.

    Examples
    --------
    >>> print(tree_text(Tree.from_labels([[0], [1]], names=["ant", "bee"]), Path("tree.txt")))
    2 items
    ├─ ant
    └─ bee
    """
    lines = tree.to_text(max_items=MOST_NAMES, width=width()).split("\n")
    if len(lines) > MOST_LINES:
        left = len(lines) - MOST_LINES
        lines = [*lines[:MOST_LINES], f"… {left} more lines; the whole tree is in {whole}"]
    return "\n".join(lines)
