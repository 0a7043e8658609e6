"""Writes what is made of a run: draws, tables, trees, summary and report."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc._files import write_atomically
from rbhmc.cli import run_folder
from rbhmc.cli.measures import measures_of, measures_text
from rbhmc.cli.messages import note
from rbhmc.cli.result_tables import labels_csv, nodes_csv
from rbhmc.cli.run_folder import Run
from rbhmc.cli.tables import Table
from rbhmc.estimator import RBHMC


def write_results(run: Run, model: RBHMC, table: Table, chains: Sequence[int]) -> None:
    """Write all files of a run, and record what they are of.

    Parameters
    ----------
    run : Run
    model : RBHMC
        Fitted.
    table : Table
        What it was fitted on.
    chains : sequence of int
        Which chains of the run it holds.
    """
    # Until all are written, the files are of no one state of the run.
    run.config["result"] = None
    run.save()
    (run.path / run_folder.REPORT).unlink(missing_ok=True)
    tree = model.tree_
    measures = measures_of(tree, table)
    verdict = model.diagnostics().verdict
    summary = model.summary()
    if measures is not None:
        summary += f"\n\n{measures_text(measures, str(table.roles.classes))}"
    model.draws_.save(run.path / run_folder.DRAWS)
    texts = {
        run_folder.LABELS: labels_csv(tree, model.draws_),
        run_folder.NODES: nodes_csv(tree, model.feature_std_),
        run_folder.NEWICK: f"{tree.to_newick(support=True)}\n",
        run_folder.TREE: f"{tree.to_json()}\n",
        run_folder.SUMMARY: f"{summary}\n",
    }
    for name, text in texts.items():
        write_atomically(run.path / name, text.encode())
    run.config["result"] = {
        "chains": list(chains),
        "n_draws": model.draws_.n_draws,
        "selected": [int(number) for number in model.selected_],
        "status": verdict.status,
        "verdict": verdict.text,
        "measures": measures,
    }
    run.save()
    try:
        report_of(run, model, table, run.path / run_folder.REPORT)
    except (ImportError, InvalidInput) as error:
        note(f"{run_folder.REPORT} was not written: {error}")


def report_of(run: Run, model: RBHMC, table: Table, path: Path) -> None:
    """Write the report of a run."""
    from rbhmc.report import write_report

    title = f"{Path(run.config['data']['file']).stem}: a hierarchy of {len(table.frame)} items"
    write_report(model, path, images=images_of(run, table), title=title)


def images_of(run: Run, table: Table) -> NDArray[np.float64] | None:
    """Return the rows of the table as pictures, where the run knows that they are."""
    shape: list[int] | None = run.config["data"].get("image_shape")
    if shape is None:
        return None
    values: Any = table.frame.to_numpy()
    low, high = values.min(), values.max()
    return np.asarray((values - low) / max(high - low, 1e-300)).reshape(-1, *shape)
