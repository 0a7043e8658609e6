"""Case: the trees that the paper's settings give, drawn with names or pictures."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.metrics import aid, aod, dendrogram_purity, f_measure, is_singular
from rbhmc.plots import plot_tree
from rbhmc.reproduce.measure import FEW
from rbhmc.reproduce.setting import CASE_CHAINS, Section, Setting, method_name
from rbhmc.tree import Tree


def case(setting: Setting) -> Section:
    """Draw the tree of highest RCDLL of two chains for each of the paper's settings."""
    effort, table = setting.effort, setting.table
    every = setting.draw_cases()
    lines = [
        f"The draw of highest RCDLL of each of {CASE_CHAINS} chains ({effort.n_warmup:,} sweeps "
        f"dropped, every {effort.thin}th of {effort.n_sweeps:,} kept); the last two columns are "
        "means over draws.",
        "",
        "| setting | chain | F by level | purity | AID | AOD | leaves "
        "| leaves, mean | nodes of one item, mean |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    numbers: list[dict[str, Any]] = []
    figures = []
    for (C, margin), draws in zip(table.cases, every, strict=True):
        for chain in range(CASE_CHAINS):
            paths = draws.paths[chain, int(np.argmax(draws.rcdll[chain]))]
            tree = Tree.from_labels(paths, names=table.names)
            row = {
                "C": C,
                "margin": margin,
                "chain": chain,
                "f": f_measure(paths, table.classes).tolist(),
                "purity": float(dendrogram_purity(paths, table.classes)),
                "aid": float(aid(table.X, paths)),
                "aod": None if is_singular(paths) else float(aod(table.X, paths)),
                "n_leaves": len(tree.leaves),
                **shape(draws.paths[chain]),
                "tree": str(tree),
            }
            numbers.append(row)
            scores = ", ".join(f"{value:.2f}" for value in row["f"])
            aod_text = "one path" if row["aod"] is None else f"{row['aod']:.2f}"
            lines.append(
                f"| {method_name(C, margin)} | {chain} | {scores} | {row['purity']:.2f} "
                f"| {row['aid']:.2f} | {aod_text} | {row['n_leaves']} "
                f"| {row['mean leaves']:.1f} | {row['alone']:.0%} |"
            )
            ax = plot_tree(tree, images=table.images)
            ax.set_title(f"{method_name(C, margin)}, chain {chain}", size=10)
            name = f"tree-C{C:g}-margin{margin:g}-chain{chain}"
            figures.append(setting.save_figure(ax.get_figure(), name))
    return Section("Case", "\n".join([*lines, "", *figures]), numbers)


def shape(paths: NDArray[Any]) -> dict[str, float]:
    """Mean over draws of the number of leaves, and of the share of nodes that hold one item.

    Examples
    --------
    >>> shape(np.array([[[0, 0], [0, 0], [1, 1]], [[0, 0], [0, 1], [0, 2]]]))
    {'mean leaves': 2.5, 'alone': 0.625}
    """
    leaves, alone = [], []
    for tree in paths[:: max(1, len(paths) // FEW)]:
        sizes = [np.unique(column, return_counts=True)[1] for column in tree.T]
        leaves.append(len(sizes[-1]))
        alone.append(np.mean(np.concatenate(sizes) == 1))
    return {"mean leaves": float(np.mean(leaves)), "alone": float(np.mean(alone))}
