"""No test opens a window, leaves a figure behind or changes the user's settings."""

from collections.abc import Iterator

import matplotlib
import pytest
from matplotlib import pyplot

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a plot called show")

    monkeypatch.setattr(pyplot, "show", refuse)
    before = dict(matplotlib.rcParams)
    yield
    pyplot.close("all")
    assert dict(matplotlib.rcParams) == before
