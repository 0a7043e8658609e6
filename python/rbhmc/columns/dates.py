"""Dates in a person's writing, as days from 1970-01-01."""

import re
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ISO = "ISO 8601"
DAY_FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%d.%m.%y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
DATE_FORMATS = (
    ISO,
    *DAY_FORMATS,
    "%b %Y",
    "%B %Y",
    "%Y-%m",
    *(f"{day} {time}" for day in DAY_FORMATS for time in TIMES),
)
# Between the formats of a column that is written in several.
OR = " or "
MAX_FORMATS = 4
SECONDS_PER_DAY = 86_400.0


def swap_day_and_month(form: str) -> str:
    """Return the format with the day first of one with the month first, and the other way round.

    Examples
    --------
    >>> swap_day_and_month("%m/%d/%Y %H:%M"), swap_day_and_month("%d.%m.%Y")
    ('%d/%m/%Y %H:%M', '')
    """
    swapped = {"%m/%d": "%d/%m", "%d/%m": "%m/%d"}.get(form[:5])
    return "" if swapped is None else swapped + form[5:]


def find_date_format(texts: Sequence[str]) -> str | None:
    """Find the first format by which all texts are dates, or else several formats.

    Several formats are not used if one has the day first and another the month.

    Examples
    --------
    >>> find_date_format(["2024-02-01", "2024-03-31"]), find_date_format(["1/2/2024", "31/1/2024"])
    ('ISO 8601', '%d/%m/%Y')
    >>> find_date_format(["2024-02-01", "3 Jan 2020"])
    'ISO 8601 or %d %b %Y'
    """
    unique = list(dict.fromkeys(texts))
    # Numbers alone are years or codes, and no date has fewer characters than 1/1/24.
    if not unique or not all(len(text) >= 6 and re.search(r"\D", text) for text in unique):
        return None
    # Most columns are not dates: the first text tells.
    if all(np.isnan(parse_date(unique[0], form)) for form in DATE_FORMATS):
        return None
    for form in DATE_FORMATS:
        if all(not np.isnan(parse_date(text, form)) for text in unique):
            return form
    found: list[str] = []
    rest = unique
    for form in DATE_FORMATS:
        unread = [text for text in rest if np.isnan(parse_date(text, form))]
        if len(unread) < len(rest):
            found.append(form)
            rest = unread
    is_ambiguous = any(swap_day_and_month(form) in found for form in found)
    return None if rest or is_ambiguous or len(found) > MAX_FORMATS else OR.join(found)


def parse_date(text: str, form: str) -> float:
    """Return the days from 1970-01-01 to a date; NaN for anything else.

    Examples
    --------
    >>> parse_date("1970-01-02T12:00", "ISO 8601"), parse_date("02.01.1970", "%d.%m.%Y")
    (1.5, 1.0)
    """
    for each in form.split(OR):
        try:
            when = datetime.fromisoformat(text) if each == ISO else datetime.strptime(text, each)
        except (ValueError, OverflowError):
            continue
        return (when.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds() / SECONDS_PER_DAY
    return np.nan


def parse_dates(texts: Sequence[str | None], form: str) -> Floats:
    """Return days from 1970-01-01; NaN for gaps and for anything else."""
    known: dict[str | None, float] = {None: np.nan}
    for text in texts:
        if text not in known:
            known[text] = parse_date(str(text), form)
    return np.array([known[text] for text in texts], np.float64)
