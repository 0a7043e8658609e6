"""Fashion-MNIST: from a folder, from Debian's package, or downloaded once.

60,000 training and 10,000 test images of garments, 28 x 28 grey pixels from 0 to 255, in ten
classes, by Zalando Research under the MIT licence. The paper uses 100 images, but its sample is
not published. Xiao, H., Rasul, K. and Vollgraf, R. (2017). Fashion-MNIST: a novel image dataset
for benchmarking machine learning algorithms. arXiv:1708.07747.
"""

import gzip
import hashlib
import math
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from paper.download import data_folder, download
from rbhmc import InvalidInput

URL = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
DEBIAN_FOLDER = Path("/usr/share/datasets/fashion-mnist")
# The prefix of the file names of each subset.
PREFIXES = {"train": "train", "test": "t10k"}
# Hashes of the decompressed content.
CONTENT_SHA256 = {
    "train-images-idx3-ubyte": "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
    "train-labels-idx1-ubyte": "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
    "t10k-images-idx3-ubyte": "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
    "t10k-labels-idx1-ubyte": "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
}
GARMENTS = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
]
SIDE = 28
GZIP_MAGIC = b"\x1f\x8b"
UNSIGNED_BYTE = 8


def fetch_fashion_mnist(
    folder: str | os.PathLike[str] | None = None,
    *,
    subset: str = "train",
    n_per_class: int | None = None,
    seed: int = 0,
) -> Any:
    """Load images of garments in ten classes, all of them or a balanced sample.

    Parameters
    ----------
    folder : path, optional
        The folder of the idx files (``train-images-idx3-ubyte`` and so on, plain or ``.gz``). By
        default the folder of Debian's package ``dataset-fashion-mnist`` if it is installed,
        otherwise `data_folder`, where missing files are downloaded; their SHA-256 is checked.
    subset : {"train", "test", "all"}
    n_per_class : int, optional
        Size of a random sample of each class, in the order of the files.
    seed : int
        Seed of the sample.

    Returns
    -------
    Bunch
        ``data`` of shape (n_images, 784), 0 to 255; ``images``, the same as (n_images, 28, 28);
        ``target``, the class of each image; ``target_names``; ``names`` (garment, subset, position
        in the file).

    Raises
    ------
    InvalidInput
        If a file is not valid, or a class has fewer than `n_per_class` images.
    OSError
        If a file is missing, or a download fails.
    """
    subsets = list(PREFIXES) if subset == "all" else [subset]
    if not set(subsets) <= PREFIXES.keys():
        raise InvalidInput(f"subset must be 'train', 'test' or 'all', not {subset!r}")
    parts = [_read_subset(name, folder) for name in subsets]
    images = np.concatenate([images for images, _ in parts])
    target = np.concatenate([labels for _, labels in parts]).astype(np.int64)
    positions = [
        (name, i)
        for name, (_, labels) in zip(subsets, parts, strict=True)
        for i in range(len(labels))
    ]
    if n_per_class is not None:
        rows = _sample_classes(target, n_per_class, seed)
        images, target, positions = images[rows], target[rows], [positions[i] for i in rows]
    X = images.reshape(len(images), SIDE * SIDE).astype(np.float64)
    names = [
        f"{GARMENTS[label]} {name}-{position}"
        for label, (name, position) in zip(target, positions, strict=True)
    ]
    return Bunch(
        data=X,
        images=X.reshape(-1, SIDE, SIDE),
        target=target,
        target_names=np.array(GARMENTS),
        names=np.array(names, dtype=str),
    )


def _read_subset(
    subset: str, folder: str | os.PathLike[str] | None
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    files = [
        _find(f"{PREFIXES[subset]}-{kind}-ubyte", folder) for kind in ("images-idx3", "labels-idx1")
    ]
    read = _read_published if folder is None else _read
    images, labels = (read(file) for file in files)
    if images.ndim != 3 or images.shape[1:] != (SIDE, SIDE):
        raise InvalidInput(
            f"{files[0]} must hold images of {SIDE} x {SIDE}; its shape is {images.shape}"
        )
    if labels.shape != images.shape[:1]:
        raise InvalidInput(
            f"{files[1]} must hold a label for each of the {len(images)} images; "
            f"its shape is {labels.shape}"
        )
    if labels.max(initial=0) >= len(GARMENTS):
        raise InvalidInput(f"{files[1]} has the label {labels.max()}; the labels are 0 to 9")
    return images, labels


def _find(stem: str, folder: str | os.PathLike[str] | None) -> Path:
    """Return the file in the given folder, else Debian's, else the downloaded one."""
    own = data_folder() / "fashion-mnist"
    for place in [DEBIAN_FOLDER, own] if folder is None else [Path(folder)]:
        for name in (stem, f"{stem}.gz"):
            if (place / name).is_file():
                return place / name
    if folder is not None:
        raise FileNotFoundError(f"{folder} has neither {stem} nor {stem}.gz")
    file = own / f"{stem}.gz"
    download(URL + file.name, file, _read_published, "pass folder= to read your own files")
    return file


def _read(file: Path) -> NDArray[np.uint8]:
    return parse_idx(read_content(file), file)


def _read_published(file: Path) -> NDArray[np.uint8]:
    content = read_content(file)
    digest = hashlib.sha256(content).hexdigest()
    expected = CONTENT_SHA256[file.name.removesuffix(".gz")]
    if digest != expected:
        raise InvalidInput(
            f"{file} does not hold the published images: the SHA-256 of its content is {digest}, "
            f"not {expected}; remove it, or pass folder= to read your own files"
        )
    return parse_idx(content, file)


def read_content(file: Path) -> bytes:
    """Return the content of a file, decompressed if it is gzip, whatever its name."""
    content = file.read_bytes()
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidInput(f"{file} is a damaged gzip file: {error}") from error


def parse_idx(content: bytes, source: object) -> NDArray[np.uint8]:
    """Parse an idx file of unsigned bytes.

    The header is two zero bytes, the type of the values (8: unsigned bytes), the number of
    dimensions, and each dimension as a big-endian 32-bit integer. `source` names the file in
    messages.

    Examples
    --------
    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]), "an example")
    array([7, 8, 9], dtype=uint8)
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[3] == 0:
        raise InvalidInput(f"{source} is not an idx file: it starts with {content[:4].hex(' ')!r}")
    kind, n_dims = content[2:4]
    if kind != UNSIGNED_BYTE:
        raise InvalidInput(
            f"{source} is an idx file of type 0x{kind:02x}; only unsigned bytes (0x08) are read"
        )
    start = 4 + 4 * n_dims
    if len(content) < start:
        raise InvalidInput(f"{source} is truncated: its header ends after {len(content)} bytes")
    shape = tuple(int(size) for size in np.frombuffer(content, ">u4", n_dims, offset=4))
    n_values = len(content) - start
    if n_values != math.prod(shape):
        what = "truncated" if n_values < math.prod(shape) else "too long"
        raise InvalidInput(
            f"{source} is {what}: its header promises {shape}, {math.prod(shape)} bytes, "
            f"and {n_values} follow"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def _sample_classes(target: NDArray[np.int64], n_per_class: int, seed: int) -> NDArray[np.int64]:
    if n_per_class < 1:
        raise InvalidInput(f"n_per_class must be at least 1, not {n_per_class}")
    if seed < 0:
        raise InvalidInput(f"seed must be at least 0, not {seed}")
    rng = np.random.default_rng(seed)
    chosen = []
    for label, garment in enumerate(GARMENTS):
        rows = np.flatnonzero(target == label)
        if len(rows) < n_per_class:
            raise InvalidInput(
                f"n_per_class is {n_per_class}, but {garment!r} has {len(rows)} images"
            )
        chosen.append(rng.choice(rows, n_per_class, replace=False))
    return np.sort(np.concatenate(chosen))
