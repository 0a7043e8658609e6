"""The line from a node to a child: one turn right after the node, then straight."""

from typing import TYPE_CHECKING

from rbhmc._extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]


def draw_branch(
    ax: "Axes", start: Point, turn: Point, end: Point, *, color: str, width: float
) -> None:
    """Draw a branch.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    start, end : (float, float)
        The ends, as x and y.
    turn : (float, float)
        Between which x it goes from the height of its start to that of its end.
    color : str
        Its colour.
    width : float
        Its width in points.
    """
    path = require("matplotlib.path", "plots").Path
    first, last = turn
    half = (first + last) / 2.0
    points = [start, (first, start[1]), (half, start[1]), (half, end[1]), (last, end[1]), end]
    codes = [path.MOVETO, path.LINETO, path.CURVE4, path.CURVE4, path.CURVE4, path.LINETO]
    ax.add_patch(
        require("matplotlib.patches", "plots").PathPatch(
            path(points, codes),
            fill=False,
            edgecolor=color,
            linewidth=width,
            capstyle="butt",
            clip_on=False,
        )
    )
