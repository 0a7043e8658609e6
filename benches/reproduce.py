"""Run the experiments of the paper on one of its two tables: `make reproduce`.

A run that was stopped or killed continues with the same command.
"""

import argparse
import sys
from pathlib import Path

from paper.claims import verdict_table, write_page
from paper.experiment import EFFORTS
from paper.runs import EXPERIMENTS, read_records, run_experiments
from paper.tables import TABLES, load_table


def main() -> None:
    """Run the experiments, print their tables and verdicts, and write results.md."""
    options = parse_options()
    names = list(EXPERIMENTS) if options.experiment == "all" else [options.experiment]
    table = load_table(options.table, options.data)
    about = options.table, options.scheme, options.effort
    for number, name in enumerate(names, start=1):
        print(f"{name} ({number} of {len(names)}), {', '.join(about)}", file=sys.stderr)
        for section in run_experiments(
            table,
            options.output,
            experiments=[name],
            scheme=options.scheme,
            effort=options.effort,
            n_jobs=options.jobs,
        ):
            tables = [line for line in section.text.splitlines() if not line.startswith("!")]
            print("\n".join([f"## {section.title}", "", *tables]), flush=True)
    page = write_page(options.output, *about)
    records = read_records(options.output, options.table, options.scheme, (options.effort,))
    print("## The paper's claims\n")
    print(verdict_table(options.table, {options.scheme: records}))
    print(f"\nWritten to {page}")


def parse_options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--experiment", choices=[*EXPERIMENTS, "all"], default="all")
    parser.add_argument("--scheme", choices=["paper", "collapsed", "exact"], default="paper")
    parser.add_argument(
        "--effort",
        choices=EFFORTS,
        default="quick",
        help="quick takes minutes, medium about a ninth of the paper's protocol, paper all of it",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        help="the published table (animals) or the folder of the images (fashion); by default, "
        "downloaded once",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", default=Path("runs/reproduce"), help="results"
    )
    parser.add_argument("--jobs", type=int, default=-1, help="chains at once; -1 for all cores")
    return parser.parse_args()


if __name__ == "__main__":
    main()
