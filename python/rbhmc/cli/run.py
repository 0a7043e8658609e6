"""The run folder: the record of a run, its checkpoints, and the results."""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from rbhmc._core import SETTINGS, InvalidInput
from rbhmc._files import inside, write_atomically
from rbhmc._records import (
    CHAINS,
    COUNT,
    OBJECT,
    SHAPE,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    check_fields,
    read_record,
    shorten,
)
from rbhmc.cli.console import UserError, format_command, format_list
from rbhmc.cli.options import check_setting, fit_settings
from rbhmc.cli.table import Roles, Table, read_table
from rbhmc.draws import Draws
from rbhmc.estimator import RBHMC
from rbhmc.sampling import RunFolder
from rbhmc.sampling.chain_store import join_chunks
from rbhmc.tree import Tree

FORMAT = 4
CONFIG = "config.json"
CHECKPOINTS = "checkpoints"
# The results, in the order in which the user reads of them.
REPORT = "report.html"
SUMMARY = "summary.txt"
LABELS = "labels.csv"
NODES = "nodes.csv"
NEWICK = "tree.nwk"
TREE = "tree.json"
RESULTS = (REPORT, SUMMARY, LABELS, NODES, NEWICK, TREE)

# Fields of the record that are read again.
FIELDS = {
    "settings": OBJECT,
    "data": OBJECT,
    "data.file": TEXT,
    "data.from_run": TEXT_OR_NULL,
    "data.sha256": TEXT,
    "data.id_column": TEXT_OR_NULL,
    "data.class_column": TEXT_OR_NULL,
    "data.dropped": TEXTS,
    "data.features": TEXTS,
    "data.image_shape": SHAPE,
}
RESULT_FIELDS = {"result": OBJECT, "result.chains": CHAINS, "result.n_draws": COUNT}


class Run:
    """A run on disk.

    Attributes
    ----------
    path : Path
    config : dict
        ``config.json``: the data file, its SHA-256 and columns (`data`); the parameters of
        `RBHMC` (`settings`); and what the results were made from (`result`: chains, draws of
        each, the verdict, the measures), None before there are results.
        The draws, the seeds and the versions of the software are in the checkpoints.
    """

    def __init__(self, path: Path, config: dict[str, Any]) -> None:
        self.path = path
        self.config = config
        self._new_folders: list[Path] | None = None

    @classmethod
    def create(
        cls, path: Path, data: Path, table: Table, settings: Mapping[str, Any], **more: Any
    ) -> Self:
        """Start a run on a data file; `more` is added to the record of the data."""
        check_free(path)
        record = {
            **_locate(data, path),
            "sha256": _sha256(data),
            "id_column": table.roles.id,
            "class_column": table.roles.classes,
            "dropped": list(table.roles.dropped),
            "features": table.features,
            "columns": list(table.frame.columns),
            **more,
        }
        config = {"format": FORMAT, "data": record, "settings": dict(settings), "result": None}
        run = cls(path, config)
        run._new_folders = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        run.save()
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the run in a folder."""
        file = inside(path, CONFIG)
        # A link in place of a result is refused before anything is computed.
        for name in (CHECKPOINTS, *RESULTS):
            inside(path, name)
        try:
            config = read_record(file)
            check_fields(file, config, {"format": COUNT})
            if config["format"] != FORMAT:
                raise UserError(
                    f"{file} has a format that this version of rbhmc cannot read",
                    "Fit the table again, or use the version that made the run.",
                )
            check_fields(file, config, FIELDS)
            if config.get("result") is not None:
                check_fields(file, config, RESULT_FIELDS)
        except (FileNotFoundError, NotADirectoryError):
            raise UserError(
                f"{path} is not a run folder: there is no {file}", *_list_runs(path)
            ) from None
        except InvalidInput as error:
            raise UserError(str(error)) from None
        for name, value in config["settings"].items():
            check_setting(f"{file}: settings.{name}", name, value)
        config["settings"] = fit_settings(config["settings"])
        return cls(path, {"result": None} | config)

    def save(self) -> None:
        """Write the record."""
        text = json.dumps(self.config, indent=2, ensure_ascii=False)
        write_atomically(inside(self.path, CONFIG), f"{text}\n")

    def discard(self) -> None:
        """Remove a run that was created here and never started."""
        if self._new_folders is None or self.checkpoints.exists():
            return
        (self.path / CONFIG).unlink(missing_ok=True)
        for folder in self._new_folders:
            # A folder that is not empty stays.
            with suppress(OSError):
                folder.rmdir()

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters of `RBHMC`."""
        settings: dict[str, Any] = self.config["settings"]
        return settings

    @property
    def checkpoints(self) -> Path:
        """The folder of the chains."""
        return inside(self.path, CHECKPOINTS)

    @property
    def roles(self) -> Roles:
        """The columns of the data file that are not features."""
        data = self.config["data"]
        return Roles(data["id_column"], data["class_column"], tuple(data["dropped"]))

    @property
    def result(self) -> dict[str, Any]:
        """What the results were made from; refused before there are results."""
        result: dict[str, Any] | None = self.config["result"]
        if result is None:
            raise UserError(
                f"{self.path} has no results yet: its run stopped before they were written",
                "Continue it with:",
                format_command("fit", "--resume", self.path),
            )
        return result

    def read_tree(self) -> Tree:
        """Read the tree of the results."""
        _ = self.result
        file = inside(self.path, TREE)
        try:
            return Tree.from_json(file.read_bytes())
        except FileNotFoundError:
            raise UserError(
                f"there is no {file}",
                "Write it again with:",
                format_command("fit", "--resume", self.path),
            ) from None
        except InvalidInput as error:
            raise UserError(f"{file} is not the tree of a run: {error}") from None

    def read_table(self, moved: Path | None = None) -> Table:
        """Read the table of the run, which must not have changed.

        Parameters
        ----------
        moved : Path, optional
            Where the data file is now; the run remembers it if it can be written.
        """
        data = self.config["data"]
        path = self._find_data() if moved is None else moved
        if not path.is_file():
            raise UserError(f"there is no file {path}")
        if _sha256(path) != data["sha256"]:
            raise UserError(
                f"{path} differs from {data['file']}, the file that the run in {self.path} was "
                "started with: the SHA-256 is not the same",
                "Restore that file and give its place with --data FILE, or start a new run:",
                format_command("fit", path, "-o", "ANOTHER_FOLDER"),
            )
        table = read_table(path, self.roles)
        if table.features != data["features"]:
            raise UserError(
                f"{self.path / CONFIG}: data.features are not the features of {path}, "
                f"{format_list(table.features)}"
            )
        if math.prod(data.get("image_shape") or (len(data["features"]),)) != len(data["features"]):
            raise UserError(
                f"{self.path / CONFIG}: data.image_shape is {data['image_shape']}; it must have "
                f"one pixel for each of the {len(data['features'])} features"
            )
        if moved is not None and moved.absolute() != Path(data["file"]):
            data.update(_locate(path, self.path))
            with suppress(OSError):
                self.save()
        return table

    def _find_data(self) -> Path:
        data = self.config["data"]
        places = [Path(data["file"])]
        if data["from_run"] is not None:
            places.insert(0, Path(os.path.normpath(self.path.absolute() / data["from_run"])))
        for path in places:
            if path.is_file():
                return path
        tried = " nor ".join(str(path) for path in dict.fromkeys(places))
        raise UserError(
            f"the data file of the run in {self.path} is missing: there is no {tried}",
            "If it was moved, give its new place with --data FILE.",
        )

    def load_draws(self) -> Draws:
        """Load the draws that the results were made from, out of the checkpoints."""
        chains, n_draws = self.result["chains"], self.result["n_draws"]
        folder = RunFolder.open(self.checkpoints)
        stored = [] if folder is None else [folder.store(number).load() for number in chains]
        if folder is None or None in stored:
            raise UserError(
                f"the draws of the run in {self.path} are missing: {self.checkpoints} is incomplete"
            )
        self._check_settings(folder)
        draws = []
        for number, (_, chunks) in zip(chains, filter(None, stored), strict=True):
            if (n_stored := sum(len(chunk["cdll"]) for chunk in chunks)) < n_draws:
                raise UserError(
                    f"{self.path / CONFIG}: result.n_draws is {n_draws}, but chain {number} has "
                    f"{n_stored} draws"
                )
            draws.append({key: values[:n_draws] for key, values in join_chunks(chunks).items()})
        names = self.read_tree().names
        try:
            return Draws.of_chains(draws, names, {**folder.inputs, "chains": chains})
        except InvalidInput as error:
            raise UserError(f"{self.path / TREE} does not belong to the draws: {error}") from None

    def _check_settings(self, folder: RunFolder) -> None:
        """Refuse settings that are not those of the checkpoints."""
        for name in (*SETTINGS, "n_pca", "scale", "max_items", "init", "n_warmup", "thin"):
            given, used = self.settings[name], folder.inputs.get(name)
            if given != used:
                raise UserError(
                    f"{self.path / CONFIG}: settings.{name} is {shorten(given)}, but the draws "
                    f"were made with {shorten(used)}"
                )

    def restore_model(self, table: Table) -> RBHMC:
        """Restore the model of the results, equal to the bit, without sampling."""
        return RBHMC(**self.settings)._restore(table.frame, self.load_draws())


def check_free(path: Path) -> None:
    """Refuse a folder with a run, or with files that a run would replace."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; -o takes a folder")
    if os.path.lexists(path / CONFIG):
        raise UserError(
            f"{path} already holds a run",
            "Continue it, or choose another folder with -o:",
            format_command("fit", "--resume", path),
        )
    taken = [name for name in (CHECKPOINTS, *RESULTS) if os.path.lexists(path / name)]
    if taken:
        raise UserError(
            f"{path} holds {format_list(taken)}, which a run would replace",
            "Choose another folder with -o.",
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _locate(path: Path, folder: Path) -> dict[str, str | None]:
    """Record a file's path, and its path from the run folder, in case both are moved together."""
    try:
        relative = Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive of Windows
        relative = None
    return {"file": str(path.absolute()), "from_run": relative}


def _list_runs(path: Path) -> list[str]:
    for folder in (path, path.parent):
        runs = sorted(str(file.parent) for file in folder.glob(f"*/{CONFIG}"))
        if runs:
            return [f"Runs there: {format_list(runs)}."]
    return []
