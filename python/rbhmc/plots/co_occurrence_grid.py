"""How often items were together, by chain and level."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.metrics import co_occurrence
from rbhmc.plots.co_occurrence import SHARE_LABEL, TREE_WIDTH, draw_heat_map, draw_tree_beside
from rbhmc.plots.inputs import check_tree, figure_or_new
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


def plot_co_occurrence_grid(
    paths: ArrayLike,
    tree: Hierarchy,
    *,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw the co-occurrence at every level, a column each, and of every chain, a row each.

    Chains that agree have rows that look alike.

    Parameters
    ----------
    paths : array of shape (n_chains, n_draws, n_items, n_levels)
        Draws of trees, as in ``model.draws_.paths``; without the first dimension for one row.
    tree : Tree
        A tree of the same items, which gives their order.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a figure of suitable size where absent.

    Returns
    -------
    array of matplotlib.axes.Axes, of shape (n_chains, n_levels)
        As of `plot_co_occurrence`, the tree at the first of each row only.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> draws = [[[[0, 0], [0, 1], [1, 2]], [[0, 0], [1, 1], [1, 2]]]]
    >>> plot_co_occurrence_grid(draws, Tree.from_labels(draws[0][0]), figure=Figure()).shape
    (1, 2)
    """
    tree = check_tree(tree)
    given = np.asarray(paths)
    chains = given[None] if given.ndim == 3 else given
    if chains.ndim != 4 or chains.shape[2] != tree.n_items:
        raise InvalidInput(
            f"paths has shape {given.shape}; it must have shape (n_chains, n_draws, "
            f"{tree.n_items}, n_levels), the items being those of the tree"
        )
    n_chains, n_levels, n = len(chains), chains.shape[3], tree.n_items
    page = figure_or_new(figure, 2.2 * (n_levels + TREE_WIDTH) + 1.0, 2.2 * n_chains + 0.4)
    axes: NDArray[Any] = page.subplots(
        n_chains,
        n_levels,
        squeeze=False,
        gridspec_kw={"width_ratios": [1.0 + TREE_WIDTH] + [1.0] * (n_levels - 1)},
    )
    for (chain, column), ax in np.ndenumerate(axes):
        # A level that the tree does not have has nothing to frame.
        level = column + 1 if column < tree.n_levels else None
        image = draw_heat_map(ax, co_occurrence(chains[chain], column + 1), tree, level)
        if column == 0:
            draw_tree_beside(ax, tree)
            if given.ndim == 4:
                ax.set_ylabel(f"chain {chain + 1}", size=9)
        if chain == 0:
            ax.set_title(f"level {column + 1}", size=9)
        ax.set(xlim=(0.0 if column else -TREE_WIDTH * n, n), ylim=(n, 0))
    bar = page.colorbar(image, ax=axes, shrink=min(1.0, 1.6 / n_chains), aspect=25)
    bar.set_label(SHARE_LABEL, size=8)
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(labelsize=8)
    return axes
