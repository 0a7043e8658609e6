"""Optional packages, imported when a function needs them."""

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

    Raises
    ------
    ImportError
        If it is not installed; the message names the extra to install.

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
