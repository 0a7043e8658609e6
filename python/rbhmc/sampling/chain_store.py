"""The stored draws and state of one chain; its folder is consistent at every moment.

The folder holds ``state.npz`` and the draws in chunks, ``draws-000000000-1.npz`` and so on, named
by their first draw and by the generation of the process that wrote them: how often the run had been
started. The state holds the sampler and a record of what it belongs to, the run, the chain and the
generation, with the length and the SHA-256 of each chunk. A chunk is written once, before the state
that lists it, and each file is replaced atomically: a process killed in between leaves a chunk that
no state lists. A process that wakes after the run was resumed finds a newer generation and stops.
A chain that is only measured leaves ``result.json`` and nothing else.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from rbhmc._arrays import parse_npy
from rbhmc._core import InvalidCheckpoint, InvalidInput, Sampler
from rbhmc._files import inside, write_atomically
from rbhmc.draws.variables import check_values

DrawChunk = dict[str, NDArray[Any]]
STATE = "state.npz"
RESULT = "result.json"
# Holds how often a run was started, in digits.
GENERATION = "generation"
# Most seconds between two checkpoints of a chain.
CHECKPOINT_SECONDS = 30.0


class FolderMissing(InvalidInput):
    """The run folder has disappeared."""


class Superseded(Exception):
    """Another process has resumed the run, and this one must not write to it any more."""


class Checkpointed(Protocol):
    """A sampler that can be saved."""

    def to_bytes(self) -> bytes:
        """Return its checkpoint."""
        ...


class ChunkRecord(NamedTuple):
    """What a state knows of a chunk: its number of draws, its generation, and its SHA-256."""

    n_draws: int
    generation: int
    sha256: str


def join_chunks(chunks: Sequence[DrawChunk]) -> DrawChunk:
    """Concatenate chunks of draws.

    Examples
    --------
    >>> join_chunks([{"cdll": np.zeros(2)}, {"cdll": np.ones(1)}])["cdll"]
    array([0., 0., 1.])
    """
    return {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}


def read_generation(folder: Path) -> int:
    """Return how often the run in a folder was started; raise FolderMissing if there is none."""
    file = inside(folder, GENERATION)
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        raise FolderMissing(f"there is no {file}; the run folder is not complete") from error
    if not (content.isdigit() and len(content) < 10):
        raise InvalidCheckpoint(f"{file} is damaged: it must hold a whole number")
    return int(content)


class ChainStore:
    """The files of one chain.

    Parameters
    ----------
    folder : Path
        The run folder.
    number : int
        The number of the chain.
    run : str
        Identifies the run; the state of another run is refused.
    generation : int
        How often the run has been started, this time included.
    """

    def __init__(self, folder: Path, number: int, run: str, generation: int) -> None:
        self.folder = folder
        self.number = number
        self.run = run
        self.generation = generation
        self.seconds = CHECKPOINT_SECONDS
        self._chunks: list[ChunkRecord] = []

    def save(self, sampler: Checkpointed, chunk: DrawChunk) -> None:
        """Save the sampler, and the draws since the last save.

        Raises
        ------
        FolderMissing, Superseded
            If the run folder has disappeared, or if the run was resumed elsewhere.
        """
        self._create_folder()
        try:
            n_new = len(chunk["cdll"])
            if n_new:
                content = write_npz({key: _narrow(values) for key, values in chunk.items()})
                first = sum(record.n_draws for record in self._chunks)
                write_atomically(self._chunk_file(first, self.generation), content)
                digest = hashlib.sha256(content).hexdigest()
                self._chunks.append(ChunkRecord(n_new, self.generation, digest))
                self._check_generation()
            n_items = chunk["paths"].shape[1]
            contents = {"n_items": n_items, "chunks": self._chunks}
            record = json.dumps(self._identity() | contents).encode()
            state = {"sampler": sampler.to_bytes(), "record": record}
            arrays = {name: np.frombuffer(content, np.uint8) for name, content in state.items()}
            write_atomically(self._file(STATE), write_npz(arrays))
        except FileNotFoundError:
            self._check_generation()  # says whether the whole folder has disappeared
            raise

    def load(self) -> tuple[Sampler, list[DrawChunk]] | None:
        """Return the sampler and the chunks of its draws, or None if nothing was saved.

        The draws of a chain of a subsample have more items than the sampler.
        """
        file = self._file(STATE)
        if not file.exists():
            return None
        state = read_npz(file, file.read_bytes())
        if missing := {"sampler", "record"} - state.keys():
            raise InvalidCheckpoint(f"{file} is damaged: no {', '.join(missing)}")
        records, n_items = self._read_record(file, state["record"].tobytes())
        sampler = Sampler.from_bytes(state["sampler"].tobytes())
        empty: Any = sampler.run(0)
        if n_items < empty["paths"].shape[1]:
            raise InvalidCheckpoint(f"{file} is damaged: its draws have {n_items} items")
        for name in ("paths", "components"):
            empty[name] = np.empty((0, n_items, *empty[name].shape[2:]), np.int32)
        chunks: list[DrawChunk] = []
        first = 0
        for record in records:
            chunks.append(self._load_chunk(first, record, empty))
            first += record.n_draws
        self._chunks = records
        return sampler, chunks

    def save_result(self, result: Any) -> None:
        """Save the measured value of a finished chain, and delete its draws."""
        self._create_folder()
        content = self._identity() | {"result": result}
        write_atomically(self._file(RESULT), json.dumps(content).encode())
        for file in self._file().glob("*.npz"):
            file.unlink()

    def load_result(self) -> Any:
        """Return a list with the value that `save_result` saved, or None."""
        file = self._file(RESULT)
        if not file.exists():
            return None
        content = self._read_json(file, file.read_bytes())
        if "result" not in content:
            raise InvalidCheckpoint(f"{file} is damaged: it has no result")
        return [content["result"]]

    def _identity(self) -> dict[str, Any]:
        return {"run": self.run, "chain": self.number, "generation": self.generation}

    def _read_json(self, file: Path, content: bytes) -> dict[str, Any]:
        """Read a record, which must belong to this run and chain."""
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InvalidCheckpoint(f"{file} is damaged: {error}") from error
        if not isinstance(record, dict):
            raise InvalidCheckpoint(f"{file} is damaged: its record is not an object")
        for name, words in (("run", "another run"), ("chain", "another chain")):
            if record.get(name) != self._identity()[name]:
                raise InvalidCheckpoint(f"{file} belongs to {words} than chain {self.number} here")
        return record

    def _read_record(self, file: Path, content: bytes) -> tuple[list[ChunkRecord], int]:
        """Return what a state knows of its chunks, and the number of items of their draws."""
        record = self._read_json(file, content)
        n_items, chunks = record.get("n_items"), record.get("chunks")
        if type(n_items) is not int:
            raise InvalidCheckpoint(f"{file} is damaged: draws of {n_items!r} items")
        try:
            records = [ChunkRecord(*chunk) for chunk in chunks]  # type: ignore[union-attr]
        except TypeError as error:
            raise InvalidCheckpoint(f"{file} is damaged: its list of chunks") from error
        for n_draws, generation, _ in records:
            if not (type(n_draws) is int and type(generation) is int and n_draws > 0):
                raise InvalidCheckpoint(
                    f"{file} is damaged: a chunk of {n_draws!r} draws of generation {generation!r}"
                )
        return records, n_items

    def _load_chunk(self, first: int, record: ChunkRecord, empty: DrawChunk) -> DrawChunk:
        """Return the chunk whose first draw is `first`; its arrays must match those of `empty`."""
        path = self._chunk_file(first, record.generation)
        try:
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise InvalidCheckpoint(f"{path} is missing") from error
        if hashlib.sha256(content).hexdigest() != record.sha256:
            raise InvalidCheckpoint(f"{path} is damaged: its SHA-256 is not what the state says")
        chunk = {key: _widen(values) for key, values in read_npz(path, content).items()}
        expected = {key: ((record.n_draws, *v.shape[1:]), v.dtype) for key, v in empty.items()}
        if expected != {key: (v.shape, v.dtype) for key, v in chunk.items()}:
            raise InvalidCheckpoint(f"{path} is damaged: its arrays are not draws of this chain")
        try:
            for name, values in chunk.items():
                check_values(name, values, empty["paths"].shape[1])
        except InvalidInput as error:
            raise InvalidCheckpoint(f"{path} is damaged: {error}") from error
        return chunk

    def _create_folder(self) -> None:
        self._check_generation()
        self._file().mkdir(exist_ok=True)

    def _check_generation(self) -> None:
        if read_generation(self.folder) != self.generation:
            raise Superseded(f"the run in {self.folder} was resumed by another process")

    def _file(self, *name: str) -> Path:
        return inside(self.folder, f"chain-{self.number}", *name)

    def _chunk_file(self, first: int, generation: int) -> Path:
        return self._file(f"draws-{first:09d}-{generation}.npz")


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Store labels and counts in one or two bytes each."""
    if values.dtype.kind != "i" or values.size == 0:
        return values
    return values.astype(np.min_scalar_type(values.max()))


def _widen(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(np.int32) if values.dtype.kind == "u" else values


def write_npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return an archive of arrays, as `numpy.savez` writes it but without the time.

    Examples
    --------
    >>> read_npz(Path("example"), write_npz({"x": np.arange(3)}))
    {'x': array([0, 1, 2])}
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, values in arrays.items():
            entry = io.BytesIO()
            npy.write_array(entry, np.asarray(values), allow_pickle=False)
            # ZIP has no time before 1980, where a clock without a battery starts.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), entry.getvalue())
    return buffer.getvalue()


def read_npz(path: Path, content: bytes) -> DrawChunk:
    """Read an archive of arrays; `path` is for messages."""
    try:
        # From memory: zipfile would allocate as much as a forged entry of a file claims to hold.
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {
                info.filename.removesuffix(".npy"): _read_entry(archive, info)
                for info in archive.infolist()
            }
    except MemoryError:
        raise
    except Exception as error:  # Damage raises many kinds of errors.
        raise InvalidCheckpoint(f"{path} is damaged: {error}") from error


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    # A compressed entry could expand to any size.
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{info.filename} is compressed")
    array = parse_npy(archive.read(info))
    if array.dtype.kind not in "uif":
        raise ValueError(f"{info.filename} holds {array.dtype} and not numbers")
    return array
