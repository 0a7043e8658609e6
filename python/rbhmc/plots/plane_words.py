"""Ids of nodes and names of items in a plane, none of which hides another."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbhmc._extras import require
from rbhmc.plots.checks import Array
from rbhmc.plots.fonts import families
from rbhmc.plots.palette import INK, PAPER, ink_on
from rbhmc.plots.places import Places
from rbhmc.plots.words import SMALL, Type
from rbhmc.tree.node import Node

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOT = 5.0  # points across
LONGEST = 70.0  # points for a name
LABEL = Type(SMALL + 0.5)

Point = tuple[float, float]
Limits = tuple[Point, Point]


class PlaneWords:
    """Ids and names beside the points, none of which hides another."""

    def __init__(
        self, ax: "Axes", limits: Limits, size: tuple[float, float], points: Array
    ) -> None:
        self.ax = ax
        self.points = points
        low = np.array([limits[0][0], limits[1][0]])
        self.unit = size[0] / (limits[0][1] - limits[0][0])
        self.at = (points - low) * self.unit  # in points of the page
        self.free = Places(*size, np.hstack([self.at - DOT / 2.0, self.at + DOT / 2.0]))
        self.free_of_words = Places(*size, np.empty((0, 4)))

    def write_id(self, node: Node, color: str) -> None:
        """Write the id of a node beside its middle item; over points where these are dense."""
        own = self.at[node.items]
        middle = int(np.argmin(((own - own.mean(axis=0)) ** 2).sum(axis=1)))
        x, y = own[middle].tolist()
        width, height = LABEL.width(node.id) + 7.0, LABEL.size + 6.0
        place = self.free.beside(x, y, width, height, [4.0, 9.0, 15.0, 22.0])
        if place is None:
            place = self.free_of_words.beside(x, y, width, height, [4.0, 9.0, 15.0])
            if place is None:
                return
            self.take(self.free, place, width, height)
        else:
            self.take(self.free_of_words, place, width, height)
        box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": "white"}
        item = self.points[node.items[middle]]
        self.write(node.id, item, place, (x, y), LABEL, color=ink_on(color), bbox=box, zorder=5)

    def write_names(self, names: tuple[str, ...], shaded: bool) -> None:
        """Write the names of items, as far as there is room."""
        type = Type(SMALL, tuple(families(names)))
        settings: dict[str, Any] = {}
        if shaded:  # where boundaries may run through names
            stroke = require("matplotlib.patheffects", "plots").withStroke
            settings = {
                "color": INK,
                "path_effects": [stroke(linewidth=2.0, foreground=PAPER)],
            }
        for name, item, (x, y) in zip(names, self.points, self.at.tolist(), strict=True):
            short = type.shortened(name, LONGEST)
            width, height = type.width(short) + 1.0, 1.2 * type.size
            place = self.free.beside(x, y, width, height, [DOT / 2.0 + 1.0, DOT / 2.0 + 4.0])
            if place is not None:
                self.write(short, item, place, (x, y), type, **settings)

    @staticmethod
    def take(places: Places, middle: Point, width: float, height: float) -> None:
        """Note a box that was found on the other page."""
        x, y = middle
        places.take(x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0)

    def write(
        self, text: str, item: Array, place: Point, at: Point, type: Type, **settings: Any
    ) -> None:
        """Write as far from an item as a place is from where it stands."""
        note = self.ax.annotate(
            text,
            (float(item[0]), float(item[1])),
            xytext=(place[0] - at[0], place[1] - at[1]),
            textcoords="offset points",
            ha="center",
            va="center",
            **settings,
        )
        type.dress(note)
