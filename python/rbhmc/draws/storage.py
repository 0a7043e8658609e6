"""Files of draws: zarr format 3 in a ZIP archive, replaced as a whole and read in parts."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.abc.store import ByteRequest
from zarr.codecs import BloscCodec, BytesCodec, TransposeCodec
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import ZipStore

from rbhmc._core import InvalidInput, __version__
from rbhmc._files import replace_atomically
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.draws.draws import Draws
from rbhmc.draws.variables import (
    LEARNED,
    VARIABLES,
    Index,
    check_arrays,
    check_values,
    variables_of,
)

FORMAT = "rbhmc.Draws"
FORMAT_VERSION = 4

# Large enough that Blosc can use the similarity of successive draws, small enough to read one draw.
CHUNK_BYTES = 2**20

# zarr's folder of an array's chunks. A chunk starts with Blosc's header, whose bytes 4 to 7 hold
# the size of the decompressed chunk.
CHUNK_FOLDER = "c"
BLOSC_N_BYTES = slice(4, 8)

# Arrays of labels, which are stored in the smallest unsigned type that holds them.
LABEL_ARRAYS = ("paths", "components")
# Arrays whose values are checked when they are read. Labels of paths are checked where they are
# used: whole trees have to be checked there.
CHECKED_ARRAYS = ("components", "n_components", "n_nodes", "cdll", "rcdll")


def write_draws(path: Path, draws: Draws) -> None:
    """Write draws to a file, which replaces an existing one once it is complete.

    Raises
    ------
    InvalidInput
        If the paths of a draw do not form a tree, or a component is negative.
    """
    if time.localtime().tm_year < 1980:
        raise InvalidInput(
            "the clock of this computer says that it is before 1980, of which a ZIP archive knows "
            "nothing; set the clock"
        )
    arrays = draws.to_arrays()
    if draws.n_draws:
        for _ in TreeBlocks(draws).read():
            pass  # reading a block checks its trees
    attributes = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rbhmc_version": __version__,
        "names": list(draws.names),
        "settings": draws.settings,
    }
    with replace_atomically(path) as temporary, closing(ZipStore(temporary, mode="w")) as store:
        group = zarr.create_group(store, zarr_format=3, attributes=attributes)
        for name, variable in variables_of(arrays).items():
            values = arrays[name]
            dtype = label_type(values, name) if name in LABEL_ARRAYS else values.dtype
            stored = group.create_array(
                name,
                shape=values.shape,
                dtype=dtype,
                chunks=chunk_shape(values.shape, dtype),
                # Successive draws of an item are similar: adjacent, they compress well.
                filters=[TransposeCodec(order=(0, *reversed(range(1, values.ndim))))],
                compressors=[BloscCodec(cname="zstd", clevel=5, shuffle="shuffle")],
                # Chunks of zeros are written too, so that a missing chunk is always damage.
                config={"write_empty_chunks": True},
                dimension_names=variable.dims,
            )
            for chain, chain_values in enumerate(values):
                stored[chain] = chain_values.astype(dtype)


def label_type(labels: NDArray[np.integer[Any]], name: str) -> np.dtype[Any]:
    """Return the smallest type that holds the labels.

    Examples
    --------
    >>> label_type(np.array([0, 300]), "components")
    dtype('uint16')
    """
    if labels.min(initial=0) < 0:
        raise InvalidInput(f"{name} holds the label {labels.min()}; labels must not be negative")
    types = (np.uint8, np.uint16, np.int32)
    return np.dtype(next(kind for kind in types if labels.max(initial=0) <= np.iinfo(kind).max))


def chunk_shape(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """Return the shape of chunks that hold successive draws of one chain.

    Examples
    --------
    >>> chunk_shape((4, 1000, 33, 3), np.dtype(np.uint8)), chunk_shape((4, 1000), np.dtype(float))
    ((1, 1000, 33, 3), (1, 1000))
    """
    _, n_draws, *rest = (max(1, size) for size in shape)
    room = CHUNK_BYTES // (prod(rest) * dtype.itemsize)
    return (1, min(max(1, room), n_draws), *rest)


class _CheckedZipStore(ZipStore):
    """An archive whose chunks must decompress to exactly `chunk_bytes[array]` bytes.

    A forged header could otherwise ask for any amount of memory.
    """

    chunk_bytes: Mapping[str, int] = MappingProxyType({})

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Read an entry, and check the size of a chunk before it is decompressed."""
        content = await super().get(key, prototype, byte_range)
        name, _, chunk = key.partition(f"/{CHUNK_FOLDER}/")
        if content is not None and chunk:
            n_bytes = int.from_bytes(content.to_bytes()[BLOSC_N_BYTES], "little")
            if n_bytes != self.chunk_bytes[name]:
                raise ValueError(f"{key} unpacks to {n_bytes} bytes, not {self.chunk_bytes[name]}")
        return content


@dataclass(frozen=True)
class StoredArray:
    """A variable in a file, of which only the requested draws are read.

    Attributes
    ----------
    path : Path
        The file, for error messages.
    stored : zarr.Array
    dtype : dtype
        The type of the variable in memory; labels are stored in a smaller one.
    n_items : int
        The number of items of the draws.
    """

    path: Path
    stored: "zarr.Array[Any]"
    dtype: np.dtype[Any]
    n_items: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions, chains and draws first."""
        return self.stored.shape

    def __getitem__(self, index: tuple[Index, Index], /) -> NDArray[Any]:
        chains, draws = (np.arange(n)[i] for n, i in zip(self.shape, index, strict=False))
        inner = self.shape[2:]
        values = np.empty((chains.size, draws.size, *inner), self.dtype)
        with damage_explained(self.path):
            for place, chain in enumerate(chains.ravel()):
                values[place] = self.stored.oindex[int(chain), draws.ravel()]
            if self.stored.basename in CHECKED_ARRAYS:
                check_values(self.stored.basename, values, self.n_items)
        # As in NumPy, [()] turns an array without dimensions into a number.
        part: NDArray[Any] = values.reshape((*chains.shape, *draws.shape, *inner))[()]
        return part


def open_draws(path: Path) -> tuple[dict[str, StoredArray], tuple[str, ...], dict[str, Any]]:
    """Open a file of draws and return its arrays, which are read on demand, names and settings.

    Raises
    ------
    OSError
        If the file does not exist or cannot be opened.
    InvalidInput
        If the file does not hold draws, is damaged, or has another format version.
    """
    # Raise the system's own error for a file that is missing or cannot be read.
    path.open("rb").close()
    with damage_explained(path):
        _check_entry_sizes(path)
        # zarr format 2 could hold pickles, which run code when they are read.
        store = _CheckedZipStore(path, mode="r")
        group = zarr.open_group(store, mode="r", zarr_format=3)
        attributes: dict[str, Any] = group.attrs.asdict()
    _check_format(path, attributes)
    with damage_explained(path):
        names = tuple(str(name) for name in attributes["names"])
        known = (*VARIABLES, *(name for name in LEARNED if name in group))
        arrays = {
            name: StoredArray(path, *_checked_array(group, name), len(names)) for name in known
        }
        check_arrays(arrays, names)
        shape = arrays["paths"].shape
        if 0 in shape and max(shape) > path.stat().st_size:
            raise ValueError(f"paths has shape {shape}, of which the file holds nothing")
        _check_chunks_present(path, arrays)
        store.chunk_bytes = {
            name: prod(array.stored.chunks) * array.stored.dtype.itemsize
            for name, array in arrays.items()
        }
        return arrays, names, dict(attributes["settings"])


def _check_entry_sizes(path: Path) -> None:
    """Refuse entries that claim more bytes than the archive has."""
    most = path.stat().st_size
    with ZipFile(path) as archive:
        for entry in archive.infolist():
            if entry.compress_type != ZIP_STORED:
                raise ValueError(f"{entry.filename} is compressed as a whole")
            if max(entry.file_size, entry.compress_size) > most:
                raise ValueError(f"{entry.filename} is larger than the archive")


def _check_format(path: Path, attributes: dict[str, Any]) -> None:
    if attributes.get("format") != FORMAT:
        raise InvalidInput(f"{path} holds zarr arrays, but not draws; Draws.save writes those")
    if attributes.get("format_version") != FORMAT_VERSION:
        raise InvalidInput(
            f"{path} has format version {attributes.get('format_version')}, written by rbhmc "
            f"{attributes.get('rbhmc_version')}; rbhmc {__version__} reads format version "
            f"{FORMAT_VERSION}"
        )


def _checked_array(group: zarr.Group, name: str) -> tuple["zarr.Array[Any]", np.dtype[Any]]:
    """Find a variable in a file and check that it is stored as `write_draws` stores it."""
    dtype = np.dtype((VARIABLES | LEARNED)[name].dtype)
    stored = group[name]
    if not isinstance(stored, zarr.Array) or not np.can_cast(stored.dtype, dtype):
        raise TypeError(f"{name} does not hold values of type {dtype}")
    codecs = [type(codec) for codec in (*stored.filters, stored.serializer, *stored.compressors)]
    if codecs != [TransposeCodec, BytesCodec, BloscCodec]:
        raise ValueError(f"{name} has other codecs, {codecs}")
    if stored.chunks != chunk_shape(stored.shape, stored.dtype):
        raise ValueError(f"{name} has other chunks, {stored.chunks}")
    return stored, dtype


def _check_chunks_present(path: Path, arrays: dict[str, StoredArray]) -> None:
    """Check that every chunk exists, since zarr reads a missing one as zeros."""
    with ZipFile(path) as archive:
        present = set(archive.namelist())
    for name, array in arrays.items():
        for place in np.ndindex(array.stored.cdata_shape):
            chunk = "/".join((name, CHUNK_FOLDER, *map(str, place)))
            if chunk not in present:
                raise KeyError(f"{chunk} is missing")


@contextmanager
def damage_explained(path: Path) -> Iterator[None]:
    """Turn any error that a damaged file causes into one InvalidInput that names the file."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise InvalidInput(
            f"{path} is damaged or is not a file of draws ({type(error).__name__}: {error}); it "
            "must be as Draws.save wrote it"
        ) from error
