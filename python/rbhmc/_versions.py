"""What another version of rbhmc made is used with a warning."""

from rbhmc._core import __version__
from rbhmc._warnings import warn


class InconsistentVersionWarning(UserWarning):
    """A model or a run was made by another version of rbhmc.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_version("0.0.1", "the model")
    >>> print(caught[0].message)
    the model was made by rbhmc 0.0.1, and this is rbhmc ...; results may differ or fail
    """


def warn_of_version(version: object, what: str) -> None:
    """Warn if something was made by another version."""
    if version != __version__:
        warn(
            f"{what} was made by rbhmc {version or 'of an unknown version'}, and this is rbhmc "
            f"{__version__}; results may differ or fail",
            InconsistentVersionWarning,
        )
