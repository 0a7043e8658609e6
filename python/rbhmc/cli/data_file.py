"""The data file of a run: recorded when it starts, and found, checked and read again later."""

import hashlib
import os
from pathlib import Path
from typing import Any

from rbhmc.cli.columns import Roles
from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import command
from rbhmc.cli.run_folder import Run
from rbhmc.cli.tables import Table, read_table


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def record_of(path: Path, folder: Path, table: Table) -> dict[str, Any]:
    """Record a data file, and which of its columns are what, for a run in `folder`."""
    return {
        **places_of(path, folder),
        "sha256": sha256(path),
        "n_items": len(table.frame),
        "id_column": table.roles.id,
        "class_column": table.roles.classes,
        "dropped": list(table.roles.dropped),
        "features": list(table.frame.columns),
    }


def places_of(path: Path, folder: Path) -> dict[str, str | None]:
    """Say where a file is, also as seen from the run, for both may be moved together."""
    try:
        relative = Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive of Windows
        relative = None
    return {"file": str(path.absolute()), "from_run": relative}


def roles_of(run: Run) -> Roles:
    """Return what the columns of the run's table are."""
    data = run.config["data"]
    return Roles(data["id_column"], data["class_column"], tuple(data["dropped"]))


def read_again(run: Run, given: Path | None = None) -> Table:
    """Read the table of a run, which must be what it was.

    Parameters
    ----------
    run : Run
    given : Path, optional
        Where the file is now; the run remembers it.
    """
    data = run.config["data"]
    path = _found(run) if given is None else given
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    if sha256(path) != data["sha256"]:
        raise UserError(
            f"{path} is not the file that the run in {run.path} was started with, "
            f"{data['file']}: its SHA-256 is another",
            "Bring back that file and name it with --data FILE, or start a new run:",
            command("fit", path, "-o", "ANOTHER_FOLDER"),
        )
    table = read_table(path, roles_of(run), find_id=False)
    if given is not None and given.absolute() != Path(data["file"]):
        data.update(places_of(path, run.path))
        run.save()
    return table


def _found(run: Run) -> Path:
    data = run.config["data"]
    places = [Path(data["file"])]
    if data["from_run"] is not None:
        places.insert(0, Path(os.path.normpath(run.path.absolute() / data["from_run"])))
    for path in places:
        if path.is_file():
            return path
    tried = " nor ".join(str(path) for path in dict.fromkeys(places))
    raise UserError(
        f"the data of the run in {run.path} are gone: there is no {tried}",
        "If the file was moved, say where it is now with --data FILE.",
    )
