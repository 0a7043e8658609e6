"""Random data files are read as tables, or refused with a `UserError`."""

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from fuzz.cases import file_of, seeds
from rbhmc.cli.console import UserError
from rbhmc.cli.table import Roles, read_table
from rbhmc.columns import learn_encoding

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32")
NUMBERS = ("0", "1", "-2.5", "1e3", "1,5", "1e999", "-1e-400", "0x10", "1_000", "inf", "nan", "１")
ODD = ('"', '""', "'", "\\", "\0", "\ufeff", "\u2028", "\x1a", "\x85", "NA", "#", "=1+1", " ", "é")

fields = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(ODD),
    st.text(max_size=6),
    # More than the csv module accepts in one field.
    st.sampled_from(("x", "9", '"')).map(lambda text: 140_000 * text),
    st.just(100 * ","),
)
rows = st.lists(fields, min_size=0, max_size=5)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Draw rows with any separator, line end and encoding, or random bytes."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.binary(max_size=60))
    separator = draw(st.sampled_from((",", ";", "\t", "|", ", ")))
    end = draw(st.sampled_from(("\n", "\r\n", "\r", "\n\n")))
    text = end.join(separator.join(row) for row in draw(st.lists(rows, max_size=6)))
    encoded = text.encode(draw(st.sampled_from(ENCODINGS)), errors="replace")
    return encoded[: draw(st.integers(0, len(encoded)))] if draw(st.booleans()) else encoded


def is_table(content: bytes, ending: str) -> bool:
    """Return whether a file was read as a table."""
    with file_of(content, ending) as path:
        try:
            table = read_table(path, Roles())
        except UserError as error:
            assert str(error).strip()
            return False
        n_items, n_features = table.frame.shape
        assert n_items and n_features and table.features
        encoding, raws, _ = learn_encoding(table.frame)
        assert not np.isinf(encoding.encode(raws)).any()
        assert len(set(table.frame.index)) == n_items
        assert len(set(table.frame.columns)) == n_features
        return True


def test_any_file_is_read_or_refused() -> None:
    outcomes = set()

    def check(content: bytes, ending: str) -> None:
        outcomes.add(is_table(content, ending))

    few = settings(max_examples=400, database=None, suppress_health_check=list(HealthCheck))
    for number in seeds(1):
        few(seed(number)(given(contents(), st.sampled_from((".csv", ".tsv")))(check)))()
    assert outcomes == {True, False}
