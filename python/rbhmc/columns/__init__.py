"""Any table as numbers: what its columns are, how they are encoded, and how gaps are filled."""

from rbhmc.columns.columns import Column, learn_columns, looks_like_class
from rbhmc.columns.encoding import (
    Encoding,
    array_encoding,
    column_std,
    judge_units,
    learn_encoding,
)
from rbhmc.columns.frames import (
    RawColumn,
    as_numbers,
    check_columns,
    check_is_table,
    holds_objects,
    is_frame,
    item_index,
    raw_columns,
    to_narwhals,
    with_input_tags,
)
from rbhmc.columns.imputation import Imputer, learn_imputer
from rbhmc.columns.summary import describe_gaps, format_columns, summarize_columns

__all__ = [
    "Column",
    "Encoding",
    "Imputer",
    "RawColumn",
    "array_encoding",
    "as_numbers",
    "check_columns",
    "check_is_table",
    "column_std",
    "describe_gaps",
    "format_columns",
    "holds_objects",
    "is_frame",
    "item_index",
    "judge_units",
    "learn_columns",
    "learn_encoding",
    "learn_imputer",
    "looks_like_class",
    "raw_columns",
    "summarize_columns",
    "to_narwhals",
    "with_input_tags",
]
