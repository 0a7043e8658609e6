"""Count the instructions of one sweep with callgrind, which no other load of the machine affects.

Each case runs with few and with many sweeps; the difference is due to the sweeps alone. `make
instructions` builds the program first. `python benches/instructions.py shares` prints the share of
each module of the core over a whole run instead.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "target/release/profile"
# Items, dimensions, levels and C, with unit noise; or items, dimensions and warm-up, with the
# settings of a fit with the defaults. Then the two numbers of sweeps.
CASES = [
    ("500 10 60", 5, 20),
    ("1000 10 60", 5, 20),
    ("10000 10 10", 1, 3),
    ("33 7 3 0", 100, 1_100),
    ("33 7 3 1", 100, 1_100),
    ("100 10 4 0", 50, 350),
    ("100 10 4 1", 50, 350),
    ("1000 10 3 0", 1, 6),
    ("1000 10 3 1", 1, 6),
    ("10000 10 3 0", 1, 4),
    ("10000 10 3 1", 1, 4),
    ("70000 10 3 1", 1, 3),
]


def main() -> None:
    """Print the instructions or the shares."""
    if sys.argv[1:] == ["shares"]:
        for case, n_sweeps in [("33 7 3 0", 1_100), ("100 10 4 1", 350), ("10000 10 3 1", 6)]:
            print(f"{case}: {shares(case, n_sweeps)}", flush=True)
        return
    print(f"{'items, dimensions, settings':>30}   instructions per sweep    per item")
    for case, few, many in CASES:
        total = instructions(case, many) - instructions(case, few)
        sweep = total / (many - few)
        print(f"{case:>30} {sweep:>22,.0f} {sweep / int(case.split()[0]):>11,.0f}", flush=True)


def instructions(case: str, n_sweeps: int) -> int:
    """Count the instructions of a whole run."""
    found = re.search(r"Collected : (\d+)", run(case, n_sweeps, "/dev/null"))
    assert found is not None
    return int(found[1])


def shares(case: str, n_sweeps: int) -> str:
    """Return the modules with the largest shares of a whole run."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/callgrind.out"
        run(case, n_sweeps, out)
        command = ["callgrind_annotate", out]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sums: Counter[str] = Counter()
    for count, function in re.findall(
        r"^ *([\d,]+) \([ \d.]+%\) +\S*?:(\S+) \[", lines, re.MULTILINE
    ):
        module = re.match(r"rbhmc_core::(?:kernels::[a-z]+|\w+)::(\w+)|(rand\w*)|", function)
        sums[(module and (module[1] or module[2])) or "system"] += int(count.replace(",", ""))
    total = sum(sums.values())
    return ", ".join(f"{name} {sums[name] / total:.0%}" for name, _ in sums.most_common(12))


def run(case: str, n_sweeps: int, out: str) -> str:
    """Run callgrind on one core, and return its output."""
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    command = [*tool, PROGRAM, *case.split(), str(n_sweeps)]
    # On several cores, prefetched work that is discarded would be counted too.
    one = os.environ | {"RAYON_NUM_THREADS": "1"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=one).stderr


if __name__ == "__main__":
    main()
