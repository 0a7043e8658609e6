"""F-measure: BHMC against RBHMC by level, over many chains, with a paired comparison."""

from typing import Any

import numpy as np

from rbhmc.plots import plot_f_measure
from rbhmc.reproduce.intervals import difference, mean
from rbhmc.reproduce.setting import Section, Setting, new_figure


def f_measures(setting: Setting) -> Section:
    """Measure the draw of highest RCDLL of each chain, and compare chains of equal number."""
    effort, table = setting.effort, setting.table
    # A column for each level, and the purity of the whole tree.
    scores = {
        name: np.array([[*found["f"], found["purity"]] for found in chains])
        for name, chains in setting.measure_cases().items()
    }
    n_levels = table.settings["n_levels"]
    heads = [*(f"F, level {n}" for n in range(1, n_levels + 1)), "dendrogram purity"]
    lines = [
        f"{effort.n_chains} chains for each setting, the draw of highest RCDLL of each. Means with "
        "95 % bootstrap intervals; below, the difference to BHMC of chains of equal number.",
        "",
        "| setting | " + " | ".join(heads) + " |",
        "|" + "---|" * (len(heads) + 1),
    ]
    numbers: dict[str, Any] = {}
    for name, values in scores.items():
        means = [mean(column) for column in values.T]
        numbers[name] = {"values": values.tolist(), "mean": means}
        lines.append(f"| {name} | " + " | ".join(one.text("{:.3f}") for one in means) + " |")
    plain = scores.pop("BHMC")
    for name, values in scores.items():
        gains = [difference(column, base) for column, base in zip(values.T, plain.T, strict=True)]
        numbers[name]["gain"] = gains
        cells_text = " | ".join(one.text("{:+.3f}") for one in gains)
        lines.append(f"| {name}, less BHMC | {cells_text} |")
    figure = new_figure(7.5, 4.0)
    every = {"BHMC": plain, **scores}
    by_level = {name: values[:, :n_levels] for name, values in every.items()}
    plot_f_measure(by_level, ax=figure.add_subplot())
    lines += ["", setting.save_figure(figure, "f-measure")]
    return Section("F-measure", "\n".join(lines), numbers)
