"""The form in which every data set is returned."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rbhmc._extras import require


def pack(
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
    """Arrays or frames, as a `Bunch` or as a pair.

    Parameters
    ----------
    X : array of shape (n_items, n_features)
        The table.
    target : array of shape (n_items,)
        The number of each item's class.
    names, feature_names, target_names : sequences of str
        What the rows, the columns and the classes are called.
    descr : str
        What the data are, and where they come from.
    return_X_y : bool
        Whether to return ``(data, target)`` alone.
    as_frame : bool
        Whether data and target are a data frame and a series, with `names` as their index.
    **more
        What else the `Bunch` holds.

    Returns
    -------
    Bunch or tuple
        The data set.

    Examples
    --------
    >>> words = dict(names=["ant"], feature_names=["legs"], target_names=["insects"], descr="")
    >>> pack(np.ones((1, 1)), np.zeros(1, int), **words, return_X_y=True, as_frame=False)
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
