"""What an installed wheel must do with nothing beside it: import fast, fit, print a tree, pickle.

Run by ``make wheel`` in an environment that has the wheel and its dependencies, and no extra.
"""

import pickle
import subprocess
import sys
import time

MOST = 0.5  # seconds that rbhmc may add to the import of scikit-learn's parts that it uses


def import_seconds(statement: str) -> float:
    """Time an import in a new interpreter, at best of five."""
    times = []
    for _ in range(5):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        times.append(float(run.stdout))
    return min(times)


def main() -> None:
    """Use the package as the README's first lines do."""
    start = time.perf_counter()
    import rbhmc
    from rbhmc.datasets import load_animals

    animals = load_animals()
    model = rbhmc.RBHMC(n_components=7, n_warmup=500, n_draws=100, random_state=0)
    model.fit(animals.data, names=animals.names)
    print(model.tree_)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(animals.data) == model.predict(animals.data)).all()
    print(f"fitted, printed and pickled in {time.perf_counter() - start:.1f} s")
    before = "import sklearn.base, sklearn.decomposition, sklearn.neighbors, scipy.special"
    extra = import_seconds(f"{before}; import rbhmc") - import_seconds(before)
    print(f"import rbhmc: {extra:.2f} s beyond scikit-learn's own (goal: under {MOST} s)")


if __name__ == "__main__":
    main()
