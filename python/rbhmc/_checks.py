"""Checks of arguments: each returns the value in one form, or raises InvalidInput."""

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc._text import encode_text, label_texts


def check_array(values: Any, name: str) -> NDArray[Any]:
    """Convert values to an array.

    Examples
    --------
    >>> check_array([[1, 2], [3]], "paths")
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: paths could not be converted to an array (...)
    """
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} could not be converted to an array ({error})") from error


def check_numbers(
    values: Any, name: str, shape: tuple[str | int, ...], *, allow_empty: bool = False
) -> NDArray[np.float64]:
    """Convert values to an array of finite numbers with a given shape.

    Parameters
    ----------
    values : array
        Numbers; text is refused even if it could be read as numbers.
    name : str
        The name of the argument in messages.
    shape : tuple of str and int
        The length of each dimension, or its name if any length is allowed.
    allow_empty : bool
        Whether a dimension of any length may be empty.

    Examples
    --------
    >>> check_numbers([[1, 2]], "table", ("n_rows", 2))
    array([[1., 2.]])
    """
    wanted = f"({', '.join(str(side) for side in shape)}{',' if len(shape) == 1 else ''})"
    array = check_array(values, name)
    if array.dtype.kind not in "fiubO":
        raise InvalidInput(f"{name} has dtype {array.dtype}; it must hold numbers")
    try:
        array = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{name} has dtype {array.dtype}; it must hold numbers ({error})"
        ) from error
    fits = all(
        n == side if isinstance(side, int) else n > 0 or allow_empty
        for n, side in zip(array.shape, shape, strict=False)
    )
    if array.ndim != len(shape) or not fits:
        raise InvalidInput(f"{name} has shape {array.shape}; it must have shape {wanted}")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidInput(f"{name}{list(place)} is {array[place]}; it must be finite")
    return array


def check_table(X: ArrayLike, n_items: int) -> NDArray[np.float64]:
    """Check a table of finite numbers with one row for each item."""
    return check_numbers(X, "X", (n_items, "n_features"), allow_empty=True)


def check_level(level: object, n_levels: int, *, root: bool = False) -> int:
    """Convert a level to 1 … n_levels; -1 … -n_levels count from the leaves.

    Parameters
    ----------
    level : int
        The level; 0 is the root.
    n_levels : int
        The number of levels below the root.
    root : bool
        Whether 0 is allowed.

    Examples
    --------
    >>> check_level(2, 3), check_level(-1, 3), check_level(0, 3, root=True)
    (2, 3, 0)
    """
    try:
        number = None if isinstance(level, bool) else operator.index(level)  # type: ignore[arg-type]
    except TypeError:
        number = None
    first = 0 if root else 1
    if number is not None and first <= number <= n_levels:
        return number
    if number is not None and -n_levels <= number <= -1:
        return n_levels + 1 + number
    raise InvalidInput(
        f"level is {level!r}; it must be a whole number from {first} to {n_levels}, or from -1, "
        f"the leaves, to {-n_levels}{'' if root else ' (0 is the root)'}"
    )


def check_names(
    names: Iterable[object] | None, n: int, *, what: str, prefix: str = ""
) -> tuple[str, ...]:
    """Convert names to strings; without names return the prefix followed by 0, 1, ….

    Halves of surrogate pairs, which no file can hold, become escapes.
    """
    if names is None:
        return tuple(f"{prefix}{i}" for i in range(n))
    if isinstance(names, str):
        raise InvalidInput(f"{what} is one string; it must be a sequence of {n}")
    if not isinstance(names, Iterable):
        raise InvalidInput(f"{what} is {names!r}; it must be a sequence of {n}")
    strings = tuple(encode_text(name).decode() for name in label_texts(names))
    if len(strings) != n:
        raise InvalidInput(f"{what} has {len(strings)} entries; it must have {n}")
    return strings


def check_count(name: str, value: object, least: int) -> int:
    """Check a whole number such as the number of chains, draws or sweeps."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidInput(f"{name} is {value!r}; it must be a whole number, {least} at least")
    return int(value)


def check_share(value: float, what: str) -> float:
    """Check a share of draws."""
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(f"{what} is {value}; it must be from 0 to 1")
    return float(value)


def refuse_durations(X: object) -> None:
    """Refuse an array of durations, which NumPy would convert to counts of its unit.

    Examples
    --------
    >>> refuse_durations(np.array([[1]], dtype="timedelta64[h]"))
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: X has dtype timedelta64[h]; convert durations to numbers, for ...
    """
    if isinstance(X, np.ndarray) and X.dtype.kind == "m":
        raise InvalidInput(
            f"X has dtype {X.dtype}; convert durations to numbers, for example to days: "
            "X / numpy.timedelta64(1, 'D')"
        )
