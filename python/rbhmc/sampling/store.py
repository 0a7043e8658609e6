"""The draws and the state of one chain on disk: what is there is always whole.

A folder holds ``state.npz``, the sampler and how many draws it has made, and these draws in pieces,
``draws-000000000.npz`` and so on, each named by its first draw. A piece is written before the state
that counts it, and each file replaces its predecessor at once: a process that is killed in between
leaves a piece that nothing counts, which the next one overwrites. Of a chain that is only measured,
``result.json`` is all that stays.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._arrays import array_of
from rbhmc._core import InvalidCheckpoint, Sampler
from rbhmc._files import write_atomically

Piece = dict[str, NDArray[Any]]
STATE = "state.npz"
RESULT = "result.json"
# Seconds between two checkpoints of a chain, at the most.
CHECKPOINT_SECONDS = 30.0


class ChainStore:
    """The folder of one chain, made where there is none.

    Parameters
    ----------
    folder : Path
    run : str
        What the run is known by; a state that another one left is refused.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self.folder = folder
        self.run = run
        self.seconds = CHECKPOINT_SECONDS

    def save(self, sampler: Sampler, piece: Piece, n_draws: int) -> None:
        """Add the draws since the last save, the last of `n_draws`, and the state after them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        n_new = len(piece["cdll"])
        if n_new:
            narrow = {key: _narrow(values) for key, values in piece.items()}
            _write(self._piece(n_draws - n_new), narrow)
        state = np.frombuffer(sampler.to_bytes(), np.uint8)
        counts = {"n_draws": np.array(n_draws), "run": np.array(self.run)}
        _write(self.folder / STATE, {"sampler": state, **counts})

    def load(self) -> tuple[Sampler, list[Piece]] | None:
        """Return the sampler and the pieces of its draws, or None where nothing was saved."""
        if not (self.folder / STATE).exists():
            return None
        state = _read(self.folder / STATE)
        if missing := {"sampler", "n_draws", "run"} - state.keys():
            raise InvalidCheckpoint(f"{self.folder / STATE} is damaged: no {', '.join(missing)}")
        if state["run"].tolist() != self.run:
            raise InvalidCheckpoint(f"{self.folder} holds a chain of another run")
        sampler = Sampler.from_bytes(state["sampler"].tobytes())
        counted = state["n_draws"].tolist()
        if not isinstance(counted, int):
            raise InvalidCheckpoint(f"{self.folder / STATE} is damaged: n_draws is {counted}")
        pieces: list[Piece] = []
        n_draws = 0
        empty: Any = sampler.run(0)
        while n_draws < counted:
            pieces.append(self._load_piece(n_draws, empty))
            n_draws += len(pieces[-1]["cdll"])
        if n_draws != counted:
            raise InvalidCheckpoint(
                f"{self.folder} holds {n_draws} draws, but its state counts {counted}"
            )
        return sampler, pieces

    def save_result(self, result: Any) -> None:
        """Keep what was measured on a finished chain, and let its draws go."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content = {"run": self.run, "result": result}
        write_atomically(self.folder / RESULT, json.dumps(content).encode())
        for file in self.folder.glob("*.npz"):
            file.unlink()

    def load_result(self) -> Any:
        """Return a list with what `save_result` kept, or None."""
        file = self.folder / RESULT
        if not file.exists():
            return None
        try:
            content = json.loads(file.read_bytes())
            run, result = content["run"], content["result"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidCheckpoint(f"{file} is damaged: {error!r}") from error
        if run != self.run:
            raise InvalidCheckpoint(f"{file} is of another run")
        return [result]

    def _load_piece(self, first: int, empty: Piece) -> Piece:
        """Return the draws from one on, at least one of them, of the form of empty ones."""
        path = self._piece(first)
        piece = {key: _wide(values) for key, values in _read(path).items()}
        n_draws = len(piece["cdll"]) if piece.get("cdll", np.zeros(())).ndim else 0
        form = {key: ((n_draws, *v.shape[1:]), v.dtype) for key, v in empty.items()}
        if n_draws == 0 or form != {key: (v.shape, v.dtype) for key, v in piece.items()}:
            raise InvalidCheckpoint(f"{path} is damaged: its arrays are not draws of this chain")
        return piece

    def _piece(self, first: int) -> Path:
        return self.folder / f"draws-{first:09d}.npz"


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Labels and counts take a byte or two."""
    if values.dtype.kind != "i" or values.size == 0:
        return values
    return values.astype(np.min_scalar_type(values.max()))


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.int32) if values.dtype.kind == "u" else values


def _write(path: Path, arrays: Piece) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    try:
        write_atomically(path, buffer.getvalue())
    except OSError as error:
        # The one of a full disk has no name.
        raise OSError(error.errno, error.strerror, str(path)) from error


def _read(path: Path) -> Piece:
    try:
        # From memory: of a file, as much would be asked for as an entry says it has.
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            return {
                info.filename.removesuffix(".npy"): _entry(archive, info)
                for info in archive.infolist()
            }
    except MemoryError:
        raise
    except Exception as error:  # Archives and arrays raise many kinds for damage.
        raise InvalidCheckpoint(f"{path} is damaged or missing: {error}") from error


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    # What was packed could take any room when it is unpacked.
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{info.filename} is compressed")
    return array_of(archive.read(info))
