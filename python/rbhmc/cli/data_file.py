"""Reads a data file with pandas, and notes for the user what had to be guessed."""

import codecs
import csv
import functools
import io
import itertools
import re
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbhmc._arrays import parse_npy
from rbhmc._extras import require
from rbhmc._text import pluralize, unguard_formula
from rbhmc.cli.console import UserError, format_list
from rbhmc.cli.layout import (
    MAX_LOOKED_AT,
    SEPARATORS,
    Layout,
    find_layout,
    split_rows,
    use_tabs,
)
from rbhmc.columns.values import GAPS, is_none

# The name of a way to decode bytes that are not UTF-8.
WINDOWS = "rbhmc-windows-1252"
# What is below a table, in the first column: remarks of several words, and totals.
MAX_BELOW = 20
REMARK = re.compile(r"\S\s+\S|^[*†(\[]")
TOTAL = re.compile(r"(grand |sub)?(total|totals|sum|summe|gesamt|totale|totaux|suma|somme)", re.I)
# What pandas takes for a gap: none may be a word of its column, which the column decides.
CELL_GAPS: dict[str, Any] = {
    "na_values": sorted(gap for gap in GAPS if not is_none(gap)),
    "keep_default_na": False,
}
# What pandas reads and this does not.
BY_PANDAS = {
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zip", ".zst"), "read_csv"),
    **dict.fromkeys((".xls", ".xlsm", ".xlsb", ".ods"), "read_excel"),
    ".json": "read_json",
    ".xml": "read_xml",
    ".dta": "read_stata",
    ".sav": "read_spss",
    ".sas7bdat": "read_sas",
    ".orc": "read_orc",
    ".pkl": "read_pickle",
}
# Sheets of equal cells are packed to about a hundredth.
MAX_EXCEL_RATIO = 200


@dataclass(frozen=True, eq=False)
class DataFile:
    """The content of a data file.

    Attributes
    ----------
    name : str
        The name of the file, for messages.
    frame : pandas.DataFrame
        All columns, as pandas reads them.
    read_text : callable
        Returns a column as text, exactly as the file has it; empty for a missing value.
    notes : list of str
        Remarks for the user about how the file was read.
    """

    name: str
    frame: Any
    read_text: Callable[[str], list[str]]
    notes: list[str]


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
            _suggest_pandas(path.name),
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


def _suggest_pandas(file: str) -> str:
    reader = BY_PANDAS.get(Path(file).suffix.lower())
    if reader is None:
        return "pandas reads many others: pandas.read_json(FILE).to_csv('table.csv', index=False)"
    return f"pandas reads this one: pandas.{reader}({file!r}).to_csv('table.csv', index=False)"


def _list_tables(folder: Path) -> list[str]:
    if not folder.is_dir():
        return [f"There is no folder {folder} either."]
    tables = sorted(file.name for file in folder.iterdir() if file.suffix in READERS)
    return [f"Tables in that folder: {format_list(tables)}."] if tables else []


def _read_csv(data: bytes, file: str) -> DataFile:
    text, notes = _decode(data, file)
    text = use_tabs(text)
    separator, rows = split_rows(text, file)
    layout = find_layout(rows, file)
    columns = _name_columns(layout, file, notes)
    # Titles may hold quotes that do not match, so that pandas must not see them.
    body = _skip_rows(text, separator, layout.n_skipped)

    def parse(**options: Any) -> Any:
        return _parse_csv(
            body,
            file,
            sep=separator,
            header=None,
            names=columns,
            index_col=False,
            skipinitialspace=True,
            **options,
        )

    frame = parse(low_memory=False, **CELL_GAPS)
    n_rows = len(frame) - _count_below(frame, file, notes)
    if n_rows < len(frame):
        frame = parse(low_memory=False, **CELL_GAPS, nrows=n_rows)
    present = frame.notna().to_numpy().any(axis=1)
    unnamed = [new for new, name in zip(columns, layout.names, strict=True) if not name]
    empty = [name for name in unnamed if frame[name].isna().all()]
    frame = frame[present].drop(columns=empty).reset_index(drop=True)

    @functools.cache
    def read_text(column: str) -> list[str]:
        texts = parse(usecols=[column], dtype=str, keep_default_na=False, nrows=n_rows)[column]
        return [unguard_formula(value.strip()) for value in texts[present].tolist()]

    if len(frame.columns) == 1 and len(frame):
        separators = ", ".join(SEPARATORS.values())
        notes.append(f"{file} has one column, '{columns[0]}' (no {separators} between values)")
    return DataFile(file, frame, read_text, notes)


def _decode(data: bytes, file: str) -> tuple[str, list[str]]:
    """Return the text of a file, and a note if its encoding was guessed."""
    has_utf16_mark = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in data and not has_utf16_mark:
        raise UserError(f"{file} is not a text table: it holds zero bytes")
    notes = []
    try:
        text = data.decode("utf-16" if has_utf16_mark else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", WINDOWS)
        notes = [f"{file} is not UTF-8 throughout; the rest was read as Windows-1252 (Latin-1)"]
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _decode_as_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8: files are put together from several programs."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    odd = error.object[error.start : error.end]
    try:
        return odd.decode("cp1252"), error.end
    except UnicodeDecodeError:
        return odd.decode("latin-1"), error.end  # which gives every byte a meaning


codecs.register_error(WINDOWS, _decode_as_windows)


def _count_below(frame: Any, file: str, notes: list[str]) -> int:
    """Count the rows below the table: remarks, and before them a row of totals."""
    n_below = 0
    for values in frame.iloc[:-MAX_BELOW:-1].itertuples(index=False, name=None):
        present = [value for value in values if value == value and value is not None]
        first = values[0] if isinstance(values[0], str) else ""
        is_remark = len(values) > 2 and len(present) == 1 and REMARK.search(first)
        if present and not is_remark:
            n_below += bool(TOTAL.fullmatch(first.strip()))
            break
        n_below += 1
    below = frame.iloc[len(frame) - n_below :].dropna(how="all")
    if len(below):
        said = "; ".join(str(value) for value in below.iloc[:, 0].str.strip())
        notes.append(f"{pluralize(len(below), 'line')} below the table in {file} skipped: {said}")
    return n_below


def _skip_rows(text: str, separator: str, n_above: int) -> str:
    """Return a text with empty lines for its first rows, which may have several lines each.

    pandas skips empty lines, and counts them in its errors.
    """
    lines = io.StringIO(text)
    rows = csv.reader(iter(lines.readline, ""), delimiter=separator, skipinitialspace=True)
    for _ in range(n_above):
        next(rows)
    rest = lines.read()
    return "\n" * (text.count("\n") - rest.count("\n")) + rest


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


def _read_excel(data: bytes, file: str) -> DataFile:
    pandas = require("pandas", "frames")
    require("openpyxl", "excel")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            n_unpacked = sum(part.file_size for part in parts.infolist())
    except Exception as error:  # zipfile raises more than BadZipFile for damaged files
        raise UserError(f"{file} is not an Excel file: {error}") from None
    if n_unpacked > MAX_EXCEL_RATIO * len(data):
        raise UserError(
            f"{file} of {len(data):,} bytes unpacks to {n_unpacked:,}, more than a table would",
            "Save the sheet as CSV if you trust it.",
        )
    try:
        sheets = pandas.read_excel(
            io.BytesIO(data),
            sheet_name=None,
            header=None,
            dtype=object,
            engine="openpyxl",
            **CELL_GAPS,
        )
    except Exception as error:  # openpyxl raises whatever its parts raise
        raise UserError(f"{file} is not an Excel file: {error}") from None
    name, sheet = max(sheets.items(), key=lambda each: each[1].size)
    if not sheet.size:
        raise UserError(f"{file} is empty", "Give a table with a row of column names.")
    notes = []
    if len(sheets) > 1:
        notes.append(f"{file} has {len(sheets)} sheets; the largest, '{name}', was read")
    texts = sheet.iloc[:MAX_LOOKED_AT].astype(object).where(sheet.notna(), "").astype(str)
    layout = find_layout(texts.to_numpy().tolist(), file)
    frame = sheet.iloc[layout.n_skipped :].dropna(how="all")
    frame = frame.iloc[: len(frame) - _count_below(frame, file, notes)]
    frame.columns = layout.names
    return _from_frame(frame.infer_objects().reset_index(drop=True), file, layout, notes)


def _read_arrow(data: bytes, file: str) -> DataFile:
    pandas = require("pandas", "frames")
    require("pyarrow", "parquet")
    is_parquet = file.lower().endswith(".parquet")
    try:
        frame = (pandas.read_parquet if is_parquet else pandas.read_feather)(io.BytesIO(data))
        if frame.index.name is not None or not isinstance(frame.index, pandas.RangeIndex):
            frame = frame.reset_index()
        # Arrow decodes texts only when they are used.
        for column in frame.select_dtypes(exclude="number").columns:
            frame[column].tolist()
    except MemoryError:
        raise
    except Exception as error:  # Damage raises many kinds of errors.
        kind = "Parquet" if is_parquet else "Feather"
        raise UserError(f"{file} is not a {kind} file: {error}") from None
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


def _from_frame(
    frame: Any, file: str, layout: Layout | None = None, notes: Sequence[str] = ()
) -> DataFile:
    said = list(notes)
    if layout is None:
        layout = Layout(0, [str(name).strip() for name in frame.columns], True)
    frame.columns = _name_columns(layout, file, said)

    def read_text(column: str) -> list[str]:
        values = frame[column]
        return ["" if gap else str(value) for value, gap in zip(values, values.isna(), strict=True)]

    return DataFile(file, frame, read_text, said)


def _name_columns(layout: Layout, file: str, notes: list[str]) -> list[str]:
    """Name the columns that have no name, and number those that have the same."""
    if layout.n_above:
        notes.append(f"{pluralize(layout.n_above, 'line')} above the table in {file} skipped")
    if not layout.has_header:
        notes.append(
            f"the first row of {file} holds numbers and not names: it was read as data, and the "
            f"columns are called {format_list(layout.names, 3)}"
        )
    if layout.has_units:
        notes.append(f"the row below the names in {file} was read as units")
    names = [
        unguard_formula(name) or f"column {number}"
        for number, name in enumerate(layout.names, start=1)
    ]
    columns: list[str] = []
    for name in names:
        numbered = (f"{name} ({number})" for number in itertools.count(2))
        new = name if name not in columns else next(each for each in numbered if each not in names)
        while new in columns:
            new = next(numbered)
        columns.append(new)
    renamed = [new for new, name in zip(columns, names, strict=True) if new != name]
    if renamed:
        notes.append(f"{file} has columns of the same name, now called {format_list(renamed)}")
    return columns


READERS: dict[str, Callable[[bytes, str], DataFile]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".txt": _read_csv,
    ".parquet": _read_arrow,
    ".feather": _read_arrow,
    ".xlsx": _read_excel,
    ".npy": _read_npy,
}
