"""The stored draws and state of one chain; its folder is consistent at every moment.

The folder holds ``state.npz``, the sampler and the number of its draws, and the draws in chunks,
``draws-000000000.npz`` and so on, named by their first draw. A chunk is written before the state
that counts it, and each file is replaced atomically: a process killed in between leaves a chunk
that the state does not count, which the next process overwrites. A chain that is only measured
leaves ``result.json`` and nothing else.
"""

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._arrays import parse_npy
from rbhmc._core import InvalidCheckpoint, Sampler
from rbhmc._files import write_atomically

DrawChunk = dict[str, NDArray[Any]]
STATE = "state.npz"
RESULT = "result.json"
# Most seconds between two checkpoints of a chain.
CHECKPOINT_SECONDS = 30.0


def join_chunks(chunks: Sequence[DrawChunk]) -> DrawChunk:
    """Concatenate chunks of draws.

    Examples
    --------
    >>> join_chunks([{"cdll": np.zeros(2)}, {"cdll": np.ones(1)}])["cdll"]
    array([0., 0., 1.])
    """
    return {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}


class ChainStore:
    """The folder of one chain; `save` creates it.

    Parameters
    ----------
    folder : Path
    run : str
        Identifies the run; the state of another run is refused.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self.folder = folder
        self.run = run
        self.seconds = CHECKPOINT_SECONDS

    def save(self, sampler: Sampler, chunk: DrawChunk, n_draws: int) -> None:
        """Save the draws since the last save, which make `n_draws` in all, and the sampler."""
        self.folder.mkdir(parents=True, exist_ok=True)
        n_new = len(chunk["cdll"])
        if n_new:
            narrow = {key: _narrow(values) for key, values in chunk.items()}
            _write(self._chunk_file(n_draws - n_new), narrow)
        state = np.frombuffer(sampler.to_bytes(), np.uint8)
        counts = {"n_draws": np.array(n_draws), "run": np.array(self.run)}
        _write(self.folder / STATE, {"sampler": state, **counts})

    def load(self) -> tuple[Sampler, list[DrawChunk]] | None:
        """Return the sampler and the chunks of its draws, or None if nothing was saved."""
        file = self.folder / STATE
        if not file.exists():
            return None
        state = _read(file)
        if missing := {"sampler", "n_draws", "run"} - state.keys():
            raise InvalidCheckpoint(f"{file} is damaged: no {', '.join(missing)}")
        if state["run"].tolist() != self.run:
            raise InvalidCheckpoint(f"{self.folder} holds a chain of another run")
        sampler = Sampler.from_bytes(state["sampler"].tobytes())
        expected = state["n_draws"].tolist()
        if not isinstance(expected, int):
            raise InvalidCheckpoint(f"{file} is damaged: n_draws is {expected}")
        chunks: list[DrawChunk] = []
        n_draws = 0
        empty: Any = sampler.run(0)
        while n_draws < expected:
            chunks.append(self._load_chunk(n_draws, empty))
            n_draws += len(chunks[-1]["cdll"])
        if n_draws != expected:
            raise InvalidCheckpoint(
                f"{self.folder} holds {n_draws} draws, but its state counts {expected}"
            )
        return sampler, chunks

    def save_result(self, result: Any) -> None:
        """Save the measured value of a finished chain, and delete its draws."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content = {"run": self.run, "result": result}
        write_atomically(self.folder / RESULT, json.dumps(content).encode())
        for file in self.folder.glob("*.npz"):
            file.unlink()

    def load_result(self) -> Any:
        """Return a list with the value that `save_result` saved, or None."""
        file = self.folder / RESULT
        if not file.exists():
            return None
        try:
            content = json.loads(file.read_bytes())
            run, result = content["run"], content["result"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidCheckpoint(f"{file} is damaged: {error!r}") from error
        if run != self.run:
            raise InvalidCheckpoint(f"{file} belongs to another run")
        return [result]

    def _load_chunk(self, first: int, empty: DrawChunk) -> DrawChunk:
        """Return the chunk whose first draw is `first`; its arrays must match those of `empty`."""
        path = self._chunk_file(first)
        chunk = {key: _widen(values) for key, values in _read(path).items()}
        n_draws = len(chunk["cdll"]) if chunk.get("cdll", np.zeros(())).ndim else 0
        expected = {key: ((n_draws, *v.shape[1:]), v.dtype) for key, v in empty.items()}
        if n_draws == 0 or expected != {key: (v.shape, v.dtype) for key, v in chunk.items()}:
            raise InvalidCheckpoint(f"{path} is damaged: its arrays are not draws of this chain")
        return chunk

    def _chunk_file(self, first: int) -> Path:
        return self.folder / f"draws-{first:09d}.npz"


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Store labels and counts in one or two bytes each."""
    if values.dtype.kind != "i" or values.size == 0:
        return values
    return values.astype(np.min_scalar_type(values.max()))


def _widen(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.int32) if values.dtype.kind == "u" else values


def _write(path: Path, arrays: DrawChunk) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    try:
        write_atomically(path, buffer.getvalue())
    except OSError as error:
        # The error of a full disk does not name the file.
        raise OSError(error.errno, error.strerror, str(path)) from error


def _read(path: Path) -> DrawChunk:
    try:
        # From memory: zipfile would allocate as much as a forged entry of a file claims to hold.
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            return {
                info.filename.removesuffix(".npy"): _read_entry(archive, info)
                for info in archive.infolist()
            }
    except MemoryError:
        raise
    except Exception as error:  # Damage raises many kinds of errors.
        raise InvalidCheckpoint(f"{path} is damaged or missing: {error}") from error


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    # A compressed entry could expand to any size.
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{info.filename} is compressed")
    return parse_npy(archive.read(info))
