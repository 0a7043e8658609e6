"""`import rbhmc` loads no optional package and little of scikit-learn."""

import json
import subprocess
import sys

# Prints the packages that `import rbhmc` loads after `import sklearn`, and modules to avoid.
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


def test_the_import_loads_only_what_it_needs() -> None:
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    packages, modules = json.loads(run.stdout)
    assert set(packages) <= {"rbhmc", "numpy", "scipy", "joblib"}
    assert modules == []


def test_figures_and_reports_are_there_when_they_are_used() -> None:
    code = "import rbhmc; rbhmc.plots.plot_tree; rbhmc.report.write_report; rbhmc.nothing"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "AttributeError: module 'rbhmc' has no attribute 'nothing'" in run.stderr
