"""`import rbhmc` brings nothing along but what it must: no extra, and little of scikit-learn."""

import json
import subprocess
import sys

# The packages that are imported on top of scikit-learn's own, and its modules among them.
CODE = """
import json, sys
import sklearn
before = set(sys.modules)
import rbhmc
new = set(sys.modules) - before
packages = {name.partition(".")[0] for name in new} - set(sys.stdlib_module_names)
modules = [name for name in new if name.startswith(("sklearn.", "rbhmc.cli", "rbhmc.plots"))]
print(json.dumps([sorted(packages), modules]))
"""


def test_what_an_import_brings() -> None:
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    packages, modules = json.loads(run.stdout)
    assert set(packages) <= {"rbhmc", "numpy", "scipy", "joblib"}
    assert modules == []
