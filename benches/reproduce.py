"""Run the chains of the paper's experiments: `make reproduce`.

Every chain is measured while it runs, and its record is appended to a file in
benches/paper/records. Chains that have a record are not run again, so that a stopped run continues
with the same command, and more repeats add to what is there. `make results` makes the page.
"""

import argparse
import sys
from pathlib import Path

from joblib import Parallel, delayed

from paper.chain import run_chain
from paper.defaults import run_defaults
from paper.protocol import DESIGNS, READINGS, Lengths
from paper.records import RECORDS, Records
from paper.tables import load_table


def main() -> None:
    """Run what is missing."""
    options = parse_options()
    lengths = Lengths(n_burn_in=options.burn_in, n_draws=options.draws, n_repeats=options.repeats)
    table = load_table(options.table, options.data)
    if options.reading == "defaults":
        run_defaults(table, options.records)
        return
    records = Records(options.records, options.table, options.reading)
    missing = records.missing(table.design, lengths)
    print(f"{table.name}, {options.reading}: {len(missing)} chains are missing", file=sys.stderr)
    run = Parallel(n_jobs=options.jobs, return_as="generator_unordered", batch_size=1)
    calls = (delayed(run_chain)(table, options.reading, task, lengths) for task in missing)
    for number, record in enumerate(run(calls), start=1):
        records.add(record, lengths)
        print(f"\r{number} of {len(missing)}, {record['seconds']:.1f} s", end="", file=sys.stderr)
    print(file=sys.stderr)


def parse_options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=DESIGNS)
    parser.add_argument("--reading", choices=[*READINGS, "defaults"], default="active")
    parser.add_argument("--repeats", type=int, default=30, help="chains for each cell of the grid")
    parser.add_argument("--burn-in", type=int, default=25_000, help="sweeps before the draws")
    parser.add_argument("--draws", type=int, default=50_000)
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="the published table (animals) or the folder of the images (fashion); by default, "
        "downloaded once",
    )
    parser.add_argument("--records", type=Path, metavar="FOLDER", default=RECORDS)
    parser.add_argument("--jobs", type=int, default=1, help="chains at once; -1 for all cores")
    return parser.parse_args()


if __name__ == "__main__":
    main()
