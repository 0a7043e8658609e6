"""The command `compare`: how alike the trees of several runs are."""

from itertools import combinations
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray
from typer import Argument

from rbhmc.cli import run_folder
from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import answer, listed, note, wrapped
from rbhmc.cli.run_folder import Run
from rbhmc.cli.stored_tree import tree_of
from rbhmc.cli.text_table import aligned
from rbhmc.cli.words import in_options
from rbhmc.draws import Draws
from rbhmc.metrics import ari, variation_of_information
from rbhmc.tree import Tree

# Settings and data under which RCDLL means the same.
SAME_LIKELIHOOD = "n_pca scale alpha gamma gamma0 noise_cov base_cov C margin eta_scale".split()


class Compared(NamedTuple):
    """A run, its letter, its tree, and the RCDLL of its draws."""

    letter: str
    run: Run
    tree: Tree
    rcdll: NDArray[np.float64]


def compare(
    runs: Annotated[list[Path], Argument(metavar="RUN", help="Two run folders or more.")],
) -> None:
    """Compare runs on the same items: their trees, and how each went.

    ARI is the adjusted Rand index at a level: 1 for equal clusters, 0 for
    likeness by chance. VI is the variation of information: 0 bits for equal
    clusters.

    Example:

      rbhmc compare runs/animals runs/animals-C0
    """
    if len(runs) < 2:
        raise typer.BadParameter("give two runs or more", param_hint="RUN")
    if len(runs) > len(ascii_uppercase):
        raise typer.BadParameter(f"give {len(ascii_uppercase)} runs at the most")
    found = [_read(letter, path) for letter, path in zip(ascii_uppercase, runs, strict=False)]
    for other in found[1:]:
        _check_items(found[0], other)
    for text in report_lines(found):
        answer(text)
    if not _same_likelihood(found):
        note("RCDLL cannot be compared here: data, preparation or model settings differ.")


def report_lines(found: list[Compared]) -> list[str]:
    """Write the three parts: what the runs are, figures of each, and likeness of each pair."""
    return [
        *(wrapped(f"{one.letter}: {one.run.path}\n   {_verdict(one)}") for one in found),
        "",
        aligned([HEAD, *(_row(one) for one in found)]),
        "",
        likeness(found),
    ]


HEAD = ["", "items", "draws", "nodes by level", "leaves", "mean RCDLL", "sd"]


def _row(one: Compared) -> list[str]:
    levels = range(1, one.tree.n_levels + 1)
    n_chains, n_draws = one.rcdll.shape
    return [
        one.letter,
        f"{one.tree.n_items:,}",
        f"{n_chains} x {n_draws:,}",
        " ".join(str(one.tree.labels_at(level).max() + 1) for level in levels),
        str(len(one.tree.leaves)),
        f"{one.rcdll.mean():.1f}",
        f"{one.rcdll.std():.1f}",
    ]


def likeness(found: list[Compared]) -> str:
    """Write ARI and VI of each pair of trees at each level.

    Of trees with unequal levels, the leaves of the one with fewer stand for its missing levels.
    """
    n_levels = max(one.tree.n_levels for one in found)
    rows = [["", "", *(f"level {level}" for level in range(1, n_levels + 1))]]
    for a, b in combinations(found, 2):
        paths = _deep(a.tree, n_levels), _matched(a.tree, _deep(b.tree, n_levels), b.tree)
        rows.append([f"{a.letter} and {b.letter}", "ARI", *_decimals(ari(*paths))])
        rows.append(["", "VI", *_decimals(variation_of_information(*paths))])
    return aligned(rows, n_left=2)


def _decimals(values: NDArray[np.float64]) -> list[str]:
    # Adding 0 leaves no zero with a sign.
    return [f"{round(float(value), 3) + 0.0:.3f}" for value in values]


def _read(letter: str, path: Path) -> Compared:
    run = Run.open(path)
    tree = tree_of(run)
    rcdll = Draws.load(path / run_folder.DRAWS).read("rcdll")
    return Compared(letter, run, tree, rcdll)


def _check_items(one: Compared, other: Compared) -> None:
    names, others = set(one.tree.names), set(other.tree.names)
    if names == others:
        return
    parts = [
        f"only {run.path} has {listed([name for name in tree.names if name not in known], 5)}"
        for (_, run, tree, _), known in ((one, others), (other, names))
        if set(tree.names) - known
    ]
    raise UserError(
        f"{one.run.path} and {other.run.path} are not of the same items: {'; '.join(parts)}",
        "Trees are compared item by item, by name.",
    )


def _matched(tree: Tree, paths: NDArray[Any], of: Tree) -> NDArray[Any]:
    """Put the items of another tree in the order of this one."""
    place = {name: number for number, name in enumerate(of.names)}
    return paths[[place[name] for name in tree.names]]


def _deep(tree: Tree, n_levels: int) -> NDArray[Any]:
    """Repeat the leaves of a tree that has fewer levels than another."""
    missing = n_levels - tree.n_levels
    return np.hstack([tree.paths, *[tree.paths[:, -1:]] * missing])


def _verdict(one: Compared) -> str:
    return in_options(one.run.result["verdict"]).replace("\n", "; ")


def _same_likelihood(found: list[Compared]) -> bool:
    """Whether all runs have the data and settings that RCDLL depends on in common."""
    kinds = {
        (one.run.config["data"]["sha256"], *(str(one.run.settings[k]) for k in SAME_LIKELIHOOD))
        for one in found
    }
    return len(kinds) == 1
