"""A process that is forked after a fit can fit and predict: it does not wait for lost threads."""

import subprocess
import sys

import pytest

PRELUDE = """
import os, signal, threading, warnings
import joblib, numpy as np, rbhmc

# Python 3.12 warns of every fork with threads, which is what is tested here.
warnings.simplefilter("ignore", DeprecationWarning)
rng = np.random.default_rng(0)
X = np.repeat(9.0 * rng.normal(size=(4, 3)), 300, axis=0) + rng.normal(size=(1200, 3))
quick = dict(n_chains=2, n_warmup=4, n_draws=2, thin=1, random_state=1)
model = rbhmc.RBHMC(**quick).fit(X)
labels = model.predict(X + 0.01)

def fit():
    again = rbhmc.RBHMC(**quick).fit(X)
    assert np.array_equal(again.draws_.paths, model.draws_.paths)
    assert np.array_equal(again.labels_, model.labels_)

def fit_in_a_thread():
    thread = threading.Thread(target=fit)
    thread.start()
    thread.join()

def predict():
    assert np.array_equal(model.predict(X + 0.01), labels)

def in_a_child(call):
    if os.fork() == 0:
        status = 1
        try:
            signal.alarm(30)  # ends a process that hangs
            call()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0, call
"""
FORKS = """
for call in (predict, fit, fit_in_a_thread, lambda: in_a_child(fit)):
    in_a_child(call)
print("fine")
"""
BACKEND = """
signal.alarm(60)
with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
    fit()
print("fine")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
@pytest.mark.parametrize("body", [FORKS, BACKEND], ids=["fork", "multiprocessing"])
def test_a_forked_process_does_not_hang(body: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + body], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
