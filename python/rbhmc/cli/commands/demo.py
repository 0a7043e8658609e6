"""The command `demo`: a first run on a table that comes with the library."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from rbhmc._extras import require
from rbhmc._files import inside, write_atomically
from rbhmc.cli.commands.fit import finish_run
from rbhmc.cli.console import UserError, print_note
from rbhmc.cli.options import NoProgress, fit_settings
from rbhmc.cli.run import CONFIG, Run, check_free
from rbhmc.cli.table import Roles, read_table
from rbhmc.datasets import load_animals

DATA = "data.csv"
N_DIGITS = 200


def demo(
    name: Annotated[Literal["animals", "digits"], Argument(help="Which table.")] = "animals",
    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", metavar="FOLDER", help="Run folder to write; by default runs/NAME."
        ),
    ] = None,
    no_progress: NoProgress = False,
) -> None:
    """Fit an example: 33 animals, or 200 handwritten digits.

    Example:

      rbhmc demo digits
    """
    frame, image_shape = load_example(name)
    data = frame.to_csv(index=False, lineterminator="\n").encode()
    settings = fit_settings({})
    folder = output or Path("runs") / name
    file, roles = inside(folder, DATA), Roles("name", "class")
    if (folder / CONFIG).exists():
        # A second call continues the run, or writes its results again.
        run = Run.open(folder)
        same_data = run.config["data"]["sha256"] == hashlib.sha256(data).hexdigest()
        if not (same_data and run.settings == settings and file.exists()):
            raise UserError(
                f"{folder} holds another run than this example", "Choose another folder with -o."
            )
        table = read_table(file, roles)
    else:
        check_free(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, data)
        table = read_table(file, roles)
        run = Run.create(folder, file, table, settings, image_shape=image_shape)
    print_note(f"The table is {file}.")
    finish_run(run, table, n_jobs=-1, progress=not no_progress)


def load_example(name: Literal["animals", "digits"]) -> tuple[Any, tuple[int, int] | None]:
    """Load a data frame with names and classes, and the shape of its images if it has any.

    Examples
    --------
    >>> load_example("animals")[0].shape
    (33, 120)
    >>> frame, image_shape = load_example("digits")
    >>> frame["name"].tolist()[:3], image_shape
    (['zero 1', 'one 1', 'two 1'], (8, 8))
    """
    image_shape = None
    if name == "animals":
        table = load_animals()
        classes = table.target_names[table.target].tolist()
        names = table.names.tolist()
    else:
        from sklearn.datasets import load_digits

        table = load_digits()
        image_shape = table.images.shape[1:]
        words = "zero one two three four five six seven eight nine".split()
        classes = [words[digit] for digit in table.target[:N_DIGITS].tolist()]
        names = [f"{word} {classes[: at + 1].count(word)}" for at, word in enumerate(classes)]
    pandas = require("pandas", "frames")
    frame = pandas.DataFrame(table.data[: len(names)], columns=list(table.feature_names))
    frame.insert(0, "name", names)
    frame.insert(1, "class", classes)
    return frame, image_shape
