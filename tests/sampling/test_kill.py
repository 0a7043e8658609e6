"""SIGKILL at a random moment loses at most the draws since the last checkpoint."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import rbhmc
from sampling.cases import X, assert_same_model

SETTINGS: dict[str, Any] = {
    "n_chains": 2,
    "n_warmup": 500,
    "n_draws": 12000,
    "thin": 4,
    "random_state": 3,
}
N_KILLS = 20
SCRIPT = """
import sys
import numpy as np
import rbhmc
from rbhmc.sampling import chain_store

chain_store.CHECKPOINT_SECONDS = 0.01
# A first fit imports what fits need, so that no kill hits an import.
rbhmc.RBHMC(n_chains=1, n_warmup=0, n_draws=1).fit(np.eye(4))
print("ready", flush=True)
X = np.load(sys.argv[1])
model = rbhmc.RBHMC(**eval(sys.argv[2]), n_jobs=2).fit(X, checkpoint_dir=sys.argv[3], resume=True)
print("done", flush=True)
"""


def n_kept(folder: Path) -> int:
    """Return the number of draws in the states on disk."""
    n_draws = 0
    for state in folder.glob("chain-*/state.npz"):
        with np.load(state) as file:
            record = json.loads(file["record"].tobytes())
        n_draws += sum(n for n, _, _ in record["chunks"])
    return n_draws


def test_a_run_killed_at_random_moments_resumes_to_the_bit(tmp_path: Path) -> None:
    table, folder = tmp_path / "X.npy", tmp_path / "run"
    np.save(table, X)
    moments = random.Random(1)
    command = [sys.executable, "-c", SCRIPT, str(table), repr(SETTINGS), str(folder)]
    kept = [0]
    for _ in range(N_KILLS):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(moments.uniform(0.0, 0.25))
            process.kill()
        kept.append(n_kept(folder))
        # A draw that a state has counted is never lost.
        assert kept[-1] >= kept[-2]
    assert kept[-1] > 0
    finished = rbhmc.RBHMC(**SETTINGS).fit(X, checkpoint_dir=folder, resume=True)
    assert_same_model(finished, rbhmc.RBHMC(**SETTINGS).fit(X))
    print(f"{N_KILLS} kills, draws kept after each: {kept[1:]}")
