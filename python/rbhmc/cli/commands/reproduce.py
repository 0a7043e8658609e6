"""The command `reproduce`: the experiments of the paper."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from rbhmc.cli.console import print_note, print_result


def reproduce(
    table: Annotated[Literal["animals", "fashion"], Argument(help="Which table.")],
    experiment: Annotated[
        Literal["convergence", "sensitivity", "case", "fmeasure", "cooccurrence", "all"],
        Option(help="Which experiment."),
    ] = "all",
    scheme: Annotated[
        Literal["paper", "collapsed", "exact"], Option(help="The scheme of the sampler.")
    ] = "paper",
    effort: Annotated[
        Literal["quick", "medium", "paper"],
        Option(help="Minutes, about a ninth of the protocol, or the whole of it."),
    ] = "quick",
    data: Annotated[
        Path | None,
        Option(metavar="FILE", help="The published table (animals), or the images' folder."),
    ] = None,
    output: Annotated[
        Path, Option("--output", "-o", metavar="FOLDER", help="Where the results go.")
    ] = Path("runs/reproduce"),
    jobs: Annotated[int, Option(help="Chains at once; -1 for one a core.")] = -1,
    no_progress: Annotated[bool, Option("--no-progress", help="Show no bars.")] = False,
) -> None:
    """Run the experiments of the paper on one of its two tables.

    What was stopped or killed goes on where it was with the same command.

    Example:

      rbhmc reproduce animals --experiment sensitivity --scheme collapsed
    """
    from rbhmc.reproduce import EXPERIMENTS, load_table, read_records, run, verdict_table

    loaded = load_table(table, data)
    names = list(EXPERIMENTS) if experiment == "all" else [experiment]
    for number, name in enumerate(names, start=1):
        print_note(f"{name} ({number} of {len(names)}), {table}, {scheme}, {effort}")
        for section in run(
            loaded,
            output,
            experiments=[name],
            scheme=scheme,
            effort=effort,
            n_jobs=jobs,
            progress=not no_progress,
        ):
            tables = [line for line in section.text.splitlines() if not line.startswith("!")]
            print_result("\n".join([f"## {section.title}", "", *tables]))
    print_result("## The paper's claims\n")
    print_result(verdict_table(table, {scheme: read_records(output, table, scheme, (effort,))}))
    print_result(f"\nWritten to {output / f'{table}-{scheme}-{effort}' / 'results.md'}")
