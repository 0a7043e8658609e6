"""The options that set parameters of `RBHMC`, defined once for every command that takes them."""

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer import Argument, Option

from rbhmc._core import InvalidInput
from rbhmc.estimator import RBHMC

TABLE = "Table"
MODEL = "Model"
SAMPLING = "Sampling"
RUN = "Run"
PANELS = (TABLE, MODEL, SAMPLING, RUN)


class Setting(NamedTuple):
    """An option that sets a parameter of `RBHMC`.

    Attributes
    ----------
    panel : str
        The group of options that help shows it in.
    help : str
    accepts : type, optional
        Types of the values, if they differ from the annotation of `RBHMC`.
    """

    panel: str
    help: str
    accepts: Any = None


Variance = float | Literal["learn", "learn-diagonal"]
CONCENTRATION = "Concentration of the {}; learn samples it."

# A new parameter of RBHMC becomes an option by one row here; its default and the values that it
# accepts are read from the signature.
SETTINGS = {
    "n_pca": Setting(
        TABLE,
        "Principal components to keep: how many (7), or the share of variance to explain (0.9). "
        "auto: all features up to 20; of more, 10, but at most the square root of the number of "
        "items.",
        int | float | Literal["auto"] | None,
    ),
    "scale": Setting(TABLE, "Factor that multiplies all features; none leaves them as they are."),
    "standardize": Setting(
        TABLE,
        "Whether to standardise the columns; auto: with categories or dates, or if the unit of a "
        "column would let it dominate.",
    ),
    "missing": Setting(
        TABLE,
        "Gaps: impute draws values for them, other ones in each chain; drop leaves out items with "
        "gaps; error refuses them.",
    ),
    "max_items": Setting(
        TABLE,
        "Of more items, a random sample of this number is fitted, and every other item is placed "
        "in its tree; none fits all.",
    ),
    "items_per_chain": Setting(
        TABLE,
        "Number of items that each chain is fitted to, a random subsample; the others are placed "
        "in its draws. auto: 1000 of more than 2000, all of fewer; none: all.",
    ),
    "n_levels": Setting(MODEL, "Levels of the tree below the root."),
    "C": Setting(MODEL, "Weight of the max-margin loss; 0 is BHMC, without regularisation."),
    "margin": Setting(MODEL, "Margin between sibling nodes."),
    "eta_scale": Setting(
        MODEL,
        "Prior standard deviation of discriminants; auto decreases with the number of items.",
    ),
    "intercept": Setting(
        MODEL,
        "Scale of the intercepts of discriminants; 0 for none, auto depends on the table.",
    ),
    "alpha": Setting(MODEL, CONCENTRATION.format("nested Chinese restaurant process")),
    "gamma": Setting(MODEL, CONCENTRATION.format("mixture weights below the root")),
    "gamma0": Setting(MODEL, CONCENTRATION.format("mixture weights of the root")),
    "noise_cov": Setting(
        MODEL,
        "Variance of the items within a component; learn samples it, learn-diagonal samples one "
        "for each dimension; auto is learn-diagonal, or 1 with --scheme paper.",
        Variance | Literal["auto"],
    ),
    "noise_warmup": Setting(
        MODEL, "Sweeps at the start of a chain during which a learned --noise-cov is held."
    ),
    "base_cov": Setting(
        MODEL,
        "Variance of the component means; as for --noise-cov, or data for the variances of the "
        "table; auto is data, or 1 with --scheme paper.",
        Variance | Literal["data", "auto"],
    ),
    "scheme": Setting(MODEL, "Sampling scheme: collapsed, exact or paper."),
    "select": Setting(
        MODEL, "Tree to present: the consensus of all draws, or the draw that a criterion selects."
    ),
    "reference": Setting(MODEL, "Whether to compare the table with tables without groups."),
    "n_chains": Setting(
        SAMPLING, "Number of chains; auto is 16 for up to 400 items, and 8 for more."
    ),
    "n_warmup": Setting(SAMPLING, "Sweeps of a chain before its first draw."),
    "n_draws": Setting(SAMPLING, "Draws of each chain in total."),
    "thin": Setting(SAMPLING, "Sweeps per draw."),
    "init": Setting(
        SAMPLING,
        "Tree at which a chain starts: Ward's linkage of its own sample of items, or a draw from "
        "the prior.",
    ),
    "random_state": Setting(SAMPLING, "Seed: equal seeds give equal results, to the bit.", int),
    "n_jobs": Setting(SAMPLING, "Chains that run at the same time; -1 uses all cores.", int),
}

# Two runs of one command should give one tree, so that the seed is fixed unless it is given.
DEFAULTS = {
    name: parameter.default for name, parameter in inspect.signature(RBHMC).parameters.items()
} | {"random_state": 0}


def option_name(parameter: str) -> str:
    """Return the option of a parameter.

    Examples
    --------
    >>> option_name("n_levels"), option_name("C")
    ('--n-levels', '--C')
    """
    return f"--{parameter.replace('_', '-')}"


def use_option_names(text: str) -> str:
    """Replace parameters, and their values, in a message of the library, by those of options.

    Examples
    --------
    >>> use_option_names("n_pca is 9; it must be a whole number from 1 to 3")
    '--n-pca is 9; it must be a whole number from 1 to 3'
    >>> use_option_names('scale is -1.0; it must be "auto", False, or a number above 0')
    '--scale is -1.0; it must be "auto", none, or a number above 0'
    >>> use_option_names("few independent draws: raise n_draws or thin")
    'few independent draws: raise --n-draws or --thin'
    >>> use_option_names("one chain: nothing to compare it with; use n_chains=4")
    'one chain: nothing to compare it with; use --n-chains 4'
    >>> use_option_names('1 row has gaps; use missing="impute" or "drop", or fill them')
    '1 row has gaps; use --missing impute or drop, or fill them'
    """
    # Names that are English words are left alone, unless the message begins with them.
    names = "|".join(name for name in SETTINGS if "_" in name or name == "thin")
    if found := re.match(rf"({'|'.join(SETTINGS)})(?= is )", text):
        allowed = re.sub(r"\b(None|False)\b", "none", text[found.end() :])
        text = option_name(found[1]) + allowed
    with_words = rf'\b({"|".join(SETTINGS)})=("\w+"(?: or "\w+")*)'
    text = re.sub(
        with_words, lambda found: f"{option_name(found[1])} " + found[2].replace('"', ""), text
    )
    return re.sub(
        rf"(?<![\w-])({names})\b(=(?=\d))?",
        lambda found: option_name(found[1]) + (" " if found[2] else ""),
        text,
    )


def fit_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of `RBHMC` that determine a fit: given ones, and defaults.

    Examples
    --------
    >>> settings = fit_settings({"n_levels": 2, "random_state": 7})
    >>> settings["n_levels"], settings["random_state"], settings["n_chains"]
    (2, 7, 'auto')
    """
    settings = DEFAULTS | {name: value for name, value in given.items() if name in DEFAULTS}
    # How many chains run at once changes nothing of the result.
    del settings["n_jobs"]
    return settings


def check_setting(where: str, name: str, value: object) -> None:
    """Check the type of a setting that a record holds.

    Parameters
    ----------
    where : str
        The file and the field, for the message.
    name : str
        The parameter of `RBHMC`.
    value : object
        What JSON holds.

    Examples
    --------
    >>> check_setting("config.json: settings.n_levels", "n_levels", "many")
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: config.json: settings.n_levels is 'many'; it must be a whole number
    """
    if name not in DEFAULTS or name == "n_jobs":
        raise InvalidInput(f"{where} is unknown to this version of rbhmc")
    if name not in SETTINGS:
        # The command line cannot set it.
        allowed = [repr(DEFAULTS[name])]
        is_valid = value == DEFAULTS[name]
    else:
        accepts = _accepted(name)
        words, types = _words(accepts), _types(accepts)
        allowed = [*(NUMBERS[type_][1] for type_ in types), *words]
        is_word = any(value is word or value == word != 0 for word in words.values())
        is_number = type(value) in types or (type(value) is int and float in types)
        is_valid = is_word or (is_number and value == value)  # NaN differs from itself
    if not is_valid:
        raise InvalidInput(f"{where} is {value!r}; it must be {' or '.join(allowed)}")


def with_settings(
    *names: str, **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a decorator that adds options to a command, which receives them as ``**settings``.

    Parameters
    ----------
    *names : str
        The parameters of `RBHMC` that they set.
    **defaults
        Further parameters, with defaults of the command's own.
    """
    all_defaults = {name: DEFAULTS[name] for name in names} | defaults

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(command).parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        added = [_parameter(name, default) for name, default in all_defaults.items()]
        parameters = sorted([*own, *added], key=_panel_order)
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def given_options(context: typer.Context) -> dict[str, Any]:
    """Return the parameters that the user gave on the command line."""
    return {
        name: value
        for name, value in context.params.items()
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    }


def as_arguments(options: Mapping[str, Any]) -> list[str]:
    """Write options as the arguments of a command.

    Examples
    --------
    >>> as_arguments({"n_pca": None, "drop": ["kind", "note"], "C": 0.5})
    ['--n-pca', 'none', '--drop', 'kind', '--drop', 'note', '--C', '0.5']
    """
    return [
        text
        for name, value in options.items()
        for each in (value if isinstance(value, list | tuple) else [value])
        for text in (option_name(name), write_value(name, each))
    ]


def write_value(name: str, value: Any) -> str:
    """Write a value of an option as `parse_value` reads it.

    Examples
    --------
    >>> write_value("n_pca", None), write_value("reference", True), write_value("drop", "kind")
    ('none', 'on', 'kind')
    """
    words = _words(_accepted(name)) if name in SETTINGS else {}
    return next((word for word, meaning in words.items() if meaning is value), str(value))


def parse_value(accepts: Any, text: str) -> Any:
    """Read a value of one of several types; ``none`` stands for None, or for no number.

    Examples
    --------
    >>> accepts = int | float | Literal["auto"] | None
    >>> [parse_value(accepts, text) for text in ("7", "0.9", "auto", "none")]
    [7, 0.9, 'auto', None]
    """
    words, types = _words(accepts), _types(accepts)
    if text.lower() in words:
        return words[text.lower()]
    for type_ in types:
        try:
            return type_(text)
        except ValueError:
            continue
    allowed = [NUMBERS[type_][1] for type_ in types] + list(words)
    *first, last = allowed
    raise typer.BadParameter(f"'{text}' is not {', '.join(first)}{' or ' * bool(first)}{last}")


NUMBERS = {int: ("N", "a whole number"), float: ("X", "a number"), str: ("NAME", "a name")}


def _parameter(name: str, default: Any) -> inspect.Parameter:
    setting, accepts = SETTINGS[name], _accepted(name)

    # A function, because older versions of click read the name of a parser.
    def parse(text: str) -> Any:
        return parse_value(accepts, text)

    option = Option(
        option_name(name),
        parser=parse,
        metavar="|".join([*(NUMBERS[type_][0] for type_ in _types(accepts)), *_words(accepts)]),
        help=setting.help,
        rich_help_panel=setting.panel,
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default if default is None else write_value(name, default),
        annotation=Annotated[Any, option],
    )


def _accepted(name: str) -> Any:
    """Return the types of the values of a setting."""
    return SETTINGS[name].accepts or get_type_hints(RBHMC.__init__)[name]


def _panel_order(parameter: inspect.Parameter) -> int:
    for info in getattr(parameter.annotation, "__metadata__", ()):
        if info.rich_help_panel in PANELS:
            return PANELS.index(info.rich_help_panel)
    return -1


def _members(accepts: Any) -> list[Any]:
    """List the members of a union, and the values of literals, in one list."""
    if get_origin(accepts) is Literal:
        return list(get_args(accepts))
    return [each for part in get_args(accepts) for each in _members(part)] or [accepts]


def _types(accepts: Any) -> list[type]:
    return [each for each in _members(accepts) if each in NUMBERS]


def _words(accepts: Any) -> dict[str, Any]:
    members = _members(accepts)
    words = {each: each for each in members if isinstance(each, str)}
    if bool in members:
        return words | {"on": True, "off": False}
    empty = {"none": None} if NoneType in members else {"none": False} if False in members else {}
    return words | empty


# Options that several commands share and that are not parameters of RBHMC.
IdColumn = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="Column with the names of the items; by default the first text column whose values "
        "all differ, or a column of identifiers.",
        rich_help_panel=TABLE,
    ),
]
ClassColumn = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="Column with known classes: not a feature; fit compares the tree with them.",
        rich_help_panel=TABLE,
    ),
]
Drop = Annotated[
    list[str] | None,
    Option(metavar="NAME", help="Column to leave out; may be repeated.", rich_help_panel=TABLE),
]
NoProgress = Annotated[
    bool, Option("--no-progress", help="Show no progress bars.", rich_help_panel=RUN)
]
RunFolder = Annotated[Path, Argument(metavar="RUN", help="A run folder.")]
OutputFile = Annotated[
    Path | None,
    Option("--output", "-o", metavar="FILE", help="File to write; by default standard output."),
]
MovedData = Annotated[
    Path | None,
    Option("--data", metavar="FILE", help="Where the run's data file is now, if it was moved."),
]
