"""Downloads from a local server: once, complete and checked, or not at all."""

import gzip
import hashlib
from pathlib import Path

import pytest

from paper import fashion_mnist, kemp
from paper.download import data_folder
from paper.fashion_mnist import fetch_fashion_mnist
from paper.kemp import fetch_kemp_animals, read_mat
from rbhmc import InvalidInput
from reproduction.files import cells, garments, write, write_mat
from reproduction.server import serve

FILES = garments("train") | garments("t10k")
GZ = {f"{name}.gz": gzip.compress(content) for name, content in FILES.items()}


def files_in(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))


@pytest.fixture
def small_fashion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take these few images for the published ones; Debian's package is not installed."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    monkeypatch.setattr(fashion_mnist, "CONTENT_SHA256", sums)
    monkeypatch.setattr(fashion_mnist, "DEBIAN_FOLDER", tmp_path / "no such folder")


@pytest.fixture
def small_kemp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> bytes:
    """Take these two animals for the published ones."""
    file = write_mat(tmp_path / "animals.mat", data=[[1.0], [0.0]], names=cells(["Bee", "Ant"]))
    monkeypatch.setattr(kemp, "CONTENT_SHA256", kemp.content_sha256(read_mat(file)))
    return file.read_bytes()


@pytest.mark.usefixtures("small_fashion")
def test_garments_are_downloaded_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(GZ) as served:
        monkeypatch.setattr(fashion_mnist, "URL", served.url)
        first = fetch_fashion_mnist(subset="all")
        assert sorted(served.asked) == sorted(GZ)
        second = fetch_fashion_mnist(subset="all")
        assert len(served.asked) == 4
    assert first.names.tolist() == second.names.tolist()
    assert first.data.shape == (62, 784)
    assert files_in(home / "fashion-mnist") == sorted(GZ)


@pytest.mark.usefixtures("small_fashion")
def test_only_missing_files_are_downloaded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home / "fashion-mnist", garments("train"))
    with serve(GZ) as served:
        monkeypatch.setattr(fashion_mnist, "URL", served.url)
        fetch_fashion_mnist(subset="train")
        assert served.asked == []
        fetch_fashion_mnist(subset="all")
        assert sorted(served.asked) == [name for name in sorted(GZ) if name.startswith("t10k")]


@pytest.mark.usefixtures("small_fashion")
@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"something else"), b"<html>not here</html>", GZ["t10k-images-idx3-ubyte.gz"]],
    # Named, because gzip writes the time into the bytes.
    ids=["other content", "a page", "another file"],
)
def test_other_content_is_refused_and_not_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    changed = GZ | {"train-labels-idx1-ubyte.gz": content}
    with serve(changed) as served:
        monkeypatch.setattr(fashion_mnist, "URL", served.url)
        with pytest.raises(InvalidInput, match=r"train-labels.*SHA-256 of its content is"):
            fetch_fashion_mnist()
    assert files_in(home / "fashion-mnist") == ["train-images-idx3-ubyte.gz"]


@pytest.mark.usefixtures("small_fashion")
def test_a_damaged_file_in_the_folder_is_refused(home: Path) -> None:
    write(home / "fashion-mnist", FILES | {"train-labels-idx1-ubyte": b"damaged"})
    with pytest.raises(InvalidInput, match=r"does not hold the published images.*remove it"):
        fetch_fashion_mnist()


def test_debians_folder_is_preferred_to_downloads(
    small_fashion: None, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "debian", FILES, compress=True)
    monkeypatch.setattr(fashion_mnist, "DEBIAN_FOLDER", folder)
    monkeypatch.setattr(fashion_mnist, "URL", "http://127.0.0.1:9/")
    assert len(fetch_fashion_mnist(subset="all").data) == 62
    assert not home.exists()


def test_animals_are_downloaded_once(
    small_kemp: bytes, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve({"animals.mat": small_kemp}) as served:
        monkeypatch.setattr(kemp, "URL", served.url + "animals.mat")
        for _ in range(2):
            bunch = fetch_kemp_animals()
            assert bunch.names.tolist() == ["Bee", "Ant"]
            assert served.asked == ["animals.mat"]
    assert files_in(home) == ["kemp-animals", "kemp-animals/animals.mat"]


def test_other_animals_are_refused_and_not_kept(
    small_kemp: bytes, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_mat(tmp_path / "other.mat", data=[[1.0], [1.0]], names=cells(["Bee", "Ant"]))
    with serve({"animals.mat": other.read_bytes()}) as served:
        monkeypatch.setattr(kemp, "URL", served.url + "animals.mat")
        with pytest.raises(InvalidInput, match="does not hold the published animals"):
            fetch_kemp_animals()
    assert files_in(home) == ["kemp-animals"]


def test_a_missing_page_says_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve({}) as served:
        monkeypatch.setattr(kemp, "URL", served.url + "animals.mat")
        with pytest.raises(OSError, match=r"could not download http.*404.*pass path="):
            fetch_kemp_animals()
    assert files_in(home) == ["kemp-animals"]


def test_without_a_network_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve({}) as served:
        gone = served.url
    monkeypatch.setattr(kemp, "URL", gone + "animals.mat")
    with pytest.raises(OSError, match=r"could not download http.*pass path="):
        fetch_kemp_animals()


def test_the_environment_names_the_folder_of_downloads(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data_folder() == home
    assert not home.exists()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RBHMC_DATA", "")
    assert data_folder() == tmp_path / "rbhmc_data"
    monkeypatch.delenv("RBHMC_DATA")
    assert data_folder() == tmp_path / "rbhmc_data"
