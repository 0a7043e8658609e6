"""Draws in one file: zarr format 3 in a ZIP archive, written whole and read in parts."""

from collections.abc import Callable, Iterator, Mapping
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
from rbhmc.draws.folding import fold, unfold
from rbhmc.draws.variables import EACH, LEARNED, VARIABLES, Index, check_arrays, variables_of

FORMAT = "rbhmc.Draws"
VERSION = 3

# Enough draws together for their likeness to be used, few enough to read one of them at once.
CHUNK_BYTES = 2**20

# The folder of an array's chunks. Each starts with the header of Blosc, which has here how many
# bytes the chunk unpacks to.
CHUNKS = "c"
BLOSC_N_BYTES = slice(4, 8)

LEAVES_DIMS = (*EACH, "item")
PARENTS_DIMS = (*EACH, "upper_level", "node")


def write_draws(
    path: Path,
    arrays: Mapping[str, NDArray[Any]],
    names: tuple[str, ...],
    settings: dict[str, Any],
) -> None:
    """Write draws to a file, which is whole or not there; see `rbhmc.Draws.save`."""
    attributes = {
        "format": FORMAT,
        "format_version": VERSION,
        "rbhmc_version": __version__,
        "names": list(names),
        "settings": settings,
    }
    with replace_atomically(path) as temporary, closing(ZipStore(temporary, mode="w")) as store:
        group = zarr.create_group(store, zarr_format=3, attributes=attributes)
        _write_paths(group, arrays["paths"])
        for name, variable in variables_of(arrays).items():
            if name != "paths":
                values = arrays[name]
                if name == "components":
                    values = values.astype(_label_type(values, name))
                _create(group, name, variable.dims, values.shape, values.dtype)[...] = values


def _write_paths(group: zarr.Group, paths: NDArray[np.int32]) -> None:
    *each, n_items, n_levels = paths.shape
    dtype = _label_type(paths, "paths")
    n_nodes = int(paths.max(initial=0)) + 1
    if n_nodes > n_items:
        raise InvalidInput(
            f"paths holds the label {n_nodes - 1}; {n_items} items have labels below {n_items}"
        )
    leaves = _create(group, "leaves", LEAVES_DIMS, (*each, n_items), dtype)
    shape = (*each, n_levels - 1, n_nodes)
    parents = _create(group, "parents", PARENTS_DIMS, shape, dtype)
    for chain, given in enumerate(paths):
        folded = fold(given.astype(dtype), n_nodes)
        if not np.array_equal(unfold(*folded), given):
            raise InvalidInput(
                f"the paths of chain {chain} form no trees; items that share a node must share "
                "the nodes above it"
            )
        leaves[chain], parents[chain] = folded


def _label_type(labels: NDArray[np.int32], name: str) -> type[np.integer[Any]]:
    if labels.min(initial=0) < 0:
        raise InvalidInput(f"{name} holds the label {labels.min()}; labels start at 0")
    types = (np.uint8, np.uint16, np.int32)
    return next(kind for kind in types if labels.max(initial=0) <= np.iinfo(kind).max)


def _create(
    group: zarr.Group,
    name: str,
    dims: tuple[str, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any] | type[np.generic],
) -> zarr.Array[Any]:
    return group.create_array(
        name,
        shape=shape,
        dtype=dtype,
        chunks=_chunks(shape, dtype),
        # Successive draws are alike: beside each other, they are packed well.
        filters=[TransposeCodec(order=(0, *range(2, len(shape)), 1))],
        compressors=[BloscCodec(cname="zstd", clevel=5, shuffle="shuffle")],
        # A chunk of nothing but zeros is written too, so that one which is absent is damage.
        config={"write_empty_chunks": True},
        dimension_names=dims,
    )


def _chunks(shape: tuple[int, ...], dtype: np.dtype[Any] | type[np.generic]) -> tuple[int, ...]:
    _, n_draws, *rest = (max(1, size) for size in shape)
    room = CHUNK_BYTES // (prod(rest) * np.dtype(dtype).itemsize)
    return (1, min(max(1, room), n_draws), *rest)


class _Archive(ZipStore):
    """An archive to read from, which gives no chunk that would unpack to more than a chunk holds.

    `chunk_bytes` has how much that is, by array.
    """

    chunk_bytes: Mapping[str, int] = MappingProxyType({})

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        found = await super().get(key, prototype, byte_range)
        name, _, chunk = key.partition(f"/{CHUNKS}/")
        if found is not None and chunk:
            n_bytes = int.from_bytes(found.to_bytes()[BLOSC_N_BYTES], "little")
            if n_bytes != self.chunk_bytes[name]:
                raise ValueError(f"{key} unpacks to {n_bytes} bytes, not {self.chunk_bytes[name]}")
        return found


@dataclass(frozen=True)
class StoredArray:
    """The values of a variable in a file, of which only those asked for are read.

    Attributes
    ----------
    path : Path
        The file.
    parts : tuple of zarr arrays
        What is stored.
    join : callable
        What makes values of the parts.
    shape : tuple of int
    dtype : dtype
        Of the values.
    """

    path: Path
    parts: tuple[zarr.Array[Any], ...]
    join: Callable[..., NDArray[Any]]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __getitem__(self, index: tuple[Index, Index], /) -> NDArray[Any]:
        chains, draws = (np.arange(n)[i] for n, i in zip(self.shape, index, strict=False))
        inner = self.shape[2:]
        values = np.empty((chains.size, draws.size, *inner), self.dtype)
        with _reading(self.path):
            for place, chain in enumerate(chains.ravel()):
                parts = (part.oindex[int(chain), draws.ravel()] for part in self.parts)
                values[place] = self.join(*parts)
        # The last index makes a number of an array without axes, as NumPy does.
        found: NDArray[Any] = values.reshape((*chains.shape, *draws.shape, *inner))[()]
        return found


def open_draws(path: Path) -> tuple[dict[str, StoredArray], tuple[str, ...], dict[str, Any]]:
    """Open a file of draws: its arrays, which are not read yet, names and settings.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    InvalidInput
        Where the file does not hold draws, is damaged, or has another format version.
    """
    # What is wrong with the file as such, the system says best.
    path.open("rb").close()
    with _reading(path):
        _check_entries(path)
        # No format but 3: an older one may hold what runs code when it is read.
        store = _Archive(path, mode="r")
        group = zarr.open_group(store, mode="r", zarr_format=3)
        about: dict[str, Any] = group.attrs.asdict()
    _check_format(path, about)
    with _reading(path):
        names = tuple(str(name) for name in about["names"])
        stored = (*VARIABLES, *(name for name in LEARNED if name in group))
        arrays = {name: _stored(path, group, name) for name in stored}
        check_arrays(arrays, names)
        _check_chunks(path, arrays)
        store.chunk_bytes = {
            part.path: prod(part.chunks) * part.dtype.itemsize
            for array in arrays.values()
            for part in array.parts
        }
        return arrays, names, dict(about["settings"])


def _check_entries(path: Path) -> None:
    """Check that no entry would take more room than the archive."""
    most = path.stat().st_size
    with ZipFile(path) as archive:
        for entry in archive.infolist():
            if entry.compress_type != ZIP_STORED:
                raise ValueError(f"{entry.filename} is compressed as a whole")
            if max(entry.file_size, entry.compress_size) > most:
                raise ValueError(f"{entry.filename} is larger than the archive")


def _check_format(path: Path, about: dict[str, Any]) -> None:
    if about.get("format") != FORMAT:
        raise InvalidInput(f"{path} holds zarr arrays, but not draws; Draws.save writes those")
    if about.get("format_version") != VERSION:
        raise InvalidInput(
            f"{path} has format version {about.get('format_version')}, written by rbhmc "
            f"{about.get('rbhmc_version')}; rbhmc {__version__} reads format version {VERSION}"
        )


def _stored(path: Path, group: zarr.Group, name: str) -> StoredArray:
    dtype = np.dtype((VARIABLES | LEARNED)[name].dtype)
    stored = ("leaves", "parents") if name == "paths" else (name,)
    parts = tuple(_part(group, part, dtype) for part in stored)
    shape = parts[0].shape
    if name == "paths":
        if parts[1].shape[:2] != shape[:2]:
            raise ValueError("leaves and parents are not of the same draws")
        if parts[1].shape[3] > shape[2]:
            raise ValueError("parents has room for more nodes than there are items")
        return StoredArray(path, parts, unfold, (*shape, parts[1].shape[2] + 1), dtype)
    return StoredArray(path, parts, np.asarray, shape, dtype)


def _part(group: zarr.Group, name: str, dtype: np.dtype[Any]) -> zarr.Array[Any]:
    part = group[name]
    if not isinstance(part, zarr.Array) or not np.can_cast(part.dtype, dtype):
        raise TypeError(f"{name} does not hold values of type {dtype}")
    codecs = [type(codec) for codec in (*part.filters, part.serializer, *part.compressors)]
    if codecs != [TransposeCodec, BytesCodec, BloscCodec]:
        raise ValueError(f"{name} is packed in another way")
    if part.chunks != _chunks(part.shape, part.dtype):
        raise ValueError(f"{name} has other chunks, {part.chunks}")
    return part


def _check_chunks(path: Path, arrays: dict[str, StoredArray]) -> None:
    """Check that every chunk is there: zarr takes one that is absent for zeros."""
    with ZipFile(path) as archive:
        present = set(archive.namelist())
    for part in (part for array in arrays.values() for part in array.parts):
        for place in np.ndindex(part.cdata_shape):
            chunk = "/".join((part.path, CHUNKS, *map(str, place)))
            if chunk not in present:
                raise KeyError(f"{chunk} is missing")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say what a file should be, whatever zarr stumbled over in it."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise InvalidInput(
            f"{path} is damaged, or no file of draws ({type(error).__name__}: {error}); it must be "
            "as Draws.save wrote it"
        ) from error
