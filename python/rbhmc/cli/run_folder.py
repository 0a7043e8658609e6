"""What a run folder holds: the record of the run, its checkpoints, and what was made of them."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from rbhmc._extras import require
from rbhmc._files import write_atomically
from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import command, listed
from rbhmc.sampling.run_folder import versions

FORMAT = 1
CONFIG = "config.json"
CHECKPOINTS = "checkpoints"
# What is made of a run, in the order in which people are told of it.
REPORT = "report.html"
SUMMARY = "summary.txt"
LABELS = "labels.csv"
NODES = "nodes.csv"
NEWICK = "tree.nwk"
TREE = "tree.json"
DRAWS = "draws.zarr"
RESULTS = (REPORT, SUMMARY, LABELS, NODES, NEWICK, TREE, DRAWS)


class Run:
    """A run on disk.

    Attributes
    ----------
    path : Path
    config : dict
        ``config.json``: the data file, its SHA-256 and columns (`data`); all settings of `RBHMC`
        (`settings`); the versions that made it; and, once there are results, what they are of
        (`result`: chains, draws of each, the selected draw, the verdict, the measures).
    """

    def __init__(self, path: Path, config: dict[str, Any]) -> None:
        self.path = path
        self.config = config
        self._made_here = False
        self._new_folders: list[Path] = []

    @classmethod
    def create(cls, path: Path, data: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Start a run in a folder that holds none."""
        check_free(path)
        new_folders = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        pandas = require("pandas", "frames")
        run = cls(
            path,
            {
                "format": FORMAT,
                "data": dict(data),
                "settings": dict(settings),
                "versions": versions() | {"pandas": pandas.__version__},
                "result": None,
            },
        )
        run._made_here, run._new_folders = True, new_folders
        run.save()
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the run in a folder."""
        file = path / CONFIG
        try:
            config = json.loads(file.read_text(encoding="utf-8"))
            known = config["format"] == FORMAT and {"data", "settings", "result"} <= config.keys()
        except (FileNotFoundError, NotADirectoryError):
            raise UserError(f"{path} holds no run: there is no {file}", *_runs_near(path)) from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(f"{file} is not the record of a run: {error!r}") from None
        if not known:
            raise UserError(f"{file} is of a format that this version of rbhmc does not read")
        return cls(path, config)

    def save(self) -> None:
        """Write the record."""
        text = json.dumps(self.config, indent=2, ensure_ascii=False)
        write_atomically(self.path / CONFIG, f"{text}\n".encode())

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of `RBHMC`."""
        settings: dict[str, Any] = self.config["settings"]
        return settings

    @property
    def checkpoints(self) -> Path:
        """The folder of the chains."""
        return self.path / CHECKPOINTS

    @property
    def result(self) -> dict[str, Any]:
        """What the results are of; an error where there are none yet."""
        result: dict[str, Any] | None = self.config["result"]
        if result is None:
            raise UserError(
                f"{self.path} has no results yet: its run was stopped before they were written",
                "Go on with it:",
                command("fit", "--resume", self.path),
            )
        return result

    def discard(self) -> None:
        """Remove a run that was made here and could not be started."""
        if self.checkpoints.exists() or not self._made_here:
            return
        (self.path / CONFIG).unlink(missing_ok=True)
        for folder in self._new_folders:
            # One that holds something else by now stays.
            with suppress(OSError):
                folder.rmdir()


def check_free(path: Path) -> None:
    """Refuse a folder that holds a run already, or files that a run would replace."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; -o takes a folder")
    if (path / CONFIG).exists():
        raise UserError(
            f"{path} holds a run already",
            "Go on with it, or choose another folder with -o:",
            command("fit", "--resume", path),
        )
    taken = [name for name in (CHECKPOINTS, *RESULTS) if (path / name).exists()]
    if taken:
        raise UserError(
            f"{path} holds {listed(taken)}, which a run would replace",
            "Choose another folder with -o.",
        )


def _runs_near(path: Path) -> list[str]:
    """List the runs in the folder that was named, or beside it."""
    for folder in (path, path.parent):
        runs = sorted(str(file.parent) for file in folder.glob(f"*/{CONFIG}"))
        if runs:
            return [f"Runs there: {listed(runs)}."]
    return []
