"""Reads a data file with pandas, and notes for the user what had to be guessed."""

import csv
import functools
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._arrays import parse_npy
from rbhmc._extras import require
from rbhmc._text import unguard_formula
from rbhmc.cli.console import UserError, format_list

SEPARATORS = {";": "semicolons", ",": "commas", "\t": "tabs", "|": "bars"}
# A field between semicolons that is a number with a decimal comma.
DECIMAL_COMMA = re.compile(r'(?:^|;)[ "]*[+-]?\d*,\d+(?:[eE][+-]?\d+)?[ "]*(?=;|$)', re.MULTILINE)


@dataclass(frozen=True, eq=False)
class DataFile:
    """The content of a data file.

    Attributes
    ----------
    name : str
        The name of the file, for messages.
    frame : pandas.DataFrame
        All columns; a column is numeric if all its values are.
    read_text : callable
        Returns a column as text, exactly as the file has it; empty for a missing value.
    notes : list of str
        Remarks for the user about how the file was read.
    unnamed : set of str
        Columns without a name in the file.
    decimal : str
        The decimal mark of the file.
    """

    name: str
    frame: Any
    read_text: Callable[[str], list[str]]
    notes: list[str]
    unnamed: set[str]
    decimal: str = "."

    def is_numeric(self, column: str) -> bool:
        """Whether all values of a column are numbers, or missing."""
        types = require("pandas", "frames").api.types
        return bool(types.is_numeric_dtype(self.frame[column].dtype))

    def bad_values(self, column: str) -> NDArray[np.bool_]:
        """Return for each row whether its value in a column is something other than a number."""
        text = [value.replace(self.decimal, ".") for value in self.read_text(column)]
        numbers = require("pandas", "frames").to_numeric(text, errors="coerce")
        present = self.frame[column].notna().to_numpy()
        return np.asarray(present & np.isnan(np.asarray(numbers, np.float64)))


def read_file(path: Path) -> DataFile:
    """Read a file in the format that the end of its name tells."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; give a file")
    if not path.exists():
        raise UserError(f"there is no file {path}", *_list_tables(path.parent))
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        ending = f"ends with '{path.suffix}'" if path.suffix else "has no ending"
        raise UserError(
            f"the name of {path.name} {ending}, so that its format is unknown",
            f"Files can be {', '.join(READERS)}.",
        )
    data = path.read_bytes()
    if not data.strip():
        raise UserError(f"{path.name} is empty", "Give a table with a row of column names.")
    file = reader(data, path.name)
    if not len(file.frame):
        raise UserError(
            f"{path.name} has no rows, only the columns {format_list(list(file.frame.columns))}"
        )
    return file


def _list_tables(folder: Path) -> list[str]:
    if not folder.is_dir():
        return [f"There is no folder {folder} either."]
    tables = sorted(file.name for file in folder.iterdir() if file.suffix in READERS)
    return [f"Tables in that folder: {format_list(tables)}."] if tables else []


def _read_csv(data: bytes, file: str) -> DataFile:
    text, notes = _decode(data, file)
    separator, names, has_header = _read_header(text, file)
    if not has_header:
        notes.append(
            f"the first row of {file} holds numbers and not names: it was read as data, and the "
            f"columns are called {format_list(names, 3)}"
        )
    columns, unnamed = _name_columns([unguard_formula(name) for name in names], file)
    decimal = "," if separator == ";" and DECIMAL_COMMA.search(text) else "."

    def parse(**options: Any) -> Any:
        return _parse_csv(
            text,
            file,
            sep=separator,
            decimal=decimal,
            header=0 if has_header else None,
            names=columns,
            index_col=False,
            skipinitialspace=True,
            **options,
        )

    frame = parse(low_memory=False)
    present = frame.notna().to_numpy().any(axis=1)
    empty = [name for name in unnamed if frame[name].isna().all()]
    frame = frame[present].drop(columns=empty).reset_index(drop=True)

    @functools.cache
    def read_text(column: str) -> list[str]:
        values = parse(usecols=[column], dtype=str, keep_default_na=False)[column][present]
        return [unguard_formula(value.strip()) for value in values.tolist()]

    if len(frame.columns) == 1 and len(frame):
        separators = ", ".join(SEPARATORS.values())
        notes.append(f"{file} has one column, '{columns[0]}' (no {separators} between values)")
    return DataFile(file, frame, read_text, notes, unnamed, decimal)


def _decode(data: bytes, file: str) -> tuple[str, list[str]]:
    """Return the text of a file, and a note if its encoding was guessed."""
    has_utf16_mark = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in data and not has_utf16_mark:
        raise UserError(f"{file} is not a text table: it holds zero bytes")
    # Latin-1 gives every byte a meaning.
    for encoding in ("utf-16" if has_utf16_mark else "utf-8-sig", "cp1252", "latin-1"):
        try:
            text = data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
        guessed = encoding in ("cp1252", "latin-1")
        return text, [f"{file} is not UTF-8; it was read as Windows-1252 (Latin-1)"] * guessed
    raise AssertionError("unreachable")


def _read_header(text: str, file: str) -> tuple[str, list[str], bool]:
    """Find the separator, the names of the columns, and whether the first row holds them."""
    first_line = re.sub(r'"[^"]*"', "", text.lstrip("\n ").partition("\n")[0])
    # A file with one column may have decimal commas, so that its separator is not the comma.
    separator = max(SEPARATORS, key=first_line.count)
    rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    try:
        filled = ([field.strip() for field in row] for row in rows if any(map(str.strip, row)))
        header: list[str] = next(filled, [])
        row: list[str] = next(filled, [])
    except csv.Error as error:
        raise UserError(f"{file} cannot be read as a table: {error}") from None
    if not header:
        raise UserError(f"{file} is empty", "Give a table with a row of column names.")
    if _is_data(header):
        return separator, [f"x{number}" for number in range(1, len(header) + 1)], False
    if len(row) == len(header) + 1:
        # R writes row names without a name; other programs end rows with a separator.
        header = ["", *header] if row[-1] else [*header, ""]
    return separator, header, True


def _is_data(header: list[str]) -> bool:
    """Whether a first row is data: it holds numbers that do not just count the columns."""
    try:
        numbers = [float(name.replace(",", ".")) for name in header]
    except ValueError:
        return False
    return not any(numbers == [n + start for n in range(len(numbers))] for start in (0, 1))


def _parse_csv(text: str, file: str, **options: Any) -> Any:
    pandas = require("pandas", "frames")
    if pandas.__version__.startswith("2."):
        # Later versions read every number exactly.
        options["float_precision"] = "round_trip"
    try:
        with warnings.catch_warnings():
            # pandas warns if rows are longer than the header, and cuts them.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(io.StringIO(text), **options)
    except pandas.errors.ParserWarning:
        n_columns = len(options["names"])
        raise UserError(f"{file} has rows with more values than its {n_columns} columns") from None
    except pandas.errors.ParserError as error:
        reason = str(error).partition("C error: ")[2] or str(error)
        raise UserError(
            f"{file} cannot be read as a table: {reason.strip()}",
            "Look for quotes that are not closed, and for separators within a value.",
        ) from None


def _read_parquet(data: bytes, file: str) -> DataFile:
    pandas = require("pandas", "frames")
    require("pyarrow", "parquet")
    try:
        frame = pandas.read_parquet(io.BytesIO(data))
    except (OSError, ValueError) as error:
        raise UserError(f"{file} is not a Parquet file: {error}") from None
    if frame.index.name is not None or not isinstance(frame.index, pandas.RangeIndex):
        frame = frame.reset_index()
    return _from_frame(frame, file)


def _read_npy(data: bytes, file: str) -> DataFile:
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
    return _from_frame(pandas.DataFrame(array, columns=names), file)


def _from_frame(frame: Any, file: str) -> DataFile:
    frame.columns, unnamed = _name_columns([str(name).strip() for name in frame.columns], file)

    def read_text(column: str) -> list[str]:
        values = frame[column]
        return ["" if gap else str(value) for value, gap in zip(values, values.isna(), strict=True)]

    return DataFile(file, frame, read_text, [], unnamed)


def _name_columns(names: list[str], file: str) -> tuple[list[str], set[str]]:
    """Name the columns that have no name, and refuse duplicate names."""
    columns = [name or f"column {number}" for number, name in enumerate(names, start=1)]
    for name, count in Counter(columns).items():
        if count > 1:
            first, second = [place for place, each in enumerate(columns, 1) if each == name][:2]
            raise UserError(
                f"columns {first} and {second} of {file} are both called '{name}'",
                "Columns are identified by their names: rename one of them.",
            )
    return columns, {new for new, name in zip(columns, names, strict=True) if not name}


READERS: dict[str, Callable[[bytes, str], DataFile]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".npy": _read_npy,
}
