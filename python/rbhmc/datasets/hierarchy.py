"""Tables drawn from the model, with the hierarchy behind them."""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._core import simulate
from rbhmc.datasets.bunch import pack

DESCR = """\
A hierarchy drawn from the generative process of Bayesian hierarchical mixture clustering: a tree by
the nested Chinese restaurant process, weights of components down the tree, a component for each
item at its leaf, and normal data. `paths`, `components`, `means` and `tree` are the truth behind
the data, in the form in which `rbhmc.Sampler` gives them; `target` is the leaf of each item.
"""


def make_hierarchy(
    n_items: SupportsIndex = 100,
    n_dims: SupportsIndex = 5,
    *,
    n_levels: SupportsIndex = 3,
    alpha: float = 0.35,
    gamma: float = 1.0,
    gamma0: float = 0.85,
    noise_cov: ArrayLike = 1.0,
    base_mean: ArrayLike = 0.0,
    base_cov: ArrayLike = 16.0,
    seed: SupportsIndex = 0,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Items from a hierarchy that the model draws, by `rbhmc.simulate`.

    Parameters
    ----------
    n_items, n_dims : int
        How many items, and how many numbers each has.
    n_levels : int
        Levels of the tree below its root.
    alpha, gamma, gamma0 : float
        Concentrations: of the tree, of the nodes' weights, of the root's weights.
    noise_cov, base_mean, base_cov : float, vector or matrix
        Covariance of the noise; mean and covariance of the components' means. With the
        defaults, the means are spread four times as wide as the noise.
    seed : int
        Of the draw.
    return_X_y : bool
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool
        Return data and target as a data frame and a series, with the items' names as the index.

    Returns
    -------
    Bunch or tuple
        ``data`` of shape (n_items, n_dims); ``target``, the leaf of each item; ``paths``,
        ``components``, ``means`` and ``tree``, the truth; ``target_names``, ``feature_names``,
        ``names`` (of the items), ``frame`` (data and target, if `as_frame`, else None), ``DESCR``.

    Raises
    ------
    InvalidInput
        If a parameter cannot be used.

    Examples
    --------
    >>> hierarchy = make_hierarchy(20, 3, seed=4)
    >>> hierarchy.data.shape, hierarchy.paths.shape
    ((20, 3), (20, 3))
    >>> bool((hierarchy.target == hierarchy.paths[:, -1]).all())
    True
    """
    truth = simulate(
        n_items,
        n_dims,
        n_levels=n_levels,
        alpha=alpha,
        gamma=gamma,
        gamma0=gamma0,
        noise_cov=noise_cov,
        base_mean=base_mean,
        base_cov=base_cov,
        seed=seed,
    )
    X, paths = truth["X"], truth["paths"]
    target = paths[:, -1].astype(np.int64)
    return pack(
        X,
        target,
        names=[f"item {number}" for number in range(len(X))],
        feature_names=[f"x{number}" for number in range(X.shape[1])],
        target_names=[f"leaf {number}" for number in range(target.max(initial=-1) + 1)],
        descr=DESCR,
        return_X_y=return_X_y,
        as_frame=as_frame,
        paths=paths,
        components=truth["components"],
        means=truth["means"],
        tree=truth["tree"],
    )
