"""Numbers of the user's table as people read them."""

import math

MOST_DECIMALS = 6
LARGEST = 1e7


def in_units(value: float, spread: float) -> str:
    """Write a value of a feature with as many decimals as its spread makes meaningful.

    Parameters
    ----------
    value : float
        In the user's units.
    spread : float
        The standard deviation of the feature.

    Examples
    --------
    >>> in_units(0.857142, 0.5), in_units(1234.5678, 40.0), in_units(-0.001, 3.0)
    ('0.86', '1,235', '0.0')
    >>> in_units(1.25e-9, 1e-9)
    '1.25e-09'
    """
    decimals = max(0, 1 - math.floor(math.log10(spread))) if spread > 0.0 else 2
    if decimals > MOST_DECIMALS or abs(value) >= LARGEST:
        return f"{value:.2e}"
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """Say how many there are.

    Examples
    --------
    >>> counted(1, "item"), counted(1200, "item"), counted(2, "leaf", "leaves")
    ('1 item', '1,200 items', '2 leaves')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
