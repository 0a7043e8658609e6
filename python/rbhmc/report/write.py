"""Write the report of a fitted model: fill the template, with style and scripts inside."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rbhmc._files import write_atomically
from rbhmc._text import pluralize, visible_name
from rbhmc.report.level_data import ENTROPY_NOTE, RATIO_NOTE, SIMILARITY_MAP_NOTE
from rbhmc.report.markup import Markup, join, script_json
from rbhmc.report.page_data import make_sprite_sheet, page_data
from rbhmc.report.sample import restrict_model, sample_items
from rbhmc.report.sections import (
    compare_chains,
    diagnostics_table,
    run_summary,
    settings_tables,
    sibling_sections,
    verdict_boxes,
)

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

# A co-occurrence matrix of 5,000 items takes 200 MB.
MAX_ITEMS = 5_000
# A script uses what the scripts before it define.
SCRIPTS = "base shown panel tooltip tree icicle search levels scatter map traces page".split()
CLUSTER_NOTE = (
    " Outlined nodes are the clusters, which together hold every item once; above them are groups "
    "of clusters, below them nested groups."
)
LEVEL_NOTE = " First come the clusters, whatever their level."


def write_report(
    model: "RBHMC",
    path: str | PathLike[str],
    *,
    images: ArrayLike | None = None,
    title: str | None = None,
    wording: Callable[[str], str] = str,
) -> Path:
    """Write a report of a fitted model to one HTML file, which needs no network.

    Of more than 5,000 items the page shows a random sample of 5,000, and says so: time and memory
    grow with the square of their number.

    The page has the tree, to open and to search; the items and their co-occurrence at each level;
    the most uncertain items; the features that separate siblings, in the units of the table; the
    chains; and the settings.

    Parameters
    ----------
    model : RBHMC or BHMC
        A fitted model.
    path : path
        The file; an existing one is replaced as a whole.
    images : array of shape (n_items, height, width) or (n_items, height, width, 3), optional
        Pictures of the items, shown as thumbnails: bytes or numbers from 0 to 1. Grey pictures in
        another range are stretched to black and white.
    title : str, optional
        The title of the page.
    wording : callable, optional
        Changes the advice of the verdict, for example to speak of options of the command line.

    Returns
    -------
    Path

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
    shown = model
    if tree.n_items > MAX_ITEMS:
        items = sample_items(tree, MAX_ITEMS)
        shown = restrict_model(model, items)
        images = None if images is None else np.asarray(images)[items]
    picture, sprites = "none", None
    if images is not None:
        png, sprites = make_sprite_sheet(images, shown.tree_.n_items)
        picture = f"url(data:image/png;base64,{base64.b64encode(png).decode()})"
    if title is None:
        title = f"A hierarchy of {pluralize(tree.n_items, 'item')}"
    diagnostics = compare_chains(model)
    is_consensus = hasattr(model, "dendrogram_")
    has_cluster_view = is_consensus and not tree.clusters_are_leaves
    page = fill_template(
        {
            "title": join(visible_name(title)),
            "verdict": verdict_boxes(model, wording),
            "summary": run_summary(model, n_shown=shown.tree_.n_items),
            "siblings": sibling_sections(tree),
            "diagnostics": diagnostics_table(diagnostics),
            "settings": settings_tables(model),
            "cluster_note": join("" if tree.clusters_are_leaves else CLUSTER_NOTE),
            "level_note": join(LEVEL_NOTE if has_cluster_view else ""),
            "uncertain_note": join(RATIO_NOTE if is_consensus else ENTROPY_NOTE),
            "map_note": join(SIMILARITY_MAP_NOTE if is_consensus else ""),
            "sprites": join(picture),
            "data": script_json(page_data(shown) | {"sprites": sprites}),
        }
    )
    write_atomically(Path(path), page)
    return Path(path)


def fill_template(parts: Mapping[str, Markup]) -> str:
    """Fill the template with parts by name, the style and the scripts.

    The page's content security policy lets a browser run this script alone and load nothing.
    """
    folder = files("rbhmc.report")
    scripts = [(folder / "scripts" / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
    script = "(() => {\n'use strict';\n" + "\n".join(scripts) + "})();"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    template = Template((folder / "report.html").read_text("utf-8"))
    style = (folder / "report.css").read_text("utf-8")
    return template.substitute(parts, style=style, script=script, digest=digest)
