"""A sample of the items of a large model, which its report shows."""

import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbhmc.draws import Draws
from rbhmc.tree import Tree
from rbhmc.tree.labels import as_labels

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC


def sample_items(tree: Tree, n_sampled: int) -> NDArray[np.intp]:
    """Draw items at random, at least one of each leaf, in ascending order.

    Examples
    --------
    >>> tree = Tree.from_labels([[0]] * 50 + [[1]])
    >>> items = sample_items(tree, 5)
    >>> len(items), int(items[-1])
    (5, 50)
    """
    rng = np.random.default_rng(0)
    firsts = np.array([rng.choice(leaf.items) for leaf in tree.leaves])
    others = np.setdiff1d(np.arange(tree.n_items), firsts)
    n_others = max(n_sampled - len(firsts), 0)
    return np.sort(np.concatenate([firsts, rng.choice(others, n_others, replace=False)]))


def restrict_model(model: "RBHMC", items: NDArray[np.intp]) -> "RBHMC":
    """Return a model whose tree, draws and prepared table have some of the items."""
    draws = model.draws_
    arrays = draws.to_arrays()
    arrays["paths"] = np.moveaxis(as_labels(arrays["paths"][:, :, items]), -1, -2)
    arrays["components"] = arrays["components"][:, :, items]
    part = copy.copy(model)
    part.tree_ = model.tree_.restrict(items)
    part.draws_ = Draws(arrays, part.tree_.names, draws.settings)
    part.prepared_ = model.prepared_[items]
    part._computed = {}
    return part
