"""The form in which every data set is returned."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rbhmc._extras import require


def make_bunch(
    X: NDArray[np.float64],
    target: NDArray[np.int64],
    *,
    names: Sequence[str],
    feature_names: Sequence[str],
    target_names: Sequence[str],
    descr: str,
    return_X_y: bool,
    as_frame: bool,
    **more: Any,
) -> Any:
    """Return a data set as a `Bunch` or as a pair, of arrays or of frames.

    Parameters
    ----------
    X : array of shape (n_items, n_features)
        The table.
    target : array of shape (n_items,)
        The number of each item's class.
    names, feature_names, target_names : sequences of str
        The names of the rows, the columns and the classes.
    descr : str
        Description and source of the data.
    return_X_y : bool
        Return ``(data, target)`` alone.
    as_frame : bool
        Return data and target as a data frame and a series, with `names` as the index.
    **more
        Further entries of the `Bunch`.

    Examples
    --------
    >>> labels = dict(names=["ant"], feature_names=["legs"], target_names=["insects"], descr="")
    >>> make_bunch(np.ones((1, 1)), np.zeros(1, int), **labels, return_X_y=True, as_frame=False)
    (array([[1.]]), array([0]))
    """
    data: Any = X
    labels: Any = target
    frame = None
    if as_frame:
        pandas = require("pandas", "frames")
        index = pandas.Index(names, name="name")
        data = pandas.DataFrame(X, index=index, columns=list(feature_names))
        labels = pandas.Series(target, index=index, name="target")
        frame = pandas.concat([data, labels], axis="columns")
    if return_X_y:
        return data, labels
    return Bunch(
        data=data,
        target=labels,
        frame=frame,
        names=np.asarray(names, dtype=str),
        feature_names=list(feature_names),
        target_names=np.asarray(target_names, dtype=str),
        DESCR=descr,
        **more,
    )
