"""A table as its file has it: columns by name, numbers where all values are, text on demand."""

import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._arrays import parse_npy
from rbhmc._extras import require
from rbhmc.cli.csv_form import SEPARATORS, decoded, form_of
from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import listed


@dataclass(frozen=True, eq=False)
class RawTable:
    """What a file holds.

    Attributes
    ----------
    file : str
        What messages call it.
    frame : pandas.DataFrame
        All columns, numbers where every value that is there is one; rows without any value and
        columns without name and values are left out.
    unnamed : frozenset of str
        Columns that have no name there, and were given one.
    notes : tuple of str
        What was found out, and should be said.
    read_text : callable
        Reads a column as text.
    decimal : str
        The decimal mark of numbers in that text.
    """

    file: str
    frame: Any
    unnamed: frozenset[str]
    notes: tuple[str, ...]
    read_text: Callable[[str], list[str]]
    decimal: str = "."

    def text(self, column: str) -> list[str]:
        """Return a column as text, as it stands in the file; empty where there is nothing."""
        return self.read_text(column)

    def is_text(self, column: str) -> bool:
        """Whether a column holds something else than numbers."""
        types = require("pandas", "frames").api.types
        return not types.is_numeric_dtype(self.frame[column].dtype)

    def no_numbers(self, column: str) -> NDArray[np.bool_]:
        """Say for each row of a column whether it holds something that is no number."""
        points = [value.replace(self.decimal, ".") for value in self.text(column)]
        numbers = require("pandas", "frames").to_numeric(points, errors="coerce")
        there = self.frame[column].notna().to_numpy()
        return np.asarray(there & np.isnan(np.asarray(numbers, np.float64)))


def read_raw(path: Path) -> RawTable:
    """Read a file, by what its name ends with."""
    if path.is_dir():
        raise UserError(f"{path} is a folder, and not a table")
    if not path.exists():
        raise UserError(f"there is no file {path}", *_similar(path))
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        ending = f"ends with '{path.suffix}'" if path.suffix else "has no ending"
        raise UserError(
            f"{path.name}: the name {ending}, so that the format is not known",
            f"Known are {', '.join(READERS)}.",
        )
    data = path.read_bytes()
    if not data.strip():
        raise UserError(f"{path.name} is empty")
    table = reader(data, path.name)
    if not len(table.frame):
        raise UserError(
            f"{path.name} has no rows, only the columns {listed(list(table.frame.columns))}"
        )
    return table


def _similar(path: Path) -> list[str]:
    """List tables in the same folder, if any."""
    if not path.parent.is_dir():
        return [f"There is no folder {path.parent} either."]
    tables = sorted(file.name for file in path.parent.iterdir() if file.suffix in READERS)
    return [f"Tables in that folder: {listed(tables)}."] if tables else []


def _read_text_table(data: bytes, file: str) -> RawTable:
    text, guessed = decoded(data, file)
    if not text.strip():
        raise UserError(f"{file} is empty")
    notes = [f"{file} is not UTF-8; it was read as {guessed}"] if guessed else []
    form = form_of(text, file)
    if not form.has_header:
        notes.append(
            f"the first row of {file} holds numbers and no names: it was read as data, and the "
            f"columns are called {listed(list(form.names), 3)}"
        )
    names, unnamed = _named(form.names, file)

    def parse(**how: Any) -> Any:
        return _parsed(
            text,
            file,
            len(names),
            sep=form.separator,
            decimal=form.decimal,
            header=0 if form.has_header else None,
            names=names,
            index_col=False,
            skipinitialspace=True,
            **how,
        )

    frame = parse(low_memory=False)
    filled = frame.notna().to_numpy().any(axis=1)
    empty = [name for name in unnamed if frame[name].isna().all()]
    frame = frame[filled].drop(columns=empty).reset_index(drop=True)

    @cache
    def read_text(column: str) -> list[str]:
        values = parse(usecols=[column], dtype=str, keep_default_na=False)[column][filled]
        return [value.strip() for value in values.tolist()]

    if len(frame.columns) == 1 and len(frame):
        tried = ", ".join(f"{words}s" for words in SEPARATORS.values())
        notes.append(f"{file} has one column, '{names[0]}' (no {tried} between values)")
    return RawTable(file, frame, frozenset(unnamed), tuple(notes), read_text, form.decimal)


def _parsed(text: str, file: str, n_columns: int, **how: Any) -> Any:
    pandas = require("pandas", "frames")
    try:
        with warnings.catch_warnings():
            # It warns where rows are longer than the header, and cuts them.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(io.StringIO(text), **how)
    except pandas.errors.ParserWarning:
        raise UserError(
            f"{file} has rows with more values than the {n_columns} of its header"
        ) from None
    except pandas.errors.EmptyDataError:
        raise UserError(f"{file} is empty") from None
    except pandas.errors.ParserError as error:
        reason = str(error).partition("C error: ")[2] or str(error)
        raise UserError(
            f"{file} cannot be read as a table: {reason.strip()}",
            "Are there quotes that are not closed, or separators within a value?",
        ) from None


def _read_parquet(data: bytes, file: str) -> RawTable:
    pandas = require("pandas", "frames")
    require("pyarrow", "parquet")
    try:
        frame = pandas.read_parquet(io.BytesIO(data))
    except (OSError, ValueError) as error:
        raise UserError(f"{file} is not a parquet file: {error}") from None
    if frame.index.name is not None or not isinstance(frame.index, pandas.RangeIndex):
        frame = frame.reset_index()
    return _of_frame(frame, file)


def _read_npy(data: bytes, file: str) -> RawTable:
    pandas = require("pandas", "frames")
    try:
        array = parse_npy(data)
    except (ValueError, EOFError, OSError) as error:
        raise UserError(f"{file} is not an array that numpy.save wrote: {error}") from None
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise UserError(
            f"{file} holds {array.dtype} of shape {array.shape}",
            "It must hold numbers in two dimensions: items, features.",
        )
    names = [f"x{number}" for number in range(1, array.shape[1] + 1)]
    return _of_frame(pandas.DataFrame(array, columns=names), file)


def _of_frame(frame: Any, file: str) -> RawTable:
    frame.columns, unnamed = _named(tuple(str(name).strip() for name in frame.columns), file)

    def read_text(column: str) -> list[str]:
        values = frame[column]
        missing = values.isna().to_numpy()
        return ["" if none else str(v) for v, none in zip(values, missing, strict=True)]

    return RawTable(file, frame, frozenset(unnamed), (), read_text)


def _named(names: tuple[str, ...], file: str) -> tuple[list[str], list[str]]:
    """Name what has no name, and refuse what is called like another."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, start=1):
        places.setdefault(name or f"column {place}", []).append(place)
    for name, found in places.items():
        if len(found) > 1:
            raise UserError(
                f"columns {found[0]} and {found[1]} of {file} are both called '{name}'",
                "Columns are known by their names: rename one of them.",
            )
    whole = list(places)
    return whole, [new for new, name in zip(whole, names, strict=True) if not name]


READERS: dict[str, Callable[[bytes, str], RawTable]] = {
    ".csv": _read_text_table,
    ".tsv": _read_text_table,
    ".parquet": _read_parquet,
    ".npy": _read_npy,
}
