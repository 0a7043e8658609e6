"""What separates siblings: a small table for each two of them, or for each and the others."""

from itertools import combinations

from rbhmc.report.differences import Difference, Differences
from rbhmc.report.markup import Markup, joined, tag
from rbhmc.report.numbers import counted
from rbhmc.report.pills import described, pill
from rbhmc.tree import Node, Tree

# Up to so many siblings are compared in pairs; each of more is compared with all the others.
PAIRED = 3
MOST_CHILDREN = 24
FULL_BAR = 4.0  # deviations


def sibling_sections(tree: Tree, differences: Differences) -> Markup:
    """Write a part for each inner node, the first of them open."""
    inner = [node for node in tree.nodes if node.children]
    parts = [_section(tree, node, differences, first=node is inner[0]) for node in inner]
    return joined(*parts) or tag("p", "The tree is one leaf, so there are no siblings.")


def _section(tree: Tree, node: Node, differences: Differences, *, first: bool) -> Markup:
    children = [tree.node(child) for child in node.children]
    if len(children) <= PAIRED:
        tables = [
            _table(
                joined(
                    described(tree, one),
                    tag("span", "against", class_="against"),
                    described(tree, other),
                ),
                (pill(one), pill(other)),
                differences.between([one], [other]),
            )
            for one, other in combinations(children, 2)
        ]
    else:
        tables = [
            _table(
                joined(
                    described(tree, child), tag("span", "against its siblings", class_="against")
                ),
                (pill(child), "others"),
                differences.from_siblings(child),
            )
            for child in children[:MOST_CHILDREN]
        ]
    left_out = len(children) - MOST_CHILDREN
    note = f"The {left_out:,} smallest nodes are left out here." if left_out > 0 else ""
    head = tag(
        "summary",
        pill(node),
        " ",
        tag("span", f"{counted(node.size, 'item')} in {counted(len(children), 'node')}"),
    )
    body = tag("div", *tables, class_="tables")
    state = {"open": ""} if first else {}
    return tag("details", head, body, *([tag("p", note, class_="note")] if note else []), **state)


def _table(caption: str, heads: tuple[str, str], found: list[Difference]) -> Markup:
    if not found:
        return tag(
            "figure", tag("figcaption", caption), tag("p", "No feature differs."), class_="pair"
        )
    head = tag(
        "tr",
        tag("th", "Feature", scope="col"),
        *(tag("th", words, scope="col", class_="number") for words in heads),
        tag("th", "Difference", scope="col", class_="bar-head"),
    )
    rows = [
        tag(
            "tr",
            tag("th", each.feature, scope="row"),
            tag("td", each.here, class_="number"),
            tag("td", each.there, class_="number"),
            tag("td", _bar(each.deviations)),
        )
        for each in found
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("figure", tag("figcaption", caption), table, class_="pair")


def _bar(deviations: float) -> Markup:
    share = min(abs(deviations) / FULL_BAR, 1.0)
    words = f"{abs(deviations):.1f} sd"
    return tag("span", tag("span", words), class_="bar", style=f"--share:{share:.0%}")
