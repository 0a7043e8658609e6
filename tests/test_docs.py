"""Every public name has a docstring, and its examples run; pages are tested in tests/pages."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import rbhmc
from rbhmc import _core


def modules() -> Iterator[ModuleType]:
    yield rbhmc
    for info in pkgutil.walk_packages(rbhmc.__path__, prefix="rbhmc."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def documented() -> dict[str, Any]:
    """Return the modules and their public functions, classes and members, by name."""
    found: dict[str, Any] = {}
    for module in modules():
        found[module.__name__] = module
        for name, thing in vars(module).items():
            if name.startswith("_") or inspect.ismodule(thing) or not callable(thing):
                continue
            owner = getattr(thing, "__module__", None) or module.__name__
            if not owner.startswith("rbhmc"):
                continue
            found[f"{owner}.{name}"] = thing
            if inspect.isclass(thing):
                # The docstring of a dataclass documents its fields.
                fields = getattr(thing, "__dataclass_fields__", {})
                for member in vars(thing):
                    if not member.startswith("_") and member not in fields:
                        found[f"{owner}.{name}.{member}"] = getattr(thing, member)
    return found


def names_of(thing: Any) -> dict[str, Any]:
    """Return the names of a module, which its examples may use without an import."""
    module = thing if inspect.ismodule(thing) else inspect.getmodule(thing)
    return dict(vars(module)) if module else {}


DOCUMENTED = dict(sorted(documented().items()))
PARSER = doctest.DocTestParser()
EXAMPLES = {
    name: test
    for name, thing in DOCUMENTED.items()
    if (
        test := PARSER.get_doctest(inspect.getdoc(thing) or "", names_of(thing), name, None, 0)
    ).examples
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_a_docstring_run(name: str) -> None:
    lines: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(EXAMPLES[name], out=lines.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(lines)


def test_the_main_parts_have_examples() -> None:
    assert {"rbhmc.Sampler", "rbhmc._core.simulate"} & EXAMPLES.keys()
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("name", DOCUMENTED)
def test_public_names_have_a_docstring(name: str) -> None:
    doc = inspect.getdoc(DOCUMENTED[name])
    if DOCUMENTED[name] is not _core:
        assert doc
