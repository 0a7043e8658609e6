"""The folder of a run: what it is a run of, and a store for each of its chains."""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np
import scipy
import sklearn

from rbhmc._core import InvalidInput, __version__
from rbhmc._files import locked, write_atomically
from rbhmc.sampling.provenance import plain
from rbhmc.sampling.store import ChainStore

RECORD = "run.json"
FORMAT = 1


class RunFolder:
    """A run on disk.

    ``run.json`` records what determines the draws (`about`: settings, seeds, a hash of the data),
    the number of draws asked for, and the versions of what made them.
    """

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        self.path = path
        self.record = record

    @classmethod
    def open(cls, path: Path) -> Self | None:
        """Open the run in a folder; None where there is none."""
        file = path / RECORD
        if not file.exists():
            return None
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
            found = record["format"]
            if found == FORMAT:
                record["about"], record["n_draws"] = dict(record["about"]), int(record["n_draws"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidInput(f"{file} is not the record of a run: {error!r}") from error
        if found != FORMAT:
            raise InvalidInput(f"{file} is of format {found}, and this rbhmc reads format {FORMAT}")
        return cls(path, record)

    @classmethod
    def create(cls, path: Path, about: Mapping[str, Any], n_draws: int) -> Self:
        """Make a folder for a new run."""
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise InvalidInput(f"{path} is a file; checkpoint_dir must be a folder") from error
        folder = cls(path, {"format": FORMAT, "about": dict(about), "versions": versions()})
        folder.ask_for(n_draws)
        return folder

    def ask_for(self, n_draws: int) -> None:
        """Set the number of draws, which may grow but not shrink."""
        before = self.record.get("n_draws", 0)
        if n_draws == before:
            return
        if n_draws < before:
            raise InvalidInput(
                f"the run in {self.path} has been asked for {before} draws a chain, and n_draws is "
                f"{n_draws}; ask for as many or more, or use another folder"
            )
        self.record["n_draws"] = n_draws
        text = json.dumps(self.record, indent=2, ensure_ascii=False)
        write_atomically(self.path / RECORD, text.encode())

    def check(self, about: Mapping[str, Any]) -> None:
        """Refuse to go on with other data or settings than those the run was started with."""
        kept = self.record["about"]
        for key in sorted(kept.keys() | about.keys()):
            if kept.get(key) != about.get(key):
                raise InvalidInput(
                    f"the run in {self.path} was started with {key} = {_short(kept.get(key))}, and "
                    f"now it is {_short(about.get(key))}; use what it was started with, or another "
                    f"folder"
                )

    def chain(self, number: int) -> ChainStore:
        """Return the store of a chain."""
        about = json.dumps(self.record["about"], sort_keys=True).encode()
        return ChainStore(self.path / f"chain-{number}", hashlib.sha256(about).hexdigest())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes off the run, and clear away what a killed one left half written."""
        try:
            with locked(self.path):
                for left in self.path.rglob(".rbhmc-*.tmp"):
                    left.unlink(missing_ok=True)
                yield
        except BlockingIOError as error:
            raise InvalidInput(
                f"another process is at work on the run in {self.path}; wait for it, or stop it"
            ) from error


def open_run(
    path: str | PathLike[str] | None,
    resume: bool,
    about: Mapping[str, Any],
    n_draws: int,
    *,
    keep_seeds: bool,
) -> RunFolder | None:
    """Open the folder of a run, if one is wanted: a new one, or one to go on with.

    Parameters
    ----------
    path : path or None
        None for a run that is not kept.
    resume : bool
        Whether the folder may hold the run already.
    about : mapping
        What determines the draws; "seeds" among it.
    n_draws : int
    keep_seeds : bool
        Whether those of the run that is there are as good as the ones given.

    Examples
    --------
    >>> open_run(None, False, {"seeds": [1]}, 100, keep_seeds=False) is None
    True
    """
    about = plain(about)
    if path is None:
        if resume:
            raise InvalidInput("resume needs checkpoint_dir, the folder of the run")
        return None
    folder = RunFolder.open(Path(path))
    if folder is None:
        return RunFolder.create(Path(path), about, n_draws)
    if not resume:
        raise InvalidInput(
            f"{path} holds a run already; pass resume=True to go on with it, or another folder"
        )
    folder.check({**about, "seeds": folder.record["about"]["seeds"]} if keep_seeds else about)
    folder.ask_for(n_draws)
    return folder


def versions() -> dict[str, str]:
    """Return the versions that a run is recorded with."""
    return {
        "rbhmc": __version__,
        "python": platform.python_version(),
        **{module.__name__: module.__version__ for module in (np, scipy, sklearn, joblib)},
    }


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
