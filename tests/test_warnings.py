"""Warnings show the line that the user wrote, through however many calls they come."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from rbhmc import RBHMC
from rbhmc._versions import InconsistentVersionWarning, warn_of_version
from rbhmc.metrics import co_occurrence, partitions

QUICK: dict[str, Any] = {
    "n_chains": 1,
    "n_warmup": 5,
    "n_draws": 5,
    "reference": False,
    "random_state": 0,
}
TABLE = pd.DataFrame({"size": np.arange(40.0), "colour": ["red", "blue"] * 20})
NEW = TABLE.assign(colour=["green"] + ["red"] * 39)


def files(told: pytest.WarningsRecorder) -> set[Path]:
    return {Path(each.filename) for each in told}


def test_new_categories_of_a_table_to_place() -> None:
    model = RBHMC(**QUICK).fit(TABLE)
    with pytest.warns(UserWarning, match="categories that the model was not fitted on") as told:
        model.predict(NEW)
    assert files(told) == {Path(__file__)}


def test_new_categories_of_the_rows_that_are_not_in_the_sample() -> None:
    table = pd.concat([TABLE] * 5, ignore_index=True)
    table["colour"] = [f"colour {i}" if i % 10 == 0 else "red" for i in range(len(table))]
    with pytest.warns(UserWarning, match="categories that the model was not fitted on") as told:
        RBHMC(**QUICK, max_items=20).fit(table)
    assert files(told) == {Path(__file__)}


def test_new_categories_in_a_pipeline() -> None:
    pipeline = make_pipeline(FunctionTransformer(), RBHMC(**QUICK)).fit(TABLE)
    with pytest.warns(UserWarning, match="categories that the model was not fitted on") as told:
        pipeline.predict(NEW)
    assert files(told) == {Path(__file__)}


def test_a_large_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "WARN_FROM_ITEMS", 2)
    with pytest.warns(UserWarning, match="takes 0.0 GB of memory") as told:
        co_occurrence([[[0], [0], [1]]], level=1)
    assert files(told) == {Path(__file__)}


def test_another_version() -> None:
    with pytest.warns(InconsistentVersionWarning) as told:
        warn_of_version("0.0.1", "the model")
    assert files(told) == {Path(__file__)}
