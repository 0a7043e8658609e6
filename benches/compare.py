"""Compare RBHMC with BHMC, linkages, genieclust and HDBSCAN on four tables with known classes.

Prints F-measure, dendrogram purity, AID and AOD with intervals over seeds, as Markdown. Scores are
kept in a folder (runs/compare, or the first argument), so a run that was stopped can be resumed.
Tables that are not on this machine are left out, with a message.
"""

import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import rbhmc
from earlier_defaults import EARLIER_DEFAULTS
from other_methods import LINKAGES, Scores, at_best_cut, distances, hdbscan_clusters
from paper.fashion_mnist import fetch_fashion_mnist
from paper.intervals import Interval
from paper.kemp import KEMP_CSV, fetch_kemp_animals
from paper.tables import fetch_or_skip
from rbhmc._files import write_atomically
from rbhmc.metrics import dendrogram_purity, f_measure
from rbhmc.preparation import auto_factor

MEASURES = ("F", "purity", "AID", "AOD")
PAPER_FASHION = {"n_levels": 4, "alpha": 0.2, "gamma": 1.5}
# (C, margin) of the paper's trees; the digits, which it does not have, take those of the images.
PUBLISHED_ANIMALS, PUBLISHED_FASHION = (0.1, 0.1), (0.001, 1.0)
# Lengths of the chains for up to 100 items, and for more items, whose sweeps take milliseconds.
LONG = {"n_chains": 4, "n_warmup": 2000, "n_draws": 500, "thin": 5}
SHORT = {"n_chains": 2, "n_warmup": 1500, "n_draws": 100, "thin": 5}
# Seeds of the samples of Fashion-MNIST: in the tables, and for choosing the tuned setting.
SMALL, LARGE, HELD_OUT = range(10, 15), range(10, 13), range(100, 102)
# C, margin, and the multiple of the automatic scale.
CANDIDATES = tuple(itertools.product((1.0,), (2.0, 5.0), (1.0, 2.4)))


@dataclass(frozen=True, eq=False)
class Sample:
    """A table to fit, its classes and its settings.

    Attributes
    ----------
    settings : dict
        Keywords of `RBHMC` for all models: the prior of the tree, the lengths of the chains.
    published : tuple of float
        The (C, margin) of the paper.
    fixed : bool
        Whether all seeds have the same items, so only the chains differ.
    """

    table: str
    seed: int
    X: NDArray[np.float64]
    classes: NDArray[Any]
    settings: dict[str, Any]
    published: tuple[float, float]
    fixed: bool


def samples() -> Iterator[Sample]:
    """Yield all samples that are available."""
    animals = fetch_or_skip("Kemp animals", lambda: fetch_kemp_animals(KEMP_CSV))
    if animals is not None:
        X, classes = components(animals.data, 7), np.asarray(animals.target)
        for seed in range(5):
            yield Sample("Kemp animals", seed, X, classes, LONG, PUBLISHED_ANIMALS, True)
    if fetch_or_skip("Fashion-MNIST", lambda: fetch_fashion_mnist(n_per_class=1)) is not None:
        yield from (fashion("Fashion-100", 10, seed, LONG) for seed in SMALL)
        yield from (fashion("Fashion-1000", 100, seed, SHORT) for seed in LARGE)
    digits = load_digits()
    X = components(digits.data, 10)
    for seed in range(3):
        yield Sample("digits", seed, X, digits.target, SHORT, PUBLISHED_FASHION, True)


def fashion(table: str, n_per_class: int, seed: int, lengths: dict[str, Any]) -> Sample:
    """Sample images of each class, with pixels from 0 to 1."""
    bunch = fetch_fashion_mnist(n_per_class=n_per_class, seed=seed)
    X = components(bunch.data / 255.0, 10)
    classes = np.asarray(bunch.target)
    settings = {**PAPER_FASHION, **lengths}
    return Sample(table, seed, X, classes, settings, PUBLISHED_FASHION, False)


def components(data: NDArray[Any], n: int) -> NDArray[np.float64]:
    """Project on principal components."""
    projected: NDArray[np.float64] = PCA(n, svd_solver="full").fit_transform(data)
    return projected


class ScoreFile:
    """Scores of fitted models, each computed once and kept in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: dict[str, Scores] = json.loads(file.read_text()) if file.exists() else {}

    def score(self, sample: Sample, method: str, settings: dict[str, Any]) -> Scores:
        """Return the scores of RBHMC on a sample; fit it if they are not known."""
        every = {**sample.settings, **settings}
        key = f"{sample.table}, {sample.seed}, {json.dumps(every, sort_keys=True)}"
        if key not in self.known:
            model = rbhmc.RBHMC(**EARLIER_DEFAULTS | every, random_state=sample.seed, n_jobs=-1)
            paths = model.fit(sample.X).tree_.paths
            f = f_measure(paths, sample.classes)
            self.known[key] = {
                "F": float(f.max()),
                "purity": float(dendrogram_purity(paths, sample.classes)),
                **distances(sample.X, paths[:, int(f.argmax())]),
            }
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.file, json.dumps(self.known, indent=1).encode())
            print(sample.table, sample.seed, method, self.known[key], file=sys.stderr, flush=True)
        return self.known[key]


def setting(X: NDArray[np.float64], candidate: tuple[float, float, float]) -> dict[str, Any]:
    """Return keywords of `RBHMC` for C, margin, and a multiple of the automatic scale."""
    C, margin, finer = candidate
    return {"C": C, "margin": margin, "scale": finer * auto_factor(X)}


def tuned(scores: ScoreFile) -> tuple[float, float, float]:
    """Choose the candidate with the best F + purity on separate samples of Fashion-MNIST."""
    held_out = [fashion("Fashion-100, held out", 10, seed, LONG) for seed in HELD_OUT]

    def score(candidate: tuple[float, float, float]) -> float:
        found = [
            scores.score(sample, str(candidate), setting(sample.X, candidate))
            for sample in held_out
        ]
        return float(np.mean([one["F"] + one["purity"] for one in found]))

    return max(CANDIDATES, key=score)


def models(sample: Sample, chosen: tuple[float, float, float] | None) -> dict[str, dict[str, Any]]:
    """Return the keywords of each of our models, by name."""
    C, margin = sample.published
    ours: dict[str, dict[str, Any]] = {"RBHMC, `collapsed`, defaults": {}}
    if chosen is not None:
        ours["RBHMC, `collapsed`, tuned"] = setting(sample.X, chosen)
    ours["BHMC, scaled as the defaults"] = {"C": 0.0}
    # The paper presents the draw of highest CDLL or RCDLL.
    published = {"scheme": "paper", "scale": False, "select": "rcdll"}
    ours["BHMC, `paper`"] = {"C": 0.0, **published}
    ours["RBHMC, `paper`"] = {"C": C, "margin": margin, **published}
    return ours


def interval(values: list[float]) -> Interval:
    """Return the mean and its 95 % interval by Student's t."""
    mean, half = float(np.mean(values)), 0.0
    if len(values) > 1:
        half = float(stats.t.ppf(0.975, len(values) - 1) * stats.sem(values))
    return Interval(mean, mean - half, mean + half)


def text(values: list[float], form: str = "{:.3f}") -> str:
    """Format a mean with its interval, or the value if all are equal."""
    if np.isnan(values).any():
        return "one cluster"
    found = interval(values)
    return form.format(found.value) if len(set(values)) == 1 else found.text(form)


def compare(
    group: list[Sample], scores: ScoreFile, chosen: tuple[float, float, float] | None
) -> str:
    """Score every method on the samples of a table; return a Markdown table."""
    found: dict[str, list[Scores]] = {}
    for sample in group:
        for name, settings in models(sample, chosen).items():
            found.setdefault(name, []).append(scores.score(sample, name, settings))
    n_ours = len(found)
    for sample in group[:1] if group[0].fixed else group:
        X, classes = sample.X, sample.classes
        for name, join in LINKAGES.items():
            found.setdefault(name, []).append(at_best_cut(join(X), X, classes))
        found.setdefault("HDBSCAN's own clusters", []).append(hdbscan_clusters(X, classes))
    lines = [
        f"### {group[0].table}: {len(group[0].X):,} items, {len(group)} seeds",
        "",
        "| method | " + " | ".join(MEASURES) + " |",
        "|" + "---|" * (len(MEASURES) + 1),
    ]
    for name, every in found.items():
        cells = [text([one[measure] for one in every]) for measure in MEASURES]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines.append("")
    for measure in ("F", "purity"):
        lines += against_best(found, measure, n_ours)
    return "\n".join(lines)


def against_best(found: dict[str, list[Scores]], measure: str, n_ours: int) -> list[str]:
    """Compare `collapsed` with the best method of the other libraries, by an interval."""
    values = {name: [one[measure] for one in scores] for name, scores in found.items()}
    rival = max(list(values)[n_ours:], key=lambda name: float(np.mean(values[name])))
    lines = []
    for name in values:
        if "`collapsed`" not in name:
            continue
        # Samples are paired; on a fixed table the rival has one value.
        gains = (np.array(values[name]) - np.array(values[rival])).tolist()
        low, high = interval(gains)[1:]
        word = "wins" if low > 0 else "loses" if high < 0 else "is not told apart"
        lines.append(f"- {measure}: {name} less {rival}: {text(gains, '{:+.3f}')}: {word}.")
    return lines


def main() -> None:
    """Print the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("runs/compare")
    scores = ScoreFile(folder / "scores.json")
    groups = itertools.groupby(samples(), key=lambda sample: sample.table)
    chosen: tuple[float, float, float] | None = None
    try:
        chosen = tuned(scores)
    except OSError:
        print("not tuned: Fashion-MNIST is not available", file=sys.stderr)
    parts = []
    if chosen is not None:
        C, margin, finer = chosen
        parts.append(f"Tuned: C = {C:g}, margin = {margin:g}, {finer:g} × the automatic scale.")
    for _, group in groups:
        parts.append(compare(list(group), scores, chosen))
        print(parts[-1], flush=True)
    write_atomically(folder / "tables.md", "\n\n".join(parts).encode())


if __name__ == "__main__":
    main()
