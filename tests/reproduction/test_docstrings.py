"""The examples in the docstrings of the reproduction hold."""

import doctest
import importlib
import pkgutil

import pytest

import paper

MODULES = [info.name for info in pkgutil.iter_modules(paper.__path__, prefix="paper.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
