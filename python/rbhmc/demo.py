"""The demonstration behind `make demo`: sample a small table of animals, print the best tree.

Run as ``python -m rbhmc.demo``.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rbhmc

FEATURES = tuple(
    "fur feathers scales six_legs four_legs two_legs no_legs flies swims lays_eggs gives_milk "
    "hooves claws fins wings antennae eats_meat eats_plants warm_blooded lives_in_water".split()
)

ANIMALS = {
    "lion": "fur four_legs gives_milk claws eats_meat warm_blooded",
    "tiger": "fur four_legs gives_milk claws eats_meat warm_blooded swims",
    "wolf": "fur four_legs gives_milk claws eats_meat warm_blooded",
    "cat": "fur four_legs gives_milk claws eats_meat warm_blooded",
    "horse": "fur four_legs gives_milk hooves eats_plants warm_blooded",
    "cow": "fur four_legs gives_milk hooves eats_plants warm_blooded",
    "deer": "fur four_legs gives_milk hooves eats_plants warm_blooded",
    "dolphin": "no_legs gives_milk fins swims eats_meat warm_blooded lives_in_water",
    "whale": "no_legs gives_milk fins swims eats_meat warm_blooded lives_in_water",
    "eagle": "feathers two_legs flies wings lays_eggs claws eats_meat warm_blooded",
    "owl": "feathers two_legs flies wings lays_eggs claws eats_meat warm_blooded",
    "robin": "feathers two_legs flies wings lays_eggs eats_meat eats_plants warm_blooded",
    "finch": "feathers two_legs flies wings lays_eggs eats_plants warm_blooded",
    "penguin": "feathers two_legs swims wings lays_eggs eats_meat warm_blooded",
    "salmon": "scales no_legs fins swims lays_eggs eats_meat lives_in_water",
    "trout": "scales no_legs fins swims lays_eggs eats_meat lives_in_water",
    "carp": "scales no_legs fins swims lays_eggs eats_plants eats_meat lives_in_water",
    "bee": "six_legs flies wings antennae lays_eggs eats_plants",
    "butterfly": "six_legs flies wings antennae lays_eggs eats_plants",
    "ant": "six_legs antennae lays_eggs eats_plants eats_meat",
    "beetle": "six_legs flies wings antennae lays_eggs eats_plants",
    "crocodile": "scales four_legs swims lays_eggs claws eats_meat lives_in_water",
    "lizard": "scales four_legs lays_eggs claws eats_meat",
    "iguana": "scales four_legs lays_eggs claws eats_plants",
}

N_DRAWS = 20_000
N_WARMUP = 5_000


def main(folder: Path = Path("runs/demo")) -> str:
    """Run the demonstration; its report is printed, written to `folder`, and returned."""
    names = list(ANIMALS)
    has = [set(features.split()) for features in ANIMALS.values()]
    table = np.array([[feature in owned for feature in FEATURES] for owned in has], float)
    # Yes and no stand four noise scales apart.
    X = 4.0 * (table - table.mean(axis=0))
    sampler = rbhmc.Sampler(X, base_cov=3.0, C=1.0, margin=5.0, seed=0)
    start = time.perf_counter()
    draws = sampler.run(N_DRAWS, burn_in=N_WARMUP, progress=rbhmc.ProgressLine())
    seconds = time.perf_counter() - start
    best = int(np.argmax(draws["rcdll"]))
    report = "\n".join(
        [
            f"{len(names)} animals x {len(FEATURES)} features; C = 1, margin = 5, 3 levels",
            f"{sampler.n_sweeps:,} sweeps in {seconds:.1f} s "
            f"({seconds / sampler.n_sweeps * 1e6:.0f} µs a sweep)",
            f"best of {len(draws['rcdll']):,} draws: RCDLL {draws['rcdll'][best]:.1f}, "
            f"{draws['n_components'][best]} components",
            "",
            format_tree(draws["paths"][best], names),
            "",
        ]
    )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "report.txt"
    file.write_text(report, encoding="utf-8")
    print(report)
    print(f"written to {file}")
    return report


def format_tree(paths: NDArray[np.int32], names: Sequence[str]) -> str:
    """Indented text of a tree: nodes by size, the items of each leaf by name.

    Parameters
    ----------
    paths : array of shape (n_items, n_levels)
        The label of each item's node at each level.
    names : sequence of str
        The items' names.

    Examples
    --------
    >>> print(format_tree(np.array([[0, 0], [0, 1], [1, 2]]), ["ant", "bee", "cat"]))
    3 items
    ├─ 2 items
    │  ├─ ant
    │  └─ bee
    └─ cat
    """
    count = f"{len(names)} item{'s' if len(names) != 1 else ''}"
    return "\n".join([count, *_branches(paths, np.arange(len(names)), 0, names)])


def _branches(
    paths: NDArray[np.int32], items: NDArray[np.intp], level: int, names: Sequence[str]
) -> list[str]:
    labels = paths[items, level]
    groups = [items[labels == label] for label in np.unique(labels)]
    groups.sort(key=lambda group: (-len(group), int(group[0])))
    lines = []
    for group in groups:
        last = group is groups[-1]
        below = level + 1
        while below < paths.shape[1] and len(np.unique(paths[group, below])) == 1:
            below += 1
        is_leaf = below == paths.shape[1]
        text = ", ".join(names[n] for n in group) if is_leaf else f"{len(group)} items"
        lines.append(("└─ " if last else "├─ ") + text)
        if not is_leaf:
            indent = "   " if last else "│  "
            lines += [indent + line for line in _branches(paths, group, below, names)]
    return lines


if __name__ == "__main__":
    main()
