"""The columns of arrays and of data frames of all kinds, before they are understood."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from itertools import compress
from numbers import Number
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, validate_data

from rbhmc._checks import refuse_durations
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc._text import label_texts
from rbhmc.columns.values import is_gap, is_none

Floats = NDArray[np.float64]

EPOCH = datetime(1970, 1, 1)
DAY = np.timedelta64(1, "D")


class RawColumn(NamedTuple):
    """A column as the table has it.

    Attributes
    ----------
    name : str
    form : {"number", "yes/no", "date", "text"}
        What the table says that it holds.
    values : array of shape (n_items,)
        Texts or None; otherwise numbers, with NaN for gaps. Dates are days from 1970-01-01.
        The text none is a gap unless it is one of several words.
    categories : tuple of str, or None
        The categories that the table declares, in their order.
    is_ordered : bool
        Whether the table declares that the order of the categories means something.
    odd : str
        The type of a value that is neither number, text, truth value, date nor duration; empty if
        there is none.
    unit : str
        The unit of the numbers, if the table says it: durations are days.
    """

    name: str
    form: Literal["number", "yes/no", "date", "text"]
    values: NDArray[Any]
    categories: tuple[str, ...] | None = None
    is_ordered: bool = False
    odd: str = ""
    unit: str = ""


def is_frame(X: object) -> bool:
    """Whether a table is a data frame. Arrays of Arrow and xarray have no columns.

    Examples
    --------
    >>> is_frame([[1.0]]), is_frame(np.eye(2))
    (False, False)
    """
    return hasattr(X, "columns") and any(
        hasattr(X, name)
        for name in ("__dataframe__", "__narwhals_dataframe__", "__arrow_c_stream__")
    )


def check_is_table(X: Any) -> None:
    """Refuse what is not a table, and say what would make it one.

    Examples
    --------
    >>> check_is_table({"legs": [4, 6]})
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: X is a dict; it must be a table ...: give pandas.DataFrame(X)
    """
    is_sequence = isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.ndim == 1)
    row = X[0] if is_sequence and len(X) else None
    has_fields = getattr(getattr(X, "dtype", None), "names", None) is not None
    if issparse(X):  # before the others: one of these matrices is a dict
        wanted = "X.toarray(), or of a large sparse matrix TruncatedSVD(10).fit_transform(X)"
    elif X is None:
        wanted = "an array or a data frame"
    elif isinstance(X, str | PathLike):
        wanted = "pandas.read_csv(X), or use the command rbhmc fit"
    elif hasattr(X, "to_frame") and not hasattr(X, "columns"):
        wanted = "X.to_frame(), or X.to_frame().T if X is a row"
    elif hasattr(X, "collect"):
        wanted = "X.collect()"
    elif isinstance(X, Iterator):
        wanted = "list(X)"
    elif isinstance(X, Mapping) or has_fields or isinstance(row, Mapping):
        wanted = "pandas.DataFrame(X)"
    elif isinstance(row, str):
        wanted = "[[text] for text in X], or numbers made from the texts, see docs/texts.md"
    else:
        return
    raise InvalidInput(
        f"X is a {type(X).__name__}; it must be a table with rows and columns: give {wanted}"
    )


def holds_objects(X: object) -> bool:
    """Whether an array, or nested lists, hold anything but numbers.

    Examples
    --------
    >>> holds_objects([[1.0, None]]), holds_objects([[1, 2.5]]), holds_objects([["a", 1]])
    (True, False, True)
    """
    try:
        table = np.asarray(X)
    except ValueError:
        return False  # ragged lists, which scikit-learn refuses
    if table.ndim != 2 or table.dtype.kind not in "OUSM":
        return False
    return table.dtype.kind != "O" or not all(isinstance(each, Number) for each in table.flat)


def as_numbers(X: Any) -> Floats:
    """Check an array of numbers, in which NaN and masked entries are gaps.

    Examples
    --------
    >>> as_numbers(np.ma.masked_greater([[1.0, 9.0]], 5.0))
    array([[ 1., nan]])
    """
    refuse_durations(X)
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    try:
        checked: Floats = check_array(
            X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X"
        )
    except OverflowError as error:
        raise InvalidInput(f"X has a value of more than 1.8e308 in size ({error})") from error
    return checked


def check_columns(estimator: Any, X: Any) -> None:
    """Check that new items have the columns that an estimator was fitted on."""
    check_is_table(X)
    table = X if is_frame(X) or holds_objects(X) else as_numbers(X)
    # A copy of an array has no column names, as the array itself.
    validate_data(estimator, table, reset=False, skip_check_array=True)


def with_input_tags(tags: Any) -> Any:
    """Add to the tags of an estimator that it takes tables with gaps, texts and categories."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags


def raw_columns(X: Any) -> list[RawColumn]:
    """Take a data frame, or an array of objects or texts, apart into its columns.

    Examples
    --------
    >>> columns = raw_columns(np.array([["a", 1], [None, 2]], object))
    >>> [(column.name, column.form, column.values.tolist()) for column in columns]
    [('x0', 'text', ['a', None]), ('x1', 'number', [1.0, 2.0])]
    """
    if not is_frame(X):
        table = np.asarray(X)
        if table.dtype.kind in "biuf":
            numbers = table.astype(np.float64)
            return [RawColumn(f"x{at}", "number", numbers[:, at]) for at in range(table.shape[1])]
        columns = [_of_objects(f"x{at}", table[:, at]) for at in range(table.shape[1])]
        odd = [at for at, column in enumerate(columns) if column.odd]
        _refuse_odd(columns, f"numpy.delete(X, {odd}, axis=1)")
        return columns
    if type(X).__module__.partition(".")[0] == "pandas":
        labels = label_texts(X.columns)
        columns = [_of_pandas(label, X.iloc[:, at]) for at, label in enumerate(labels)]
    else:
        frame = to_narwhals(X)
        columns = [_of_narwhals(frame.get_column(name)) for name in frame.columns]
    counts = Counter(column.name for column in columns)
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        names = ", ".join(map(repr, repeated))
        raise InvalidInput(f"several columns of X are called {names}; give each its own name")
    odd_names = [column.name for column in columns if column.odd]
    _refuse_odd(columns, f"X.drop(columns={odd_names})")
    return columns


def _refuse_odd(columns: Iterable[RawColumn], without: str) -> None:
    """Refuse columns of objects that no kind has; `without` is the table without these."""
    odd = [f"{column.name!r} holds a {column.odd}" for column in columns if column.odd]
    if odd:
        raise InvalidInput(
            "columns must hold numbers, texts, truth values, dates or durations: "
            f"{'; '.join(odd)}; leave them out: {without}"
        )


def to_narwhals(X: Any) -> Any:
    """Return a data frame as narwhals reads it."""
    try:
        return require("narwhals", "frames").from_native(X, eager_only=True)
    except TypeError as error:
        wanted = "X.to_pandas()" if hasattr(X, "to_pandas") else "pandas.DataFrame(X)"
        raise InvalidInput(
            f"X is a {type(X).__name__}, which narwhals does not read; give {wanted}"
        ) from error


def item_index(X: Any) -> tuple[tuple[str, ...] | None, bool]:
    """Return the index of a pandas data frame as texts, and whether it only counts the items.

    Examples
    --------
    >>> item_index([[0.0]])
    (None, True)
    """
    index = getattr(X, "index", None)
    # The `index` of a list is a method.
    if index is None or callable(index):
        return None, True
    return label_texts(index), getattr(index.dtype, "kind", "O") in "iu"


def _of_pandas(name: str, series: Any) -> RawColumn:
    pandas = require("pandas", "frames")
    types, dtype = pandas.api.types, series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        categories = tuple(str(each) for each in dtype.categories)
        return RawColumn(name, "text", _texts(series.astype(object)), categories, dtype.ordered)
    if types.is_bool_dtype(dtype):
        return RawColumn(name, "yes/no", series.to_numpy(np.float64, na_value=np.nan))
    if types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype):
        return RawColumn(name, "number", series.to_numpy(np.float64, na_value=np.nan))
    if isinstance(dtype, pandas.PeriodDtype):
        return _of_pandas(name, series.dt.to_timestamp())
    # Arrow's days are objects of `date`.
    if types.is_datetime64_any_dtype(dtype) and dtype.type is not date:
        values = series.dt.tz_localize(None).to_numpy("datetime64[us]")
        return RawColumn(name, "date", _days(values))
    return _of_objects(name, series.astype(object))


def _of_narwhals(series: Any) -> RawColumn:
    narwhals = require("narwhals", "frames")
    name, dtype = series.name, series.dtype
    if dtype.is_numeric():
        values = np.array([np.nan if each is None else float(each) for each in series.to_list()])
        return RawColumn(name, "number", values)
    if dtype == narwhals.Enum:
        return RawColumn(name, "text", _texts(series.to_list()), tuple(dtype.categories), True)
    if dtype == narwhals.Categorical:
        texts = _texts(series.to_list())
        return RawColumn(name, "text", texts, tuple(sorted({each for each in texts if each})))
    return _of_objects(name, series.to_list())


def _of_objects(name: str, values: Iterable[Any]) -> RawColumn:
    """Read Python objects: all of them numbers, truth values, dates or durations, or texts."""
    given = np.empty(len(values := list(values)), object)
    given[:] = [None if _is_missing(each) else each for each in values]
    present = [each for each in given if each is not None]
    if present and all(isinstance(each, bool | np.bool_) for each in present):
        return RawColumn(name, "yes/no", _floats(given))
    if all(_is_number(each) for each in present):
        return RawColumn(name, "number", _floats(given))
    if all(isinstance(each, date | np.datetime64) for each in present):
        return RawColumn(name, "date", _days(np.array([_naive(each) for each in given], "M8[us]")))
    if all(isinstance(each, timedelta | np.timedelta64) for each in present):
        days = [None if each is None else np.timedelta64(each) / DAY for each in given]
        return RawColumn(name, "number", _floats(days), unit="days")
    plain = (str, date, np.datetime64)
    is_odd = (not (isinstance(each, plain) or _is_number(each)) for each in present)
    odd = next((type(each).__name__ for each in compress(present, is_odd)), "")
    return RawColumn(name, "text", _texts(given), odd=odd)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, Number | np.number)
    return is_number and not isinstance(value, complex | np.complexfloating | np.timedelta64)


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas.NA, which are not equal to themselves."""
    if value is None or type(value).__name__ == "NAType":
        return True
    not_equal = float | np.floating | np.datetime64 | np.timedelta64
    return (isinstance(value, not_equal) and value != value) or type(value).__name__ == "NaTType"


def _floats(values: Iterable[Any]) -> Floats:
    return np.array([np.nan if each is None else _float(each) for each in values], np.float64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf  # which is refused, with the name of the column
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{value!r} could not be converted to a number ({error})") from error


def _texts(values: Iterable[Any]) -> NDArray[np.object_]:
    given = ["" if _is_missing(each) else str(each).strip() for each in values]
    found = [None if is_gap(text) and not is_none(text) else text for text in given]
    texts = np.empty(len(found), object)
    texts[:] = found
    return texts


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def _days(values: NDArray[np.datetime64]) -> Floats:
    days = (values - np.datetime64(EPOCH, "us")) / DAY
    return np.asarray(days, np.float64)
