"""Measure the default answer of `RBHMC` against other methods on tables with known classes.

Prints Markdown: the clusters with nothing told beside Ward's linkage with the number of clusters by
the silhouette; the dendrogram and the presented tree beside linkages at cuts chosen with the
classes; the goals; on request what each part of the method brings (``--ablation``), and the
distances within and between nodes against BHMC (``--distances``). Tables that are held out are
fitted and printed only with ``--held-out``. Records are kept in runs/quality, so a run that was
stopped can be resumed. Progress is on standard error.
"""

import argparse
import itertools
from pathlib import Path

import numpy as np

from class_tables import SOURCES, ClassTable, read_tables
from quality_goals import print_goals
from quality_records import DISTANCE_GROUPS, LINKAGES, Records
from quality_rows import (
    ALL_PARTS,
    NO_MARGINS,
    VARIANTS,
    Row,
    collect,
    mean_other,
    mean_over,
    print_table,
    with_error,
)

QUICK_MAX_ITEMS = 200


def print_clusters(rows: list[Row]) -> None:
    """Print the clusters, whose number is not given."""
    lines = [
        [
            f"{row.name} ({len(row.fits)} samples)" if len(row.fits) > 1 else row.name,
            f"{row.n_items:,}",
            str(row.n_classes),
            f"{row.mean('n_clusters'):.1f}",
            with_error(row.values("F")),
            with_error(row.values("ARI")),
            f"{row.other('silhouette clusters'):.1f}",
            f"{row.other('silhouette F'):.3f}",
            f"{row.other('silhouette ARI'):.3f}",
            f"{row.mean('F') - row.other('silhouette F'):+.3f}",
            f"{row.mean('predict'):.1%}",
            f"{row.mean('seconds'):.1f}",
        ]
        for row in rows
    ]
    f, ari, predict = (mean_over(rows, measure) for measure in ("F", "ARI", "predict"))
    ward_f, ward_ari = (mean_other(rows, f"silhouette {measure}") for measure in ("F", "ARI"))
    mean = ["", "", "", f"{f:.3f}", f"{ari:.3f}", "", f"{ward_f:.3f}", f"{ward_ari:.3f}"]
    lines.append([f"**mean of {len(rows)}**", *mean, f"{f - ward_f:+.3f}", f"{predict:.1%}", ""])
    print("Clusters, their number not given, and Ward's linkage cut by the silhouette.\n")
    print_table(
        "table, items, classes, clusters, F, ARI, Ward's clusters, Ward's F, Ward's ARI, "
        "gain in F, predict = labels, seconds".split(", "),
        lines,
    )


def print_hierarchies(rows: list[Row]) -> None:
    """Print dendrograms at their best cut, and the presented tree."""
    header = ["table", "best cut F", *LINKAGES, "gain on Ward", "presented tree F"]
    header += ["purity", *LINKAGES, "gain on Ward", "presented tree purity"]
    lines = []
    for row in rows:
        line = [row.name]
        for measure, tree in (("cut F", "tree F"), ("purity", "tree purity")):
            line.append(with_error(row.values(measure)))
            line += [f"{row.other(f'{name} {measure}'):.3f}" for name in LINKAGES]
            line.append(f"{row.mean(measure) - row.other(f'Ward {measure}'):+.3f}")
            line.append(with_error(row.values(tree)))
        lines.append(line)
    line = [f"**mean of {len(rows)}**"]
    for measure, tree in (("cut F", "tree F"), ("purity", "tree purity")):
        ours = mean_over(rows, measure)
        others = [mean_other(rows, f"{name} {measure}") for name in LINKAGES]
        line += [f"{ours:.3f}", *(f"{other:.3f}" for other in others), f"{ours - others[0]:+.3f}"]
        line.append(f"{mean_over(rows, tree):.3f}")
    lines.append(line)
    print("Hierarchies; cuts are chosen with the classes, the presented tree is cut by depth.\n")
    print_table(header, lines)


def print_ablation(tables: list[ClassTable], records: Records, seeds: range) -> None:
    """Print what each part of the method brings, with standard errors over tables."""
    measures = ("cut F", "purity", "tree F", "tree purity", "F", "ARI")
    found = {variant: collect(tables, records, seeds, variant) for variant in VARIANTS}
    lines = []
    for variant, rows in found.items():
        line = [variant]
        for measure in measures:
            values = [row.mean(measure) for row in rows]
            cell = with_error(values).split()[0]
            if variant != ALL_PARTS:
                whole = [row.mean(measure) for row in found[ALL_PARTS]]
                cell += f" ({with_error(np.subtract(values, whole).tolist(), '{:+.3f}')})"
            line.append(cell)
        lines.append(line)
    print("## Ablation\n\nMeans over tables, and the difference from all parts ± standard error.\n")
    header = ["", "best cut F", "purity", "presented tree F", "presented tree purity"]
    print_table([*header, "clusters F", "clusters ARI"], lines)


def print_distances(tables: list[ClassTable], records: Records, seeds: range) -> None:
    """Print the changes of AID and AOD against BHMC, which is RBHMC with C = 0."""
    tables = [table for table in tables if table.group in DISTANCE_GROUPS]
    pairs = zip(
        *(collect(tables, records, seeds, variant) for variant in (ALL_PARTS, NO_MARGINS)),
        strict=True,
    )
    lines = []
    for ours, plain in pairs:
        for where in ("draws", "tree"):
            line = [ours.name, where]
            for name, singletons in itertools.product(("AID", "AOD"), ("zero", "skip")):
                key = f"{name} {where} {singletons}"
                change = np.divide(ours.values(key), plain.values(key)) - 1.0
                line.append(with_error(change.tolist(), "{:+.0%}"))
            lines.append(line)
    print("## Distances against BHMC\n")
    print("Nodes with one item count 0; with * they are left out. ± is the standard error.\n")
    print_table(["table", "of", "AID", "AID*", "AOD", "AOD*"], lines)


def parse_arguments() -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    known = sorted({source.name for source in SOURCES} | {s.group for s in SOURCES if s.group})
    parser.add_argument("--tables", nargs="+", metavar="NAME", choices=known, help="some tables")
    parser.add_argument("--seeds", type=int, default=5, help="fits of each table")
    parser.add_argument("--quick", action="store_true", help="one seed, tables of up to 200 items")
    parser.add_argument("--held-out", action="store_true", help="held-out tables too")
    parser.add_argument("--ablation", action="store_true", help="what each part brings")
    parser.add_argument("--distances", action="store_true", help="AID and AOD against BHMC")
    parser.add_argument("--full", action="store_true", help="all of these")
    parser.add_argument("--folder", type=Path, default=Path("runs/quality"), help="for records")
    arguments = parser.parse_args()
    for option in ("held_out", "ablation", "distances"):
        setattr(arguments, option, getattr(arguments, option) or arguments.full)
    if arguments.quick:
        arguments.seeds = 1
    return arguments


def main() -> None:
    """Print all that is asked for."""
    arguments = parse_arguments()
    seeds, records = range(arguments.seeds), Records(arguments.folder)
    tables = list(
        read_tables(
            arguments.tables,
            held_out=arguments.held_out,
            max_items=QUICK_MAX_ITEMS if arguments.quick else None,
        )
    )
    chosen_on = [table for table in tables if not table.held_out]
    held_out = [table for table in tables if table.held_out]
    for title, part in (("Tables to choose on", chosen_on), ("Held-out tables", held_out)):
        if not part:
            continue
        print(f"## {title}\n")
        rows = collect(part, records, seeds)
        print_clusters(rows)
        print_hierarchies(rows)
        print_goals(rows)
    print(
        "± is the standard error over seeds, or over samples if there are several. The linkages are"
        " of the table as given.\n"
    )
    if arguments.ablation:
        print_ablation(chosen_on, records, seeds)
    if arguments.distances:
        print_distances(tables, records, seeds)


if __name__ == "__main__":
    main()
