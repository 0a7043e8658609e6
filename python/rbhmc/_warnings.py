"""Warnings that show the line of the user's code from which they come."""

import sys
import warnings

# Their lines call ours on the user's behalf.
PACKAGES = frozenset({"rbhmc", "sklearn", "joblib"})


def warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line that is in none of the packages.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("the table has one column")
    >>> print(caught[0].message, caught[0].category.__name__)
    the table has one column UserWarning
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
