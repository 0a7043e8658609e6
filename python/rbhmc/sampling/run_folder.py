"""The folder of a run: a record of its inputs, and the stored draws of each chain."""

import hashlib
import json
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np
import scipy
import sklearn

from rbhmc._core import InvalidInput, __version__
from rbhmc._files import inside, lock_folder, write_atomically
from rbhmc._records import COUNT, OBJECT, SEEDS, check_fields, read_record, shorten
from rbhmc._versions import warn_of_version
from rbhmc.sampling.chain_store import GENERATION, ChainStore, read_generation

RECORD = "run.json"
FORMAT = 3


class RunFolder:
    """A run on disk.

    ``run.json`` records the inputs that determine the draws (settings, seeds, a hash of the data),
    the number of draws per chain, and the versions of the software. ``generation`` counts how often
    the run was started.
    """

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        self.path = path
        self.record = record

    @classmethod
    def open(cls, path: Path) -> Self | None:
        """Open the run in a folder; return None if there is none."""
        file = inside(path, RECORD)
        if not file.exists():
            return None
        record = read_record(file)
        check_fields(file, record, {"format": COUNT})
        if record["format"] != FORMAT:
            raise InvalidInput(
                f"{file} has format {record['format']}; this version of rbhmc reads format {FORMAT}"
            )
        check_fields(file, record, {"inputs": OBJECT, "n_draws": COUNT, "versions": OBJECT})
        if "seeds" in record["inputs"]:
            check_fields(file, record, {"inputs.seeds": SEEDS})
        warn_of_version(record["versions"].get("rbhmc"), f"the run in {path}")
        return cls(path, record)

    @classmethod
    def create(cls, path: Path, inputs: Mapping[str, Any], n_draws: int) -> Self:
        """Create the folder of a new run."""
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise InvalidInput(f"{path} is a file; checkpoint_dir must be a folder") from error
        folder = cls(path, {"format": FORMAT, "inputs": dict(inputs), "versions": versions()})
        write_atomically(inside(path, GENERATION), b"0")
        folder.extend_to(n_draws)
        return folder

    def exists(self) -> bool:
        """Whether the run is still in its folder."""
        return (self.path / RECORD).exists()

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs that determine the draws."""
        inputs: dict[str, Any] = self.record["inputs"]
        return inputs

    def extend_to(self, n_draws: int) -> None:
        """Record the number of draws per chain, which may grow but not shrink."""
        before = self.record.get("n_draws", 0)
        if n_draws == before:
            return
        if n_draws < before:
            raise InvalidInput(
                f"n_draws is {n_draws}, but the run in {self.path} was started with {before} "
                f"draws per chain; give {before} or more, or another folder"
            )
        self.record["n_draws"] = n_draws
        text = json.dumps(self.record, indent=2, ensure_ascii=False)
        write_atomically(inside(self.path, RECORD), text)

    def check_inputs(self, inputs: Mapping[str, Any]) -> None:
        """Raise InvalidInput if the inputs differ from the recorded ones."""
        recorded = self.inputs
        for key in sorted(recorded.keys() | inputs.keys()):
            before, now = recorded.get(key), inputs.get(key)
            if before != now:
                raise InvalidInput(
                    f"the run in {self.path} was started with {key} = {shorten(before)}, and now "
                    f"it is {shorten(now)}; give the same value, or another folder"
                )

    def store(self, number: int) -> ChainStore:
        """Return the store of a chain."""
        inputs = json.dumps(self.inputs, sort_keys=True).encode()
        run = hashlib.sha256(inputs).hexdigest()
        return ChainStore(self.path, number, run, read_generation(self.path))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the run for this process, and start a generation.

        Workers of a killed process may still run: they see the new generation and stop. Its
        temporary files are removed.
        """
        try:
            with lock_folder(self.path):
                generation = read_generation(self.path) + 1
                write_atomically(inside(self.path, GENERATION), b"%d" % generation)
                for left in self.path.rglob(".rbhmc-*.tmp"):
                    if left.is_dir():
                        shutil.rmtree(left, ignore_errors=True)
                    else:
                        left.unlink(missing_ok=True)
                yield
        except BlockingIOError as error:
            raise InvalidInput(
                f"another process is running the chains in {self.path}; wait until it ends, or "
                "stop it"
            ) from error


def versions() -> dict[str, str]:
    """Return the versions of the software that samples."""
    return {
        "rbhmc": __version__,
        "python": platform.python_version(),
        **{module.__name__: module.__version__ for module in (np, scipy, sklearn, joblib)},
    }
