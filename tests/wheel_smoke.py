"""Check an installed wheel without any extra: import it, fit, print a tree, pickle.

``make wheel`` runs this in an environment with only the wheel and its dependencies.
"""

import pickle
import subprocess
import sys
import time
from importlib.util import find_spec

GOAL = 0.5  # seconds that `import rbhmc` may add to `import sklearn`


def import_seconds(*statements: str) -> float:
    """Time the last of some imports in a new interpreter; return the best of five."""
    *before, last = statements
    lines = [
        *before,
        "import time; t = time.perf_counter()",
        last,
        "print(time.perf_counter() - t)",
    ]
    code = "\n".join(lines)
    times = []
    for _ in range(5):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        times.append(float(run.stdout))
    return min(times)


def main() -> None:
    """Use the package as the first page of the documentation does."""
    start = time.perf_counter()
    import rbhmc
    from rbhmc.datasets import load_animals

    animals = load_animals()
    model = rbhmc.RBHMC(random_state=0).fit(animals.data, names=animals.names)
    print(model.tree_)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(animals.data) == model.predict(animals.data)).all()
    print(f"fitted, printed and pickled in {time.perf_counter() - start:.1f} s")
    extras = ("arviz_stats", "matplotlib", "networkx", "pandas", "rich", "typer", "xarray", "zarr")
    assert not [name for name in extras if find_spec(name)], "extras are installed"
    own = import_seconds("import sklearn")
    added = import_seconds("import sklearn", "import rbhmc")
    print(f"import rbhmc: {added:.2f} s beyond scikit-learn's {own:.2f} s (goal: under {GOAL} s)")


if __name__ == "__main__":
    main()
