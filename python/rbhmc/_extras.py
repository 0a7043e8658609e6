"""Packages that only some functions need, imported when one of these is called."""

import importlib
from typing import Any


def require(module: str, extra: str) -> Any:
    """Import a module that an extra of this package installs.

    Parameters
    ----------
    module : str
        The module, such as ``"pandas"``.
    extra : str
        The extra that installs it, such as ``"frames"``.

    Returns
    -------
    module
        The module, imported.

    Raises
    ------
    ImportError
        Where it is not installed; the message says how to install it.

    Examples
    --------
    >>> require("json", "frames").dumps([1])
    '[1]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f'this needs {module.partition(".")[0]}: pip install "rbhmc[{extra}]" ({error})',
            name=module,
        ) from error
