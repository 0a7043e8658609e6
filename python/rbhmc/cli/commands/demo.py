"""The command `demo`: a first run on a table that comes with the library."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typer import Argument, Option

from rbhmc._extras import require
from rbhmc._files import write_atomically
from rbhmc.cli.commands.fit import finish_run
from rbhmc.cli.console import UserError, print_note
from rbhmc.cli.options import NoProgress, fit_settings
from rbhmc.cli.run import CONFIG, Run, check_free
from rbhmc.cli.table import Roles, read_table
from rbhmc.datasets import load_animals

DATA = "data.csv"
N_DIGITS = 200


class Example(NamedTuple):
    """A table with names and classes, settings for its fit, and the shape of its images."""

    names: list[str]
    classes: list[str]
    features: list[str]
    values: NDArray[np.float64]
    settings: dict[str, Any]
    image_shape: tuple[int, int] | None


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
    example = load_example(name)
    folder = output or Path("runs") / name
    settings = fit_settings(example.settings)
    frame = require("pandas", "frames").DataFrame(example.values, columns=example.features)
    frame.insert(0, "class", example.classes)
    frame.insert(0, "name", example.names)
    data = frame.to_csv(index=False, lineterminator="\n").encode()
    file, roles = folder / DATA, Roles("name", "class")
    if (folder / CONFIG).exists():
        # A second call continues the run, or writes its results again.
        run = _open_same_run(folder, data, settings)
        table = read_table(file, roles)
    else:
        check_free(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, data)
        table = read_table(file, roles)
        run = Run.create(folder, file, table, settings, image_shape=example.image_shape)
    print_note(f"The table is {file}.")
    finish_run(run, table, n_jobs=-1, progress=not no_progress)


def _open_same_run(folder: Path, data: bytes, settings: dict[str, Any]) -> Run:
    run = Run.open(folder)
    same_data = run.config["data"]["sha256"] == hashlib.sha256(data).hexdigest()
    if not (same_data and run.settings == settings and (folder / DATA).exists()):
        raise UserError(
            f"{folder} holds another run than this example", "Choose another folder with -o."
        )
    return run


def load_example(name: Literal["animals", "digits"]) -> Example:
    """Load animals with yes/no features, or images of handwritten digits, about 20 of each.

    Examples
    --------
    >>> load_example("animals").values.shape
    (33, 118)
    >>> load_example("digits").names[:3], load_example("digits").values.shape
    (['zero 1', 'one 1', 'two 1'], (200, 64))
    """
    if name == "animals":
        animals = load_animals()
        return Example(
            names=animals.names.tolist(),
            classes=animals.target_names[animals.target].tolist(),
            features=list(animals.feature_names),
            values=animals.data,
            settings={"n_pca": 7},
            image_shape=None,
        )
    from sklearn.datasets import load_digits

    digits = load_digits()
    words = "zero one two three four five six seven eight nine".split()
    classes = [words[digit] for digit in digits.target[:N_DIGITS].tolist()]
    return Example(
        names=[f"{word} {classes[: place + 1].count(word)}" for place, word in enumerate(classes)],
        classes=classes,
        features=list(digits.feature_names),
        values=digits.data[:N_DIGITS],
        settings={"n_pca": 10},
        image_shape=digits.images.shape[1:],
    )
