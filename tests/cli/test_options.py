"""Options are parameters of `RBHMC`, with the same names, defaults and values."""

import inspect
from typing import Any

import pytest
import typer

from rbhmc import RBHMC
from rbhmc.cli.commands.fit import fit
from rbhmc.cli.options import (
    DEFAULTS,
    SETTINGS,
    as_arguments,
    fit_settings,
    option_name,
    parse_value,
    use_option_names,
)

# Parameters that only Python can set: arrays, settings for experts, and a sample of the items:
# its tree does not hold all items of the table.
PYTHON_ONLY = {"base_mean", "path_move", "initial_paths"}


def test_every_parameter_is_an_option_or_for_python_only() -> None:
    assert inspect.signature(RBHMC).parameters.keys() == SETTINGS.keys() | PYTHON_ONLY
    assert not SETTINGS.keys() & PYTHON_ONLY


def test_the_defaults_are_those_of_the_library() -> None:
    expected = {name: value for name, value in DEFAULTS.items() if name != "n_jobs"}
    assert fit_settings({}) == expected
    assert RBHMC(**fit_settings({})).get_params() == RBHMC(random_state=0).get_params()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_default_written_as_an_argument_is_read_as_itself(name: str) -> None:
    parameter = inspect.signature(fit).parameters[name]
    option = parameter.annotation.__metadata__[0]
    _, text = as_arguments({name: DEFAULTS[name]})
    if DEFAULTS[name] is not None:
        assert option.parser(text) == DEFAULTS[name]
        assert parameter.default == text


@pytest.mark.parametrize(
    ("accepts", "text", "value"),
    [
        (int | float, "7", 7),
        (int | float, "0.5", 0.5),
        (float | None, "none", None),
        (float | None, "1e-3", 1e-3),
        (bool, "on", True),
        (bool, "off", False),
        (str, "Exact", "Exact"),
    ],
)
def test_values(accepts: Any, text: str, value: Any) -> None:
    assert parse_value(accepts, text) == value
    assert type(parse_value(accepts, text)) is type(value)


def test_a_wrong_value_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(typer.BadParameter, match=r"^'1\.5' is not a whole number$"):
        parse_value(int, "1.5")


def test_messages_of_the_library_name_options() -> None:
    for name in SETTINGS:
        expected = option_name(name) if "_" in name or name == "thin" else name
        assert use_option_names(f"{name} is wrong; raise {name}") == (
            f"{option_name(name)} is wrong; raise {expected}"
        )
    assert use_option_names("my_n_draws") == "my_n_draws"
