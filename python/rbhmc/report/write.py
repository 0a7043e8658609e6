"""The report of a fitted model, written."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rbhmc._core import InvalidInput
from rbhmc._files import write_atomically
from rbhmc.plots.inputs import support_by_id
from rbhmc.report import convergence, facts
from rbhmc.report.differences import Differences
from rbhmc.report.levels import level_rows
from rbhmc.report.markup import joined, readable, script_json
from rbhmc.report.nodes import node_rows, order_of
from rbhmc.report.numbers import counted
from rbhmc.report.page import page
from rbhmc.report.plane import plane_of
from rbhmc.report.shares import block_size
from rbhmc.report.sheet import sheet_of
from rbhmc.report.siblings import sibling_sections
from rbhmc.report.traces import trace_rows

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC


# The co-occurrence of so many items takes 200 MB a level.
MOST_ITEMS = 5_000


def write_report(
    model: "RBHMC",
    path: str | PathLike[str],
    *,
    images: ArrayLike | None = None,
    title: str | None = None,
    support: Mapping[str, float] | None = None,
) -> Path:
    """Write what a fitted model found to one HTML file, which needs no network.

    The page has the tree, to open and to search; the items and their co-occurrence at each level;
    the most uncertain items; what separates siblings, in the units of the table; the chains; and
    the settings.

    Parameters
    ----------
    model : RBHMC or BHMC
        A fitted model.
    path : path
        The file, which is replaced as a whole where it exists.
    images : array of shape (n_items, height, width) or (n_items, height, width, 3), optional
        Pictures of the items, as bytes or from 0 to 1; they are shown small.
    title : str, optional
        What stands at the top.
    support : mapping of str to float, optional
        How sure nodes are, from 0 to 1, by id; what the tree itself says where absent.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    NotFittedError
        Where the model is not fitted.
    InvalidInput
        Where there are more than 5,000 items, images are not one for each item, or support names
        other nodes.

    Notes
    -----
    Time and memory grow with the square of the number of items.

    Examples
    --------
    >>> import tempfile, numpy as np, rbhmc
    >>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8]])
    >>> model = rbhmc.RBHMC(n_levels=1, n_draws=100, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_report(model, f"{folder}/four.html", title="Four items")
    ...     "<title>Four items</title>" in file.read_text("utf-8")
    True
    """
    check_is_fitted(model)
    tree = model.tree_
    if tree.n_items > MOST_ITEMS:
        raise InvalidInput(
            f"a report shows {MOST_ITEMS:,} items at the most, and there are {tree.n_items:,}; fit "
            "a part of them, or use the tree and the draws themselves"
        )
    differences = Differences(tree, model.feature_std_)
    sheet = None if images is None else sheet_of(images, tree.n_items)
    content = {
        "names": [readable(name) for name in tree.names],
        "order": order_of(tree).tolist(),
        "nodes": node_rows(tree, support_by_id(tree, support), differences),
        "levels": level_rows(model),
        "block": block_size(tree.n_items, tree.n_levels),
        "plane": plane_of(model),
        "traces": trace_rows(model.draws_),
        "sheet": None if sheet is None else sheet.layout,
    }
    found = convergence.diagnosed(model)
    words = title if title is not None else f"A hierarchy of {counted(tree.n_items, 'item')}"
    parts = {
        "title": joined(readable(words)),
        "verdict": convergence.verdict(found, model.stability_.warning(model.tree_)),
        "summary": facts.summary(model),
        "siblings": sibling_sections(tree, differences),
        "diagnostics": convergence.table(found),
        "settings": facts.settings(model),
        "sheet": joined("none" if sheet is None else f"url({sheet.address})"),
        "data": script_json(content),
    }
    target = Path(path)
    write_atomically(target, page(parts))
    return target
