"""Tables simulated from the model, with the true hierarchy."""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._core import simulate
from rbhmc.datasets.bunch import make_bunch

DESCR = """\
A hierarchy simulated from the generative process of Bayesian hierarchical mixture clustering: a
tree from the nested Chinese restaurant process, mixture weights down the tree, a component for each
item at its leaf, and normal data. `paths`, `components`, `means` and `tree` are the truth, in the
form in which `rbhmc.Sampler` has them; `target` is the leaf of each item.
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
    """Simulate a hierarchy and its items from the model, with `rbhmc.simulate`.

    Parameters
    ----------
    n_items, n_dims : int
        The shape of the table.
    n_levels : int
        Levels of the tree below its root.
    alpha, gamma, gamma0 : float
        Concentrations of the tree, of the nodes' weights and of the root's weights.
    noise_cov, base_mean, base_cov : float, vector or matrix
        Covariance of the noise; mean and covariance of the components' means. By default the
        standard deviation of the means is four times that of the noise.
    seed : int
        Equal seeds give equal tables.
    return_X_y : bool
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool
        Return data and target as a data frame and a series, with the items' names as the index.

    Returns
    -------
    Bunch or tuple
        ``data`` of shape (n_items, n_dims); ``target``, the leaf of each item; ``paths``,
        ``components``, ``means`` and ``tree``, the truth; ``target_names``, ``feature_names``,
        ``names`` (of the items), ``frame`` (data and target if `as_frame`, otherwise None),
        ``DESCR``.

    Raises
    ------
    InvalidInput
        If a parameter is not valid.

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
    return make_bunch(
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
