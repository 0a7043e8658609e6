"""A tree, or a fitted model, as HTML for a notebook: lists that open and close without a script."""

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from rbhmc._text import pluralize, visible_name
from rbhmc.plots.collapse import DrawnNode, collapse
from rbhmc.plots.tree_layout import percent
from rbhmc.report.markup import Badges, Markup, tag
from rbhmc.report.sections import verdict_boxes
from rbhmc.tree import Tree
from rbhmc.tree.exports import node_text

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

MAX_ROWS = 100  # of a larger tree, small nodes share a row
MAX_OPEN_ROWS = 40  # of a larger tree, only the root is open
MAX_NAMES = 12
SUPPORT_NOTE = "Percentages are supports; a paler node has less than 50%."
CLUSTER_NOTE = "Outlined nodes are the clusters."


def tree_html(tree: Tree, heading: str | None = None, below: Sequence[Markup] = ()) -> str:
    """Write a tree as nested lists, with its style, and what else is shown below it.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "<cat>"])
    >>> [name in tree_html(tree) for name in ("ant", "bee", "<cat>", "&lt;cat&gt;")]
    [True, True, False, True]
    """
    drawn = collapse(tree.nodes, MAX_ROWS)
    is_open = sum(not each.children for each in drawn) <= MAX_OPEN_ROWS
    badges = Badges(tree)
    written: dict[str, Markup] = {}
    for each in reversed(drawn):  # children before their parents
        children = [written.pop(child) for child in each.children]
        written[each.node.id] = _write_node(badges, each, children, is_open=is_open)
    root = drawn[0].node
    notes = [] if tree.clusters_are_leaves else [CLUSTER_NOTE]
    if any(node.support is not None for node in tree.nodes[1:]):
        notes.append(SUPPORT_NOTE)
    style = Markup((files("rbhmc.report") / "notebook.css").read_text("utf-8"))
    return tag(
        "div",
        tag("style", style),
        tag("p", heading or pluralize(root.size, "item")),
        written["root"],
        *([tag("p", " ".join(notes), class_="note")] if notes else []),
        *below,
        class_="rbhmc-tree",
    )


def model_html(model: "RBHMC") -> str:
    """Write a fitted model: what was fitted, the presented tree, the verdict and the columns.

    Examples
    --------
    >>> import rbhmc
    >>> model = rbhmc.RBHMC(n_draws=5, random_state=0).fit([[0.0], [0.1], [9.0], [9.1]])
    >>> "RBHMC: 4 items, 1 feature, 2 clusters" in model_html(model)
    True
    """
    tree = model.tree_
    counts = [
        pluralize(tree.n_items, "item"),
        pluralize(model.n_features_in_, "feature"),
        pluralize(len(tree.clusters), "cluster"),
    ]
    heading = f"{type(model).__name__}: {', '.join(counts)}"
    table = tag("pre", model.preparation_.describe_columns())
    columns = tag("details", tag("summary", "Columns"), table, class_="columns")
    return tree_html(tree, heading, [verdict_boxes(model), columns])


def _write_node(
    badges: Badges, drawn: DrawnNode, children: list[Markup], *, is_open: bool
) -> Markup:
    """Write the root as a list, an inner node as a list that opens, and a row as an item."""
    node, tree = drawn.node, badges.tree
    color = badges.colors.get(node.id)
    below = tag("ul", *children, **({} if color is None else {"style": f"--node:{color}"}))
    if node.parent is None and children:
        return below
    parts = [pluralize(node.size, "item")]
    if node.id in badges.descriptions:  # otherwise it is a row for several nodes
        parts = node_text(tree, node, badges.descriptions, MAX_NAMES)
    if not children and drawn.n_leaves > 1:
        parts.append(pluralize(drawn.n_leaves, "leaf", "leaves"))
    line: list[str] = []
    if color is not None and node.parent is not None and not node.is_remainder:
        line.append(badges.write(node))
    if node.support is not None and node.parent is not None:
        line.append(tag("span", percent(node.support), class_="support"))
    for number, part in enumerate(parts, start=1):
        comma = "," if number < len(parts) else ""
        line += [" " if line else "", tag("span", visible_name(part) + comma, class_="part")]
    if children:
        details = tag("details", tag("summary", *line), below, **({"open": ""} if is_open else {}))
        return tag("li", details)
    row = tag("li", *line, class_="leaf")
    return tag("ul", row) if node.parent is None else row
