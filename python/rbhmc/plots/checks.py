"""What a caller hands to a figure, checked once and brought to one form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_share
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

Array = NDArray[np.float64]


def is_model(given: object) -> "TypeGuard[RBHMC]":
    """Whether an argument is a model, which must be fitted."""
    if not hasattr(given, "fit"):
        return False
    require("sklearn.utils.validation", "plots").check_is_fitted(given)
    return True


def checked_tree(tree: object) -> Hierarchy:
    """Return a tree, or the selected tree of a fitted model."""
    if is_model(tree):
        return tree.tree_
    if not isinstance(tree, Hierarchy):
        raise InvalidInput(
            f"tree is a {type(tree).__name__}; it must be a Tree, such as model.tree_"
        )
    return tree


def checked_level(level: object, tree: Hierarchy) -> int:
    """Check a level below the root; -1 is the last, as for `Tree.labels_at`."""
    if isinstance(level, int | np.integer) and not isinstance(level, bool):
        wanted = int(level) + (tree.n_levels + 1 if level < 0 else 0)
        if 1 <= wanted <= tree.n_levels:
            return wanted
    raise InvalidInput(
        f"level is {level!r}; it must be a whole number from 1 to {tree.n_levels}, or from -1, "
        f"the leaves, to {-tree.n_levels}"
    )


def checked_shares(tree: Hierarchy, support: Mapping[str, float] | None) -> dict[str, float]:
    """Find the support of nodes by id: what is given, or else what the tree itself knows."""
    if support is None:
        return {node.id: node.support for node in tree.nodes if node.support is not None}
    if not isinstance(support, Mapping):
        raise InvalidInput(
            f"support is a {type(support).__name__}; it must map node ids to shares from 0 to 1"
        )
    ids = {node.id for node in tree.nodes}
    for id in support:
        if id not in ids:
            raise InvalidInput(
                f"support names node {id!r}, which the tree does not have; its nodes go from "
                f"'root' to {tree.nodes[-1].id!r}"
            )
    return {id: check_share(share, f"the support of {id!r}") for id, share in support.items()}


def as_numbers(values: Any, what: str, shape: tuple[str | int, ...]) -> Array:
    """Make an array of finite numbers.

    Parameters
    ----------
    values : array
        What was given.
    what : str
        What messages call it.
    shape : tuple of str and int
        What each dimension is, or how long it must be.

    Examples
    --------
    >>> as_numbers([[1, 2]], "table", ("n_rows", 2))
    array([[1., 2.]])
    """
    wanted = f"({', '.join(str(side) for side in shape)}{',' if len(shape) == 1 else ''})"
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what}: {error}; it must hold numbers, of shape {wanted}") from error
    pairs = list(zip(array.shape, shape, strict=False))
    fits = all(n == side if isinstance(side, int) else n > 0 for n, side in pairs)
    if array.ndim != len(shape) or not fits:
        raise InvalidInput(f"{what} has shape {array.shape}; it must have shape {wanted}")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidInput(f"{what}{list(place)} is {array[place]}; it must be finite")
    return array


def checked_images(images: ArrayLike, n_items: int) -> NDArray[Any]:
    """Check pictures of the items: one shade or three or four channels for each pixel."""
    array = np.asarray(images)
    shape = f"({n_items}, height, width) or ({n_items}, height, width, 3)"
    channels = array.ndim == 3 or (array.ndim == 4 and array.shape[3] in (3, 4))
    if not channels or len(array) != n_items or 0 in array.shape:
        raise InvalidInput(
            f"images has shape {array.shape}; it must have shape {shape}, one for each item"
        )
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise InvalidInput("images holds what is no finite number; it must hold shades of pixels")
    if array.ndim == 4 and array.dtype != np.uint8 and not 0 <= array.min() <= array.max() <= 1:
        raise InvalidInput(
            f"images goes from {array.min()} to {array.max()}; channels must be bytes, or from 0 "
            "to 1"
        )
    return array
