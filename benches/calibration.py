"""Measure what supports mean on tables of nested Gaussian groups, whose true trees are known.

Draws tables of several families (`nested_tables`), fits each with the defaults of `RBHMC`, and asks
of every node of the presented tree whether it is a true group: whether its Jaccard index with a
node of the true tree, other than the root, is at least 0.9. Prints, for each tenth of the stated
value, the share of nodes that are true groups, with 95 % intervals over resampled tables: for the
transfer support, for the calibrated probability (`rbhmc.posterior.calibration`), and for the nodes
of Ward's linkage with the recurrence of pvclust (`bootstrap_ward`, of fewer tables). Where the
constants of the probability were chosen on a family, its nodes get the constants of the other such
families.

Records are in runs/calibration, so that a run that was stopped can be resumed. Draws a figure.
"""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

import rbhmc
from bootstrap_ward import bootstrap_ward
from nested_tables import FAMILIES, draw_table
from rbhmc.posterior.calibration import COEFFICIENTS, calibration_terms

Array = NDArray[np.float64]
Items = NDArray[np.intp]
Case = tuple[str, int]

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "runs" / "calibration"
FIGURE = ROOT / "docs" / "images" / "calibration.png"
# A change of these files makes new records.
SOURCES = (
    *(f"python/rbhmc/posterior/{name}.py" for name in ("consensus", "dendrogram", "presented")),
    *(f"python/rbhmc/posterior/{name}.py" for name in ("similarity", "chain_agreement")),
    *(f"python/rbhmc/posterior/{name}.py" for name in ("reference", "separation", "clouds")),
    "python/rbhmc/sampling/init.py",
    "benches/nested_tables.py",
    "benches/bootstrap_ward.py",
)
FIRST_SEED = 1_000
N_OF_LARGE = 3  # there is one large table for so many others of each family

JACCARD = 0.9
TENTHS = np.linspace(0.0, 1.0, 11)
MIN_SHARE = 0.05  # of the nodes, for a tenth to be judged
TOLERANCE = 0.07
LOOKS = {"o": "#175ea6", "s": "#8f5a00"}  # marker and colour of the families, as they are divided
BAND = "#dfe8f1"
FAMILY_NAMES = {"chosen on": "families of the constants", "held out": "held-out families"}


class Node(NamedTuple):
    """A node of a presented tree, and whether it is a true group."""

    kind: str  # cluster, above or below
    size: int
    support: float
    exact: float
    chain_share: float
    gap: float  # 1 - its height / the height of its parent
    is_true: bool


class Nodes(NamedTuple):
    """Stated values of many nodes, whether they are true, and the table of each."""

    stated: Array
    is_true: NDArray[np.bool_]
    table: Items


class Tenth(NamedTuple):
    """One row of a reliability table."""

    low: float
    n: int
    stated: float
    true: float
    interval: tuple[float, float]
    is_judged: bool


def main() -> None:
    """Fit the tables, print the reliability tables, and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=30, help="of each family")
    parser.add_argument("--ward", type=int, default=10, help="tables of each for bootstrap Ward")
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    records = divide(measure(fit, choose_cases(options.tables), options.jobs))
    linkages = divide(measure(resample, choose_cases(options.ward), options.jobs))
    chosen_on = records["chosen on"]
    fitted = fit_coefficients(chosen_on)
    print(f"constants in use {COEFFICIENTS}; of these tables {tuple(fitted.round(2).tolist())}")
    studies = {
        "transfer support": lambda record: [node.support for node in nodes_of(record)],
        "probability": probability_of(chosen_on),
    }
    curves: dict[str, dict[str, list[Tenth]]] = {}
    for name, group in records.items():
        families = ", ".join(dict.fromkeys(record["family"] for record in group))
        print(f"\n== families {name}: {families} ==")
        for what, state in studies.items():
            curves.setdefault(what, {})[name] = show(what, gather(group, state))
            for kind in ("cluster", "above", "below"):
                show(f"{what}, nodes that are {kind}", gather(group, state, kind))
        for column, what in enumerate(("items", "columns")):
            title = f"Ward, resampled {what}"
            curves.setdefault(title, {})[name] = show(title, gather_ward(linkages[name], column))
    draw(curves)


def choose_cases(n_tables: int) -> list[Case]:
    """Return the tables of all families; there are fewer large ones."""
    return [
        (family, FIRST_SEED + number)
        for number in range(n_tables)
        for family in FAMILIES
        if family != "large" or number % N_OF_LARGE == 0
    ]


def divide(records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Divide records by whether constants may be chosen on their family."""
    parts: dict[str, list[dict[str, Any]]] = {"chosen on": [], "held out": []}
    for record in records:
        parts["held out" if FAMILIES[record["family"]].held_out else "chosen on"].append(record)
    return parts


def measure(
    study: Callable[[str, int], dict[str, Any]], cases: list[Case], n_jobs: int
) -> list[dict[str, Any]]:
    """Return the record of each case; those that are not stored are computed and stored."""
    texts = b"".join((ROOT / name).read_bytes() for name in SOURCES)
    file = RECORDS / f"{study.__name__}-{hashlib.sha256(texts).hexdigest()[:12]}.jsonl"
    RECORDS.mkdir(parents=True, exist_ok=True)
    lines = file.read_text().splitlines() if file.exists() else []
    known = {(record["family"], record["seed"]): record for record in map(json.loads, lines)}
    missing = [case for case in cases if case not in known]
    jobs = (joblib.delayed(study)(*case) for case in missing)
    with file.open("a") as stream:
        for record in joblib.Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            known[record["family"], record["seed"]] = record
            print(json.dumps(record), file=stream, flush=True)
    return [known[case] for case in cases]


def fit(family: str, seed: int) -> dict[str, Any]:
    """Draw a table, fit it, and compare the nodes of its tree with the truth."""
    table = draw_table(family, seed)
    tree = rbhmc.RBHMC(random_state=seed, n_jobs=1).fit(table.X, progress=False).tree_
    kinds = {"root": "cluster" if tree.root.is_cluster else "above"}
    nodes = []
    for node in tree.nodes[1:]:
        is_above = kinds[str(node.parent)] == "above"
        kinds[node.id] = "cluster" if node.is_cluster else "above" if is_above else "below"
        if not node.is_remainder and node.size > 1:
            gap = 1.0 - float(node.height or 0.0) / float(tree.node(str(node.parent)).height or 1.0)
            values = (node.support, node.exact, node.chain_share, gap)
            nodes.append((kinds[node.id], node.size, *values, is_true(node.items, table.nodes)))
    return {"family": family, "seed": seed, "nodes": nodes}


def resample(family: str, seed: int) -> dict[str, Any]:
    """Draw a table, and compare the nodes of Ward's linkage with the truth."""
    table = draw_table(family, seed)
    nodes = [
        (node.by_items, node.by_columns, is_true(node.items, table.nodes))
        for node in bootstrap_ward(table.X, seed)
    ]
    return {"family": family, "seed": seed, "nodes": nodes}


def is_true(items: Items, true_nodes: list[Items]) -> bool:
    """Return whether a set of items is nearly a node of the true tree."""
    found = set(items.tolist())
    true = (set(node.tolist()) for node in true_nodes)
    return any(len(found & node) >= JACCARD * len(found | node) for node in true)


def nodes_of(record: dict[str, Any]) -> Iterator[Node]:
    """Return the nodes of a record."""
    return (Node(*values) for values in record["nodes"])


def fit_coefficients(records: list[dict[str, Any]]) -> Array:
    """Fit the logistic regression of `rbhmc.posterior.calibration`."""
    nodes = [node for record in records for node in nodes_of(record)]
    found = LogisticRegression(C=np.inf, fit_intercept=False, max_iter=1_000)
    return np.asarray(found.fit(terms_of(nodes), [node.is_true for node in nodes]).coef_[0])


def terms_of(nodes: list[Node]) -> Array:
    """Return the terms of the regression."""
    return calibration_terms(
        chain_share=np.array([node.chain_share for node in nodes]),
        exact=np.array([node.exact for node in nodes]),
        gap=np.array([node.gap for node in nodes]),
        is_above=np.array([node.kind == "above" for node in nodes], np.bool_),
    )


def probability_of(chosen_on: list[dict[str, Any]]) -> Callable[[dict[str, Any]], list[float]]:
    """Return the function that states the probabilities of the nodes of a record."""
    families = {record["family"] for record in chosen_on}
    left_out = {
        family: fit_coefficients([record for record in chosen_on if record["family"] != family])
        for family in families
    }

    def state(record: dict[str, Any]) -> list[float]:
        coefficients = left_out.get(record["family"], COEFFICIENTS)
        scores = terms_of(list(nodes_of(record))) @ np.array(coefficients)
        return [float(1.0 / (1.0 + np.exp(-score))) for score in scores]

    return state


def gather(
    records: list[dict[str, Any]],
    state: Callable[[dict[str, Any]], list[float]],
    kind: str | None = None,
) -> Nodes:
    """Collect the stated values of all nodes, or of one kind."""
    rows = [
        (stated, node.is_true, number)
        for number, record in enumerate(records)
        for stated, node in zip(state(record), nodes_of(record), strict=True)
        if kind in (None, node.kind)
    ]
    stated, true, table = zip(*rows, strict=True)
    return Nodes(np.array(stated), np.array(true, np.bool_), np.array(table))


def gather_ward(records: list[dict[str, Any]], column: int) -> Nodes:
    """Collect the recurrence of the nodes of Ward's linkage."""
    rows = [
        (node[column], node[2], k) for k, record in enumerate(records) for node in record["nodes"]
    ]
    stated, true, table = zip(*rows, strict=True)
    return Nodes(np.array(stated), np.array(true, np.bool_), np.array(table))


def reliability(nodes: Nodes) -> list[Tenth]:
    """Return the share of true nodes in each tenth of the stated value."""
    place = np.clip((nodes.stated * 10).astype(int), 0, 9)
    n_tables = int(nodes.table.max()) + 1
    rng = np.random.default_rng(0)
    weights = rng.multinomial(n_tables, np.full(n_tables, 1 / n_tables), size=2_000)
    rows = []
    for tenth in np.unique(place):
        here = place == tenth
        n = np.bincount(nodes.table[here], minlength=n_tables)
        true = np.bincount(nodes.table[here], nodes.is_true[here], n_tables)
        totals = weights @ n
        shares = (weights @ true)[totals > 0] / totals[totals > 0]
        low, high = np.quantile(shares, [0.025, 0.975]).tolist()
        rows.append(
            Tenth(
                float(TENTHS[tenth]),
                int(here.sum()),
                float(nodes.stated[here].mean()),
                float(nodes.is_true[here].mean()),
                (low, high),
                bool(here.mean() >= MIN_SHARE),
            )
        )
    return rows


def show(title: str, nodes: Nodes) -> list[Tenth]:
    """Print and return a reliability table."""
    rows = reliability(nodes)
    print(f"\n{title}: {len(nodes.stated)} nodes, {nodes.is_true.mean():.0%} of them true groups")
    print(f"{'stated':>12} {'nodes':>7} {'mean':>7} {'true':>7}   95 % interval")
    for row in rows:
        is_close = abs(row.stated - row.true) <= TOLERANCE
        verdict = "  few" if not row.is_judged else "" if is_close else "  missed"
        name = f"{row.low:.1f} to {row.low + 0.1:.1f}"
        ends = f"{row.interval[0]:.2f} to {row.interval[1]:.2f}"
        print(f"{name:>12} {row.n:7} {row.stated:7.2f} {row.true:7.2f}   {ends}{verdict}")
    worst = max(abs(row.stated - row.true) for row in rows if row.is_judged)
    brier = np.mean((nodes.stated - nodes.is_true) ** 2)
    print(
        f"largest difference in a tenth with at least 5 % of the nodes: {worst:.2f}; "
        f"Brier score {brier:.3f}"
    )
    return rows


def draw(curves: dict[str, dict[str, list[Tenth]]], file: Path = FIGURE) -> Figure:
    """Draw the reliability curves side by side, and write the figure."""
    figure = Figure(figsize=(2.6 * len(curves), 3.3), layout="constrained")
    axes = figure.subplots(1, len(curves), sharey=True)
    for ax, (title, groups) in zip(axes, curves.items(), strict=True):
        ax.fill_between(
            [0, 1],
            [-TOLERANCE, 1 - TOLERANCE],
            [TOLERANCE, 1 + TOLERANCE],
            color=BAND,
            linewidth=0,
            label=f"within {TOLERANCE} of the truth",
            zorder=0,
        )
        for (name, rows), (marker, color) in zip(groups.items(), LOOKS.items(), strict=True):
            judged = [row for row in rows if row.is_judged]
            true = np.array([row.true for row in judged])
            ends = np.array([row.interval for row in judged]).T
            ax.errorbar(
                [row.stated for row in judged],
                true,
                yerr=np.abs(ends - true),
                marker=marker,
                markersize=4,
                color=color,
                linewidth=1.2,
                elinewidth=0.8,
                label=FAMILY_NAMES[name],
                clip_on=False,  # points at 0 and 1 are whole
            )
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="stated value", aspect="equal")
        ax.set_title(title, size="medium")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share that are true groups")
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside lower center", ncols=3, frameon=False)
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file, dpi=130)
    return figure


if __name__ == "__main__":
    main()
