"""What the run was: the summary at the top, and settings, seeds and versions at the end."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rbhmc import posterior
from rbhmc.report.markup import Markup, joined, tag
from rbhmc.report.traces import chain_names
from rbhmc.sampling.run_folder import versions

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC


def summary(model: "RBHMC") -> Markup:
    """Write the size of the run in a few numbers."""
    draws, tree = model.draws_, model.tree_
    about = model.preparation_.describe()
    kept = about["explained_variance_ratio"]
    components = "the features themselves" if kept is None else f"{kept:.0%} of the variance"
    facts = [
        ("Items", f"{tree.n_items:,}", ""),
        ("Features", f"{about['n_features']:,}", ""),
        ("Components", f"{about['n_dims']:,}", components),
        ("Levels", str(tree.n_levels), ""),
        ("Leaves", f"{len(tree.leaves):,}", ""),
        ("Chains × draws", f"{draws.n_chains:,} × {draws.n_draws:,}", ""),
    ]
    return tag("dl", *(_fact(*fact) for fact in facts), class_="facts")


def _fact(name: str, value: str, note: str) -> Markup:
    more = [tag("dd", note, class_="note")] if note else []
    return tag("div", tag("dt", name), tag("dd", value, class_="value"), *more)


def settings(model: "RBHMC") -> Markup:
    """Write what would make the same draws again."""
    given: dict[str, Any] = dict(model.draws_.settings)
    seeds = given.pop("seeds", [])
    given.pop("chains", None)
    chain, draw = model.selected_
    run: dict[str, Any] = {
        "select": model.select,
        "selected": f"draw {draw + 1:,} of {chain_names(model.draws_)[chain].lower()}",
        "n_draws": model.draws_.n_draws,
    }
    numbered = {f"chain {n}": seed for n, seed in enumerate(seeds[:-1], start=1)}
    numbered |= {"predictions": seeds[-1]} if seeds else {}
    learned = {name: str(found) for name, found in posterior.learned(model.draws_).items()}
    parts = {
        "Settings": run | given,
        "Learned: mean and 95 % interval": learned,
        "Seeds": numbered,
        "Versions": versions(),
    }
    return joined(*(_part(title, values) for title, values in parts.items() if values))


def _part(title: str, values: Mapping[str, Any]) -> Markup:
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", _written(value)))
        for name, value in values.items()
    ]
    table = tag("table", tag("tbody", *rows), class_="settings")
    return tag("section", tag("h3", title), table)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
