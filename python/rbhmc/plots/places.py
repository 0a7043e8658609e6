"""Words beside points of a plane, where nothing else is."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Directions in which words are set, from the best.
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Places:
    """What of a page is taken; lengths are points, and y goes up.

    Examples
    --------
    >>> places = Places(100.0, 50.0, np.array([[0.0, 0.0, 40.0, 20.0]]))
    >>> places.beside(20.0, 30.0, 30.0, 10.0, [4.0])
    (39.0, 30.0)
    """

    def __init__(self, width: float, height: float, taken: Array) -> None:
        # Boxes as rows: left, bottom, right, top.
        self.width, self.height, self.taken = width, height, taken

    def take(self, left: float, bottom: float, right: float, top: float) -> None:
        """Keep others away from a box."""
        self.taken = np.vstack([self.taken, [left, bottom, right, top]])

    def beside(
        self, x: float, y: float, width: float, height: float, distances: list[float]
    ) -> tuple[float, float] | None:
        """Find a free box of some size beside a point, take it, and return its middle."""
        for distance in distances:
            for right, up in AROUND:
                middle = (
                    x + right * (distance + width / 2.0),
                    y + up * (distance + height / 2.0),
                )
                box = np.array([-width, -height, width, height]) / 2.0 + (*middle, *middle)
                if self._is_free(box):
                    self.take(*box.tolist())
                    return middle
        return None

    def _is_free(self, box: Array) -> bool:
        left, bottom, right, top = box
        if left < 0.0 or bottom < 0.0 or right > self.width or top > self.height:
            return False
        taken = self.taken
        return not bool(
            (
                (taken[:, 0] < right)
                & (taken[:, 2] > left)
                & (taken[:, 1] < top)
                & (taken[:, 3] > bottom)
            ).any()
        )
