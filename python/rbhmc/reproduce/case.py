"""Case: the trees that the paper's settings give, drawn with names or pictures."""

from typing import Any

import numpy as np

from rbhmc.metrics import aid, aod, dendrogram_purity, f_measure, is_singular
from rbhmc.plots import plot_tree
from rbhmc.reproduce.setting import CASE_CHAINS, Section, Setting, method_name
from rbhmc.tree import Tree


def case(setting: Setting) -> Section:
    """Draw the tree of highest RCDLL of two chains for each of the paper's settings."""
    effort, table = setting.effort, setting.table
    every = setting.draw_cases()
    lines = [
        f"The draw of highest RCDLL of each of {CASE_CHAINS} chains ({effort.n_warmup:,} sweeps "
        f"dropped, every {effort.thin}th of {effort.n_sweeps:,} kept).",
        "",
        "| setting | chain | F by level | purity | AID | AOD | leaves |",
        "|---|---|---|---|---|---|---|",
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
                "tree": str(tree),
            }
            numbers.append(row)
            scores = ", ".join(f"{value:.2f}" for value in row["f"])
            aod_text = "one path" if row["aod"] is None else f"{row['aod']:.2f}"
            lines.append(
                f"| {method_name(C, margin)} | {chain} | {scores} | {row['purity']:.2f} "
                f"| {row['aid']:.2f} | {aod_text} | {row['n_leaves']} |"
            )
            ax = plot_tree(tree, images=table.images)
            ax.set_title(f"{method_name(C, margin)}, chain {chain}", size=10)
            name = f"tree-C{C:g}-margin{margin:g}-chain{chain}"
            figures.append(setting.save_figure(ax.get_figure(), name))
    return Section("Case", "\n".join([*lines, "", *figures]), numbers)
