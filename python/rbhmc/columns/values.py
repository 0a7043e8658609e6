"""Texts that are gaps, and numbers in a person's writing."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# What people and programs write where there is no value.
GAPS = frozenset(
    "NA N/A n/a na NaN nan -nan None none NONE NULL null <NA> #N/A #NA NaT ? ?? - -- – — . .. "
    "1.#IND -1.#IND 1.#QNAN -1.#QNAN".split()
) | {"", "#N/A N/A"}
# A text that is read as numbers may have this share of other values, which become gaps.
MAX_ODD_SHARE = 0.1

# A sign, a currency, digits, a unit. Digits may be in groups of three.
NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[+\-−])?\s*(?P<currency>[$€£¥₹]|US\$|CHF|EUR|USD|GBP)?\s*"
    r"(?P<sign2>[+\-−])?(?P<digits>\d[\d.,'’\u00a0\u202f ]*|[.,]\d+)(?P<exponent>[eE][+-]?\d+)?\s*"
    r"(?P<unit>[^\W\d_]{1,8}|%|‰|°[CF]?|[$€£¥₹]|[^\W\d_]{1,4}/[^\W\d_]{1,4})?\s*(?P<close>\))?"
)
# No group in front begins with 0, unless all are zeros: 0,125 has a decimal comma.
GROUPED = {
    ",": re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?|0(,000)+"),
    ".": re.compile(r"[1-9]\d{0,2}(\.\d{3})+(,\d+)?|0(\.000)+"),
    "'": re.compile(r"[1-9]\d{0,2}(['’]\d{3})+([.,]\d+)?|0(['’]000)+"),
    " ": re.compile(r"[1-9]\d{0,2}([ \u00a0\u202f]\d{3})+([.,]\d+)?|0([ \u00a0\u202f]000)+"),
}
# Hours and minutes, perhaps seconds.
TIME = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?")
AS_HOURS = "hours and minutes"
PLAIN = {".": re.compile(r"\d*\.?\d*"), ",": re.compile(r"\d*,?\d*")}
GROUP_NAMES = {",": "commas", ".": "points", "'": "apostrophes", " ": "spaces"}


class NumberFormat(NamedTuple):
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : str
        The decimal mark.
    group : str
        The mark between groups of three digits; empty for none.
    unit : str
        The currency or the unit beside every number; AS_HOURS for times; empty for none.
    """

    decimal: str = "."
    group: str = ""
    unit: str = ""

    def describe(self) -> str:
        """Return what is not plain about the numbers.

        Examples
        --------
        >>> NumberFormat(group=",", unit="$").describe()
        'in $, thousands with commas'
        """
        if self.unit == AS_HOURS:
            return f"{AS_HOURS}, as hours"
        parts = [f"in {self.unit}"] if self.unit else []
        parts += [f"thousands with {GROUP_NAMES[self.group]}"] if self.group else []
        parts += ["decimal comma"] if self.decimal == "," else []
        return ", ".join(parts)


def is_gap(text: str) -> bool:
    """Whether a text stands for a missing value.

    Examples
    --------
    >>> is_gap("?"), is_gap(" "), is_gap("0")
    (True, True, False)
    """
    return text.strip() in GAPS


def is_none(text: str | None) -> bool:
    """Whether a text is the word none: a gap among numbers and dates, but one of several words.

    Examples
    --------
    >>> is_none("None"), is_none("NA"), is_none(None)
    (True, False, False)
    """
    return text is not None and text.strip().casefold() == "none"


def find_number_format(texts: Sequence[str]) -> NumberFormat | None:
    """Find how most numbers are written; None if over a tenth of the texts are not such numbers.

    Examples
    --------
    >>> find_number_format(["$15,900", "$7"])
    NumberFormat(decimal='.', group=',', unit='$')
    >>> find_number_format(["1,5", "2"])
    NumberFormat(decimal=',', group='', unit='')
    >>> find_number_format(["1", "two"]) is None
    True
    """
    unique = list(dict.fromkeys(texts))
    allowed = int(MAX_ODD_SHARE * len(unique))
    n_times = sum(TIME.fullmatch(text) is not None for text in unique)
    if n_times and len(unique) - n_times <= allowed:
        return NumberFormat(unit=AS_HOURS)
    matches = [match for text in unique if (match := NUMBER.fullmatch(text.strip()))]
    if not matches or len(unique) - len(matches) > allowed:
        return None
    digits = [match["digits"].strip() for match in matches]
    units = [_unit(match) for match in matches]
    # A unit is beside every number; a text that is only sometimes followed by letters is a code.
    if len(set(units)) > 1:
        with_unit = [unit for unit in units if unit]
        if len(set(with_unit)) > 1 or len(with_unit) < len(units) / 2:
            return None
    unit = next(filter(None, units), "")
    formats = [
        NumberFormat(decimal, group, unit)
        for decimal in (".", ",")
        for group in ("", *GROUPED)
        if group != decimal
    ]
    # The first of those that read most: 10,640 beside 20,64 has a decimal comma.
    n_read = [sum(_is_written(each, form) for each in digits) for form in formats]
    most = max(n_read)
    return formats[n_read.index(most)] if len(unique) - most <= allowed else None


def _unit(match: re.Match[str]) -> str:
    return match["currency"] or match["unit"] or ""


def _is_written(digits: str, form: NumberFormat) -> bool:
    if PLAIN[form.decimal].fullmatch(digits):
        return True
    if not form.group or not GROUPED[form.group].fullmatch(digits):
        return False
    # Whole groups after a mark that is a decimal mark in this format are ambiguous.
    return form.decimal in digits or not ({".", ","} - {form.group, form.decimal}) & set(digits)


def parse_number(text: str, form: NumberFormat) -> float:
    """Read a number without a unit or with the unit of the format; NaN for anything else.

    Examples
    --------
    >>> parse_number("(1.234,5 €)", NumberFormat(",", ".", "€"))
    -1234.5
    >>> parse_number("31000 g", NumberFormat(unit="kg"))
    nan
    >>> parse_number("1:30", NumberFormat(unit=AS_HOURS))
    1.5
    """
    if form.unit == AS_HOURS:
        time = TIME.fullmatch(text.strip())
        return np.nan if time is None else _hours(*time.groups())
    match = NUMBER.fullmatch(text.strip())
    if match is None or _unit(match) not in ("", form.unit):
        return np.nan
    digits = match["digits"].strip()
    if not _is_written(digits, form):
        return np.nan
    digits = re.sub(r"['’\u00a0\u202f ]", "", digits)
    if form.group in (",", "."):
        digits = digits.replace(form.group, "")
    value = float(digits.replace(form.decimal, ".") + (match["exponent"] or ""))
    is_negative = bool(match["open"]) != ((match["sign"] or match["sign2"]) in ("-", "−"))
    return -value if is_negative else value


def _hours(hours: str, minutes: str, seconds: str | None) -> float:
    return int(hours) + int(minutes) / 60.0 + float(seconds or 0.0) / 3600.0


def parse_numbers(texts: Sequence[str | None], form: NumberFormat) -> Floats:
    """Read numbers; NaN for gaps and for anything else."""
    plain = form == NumberFormat()

    def parse(text: str | None) -> float:
        if text is None:
            return np.nan
        # float() also reads "1_000" and digits of other scripts.
        if plain and text.isascii() and "_" not in text:
            try:
                return float(text)
            except ValueError:
                pass
        return parse_number(text, form)

    return np.array([parse(text) for text in texts], np.float64)
