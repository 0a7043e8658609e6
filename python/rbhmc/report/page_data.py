"""The data of the page's figures, which its scripts read as JSON, and the pictures of the items."""

import math
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._text import visible_name
from rbhmc.diagnostics.summaries import learned_summaries
from rbhmc.draws import Draws
from rbhmc.plots.palette import node_colors, series_colors, text_color_on
from rbhmc.plots.regions import plane_of
from rbhmc.plots.thumbnails import MAX_SIDE, Bytes, check_images, make_thumbnails, tile
from rbhmc.plots.tree import opacity
from rbhmc.report.level_data import level_data
from rbhmc.report.markup import format_means
from rbhmc.tree import Tree

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

Floats = NDArray[np.float64]

MAX_TRACE_POINTS = 1000  # of a chain
MAX_PICTURE_BYTES = 2_400_000  # of all thumbnails before compression
# PNG's colour types by the number of channels.
COLOR_TYPES = {1: 0, 3: 2, 4: 6}


def page_data(model: "RBHMC") -> dict[str, Any]:
    """Collect the data: items by index, nodes by their index in ``tree.nodes``."""
    tree = model.tree_
    return {
        "names": [visible_name(name) for name in tree.names],
        "has_names": tree.has_names,
        "order": tree.item_order.tolist(),
        "nodes": node_rows(tree),
        "marks_clusters": not tree.clusters_are_leaves,
        **level_data(model),
        "plane": plane(model),
        "traces": traces(model.draws_),
    }


def node_rows(tree: Tree) -> list[dict[str, Any]]:
    """Describe each node; its items are `size` of them from `start` in the order of the leaves.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1], [1]], X=[[1.0], [5.0], [6.0]], feature_names=["legs"])
    >>> row = node_rows(tree.with_support({"1": 0.9}))[1]
    >>> row["id"], row["parent"], row["start"], row["size"], row["support"], row["mentions"]
    ('1', 0, 0, 2, 0.9, ['high legs (5.5)'])
    """
    index = {node.id: number for number, node in enumerate(tree.nodes)}
    position = np.argsort(tree.item_order)
    colors = node_colors(tree)
    descriptions = tree.describe()
    return [
        {
            "id": node.id,
            "parent": -1 if node.parent is None else index[node.parent],
            "children": [index[child] for child in node.children],
            "start": int(position[node.items].min()),
            "size": node.size,
            "color": colors[node.id],
            "text_color": text_color_on(colors[node.id]),
            "support": node.support,
            "exact": node.exact,
            "height": node.height,
            "is_cluster": node.is_cluster,
            "is_remainder": node.is_remainder,
            "is_uncertain": opacity(node.support) < 1.0,
            "mentions": descriptions[node.id].mentions,
            "features": [
                (visible_name(each.name), *format_means(each))
                for each in descriptions[node.id].features
            ],
        }
        for node in tree.nodes
    ]


def plane(model: "RBHMC") -> dict[str, Any] | None:
    """Return the items in the plane to look at, and the names of its axes; None without a plane."""
    rotation, names = plane_of(model)
    if len(rotation) < 2:
        return None
    points = model.prepared_ @ rotation[:, :2]
    largest = float(np.abs(points).max()) or 1.0
    x, y = np.round(points / largest, 4).T.tolist()
    return {"x": x, "y": y, "axes": names}


def chain_names(draws: Draws) -> list[str]:
    """Name the chains by their numbers in the run, of which some may be missing."""
    numbers = draws.settings.get("chains", range(draws.n_chains))
    return [f"Chain {number + 1}" for number in numbers]


def traces(draws: Draws) -> dict[str, Any]:
    """Return the traces, thinned to every `step`-th draw such that there are at most 1,000.

    Returns
    -------
    dict
        ``step``; ``n_draws``; ``names`` and ``colors`` of the chains; ``series``, names with the
        values of each chain: RCDLL if it differs from CDLL, CDLL, and learned parameters.
    """
    step = -(-draws.n_draws // MAX_TRACE_POINTS)
    values = {"RCDLL": draws.rcdll, "CDLL": draws.cdll, **learned_summaries(draws)}
    if np.array_equal(draws.rcdll, draws.cdll):
        del values["RCDLL"]
    return {
        "step": step,
        "n_draws": draws.n_draws,
        "names": chain_names(draws),
        "colors": series_colors(draws.n_chains),
        "series": [
            {"name": name, "chains": [_round(chain[::step]) for chain in chains]}
            for name, chains in values.items()
        ],
    }


def _round(values: Floats) -> list[float | None]:
    """Round to seven digits; None for values that JSON cannot hold."""
    return [float(f"{value:.7g}") if np.isfinite(value) else None for value in values.tolist()]


def make_sprite_sheet(images: ArrayLike, n_items: int) -> tuple[bytes, dict[str, int]]:
    """Scale pictures down to thumbnails, see `make_thumbnails`, and set them in rows.

    Returns
    -------
    png : bytes
        The picture of all thumbnails.
    layout : dict
        The numbers of columns and rows, and the width and height of a thumbnail in pixels.

    Examples
    --------
    >>> make_sprite_sheet(np.zeros((5, 8, 8), np.uint8), 5)[1]
    {'columns': 3, 'rows': 2, 'width': 8, 'height': 8}
    """
    pictures = check_images(images, n_items)
    n_channels = pictures.shape[3] if pictures.ndim == 4 else 1
    max_side = min(MAX_SIDE, math.isqrt(MAX_PICTURE_BYTES // (n_items * n_channels)))
    thumbnails = make_thumbnails(pictures, n_items, max_side)
    n_columns = math.ceil(math.sqrt(n_items))
    height, width = thumbnails.shape[1:3]
    layout = {"columns": n_columns, "rows": -(-n_items // n_columns)}
    return encode_png(tile(thumbnails, n_columns)), layout | {"width": width, "height": height}


def encode_png(pixels: Bytes) -> bytes:
    r"""Encode a picture of shape (height, width, n_channels): grey, RGB or RGBA.

    Examples
    --------
    >>> encode_png(np.zeros((2, 3, 1), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    height, width, n_channels = pixels.shape
    # The first byte of a row is the number of its filter: 0, none.
    rows = np.zeros((height, 1 + width * n_channels), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, COLOR_TYPES[n_channels], 0, 0, 0)
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    picture = b"\x89PNG\r\n\x1a\n"
    for name, content in chunks.items():
        checksum = zlib.crc32(name + content)
        picture += struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
    return picture
