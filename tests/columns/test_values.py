"""Texts are read as numbers, truth values and dates as a person would read them."""

import numpy as np
import pytest

from rbhmc.columns.dates import ISO, find_date_format, parse_dates
from rbhmc.columns.values import find_number_format, is_gap, parse_numbers
from rbhmc.columns.words import find_scale, find_yes_no


@pytest.mark.parametrize(
    ("texts", "numbers", "said"),
    [
        (["1", "-2.5", "1e3", "+.5"], [1.0, -2.5, 1000.0, 0.5], ""),
        (["$15,900", "$7", "-$1,000.50"], [15900.0, 7.0, -1000.5], "in $, thousands with commas"),
        (["80.2%", "7 %"], [80.2, 7.0], "in %"),
        (["1,5", "2"], [1.5, 2.0], "decimal comma"),
        (["1.234,5", "12,0"], [1234.5, 12.0], "thousands with points, decimal comma"),
        (["1,234", "12,345,678"], [1234.0, 12345678.0], "thousands with commas"),
        (["0,126", "9,868"], [0.126, 9.868], "decimal comma"),
        (["1 234 567", "12"], [1234567.0, 12.0], "thousands with spaces"),
        (["1'234.5", "7"], [1234.5, 7.0], "thousands with apostrophes"),
        (["12 kg", "7.5kg"], [12.0, 7.5], "in kg"),
        (["(1,200)", "30"], [-1200.0, 30.0], "thousands with commas"),
        (["€ 3,50", "€ 12"], [3.5, 12.0], "in €, decimal comma"),
        (["−3", "4"], [-3.0, 4.0], ""),
        (["1:30", "0:45:36", "12:00"], [1.5, 0.76, 12.0], "hours and minutes, as hours"),
    ],
)
def test_numbers(texts: list[str], numbers: list[float], said: str) -> None:
    form = find_number_format(texts)
    assert form is not None
    assert parse_numbers(texts, form).tolist() == numbers
    assert form.describe() == said


@pytest.mark.parametrize(
    "texts", [["a", "b"], ["1", "two"], ["A1", "B2"], ["1a", "2b", "3c"], ["3 kg", "4 m"], ["1-2"]]
)
def test_codes_and_words_are_not_numbers(texts: list[str]) -> None:
    assert find_number_format(texts) is None


def test_a_few_odd_values_among_numbers_are_gaps() -> None:
    texts = [str(number) for number in range(20)] + ["unknown"]
    form = find_number_format(texts)
    assert form is not None
    numbers = parse_numbers([*texts, None], form)
    assert np.isnan(numbers).tolist() == [False] * 20 + [True, True]


def test_the_format_that_reads_most_numbers_is_taken() -> None:
    # Thousands with commas leave one text in ten.
    commas = [f"{number},{number}25" for number in range(1, 10)] + ["20,64"]
    form = find_number_format(commas)
    assert form is not None and form.decimal == ","
    assert parse_numbers(commas, form).max() == 20.64
    salaries = [str(number) for number in range(900, 930)] + ["1,200"]
    form = find_number_format(salaries)
    assert form is not None and parse_numbers(salaries, form).max() == 1200.0


def test_yes_and_no() -> None:
    assert find_yes_no(["Y", "N"]) == ("N", "Y")
    assert find_yes_no(["oui", "NON"]) == ("NON", "oui")
    assert find_yes_no(["Vrai", "FAUX"]) == ("FAUX", "Vrai")
    assert find_yes_no(["Sim", "Não"]) == ("Não", "Sim")
    assert find_yes_no(["да", "нет"]) == ("нет", "да")
    assert find_yes_no(["yes", "maybe"]) is None
    assert find_yes_no(["yes"]) is None


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        (["2024-02-01", "2024-03-31T10:00:00"], ISO),
        (["31.12.2023", "01.02.2024"], "%d.%m.%Y"),
        (["12/31/2023", "1/2/2024"], "%m/%d/%Y"),
        (["31/12/2023", "1/2/2024"], "%d/%m/%Y"),
        (["3 Jan 2020", "14 Feb 2021"], "%d %b %Y"),
        (["Jan 2020", "Feb 2021"], "%b %Y"),
        (["1/31/2024 9:05:59", "2/1/2024 17:30:00"], "%m/%d/%Y %H:%M:%S"),
        (["1/31/2024 9:05 AM", "2/1/2024 5:30 PM"], "%m/%d/%Y %I:%M %p"),
        (["2024-01-31", "2 Feb 2024"], f"{ISO} or %d %b %Y"),
    ],
)
def test_dates(texts: list[str], form: str) -> None:
    assert find_date_format(texts) == form
    assert np.isnan(parse_dates([*texts, None], form)).tolist() == [False, False, True]


@pytest.mark.parametrize(
    "texts",
    [["2020", "2021"], ["May", "June"], ["12.5", "1.25"], ["31/1/2024", "1/31/2024"], []],
)
def test_what_is_no_date(texts: list[str]) -> None:
    assert find_date_format(texts) is None


@pytest.mark.parametrize(
    "steps",
    [
        ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"),
        ("never", "Rarely", "always"),
        ("low", "medium", "high"),
        ("<18", "18-24", "25–64", "65+"),
        ("0", "1-2", "3+"),
        ("under 10 km", "10 to 20 km", "over 20 km"),
    ],
)
def test_scales(steps: tuple[str, ...]) -> None:
    assert find_scale(sorted(steps)) == steps


@pytest.mark.parametrize(
    "texts",
    [
        ["red", "green", "blue"],
        ["low", "high"],
        ["low", "medium", "agree"],
        ["60 kg", "132 lb", "70 kg"],
        ["1a", "2b", "3c"],
        ["10-20", "15-30", "40-50"],
        ["555-0199", "555-0100", "020-1"],
    ],
)
def test_what_is_no_scale(texts: list[str]) -> None:
    assert find_scale(texts) is None


def test_gaps() -> None:
    assert all(is_gap(text) for text in ("", " ", "NA", "?", "-", "None", "n/a"))
    assert not any(is_gap(text) for text in ("0", "no", "north america"))
