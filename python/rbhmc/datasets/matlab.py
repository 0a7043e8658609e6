"""Reading a table from a MATLAB file: ``data``, ``names``, and perhaps ``features``."""

from pathlib import Path
from typing import Any

import numpy as np

from rbhmc._core import InvalidInput
from rbhmc.datasets.table import Table, checked_table


def read_mat(file: Path) -> Table:
    """Table that a MATLAB file (up to version 7.2) holds.

    Parameters
    ----------
    file : Path
        It holds ``data``, a matrix with items in rows; ``names``, a cell array of their names;
        and ``features``, a cell array of the features' names, which are numbered where absent.

    Returns
    -------
    Table
        The table; its classes are None.

    Raises
    ------
    InvalidInput
        If it cannot be read, lacks ``data`` or ``names``, or these do not fit together.

    Examples
    --------
    >>> import tempfile
    >>> from scipy.io import savemat
    >>> names = np.array(["ant", "bee"], dtype=object)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "insects.mat"
    ...     savemat(file, {"data": [[0.0], [1.0]], "names": names})
    ...     read_mat(file).feature_names
    ['feature 0']
    """
    content = file.read_bytes()
    if content.startswith(b"MATLAB 7.3"):
        raise InvalidInput(f"{file} is of version 7.3 (HDF5); save it in MATLAB with -v7")
    # Here: few tables come from MATLAB, and `import rbhmc` is to be quick.
    from scipy.io import loadmat

    try:
        parts = loadmat(file)
    except Exception as error:  # SciPy raises many kinds for a damaged file.
        raise InvalidInput(f"{file} is not a readable MATLAB file: {error!r}") from error
    for name in ("data", "names"):
        if name not in parts:
            found = ", ".join(sorted(key for key in parts if not key.startswith("__")))
            raise InvalidInput(f"{file} has no variable {name!r}; it has: {found or 'none'}")
    data = parts["data"]
    names = _strings(parts["names"])
    if np.ndim(data) != 2:
        raise InvalidInput(f"{file}: data must have two dimensions, not {np.ndim(data)}")
    features = [f"feature {number}" for number in range(data.shape[1])]
    if "features" in parts:
        features = _strings(parts["features"])
    return checked_table(file, names, None, features, data)


def _strings(cells: Any) -> list[str]:
    """Texts of a cell array, or of the rows of a character array."""
    return ["".join(str(part) for part in np.ravel(cell)) for cell in np.ravel(cells)]
