"""Checks of JSON records that people may edit: an error names the file and the field."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rbhmc._core import InvalidInput


class Kind(NamedTuple):
    """What a field may hold, and how a message calls it."""

    is_valid: Callable[[Any], bool]
    words: str


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value < 2**63


def _is_list(value: Any, is_valid: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_valid, value))


OBJECT = Kind(lambda value: isinstance(value, dict), "an object")
TEXT = Kind(_is_text, "a text")
TEXT_OR_NULL = Kind(lambda value: value is None or _is_text(value), "a text or null")
TEXTS = Kind(lambda value: _is_list(value, _is_text), "a list of texts")
COUNT = Kind(_is_count, "a whole number, 1 at least")
CHAINS = Kind(
    lambda value: (
        _is_list(value, lambda n: type(n) is int and n >= 0) and 0 < len(value) == len(set(value))
    ),
    "a list of different whole numbers",
)
SEEDS = Kind(
    lambda value: _is_list(value, lambda n: type(n) is int and 0 <= n < 2**63),
    "a list of whole numbers from 0 to 2**63 - 1",
)
SHAPE = Kind(
    lambda value: value is None or (_is_list(value, _is_count) and len(value) in (2, 3)),
    "null or a list of two or three whole numbers",
)


def read_record(file: Path) -> dict[str, Any]:
    """Read a JSON object; `inside` should have checked the path.

    Raises
    ------
    FileNotFoundError, NotADirectoryError
        If there is no such file.
    InvalidInput
        If the file does not hold a JSON object.
    """
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} is not the record of a run: {error}") from error
    if not isinstance(record, dict):
        raise InvalidInput(f"{file} is not the record of a run: it holds {shorten(record)}")
    return record


def check_fields(file: Path, record: dict[str, Any], fields: Mapping[str, Kind]) -> None:
    """Check fields, whose names are paths such as ``data.file``; a missing one becomes null.

    Examples
    --------
    >>> check_fields(Path("run.json"), {"n_draws": "many"}, {"n_draws": COUNT})
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: run.json is not the record of a run: n_draws is "many"; it must be a ...
    """
    for path, kind in fields.items():
        value: Any = record
        for name in path.split("."):
            value = value.setdefault(name, None)
        if not kind.is_valid(value):
            raise InvalidInput(
                f"{file} is not the record of a run: {path} is {shorten(value)}; it must be "
                f"{kind.words}"
            )


def shorten(value: Any) -> str:
    """Write a value as JSON, cut to a readable length.

    Examples
    --------
    >>> shorten({"a": None})
    '{"a": null}'
    """
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "…"
