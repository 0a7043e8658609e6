"""Results are bitwise equal for any number of threads."""

import os
import subprocess
import sys

ANSWERS = """
import hashlib, pickle
import numpy as np
from metrics.trees import random_draws
from rbhmc import Tree, posterior

draws = random_draws(0, 2, 300, 40, 3)
tree = Tree.from_labels(draws[0, 0])
X = np.random.default_rng(0).normal(size=(40, 3))
found = [
    posterior.support(tree, draws),
    list(vars(posterior.consensus(draws)).values()),
    posterior.credible_ball(draws, tree).distances.tobytes(),
    posterior.unstable_items(draws, tree).entropy.tobytes(),
    posterior.measures(draws, X=X)["aod"].values.tobytes(),
]
print(hashlib.sha256(pickle.dumps(found)).hexdigest())
"""


def digest(n_threads: int) -> str:
    environment = os.environ | {
        "RAYON_NUM_THREADS": str(n_threads),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    command = [sys.executable, "-c", ANSWERS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    assert digest(1) == digest(4)
