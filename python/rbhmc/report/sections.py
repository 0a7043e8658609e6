"""The sections of the page that are written as HTML: the run, its chains, and the siblings."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rbhmc import posterior
from rbhmc._core import InvalidInput
from rbhmc._text import pluralize, visible_name
from rbhmc.columns import summarize_columns
from rbhmc.diagnostics import Diagnostics, Row
from rbhmc.diagnostics.convergence import HEADINGS, RHAT_AGREE, RHAT_NEARLY
from rbhmc.posterior import FeatureDifference, compare_centroids
from rbhmc.report.markup import Badges, Markup, format_means, join, tag
from rbhmc.report.page_data import chain_names
from rbhmc.sampling.run_folder import versions
from rbhmc.tree import Node, Tree

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

MARKS = {"good": "✓", "fair": "·", "doubtful": "!", "bad": "✕", "unknown": "?"}
MAX_PAIRED = 3  # siblings that are compared in pairs; of more, each is compared with the others
MAX_CHILDREN = 24
FULL_BAR = 4.0  # standard deviations


def run_summary(model: "RBHMC", n_shown: int) -> Markup:
    """Write the size of the table, the tree and the run; `n_shown` items are on the page."""
    draws, tree = model.draws_, model.tree_
    prepared = model.preparation_.describe()
    variance = prepared["explained_variance_ratio"]
    note = "the features themselves" if variance is None else f"{variance:.0%} of the variance"
    n_items = int((model.labels_ >= 0).sum())
    sampled = [f"a sample of {tree.n_items:,} is in the tree"] if tree.n_items < n_items else []
    sampled += [f"a sample of {n_shown:,} is shown"] if n_shown < tree.n_items else []
    figures = [
        ("Items", f"{n_items:,}", "; ".join(sampled)),
        ("Features", f"{prepared['n_features']:,}", ""),
        ("Components", f"{prepared['n_dims']:,}", note),
        ("Levels", str(tree.n_levels), ""),
        ("Clusters", f"{len(tree.clusters):,}", ""),
        ("Chains × draws", f"{draws.n_chains:,} × {draws.n_draws:,}", ""),
    ]
    return tag("dl", *(_figure(*figure) for figure in figures), class_="run-summary")


def _figure(name: str, value: str, note: str) -> Markup:
    notes = [tag("dd", note, class_="note")] if note else []
    return tag("div", tag("dt", name), tag("dd", value, class_="value"), *notes)


def settings_tables(model: "RBHMC") -> Markup:
    """Write the settings, seeds and versions that reproduce the draws, and learned parameters."""
    settings: dict[str, Any] = dict(model.draws_.settings)
    seeds = settings.pop("seeds", [])
    for shown_elsewhere in ("chains", "units"):
        settings.pop(shown_elsewhere, None)
    selection: dict[str, Any] = {"n_draws": model.draws_.n_draws}
    if not hasattr(model, "dendrogram_"):  # the tree is one of the draws
        chain, draw = model.selected_
        chain_name = chain_names(model.draws_)[chain].lower()
        selection |= {"select": model.select, "selected": f"draw {draw + 1:,} of {chain_name}"}
    seed_of = {f"chain {number}": seed for number, seed in enumerate(seeds[:-1], start=1)}
    if seeds:
        seed_of["predictions"] = seeds[-1]
    tables = {
        "Columns": describe_columns(model),
        "Settings": selection | settings,
        "Learned: mean and 95 % interval": posterior.learned(model.draws_),
        "Seeds": seed_of,
        "Versions": versions(),
    }
    return join(*(_settings_table(title, values) for title, values in tables.items() if values))


def describe_columns(model: "RBHMC") -> dict[str, str]:
    """Say what was done with the units, and what each column is, unless it is a plain array."""
    preparation = model.preparation_
    columns = preparation.encoding_.columns if preparation.feature_names is not None else ()
    rows = {
        name: ", ".join(filter(None, [role, kind, gaps and pluralize(int(gaps), "gap"), treatment]))
        for name, role, kind, gaps, treatment in summarize_columns(columns)
    }
    return {"units": preparation.units_} | {visible_name(name): row for name, row in rows.items()}


def _settings_table(title: str, values: Mapping[str, Any]) -> Markup:
    shown = {
        name: str(value) if isinstance(value, str | posterior.Distribution) else repr(value)
        for name, value in values.items()
    }
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", text)) for name, text in shown.items()
    ]
    table = tag("table", tag("tbody", *rows), class_="settings")
    return tag("section", tag("h3", title), table)


def compare_chains(model: "RBHMC") -> Diagnostics | str:
    """Return the diagnostics, or a sentence that says why there are none."""
    try:
        return model.diagnostics()
    except ImportError as error:
        return f"Whether the chains agree is not known: {error}"
    except InvalidInput as error:
        return f"The chains cannot be compared: {error}"


def verdict_boxes(model: "RBHMC", wording: Callable[[str], str] = str) -> Markup:
    """Write the two parts of the verdict, each with its mark; a tick only if both are good."""
    try:
        found = model.verdict()
    except ImportError as error:
        return _verdict_box("unknown", f"Whether the chains agree is not known: {error}")
    boxes = []
    for part in (found.tree, found.chains):
        is_ticked = part.status != "good" or found.status == "good"
        boxes.append(_verdict_box(part.status if is_ticked else "fair", wording(part.text)))
    return join(*boxes)


def _verdict_box(status: str, text: str) -> Markup:
    lines = [tag("p", to_sentence(line)) for line in text.splitlines()]
    mark = tag("span", MARKS[status], class_="mark", role="img", aria_label=status)
    return tag("div", mark, tag("div", *lines), class_=f"verdict {status}")


def to_sentence(line: str) -> str:
    """Start a line with a capital and end it with a full stop.

    Examples
    --------
    >>> to_sentence("4 chains agree"), to_sentence("one chain: use more.")
    ('4 chains agree.', 'One chain: use more.')
    """
    return capitalize(line) + ("" if line.endswith(".") else ".")


def capitalize(text: str) -> str:
    """Start a text with a capital, and leave the rest unchanged, as in "R-hat"."""
    return text[:1].upper() + text[1:]


def diagnostics_table(diagnostics: Diagnostics | str) -> Markup:
    """Write a table with a row for each diagnosed quantity."""
    if isinstance(diagnostics, str):
        return tag("p", diagnostics, class_="note")
    head = tag(
        "tr",
        tag("th", "Quantity", scope="col"),
        *(tag("th", capitalize(text), scope="col", class_="number") for text in HEADINGS),
    )
    rows = [_diagnostics_row(row) for row in diagnostics.table]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="diagnostics")


def _diagnostics_row(row: Row) -> Markup:
    name = tag("th", row.name, scope="row")
    if row.note:
        return tag("tr", name, tag("td", row.note, colspan="5", class_="row-note"))
    classes = ["number", "number", f"number {_judge(row.rhat)}", "number", "number"]
    cells = [tag("td", cell, class_=each) for cell, each in zip(row.cells, classes, strict=True)]
    return tag("tr", name, *cells)


def _judge(rhat: float | None) -> str:
    if rhat is None or round(rhat, 3) <= RHAT_AGREE:
        return "good"
    return "doubtful" if round(rhat, 3) <= RHAT_NEARLY else "bad"


def sibling_sections(tree: Tree) -> Markup:
    """Write a section for each inner node, with the first one open."""
    inner = [node for node in tree.nodes if node.children]
    if not inner:
        return tag("p", "The tree has a single leaf, so that there are no siblings.")
    if tree.features is None or not tree.features.are_readable:
        return tag("p", "The columns of the table have no names, so that they are not compared.")
    badges = Badges(tree)
    return join(*(_sibling_section(badges, node, is_open=node is inner[0]) for node in inner))


def _sibling_section(badges: Badges, node: Node, *, is_open: bool) -> Markup:
    tree = badges.tree
    children = [tree.node(child) for child in node.children]
    if len(children) <= MAX_PAIRED:
        tables = [
            _difference_table(
                join(badges.describe(one), _against(""), badges.describe(other)),
                (badges.write(one), badges.write(other)),
                compare_centroids(tree, [one], [other]),
            )
            for one, other in combinations(children, 2)
        ]
    else:
        tables = [
            _difference_table(
                join(badges.describe(child), _against(" its siblings")),
                (badges.write(child), "others"),
                badges.descriptions[child.id].features,
            )
            for child in children[:MAX_CHILDREN]
            if not child.is_remainder
        ]
    size = f"{pluralize(node.size, 'item')} in {pluralize(len(children), 'node')}"
    parts = [
        tag("summary", badges.write(node), " ", tag("span", size)),
        tag("div", *tables, class_="tables"),
    ]
    n_omitted = len(children) - MAX_CHILDREN
    if n_omitted > 0:
        parts.append(tag("p", f"The {n_omitted:,} smallest nodes are omitted.", class_="note"))
    return tag("details", *parts, **({"open": ""} if is_open else {}))


def _against(others: str) -> Markup:
    return tag("span", f"against{others}", class_="against")


def _difference_table(
    caption: str, columns: tuple[str, str], differences: Sequence[FeatureDifference]
) -> Markup:
    if not differences:
        body = tag("p", "No feature differs.")
        return tag("figure", tag("figcaption", caption), body, class_="pair")
    head = tag(
        "tr",
        tag("th", "Feature", scope="col"),
        *(tag("th", column, scope="col", class_="number") for column in columns),
        tag("th", "Difference", scope="col", class_="bar-head"),
    )
    rows = [
        tag(
            "tr",
            tag("th", visible_name(each.name), scope="row"),
            *(tag("td", mean, class_="number") for mean in format_means(each)),
            tag("td", _bar(each.strength)),
        )
        for each in differences
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("figure", tag("figcaption", caption), table, class_="pair")


def _bar(deviations: float) -> Markup:
    share = min(deviations / FULL_BAR, 1.0)
    text = f"{deviations:.1f} sd"
    return tag("span", tag("span", text), class_="bar", style=f"--share:{share:.0%}")
