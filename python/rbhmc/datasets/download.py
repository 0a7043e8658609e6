"""A file that is downloaded once, and kept only if its content is the published one."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from rbhmc._extras import require

SECONDS_WITHOUT_DATA = 30


def download(url: str, file: Path, check: Callable[[Path], object], instead: str) -> None:
    """Download a file, unless it is there.

    Parameters
    ----------
    url : str
        Where it is.
    file : Path
        Where it is to be. Its folder is made; it appears there whole or not at all.
    check : callable
        Takes the path of what arrived, and raises if that is not what was wanted.
    instead : str
        What a user without a network can do, for the message.

    Raises
    ------
    OSError
        If the download failed.

    Examples
    --------
    >>> download("https://example.org/no.csv", Path(__file__), check=print, instead="nothing")
    """
    if file.exists():
        return
    pooch = require("pooch", "datasets")
    file.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=file.parent, prefix=".download-") as folder:
        arrived = Path(folder) / file.name
        try:
            pooch.HTTPDownloader(timeout=SECONDS_WITHOUT_DATA)(url, str(arrived), None)
        except OSError as error:
            raise OSError(f"could not download {url} ({error}); {instead}") from error
        check(arrived)
        arrived.replace(file)
