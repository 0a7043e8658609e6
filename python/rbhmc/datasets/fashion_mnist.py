"""Fashion-MNIST: from Debian's package, a folder, or downloaded once."""

import hashlib
import operator
import os
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc.datasets.bunch import pack
from rbhmc.datasets.download import download
from rbhmc.datasets.home import get_data_home
from rbhmc.datasets.idx import parse_idx, read_content

URL = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
DEBIAN_FOLDER = Path("/usr/share/datasets/fashion-mnist")
# The part of the file names that stands for each half of the images.
PREFIXES = {"train": "train", "test": "t10k"}
# Of the content, which is the same however it is compressed.
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

DESCR = """\
Fashion-MNIST: grey images of garments, 28 x 28 pixels, in ten classes.

60,000 images to train on and 10,000 to test on, by Zalando Research, under the MIT licence. A pixel
is 0 (background) to 255. `n_per_class` draws a balanced sample; ten of each class are the 100
images of the size that the paper on Bayesian hierarchical mixture clustering uses (the paper's own
draw is not published).

Xiao, H., Rasul, K. and Vollgraf, R. (2017). Fashion-MNIST: a novel image dataset for benchmarking
machine learning algorithms. arXiv:1708.07747.
"""


def fetch_fashion_mnist(
    folder: str | os.PathLike[str] | None = None,
    data_home: str | os.PathLike[str] | None = None,
    *,
    subset: str = "train",
    n_per_class: SupportsIndex | None = None,
    seed: SupportsIndex = 0,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Images of garments in ten classes, all of them or a balanced sample.

    Parameters
    ----------
    folder : path, optional
        Where the idx files are (``train-images-idx3-ubyte`` and so on, plain or ``.gz``). They are
        checked for their form, and otherwise read as they are. Where `folder` is absent: the folder
        of Debian's package ``dataset-fashion-mnist`` if it is installed, else `data_home`, into
        which missing files are downloaded (this needs ``rbhmc[datasets]``); the content of these
        must have the right SHA-256.
    data_home : path, optional
        See `get_data_home`.
    subset : {"train", "test", "all"}
        Which images; "all" is those to train on, then those to test on.
    n_per_class : int, optional
        Draw as many of each garment, without replacement, kept in the order of the files.
    seed : int
        Of the draw.
    return_X_y : bool
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool
        Return data and target as a data frame and a series, with the images' names as the index.

    Returns
    -------
    Bunch or tuple
        ``data`` of shape (n_images, 784), 0 to 255; ``target``, the garment of each image;
        ``images``, the same data as (n_images, 28, 28); ``target_names``, ``feature_names``,
        ``names`` (of the images: garment, half, place in the file), ``frame`` (data and target, if
        `as_frame`, else None), ``DESCR``.

    Raises
    ------
    InvalidInput
        If a file cannot be used, or a garment has fewer than `n_per_class` images.
    OSError
        If a file is missing, or a download failed.

    Examples
    --------
    ``fetch_fashion_mnist(n_per_class=10)`` has 100 images. From a folder of one's own, here with
    two black images:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     images = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28]) + bytes(2 * 28 * 28)
    ...     labels = bytes([0, 0, 8, 1, 0, 0, 0, 2, 8, 9])
    ...     _ = Path(folder, "t10k-images-idx3-ubyte").write_bytes(images)
    ...     _ = Path(folder, "t10k-labels-idx1-ubyte").write_bytes(labels)
    ...     garments = fetch_fashion_mnist(folder, subset="test")
    >>> garments.data.shape, garments.names.tolist()
    ((2, 784), ['Bag test-0', 'Ankle boot test-1'])
    """
    halves = list(PREFIXES) if subset == "all" else [subset]
    if not set(halves) <= PREFIXES.keys():
        raise InvalidInput(f"subset must be 'train', 'test' or 'all', not {subset!r}")
    parts = [_read_half(half, folder, data_home) for half in halves]
    images = np.concatenate([images for images, _ in parts])
    target = np.concatenate([labels for _, labels in parts]).astype(np.int64)
    places = [
        (half, i)
        for half, (_, labels) in zip(halves, parts, strict=True)
        for i in range(len(labels))
    ]
    if n_per_class is not None:
        drawn = _balanced_draw(target, operator.index(n_per_class), operator.index(seed))
        images, target, places = images[drawn], target[drawn], [places[i] for i in drawn]
    X = images.reshape(len(images), SIDE * SIDE).astype(np.float64)
    return pack(
        X,
        target,
        names=[
            f"{GARMENTS[label]} {half}-{place}"
            for label, (half, place) in zip(target, places, strict=True)
        ],
        feature_names=[f"pixel {row} {column}" for row in range(SIDE) for column in range(SIDE)],
        target_names=GARMENTS,
        descr=DESCR,
        return_X_y=return_X_y,
        as_frame=as_frame,
        images=X.reshape(-1, SIDE, SIDE),
    )


def _read_half(
    half: str, folder: str | os.PathLike[str] | None, data_home: str | os.PathLike[str] | None
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    files = [
        _find(f"{PREFIXES[half]}-{kind}-ubyte", folder, data_home)
        for kind in ("images-idx3", "labels-idx1")
    ]
    read = _published if folder is None else _as_it_is
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


def _find(
    stem: str, folder: str | os.PathLike[str] | None, data_home: str | os.PathLike[str] | None
) -> Path:
    """File in the folder named; else Debian's; else in `data_home`, downloaded if need be."""
    home = get_data_home(data_home) / "fashion-mnist"
    folders = [DEBIAN_FOLDER, home] if folder is None else [Path(folder)]
    for place in folders:
        for name in (stem, f"{stem}.gz"):
            if (place / name).is_file():
                return place / name
    if folder is not None:
        raise FileNotFoundError(f"{folder} has neither {stem} nor {stem}.gz")
    file = home / f"{stem}.gz"
    download(URL + file.name, file, _published, "pass folder= to read files that you have")
    return file


def _as_it_is(file: Path) -> NDArray[np.uint8]:
    return parse_idx(read_content(file), file)


def _published(file: Path) -> NDArray[np.uint8]:
    content = read_content(file)
    found = hashlib.sha256(content).hexdigest()
    wanted = CONTENT_SHA256[file.name.removesuffix(".gz")]
    if found != wanted:
        raise InvalidInput(
            f"{file} does not hold the published images: the SHA-256 of its content is {found}, "
            f"not {wanted}; remove it, or pass folder= to read files as they are"
        )
    return parse_idx(content, file)


def _balanced_draw(target: NDArray[np.int64], n_per_class: int, seed: int) -> NDArray[np.int64]:
    if n_per_class < 1:
        raise InvalidInput(f"n_per_class must be at least 1, not {n_per_class}")
    if seed < 0:
        raise InvalidInput(f"seed must be at least 0, not {seed}")
    random = np.random.default_rng(seed)
    drawn = []
    for label, garment in enumerate(GARMENTS):
        places = np.flatnonzero(target == label)
        if len(places) < n_per_class:
            raise InvalidInput(
                f"n_per_class is {n_per_class}, and {garment!r} has {len(places)} images"
            )
        drawn.append(random.choice(places, n_per_class, replace=False))
    return np.sort(np.concatenate(drawn))
