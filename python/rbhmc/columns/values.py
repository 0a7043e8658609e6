"""What a column of texts holds: numbers in a person's writing, yes and no, dates, or categories."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# What people and programs write where there is no value.
GAPS = frozenset(
    "NA N/A n/a na NaN nan -nan None none NULL null <NA> #N/A #NA NaT ? ?? - -- – — . ..".split()
) | {""}
# A text that is read as numbers may have this share of other values, which become gaps.
MAX_ODD_SHARE = 0.1
YES_NO = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("nein", "ja"),
    ("non", "oui"),
    ("no", "si"),
    ("no", "sí"),
    ("off", "on"),
    ("absent", "present"),
    ("0", "1"),
)
DATE_FORMATS = (
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
    "%b %Y",
    "%B %Y",
    "%Y-%m",
    "%Y-%m-%d %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M",
)
# Formats of a day that are read as month first, and the same with the day first.
MONTH_FIRST = {"%m/%d/%Y": "%d/%m/%Y", "%m/%d/%y": "%d/%m/%y"}
ISO = "ISO 8601"
SECONDS_PER_DAY = 86_400.0

# A sign, a currency, digits, a unit. Digits may be in groups of three.
NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[+\-−])?\s*(?P<currency>[$€£¥₹]|US\$|CHF|EUR|USD|GBP)?\s*"
    r"(?P<sign2>[+\-−])?(?P<digits>\d[\d.,'’\u00a0\u202f ]*|[.,]\d+)(?P<exponent>[eE][+-]?\d+)?\s*"
    r"(?P<unit>[^\W\d_]{1,8}|%|‰|°[CF]?|[$€£¥₹]|[^\W\d_]{1,4}/[^\W\d_]{1,4})?\s*(?P<close>\))?"
)
GROUPED = {
    ",": re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?"),
    ".": re.compile(r"\d{1,3}(\.\d{3})+(,\d+)?"),
    "'": re.compile(r"\d{1,3}(['’]\d{3})+([.,]\d+)?"),
    " ": re.compile(r"\d{1,3}([ \u00a0\u202f]\d{3})+([.,]\d+)?"),
}
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
        The currency or the unit beside every number; empty for none.
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


def find_number_format(texts: Sequence[str]) -> NumberFormat | None:
    """Find how numbers are written; None if more than a tenth of the texts are not numbers.

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
    matches = [match for text in unique if (match := NUMBER.fullmatch(text.strip()))]
    allowed = int(MAX_ODD_SHARE * len(unique))
    if not matches or len(unique) - len(matches) > allowed:
        return None
    digits = [match["digits"].strip() for match in matches]
    units = [_unit(match) for match in matches]
    # A unit is beside every number; a text that is only sometimes followed by letters is a code.
    if len(set(units)) > 1:
        with_unit = [unit for unit in units if unit]
        if len(set(with_unit)) > 1 or len(with_unit) < len(units) / 2:
            return None
    for decimal in (".", ","):
        for group in ("", *GROUPED):
            if group == decimal:
                continue
            found = NumberFormat(decimal, group, next(filter(None, units), ""))
            read = sum(_is_written(each, found) for each in digits)
            if len(unique) - read <= allowed:
                return found
    return None


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
    """Read a number; NaN for anything else.

    Examples
    --------
    >>> parse_number("(1.234,5 €)", NumberFormat(",", "."))
    -1234.5
    """
    match = NUMBER.fullmatch(text.strip())
    if match is None:
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


def find_yes_no(texts: Sequence[str]) -> tuple[str, str] | None:
    """Find the words for no and yes, as they are written; None if there are other words.

    Examples
    --------
    >>> find_yes_no(["Yes", "No", "Yes"])
    ('No', 'Yes')
    """
    words = {text.casefold(): text for text in texts}
    for no, yes in YES_NO:
        if words.keys() == {no, yes}:
            return words[no], words[yes]
    return None


def find_date_format(texts: Sequence[str]) -> str | None:
    """Find the first format by which all texts are dates.

    Examples
    --------
    >>> find_date_format(["2024-02-01", "2024-03-31"]), find_date_format(["1/2/2024", "31/1/2024"])
    ('ISO 8601', '%d/%m/%Y')
    """
    unique = list(dict.fromkeys(texts))
    # Numbers alone are years or codes, and no date has fewer characters than 1/1/24.
    if not unique or not all(len(text) >= 6 and re.search(r"\D", text) for text in unique):
        return None
    for form in (ISO, *DATE_FORMATS):
        if all(not np.isnan(parse_date(text, form)) for text in unique):
            return form
    return None


def parse_date(text: str, form: str) -> float:
    """Return the days from 1970-01-01 to a date; NaN for anything else.

    Examples
    --------
    >>> parse_date("1970-01-02T12:00", "ISO 8601"), parse_date("02.01.1970", "%d.%m.%Y")
    (1.5, 1.0)
    """
    try:
        when = datetime.fromisoformat(text) if form == ISO else datetime.strptime(text, form)
    except (ValueError, OverflowError):
        return np.nan
    return (when.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds() / SECONDS_PER_DAY


def parse_dates(texts: Sequence[str | None], form: str) -> Floats:
    """Return days from 1970-01-01; NaN for gaps and for anything else."""
    known: dict[str | None, float] = {None: np.nan}
    for text in texts:
        if text not in known:
            known[text] = parse_date(str(text), form)
    return np.array([known[text] for text in texts], np.float64)
