"""The demonstration behind `make demo`: a hierarchy of 33 animals.

Run as ``python -m rbhmc.demo``.
"""

import time
from pathlib import Path

import rbhmc
from rbhmc.datasets import load_animals


def main(folder: Path = Path("runs/demo")) -> str:
    """Fit the animals; the report is printed, written to `folder`, and returned."""
    animals = load_animals()
    model = rbhmc.RBHMC(n_components=7, random_state=0, n_jobs=-1)
    print(f"fitting {len(animals.names)} animals: {model.n_chains} chains …", flush=True)
    start = time.perf_counter()
    model.fit(animals.data, names=animals.names)
    seconds = time.perf_counter() - start
    chain, draw = model.selected_
    sweeps = model.n_chains * (model.n_warmup + model.n_draws * model.thin)
    report = "\n".join(
        [
            f"{animals.data.shape[0]} animals x {animals.data.shape[1]} features, on 7 principal "
            f"components times {model.preparation_.factor_:.2f}",
            f"RBHMC with C = {model.C:g}, margin = {model.margin:g}, {model.n_levels} levels: "
            f"{sweeps:,} sweeps in {seconds:.1f} s",
            f"draw {draw} of chain {chain}, by {model.select}: RCDLL "
            f"{model.draws_.rcdll[chain, draw]:.1f}, "
            f"{model.draws_.n_components[chain, draw]} components",
            "",
            str(model.tree_),
            "",
        ]
    )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "report.txt"
    file.write_text(report, encoding="utf-8")
    print(report)
    print(f"written to {file}")
    return report


if __name__ == "__main__":
    main()
