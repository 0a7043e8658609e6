"""Instructions of one sweep by callgrind, which do not depend on what else the machine does.

Each case runs twice, with few and with many sweeps: the difference is that of the sweeps alone.
`make instructions` builds the program first.
"""

import os
import re
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "target/release/profile"
CASES = [
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
    """Print the table."""
    print(f"{'items, dimensions, levels, C':>30}   instructions a sweep     an item")
    for case, few, many in CASES:
        total = instructions(case, many) - instructions(case, few)
        sweep = total / (many - few)
        print(f"{case:>30} {sweep:>22,.0f} {sweep / int(case.split()[0]):>11,.0f}", flush=True)


def instructions(case: str, n_sweeps: int) -> int:
    """Count the instructions of a whole run."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*tool, PROGRAM, *case.split(), str(n_sweeps)]
    # On one core: what others compute ahead and in vain would be counted.
    one = os.environ | {"RAYON_NUM_THREADS": "1"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=one)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if found is None:
        raise RuntimeError(run.stderr)
    return int(found[1])


if __name__ == "__main__":
    main()
