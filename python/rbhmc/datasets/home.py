"""The folder that downloads are kept in."""

import os
from pathlib import Path


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Folder that downloads are kept in; it is made when something is downloaded.

    Parameters
    ----------
    data_home : path, optional
        The folder. Where absent: the environment variable ``RBHMC_DATA``, else ``~/rbhmc_data``.

    Returns
    -------
    Path
        The folder, with ``~`` replaced.

    Examples
    --------
    >>> get_data_home("somewhere").name
    'somewhere'
    """
    if data_home is None:
        data_home = os.environ.get("RBHMC_DATA") or "~/rbhmc_data"
    return Path(data_home).expanduser()
