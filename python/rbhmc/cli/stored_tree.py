"""The tree of a run, read from its folder."""

from rbhmc.cli import run_folder
from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import command
from rbhmc.cli.run_folder import Run
from rbhmc.tree import Tree


def tree_of(run: Run) -> Tree:
    """Return the presented tree of a run that has results."""
    _ = run.result
    file = run.path / run_folder.TREE
    try:
        return Tree.from_json(file.read_bytes())
    except FileNotFoundError:
        raise UserError(
            f"there is no {file}", "This writes it again:", command("fit", "--resume", run.path)
        ) from None
