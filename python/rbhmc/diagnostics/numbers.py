"""Numbers as people read them."""


def number(value: float | None) -> str:
    """Write two decimals, and powers of ten where these would not do.

    Examples
    --------
    >>> [number(value) for value in (0.0, -214.3771, 0.000123, 12345678.9, None)]
    ['0.00', '-214.38', '1.23e-04', '1.23e+07', '-']
    """
    if value is None:
        return "-"
    if value != 0 and not 0.005 <= abs(value) < 1e6:
        return f"{value:.2e}"
    return f"{value:.2f}"


def rhat_number(value: float | None) -> str:
    """Write an R-hat with the decimals to which it is judged.

    Examples
    --------
    >>> rhat_number(1.00321), rhat_number(float("inf")), rhat_number(None)
    ('1.003', '>100', '-')
    """
    if value is None:
        return "-"
    return f"{value:.3f}" if value <= 100 else ">100"


def whole_number(value: float | None) -> str:
    """Write the nearest whole number.

    Examples
    --------
    >>> whole_number(1234.5), whole_number(None)
    ('1234', '-')
    """
    return "-" if value is None else f"{value:.0f}"
