"""The run: its size at the top of the page, and settings, seeds and versions at the end."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rbhmc import posterior
from rbhmc.report.markup import Markup, join, tag
from rbhmc.report.page_data import chain_names
from rbhmc.sampling.run_folder import versions

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC


def run_summary(model: "RBHMC") -> Markup:
    """Write the size of the table, the tree and the run."""
    draws, tree = model.draws_, model.tree_
    prepared = model.preparation_.describe()
    variance = prepared["explained_variance_ratio"]
    note = "the features themselves" if variance is None else f"{variance:.0%} of the variance"
    figures = [
        ("Items", f"{tree.n_items:,}", ""),
        ("Features", f"{prepared['n_features']:,}", ""),
        ("Components", f"{prepared['n_dims']:,}", note),
        ("Levels", str(tree.n_levels), ""),
        ("Leaves", f"{len(tree.leaves):,}", ""),
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
    settings.pop("chains", None)
    chain, draw = model.selected_
    selection: dict[str, Any] = {
        "select": model.select,
        "selected": f"draw {draw + 1:,} of {chain_names(model.draws_)[chain].lower()}",
        "n_draws": model.draws_.n_draws,
    }
    seed_of = {f"chain {number}": seed for number, seed in enumerate(seeds[:-1], start=1)}
    if seeds:
        seed_of["predictions"] = seeds[-1]
    tables = {
        "Settings": selection | settings,
        "Learned: mean and 95 % interval": posterior.learned(model.draws_),
        "Seeds": seed_of,
        "Versions": versions(),
    }
    return join(*(_table(title, values) for title, values in tables.items() if values))


def _table(title: str, values: Mapping[str, Any]) -> Markup:
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", _format(value)))
        for name, value in values.items()
    ]
    table = tag("table", tag("tbody", *rows), class_="settings")
    return tag("section", tag("h3", title), table)


def _format(value: Any) -> str:
    return str(value) if isinstance(value, str | posterior.Distribution) else repr(value)
