"""One colour for each node, the same in every figure and safe for colour-blind readers.

The id of a node determines its colour: each branch below the root has a hue, and its descendants
have shades of it. If the clusters are not simply the leaves, each cluster has a hue instead, its
descendants have shades of it, and a group of clusters has a pale form of the hue of its first
cluster. Nothing here needs matplotlib.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

# Okabe and Ito's hues without yellow, which is hard to see on white, and with violet and brown;
# the lightness is adjusted such that any two hues are at least 23 apart in CIELAB, also for readers
# with protanopia, deuteranopia and tritanopia.
HUES = ("#0F5288", "#E9A40B", "#2E925A", "#C4581A", "#B57EA6", "#8055D2", "#2ABBF2", "#6F2F12")
NEUTRAL = "#5F6672"  # the root, and what belongs to no branch
BLACK = "#1F2328"
WHITE = "#FFFFFF"
GUIDE = "#C9CED6"  # lines that only guide the eye

GOLDEN_RATIO = (math.sqrt(5.0) - 1.0) / 2.0
# Lightness in OKLab: the darkest and the lightest colour, and the largest change of a hue.
MIN_LIGHTNESS, MAX_LIGHTNESS, MAX_CHANGE = 0.24, 0.87, 0.27
GROUP_SHADE = 0.9  # of a group of clusters
# Lightness to which the darkest and the lightest colour are mapped on a dark background.
MIN_ON_DARK, MAX_ON_DARK = 0.52, 0.9
MAX_HUE_TURN = 0.12  # radians: cousins of the same shade still differ a little in hue

# Ottosson's OKLab: linear RGB to cone responses, whose cube roots are mapped to lightness, a, b.
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def node_colors(tree: Hierarchy) -> dict[str, str]:
    """Return the colour of each node of a tree, such as ``"#0F5288"``, by id.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> node_colors(Tree.from_labels([[0], [0], [1]]))
    {'root': '#5F6672', '1': '#0F5288', '2': '#E9A40B'}
    """
    labels = tree.labels
    return {node.id: _color_in_tree(tree, node, labels) for node in tree.nodes}


def _color_in_tree(tree: Hierarchy, node: Node, labels: NDArray[np.intp]) -> str:
    """Return the colour of a node, given the cluster of each item."""
    if tree.clusters_are_leaves or tree.root.is_cluster or node.parent is None:
        return node_color(node.id)
    first = int(labels[node.items].min())
    cluster = tree.clusters[first]
    if node.size <= cluster.size:
        return node_color(f"{first + 1}{node.id.removeprefix(cluster.id)}")
    # Groups one within the other have the same first cluster, and differ in lightness.
    n_above = node.id.count(".")
    return shade_color(node_color(str(first + 1)), GROUP_SHADE * 0.8**n_above)


def node_color(id: str) -> str:
    """Return the colour of a node.

    The first eight branches have the eight hues, later ones darker and lighter forms of them; a
    child has a shade of its parent's colour, closer to it with every level.

    Parameters
    ----------
    id : str
        ``"root"``, or ranks among siblings from the root down, as in ``"2.1"``.

    Examples
    --------
    >>> node_color("1"), node_color("1.1"), node_color("9")
    ('#0F5288', '#003E74', '#003266')
    """
    if id == "root":
        return NEUTRAL
    try:
        branch, *ranks = (int(part) for part in id.split("."))
    except (AttributeError, ValueError):
        branch, ranks = 0, []
    if min(branch, *ranks, branch) < 1:
        raise InvalidInput(f'id is {id!r}; it must be "root", or ranks from 1 such as "2.1"')
    cycle, hue = divmod(branch - 1, len(HUES))
    shade, turn = 0.0 if cycle == 0 else spread_rank(cycle), 0.0
    for depth, rank in enumerate(ranks):
        shade += 0.6 * 0.45**depth * spread_rank(rank)
        turn += MAX_HUE_TURN * 0.7**depth * spread_rank(rank + 4)
    return shade_color(HUES[hue], max(-1.0, min(1.0, shade)), turn)


def spread_rank(rank: int) -> float:
    """Map a rank to a number between -1 and 1, far from the numbers of the ranks before it."""
    return 2.0 * ((0.2 + (rank - 1) * GOLDEN_RATIO) % 1.0) - 1.0


def series_colors(n: int) -> list[str]:
    """Return colours for series that are not nodes, such as chains or methods."""
    return [node_color(str(number)) for number in range(1, n + 1)]


def shade_color(color: str, shade: float, turn: float = 0.0) -> str:
    """Make a colour darker (to -1) or lighter (to 1), and turn its hue by an angle.

    Examples
    --------
    >>> shade_color("#2E925A", -1.0), shade_color("#2E925A", 0.0), shade_color("#2E925A", 1.0)
    ('#00430F', '#2E925A', '#A2E2B7')
    """
    lightness, a, b = to_oklab(color)
    room = lightness - MIN_LIGHTNESS if shade < 0.0 else MAX_LIGHTNESS - lightness
    change = shade * min(MAX_CHANGE, room)
    # No screen shows light colours of full chroma.
    chroma = 1.0 - 0.3 * max(shade, 0.0)
    turned = chroma * (a + 1j * b) * np.exp(1j * turn)
    return from_oklab(np.array([lightness + change, turned.real, turned.imag]))


def lighten_for_dark(color: str) -> str:
    """Make a colour lighter such that it can be seen on black; darker colours stay darker.

    Examples
    --------
    >>> lighten_for_dark("#0F5288"), lighten_for_dark("#2ABBF2")
    ('#528FC9', '#4FD5FF')
    """
    lightness, a, b = to_oklab(color)
    share = (lightness - MIN_LIGHTNESS) / (MAX_LIGHTNESS - MIN_LIGHTNESS)
    lightness = MIN_ON_DARK + (MAX_ON_DARK - MIN_ON_DARK) * min(1.0, max(0.0, share))
    return from_oklab(np.array([lightness, a, b]))


def tint(color: str, share: float, background: str = WHITE) -> str:
    """Mix a share of a colour with the background."""
    behind = _rgb(background)
    return _hex(behind - share * (behind - _rgb(color)))


def luminance(color: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1, as WCAG defines it."""
    return float(np.dot([0.2126, 0.7152, 0.0722], _linear(_rgb(color))))


def text_color_on(color: str) -> str:
    """Choose black or white for text on a colour, by contrast.

    Examples
    --------
    >>> text_color_on("#0F5288"), text_color_on("#E9A40B")
    ('#FFFFFF', '#1F2328')
    """
    return WHITE if luminance(color) < 0.215 else BLACK


def to_oklab(color: str) -> NDArray[np.float64]:
    """Return lightness and the two opponent axes of a colour in OKLab."""
    lab: NDArray[np.float64] = _TO_OKLAB @ np.cbrt(_TO_CONES @ _linear(_rgb(color)))
    return lab


def from_oklab(lab: NDArray[np.float64]) -> str:
    """Return the colour of an OKLab triple, clipped to sRGB."""
    linear = np.linalg.solve(_TO_CONES, np.linalg.solve(_TO_OKLAB, lab) ** 3).clip(0.0, 1.0)
    return _hex(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


def _linear(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _rgb(color: str) -> NDArray[np.float64]:
    return np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255.0


def _hex(rgb: NDArray[np.float64]) -> str:
    return "#" + "".join(f"{round(255 * float(channel)):02X}" for channel in rgb.clip(0.0, 1.0))
