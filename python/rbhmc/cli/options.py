"""Options that `fit` and `tune` share, and the groups that help shows options in."""

from typing import Annotated, Any

from typer import Option

from rbhmc.cli.settings import components_of, concentration_of, scale_of

TABLE = "The table"
MODEL = "The model"
SAMPLING = "Sampling"
RUN = "The run"

IdColumn = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="Column that names the items; else the first of text that differs in all rows.",
        rich_help_panel=TABLE,
    ),
]
Drop = Annotated[
    list[str] | None,
    Option(metavar="NAME", help="Column to leave out; may be repeated.", rich_help_panel=TABLE),
]
Components = Annotated[
    Any,
    Option(
        parser=components_of,
        metavar="auto|none|N|SHARE",
        help="Principal components: how many, or of what share of variance (0.9); auto: of 0.7 if "
        "there are over 20 columns.",
        rich_help_panel=TABLE,
    ),
]
Scale = Annotated[
    Any,
    Option(
        parser=scale_of,
        metavar="auto|none|NUMBER",
        help="One factor for the whole table.",
        rich_help_panel=TABLE,
    ),
]
Levels = Annotated[
    int, Option(min=1, metavar="N", help="Levels below the root.", rich_help_panel=MODEL)
]
NoProgress = Annotated[bool, Option("--no-progress", help="Show no bars.", rich_help_panel=RUN)]


def class_column(words: str) -> Any:
    """Make the option of the column of known classes; `words` say what they are for."""
    return Option(metavar="NAME", help=f"Column of known classes: {words}", rich_help_panel=TABLE)


def concentration(of: str) -> Any:
    """Make the option of a concentration, which may be learned."""
    return Option(
        parser=concentration_of,
        metavar="X|learn",
        help=f"Concentration of the {of}.",
        rich_help_panel=MODEL,
    )


def seed(what: str) -> Any:
    """Make the option of the seed; `what` is equal where it is."""
    return Option(
        min=0, metavar="N", help=f"Equal seeds give equal {what}.", rich_help_panel=SAMPLING
    )


def output(words: str) -> Any:
    """Make the option of the folder that is written."""
    return Option("--output", "-o", metavar="FOLDER", help=words, rich_help_panel=RUN)
