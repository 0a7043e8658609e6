"""Files that are downloaded once, checked, and kept in the data folder."""

import os
import shutil
import urllib.request
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

TIMEOUT_SECONDS = 30


def data_folder() -> Path:
    """Return the folder of downloads: the environment variable RBHMC_DATA, or ~/rbhmc_data."""
    return Path(os.environ.get("RBHMC_DATA") or "~/rbhmc_data").expanduser()


def download(url: str, file: Path, check: Callable[[Path], object], instead: str) -> None:
    """Download a file, unless it exists.

    Parameters
    ----------
    url : str
    file : Path
        The destination, which gets a complete file or none.
    check : callable
        Takes the path of the downloaded file, and raises if the content is wrong.
    instead : str
        The alternative without a network, for the error message.

    Raises
    ------
    OSError
        If the download fails.
    """
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=file.parent, prefix=".download-") as folder:
        partial = Path(folder) / file.name
        try:
            with (
                urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as source,
                partial.open("wb") as target,
            ):
                shutil.copyfileobj(source, target)
        except OSError as error:
            raise OSError(f"could not download {url} ({error}); {instead}") from error
        check(partial)
        partial.replace(file)
