"""Records of chains: one file for each table and reading, one line for each chain.

The first line states the lengths of the chains. The files are in the repository, so that the page
is made without running anything; `make reproduce` adds the chains that are missing.
"""

import dataclasses
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import compress, decompress

import numpy as np
from numpy.typing import NDArray

from paper.protocol import BHMC, Cell, Design, Lengths, Task, tasks
from rbhmc import InvalidInput

RECORDS = Path(__file__).parent / "records"


class Records:
    """The chains of a table and a reading that were run."""

    def __init__(self, folder: Path, table: str, reading: str) -> None:
        self.table, self.reading = table, reading
        self.file = folder / f"{table}-{reading}.jsonl"
        self.lengths: Lengths | None = None
        self.chains: dict[Task, dict[str, Any]] = {}
        for line in self.file.read_text().splitlines() if self.file.exists() else ():
            self._read(json.loads(line))
        if reading == "paths" and self.lengths is not None:
            # BHMC has no margins: its chains are the same in both readings of the paper.
            plain = Records(folder, table, "active")
            self.chains |= {task: one for task, one in plain.chains.items() if task.cell == BHMC}

    def _read(self, line: dict[str, Any]) -> None:
        if self.lengths is None:
            self.lengths = Lengths(**line)
            return
        self.chains[Task(Cell(line["C"], line["margin"]), line["repeat"])] = line

    def missing(self, design: Design, lengths: Lengths) -> list[Task]:
        """List the chains that are not run yet.

        Raises
        ------
        InvalidInput
            If the chains in the file have other lengths.
        """
        known = self.lengths or lengths
        if dataclasses.replace(known, n_repeats=lengths.n_repeats) != lengths:
            raise InvalidInput(
                f"{self.file} has chains of {known.n_burn_in} + {known.n_draws} sweeps, and "
                f"{lengths.n_burn_in} + {lengths.n_draws} are asked for; give another folder"
            )
        return [
            task
            for task in tasks(design, lengths)
            if task not in self.chains and not (self.reading == "paths" and task.cell == BHMC)
        ]

    def add(self, record: dict[str, Any], lengths: Lengths) -> None:
        """Append a chain to the file."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            for line in [dataclasses.asdict(lengths), record][self.lengths is not None :]:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.lengths = self.lengths or lengths
        self._read(record)

    def of(self, cell: Cell, n: int | None = None) -> list[dict[str, Any]]:
        """Return the chains of a cell in the order of their numbers, at most the first n."""
        found = [(task.repeat, one) for task, one in self.chains.items() if task.cell == cell]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])][:n]

    def repeats(self, cells: list[Cell]) -> int:
        """Return the number of repeats that all of the cells have."""
        return min(len(self.of(cell)) for cell in cells)

    def seconds(self) -> float:
        """Return the processor time of all chains."""
        return float(sum(one["seconds"] for one in self.chains.values()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.chains.values())


def pack(shares: NDArray[Any]) -> str:
    """Write shares from 0 to 1 as bytes, compressed, in base 64.

    Examples
    --------
    >>> unpack(pack(np.array([0.0, 0.5, 1.0]))).round(2)
    array([0. , 0.5, 1. ])
    """
    return b64encode(compress(np.round(255.0 * shares).astype(np.uint8).tobytes(), 9)).decode()


def unpack(text: str) -> NDArray[np.float64]:
    """Read what `pack` wrote."""
    return np.frombuffer(decompress(b64decode(text)), np.uint8) / 255.0
