"""Kemp's animals from MATLAB and csv files, and invalid files."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from paper.kemp import CONTENT_SHA256, KEMP_CSV, content_sha256, fetch_kemp_animals, parse_csv
from rbhmc import InvalidInput
from rbhmc.datasets import load_animals
from reproduction.files import cells, needs_kemp, write_mat

NAMES = ["Eagle", "Salmon", "Tiger"]
FEATURES = ["flies", "swims"]
DATA = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
CLASSES = ["birds", "fish", "predators"]


def classes_of(bunch: Any) -> list[str]:
    return list(bunch.target_names[bunch.target])


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("form", ["column", "row", "characters"])
def test_a_matlab_file(tmp_path: Path, form: str, compressed: bool) -> None:
    names: Any = {"column": cells(NAMES), "row": cells(NAMES).T, "characters": NAMES}[form]
    file = tmp_path / "animals.mat"
    variables = {"data": DATA, "names": names, "features": cells(FEATURES)}
    savemat(file, variables, do_compression=compressed)
    bunch = fetch_kemp_animals(file)
    assert bunch.names.tolist() == NAMES
    assert bunch.feature_names == FEATURES
    assert classes_of(bunch) == CLASSES
    np.testing.assert_array_equal(bunch.data, DATA)


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_, np.float32])
def test_a_matlab_file_of_another_type_without_features(tmp_path: Path, dtype: Any) -> None:
    file = write_mat(tmp_path / "animals.MAT", data=np.array(DATA, dtype), names=cells(NAMES))
    bunch = fetch_kemp_animals(str(file))
    assert bunch.feature_names == ["feature 0", "feature 1"]
    assert bunch.data.dtype == np.float64


def test_classes_of_a_csv_file_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text('name,class,"eats, sleeps"\nDragon,myths,1\nTiger,cats,0\n', encoding="utf-8")
    bunch = fetch_kemp_animals(file)
    assert classes_of(bunch) == ["myths", "cats"]
    assert bunch.feature_names == ["eats, sleeps"]


def test_a_csv_file_without_classes_gets_those_of_the_paper(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(b"\xef\xbb\xbfname,flies\r\n eagle ,1\r\nSALMON,0\r\n\r\n")
    bunch = fetch_kemp_animals(file)
    assert classes_of(bunch) == ["birds", "fish"]
    assert bunch.names.tolist() == ["eagle", "SALMON"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no names: its first column must be headed 'name'"),
        ("flies,swims\n1,0\n", "has no names"),
        ("name,class\nEagle,birds\n", "has no features"),
        ("name,flies\n", "has no items"),
        ("name,flies\nEagle,1\n,0\n", "item 2 has no name"),
        ("name,flies,\nEagle,1,0\n", "feature 2 has no name"),
        ("name,flies\nEagle,1\nEagle,0\n", "2 items are called 'Eagle'"),
        ("name,flies,flies\nEagle,1,1\n", "2 features are called 'flies'"),
        ("name,class,flies\nEagle,,1\n", "'Eagle' has no class"),
        ("name,flies\nEagle,1,0\n", "row 1 has 3 values, the header has 2"),
        ("name,flies\nEagle,yes\n", "must be 0 or 1"),
        ("name,flies\nEagle,2\n", "'flies' of 'Eagle' is 2.0"),
        ("name,flies\nEagle,nan\n", "'flies' of 'Eagle' is nan"),
        ("name,flies\nEagle,\n", "must be 0 or 1"),
        ("name,flies\nEagle,1\nDragon,1\nElf,0\n", "no class for 'Dragon', 'Elf'"),
        ('name,flies\n"Eagle,1\n', "not a csv file"),
    ],
)
def test_invalid_csv_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=r"bad\.csv.*" + re.escape(message)):
        fetch_kemp_animals(file)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"names": cells(NAMES)}, "has no variable 'data'; it has: names"),
        ({"data": DATA}, "has no variable 'names'; it has: data"),
        ({"data": DATA, "names": cells(NAMES[:2])}, "2 names and 2 features do not fit"),
        ({"data": np.transpose(DATA), "names": cells(NAMES)}, "do not fit a table of shape (2, 3)"),
        ({"data": DATA, "names": cells(NAMES), "features": cells(["flies"])}, "1 features do not"),
        ({"data": DATA, "names": cells(["Eagle", "", "Tiger"])}, "item 2 has no name"),
        ({"data": np.add(DATA, 1), "names": cells(NAMES)}, "'feature 0' of 'Eagle' is 2.0"),
        ({"data": np.zeros((3, 2, 2)), "names": cells(NAMES)}, "must have two dimensions, not 3"),
        ({"data": cells(NAMES), "names": cells(NAMES)}, "must be 0 or 1"),
        ({"data": DATA, "names": cells(["Eagle", "Elf", "Tiger"])}, "no class for 'Elf'"),
    ],
)
def test_invalid_matlab_files_are_refused(
    tmp_path: Path, variables: dict[str, Any], message: str
) -> None:
    file = write_mat(tmp_path / "bad.mat", **variables)
    with pytest.raises(InvalidInput, match=r"bad\.mat.*" + re.escape(message)):
        fetch_kemp_animals(file)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a MATLAB file" * 20, b"\0" * 200])
def test_files_of_other_formats_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.mat"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match="not a readable MATLAB file"):
        fetch_kemp_animals(file)


def test_a_truncated_matlab_file(tmp_path: Path) -> None:
    file = write_mat(tmp_path / "bad.mat", data=DATA, names=cells(NAMES))
    whole = file.read_bytes()
    for length in range(130, len(whole), 40):
        file.write_bytes(whole[:length])
        with pytest.raises(InvalidInput, match=r"bad\.mat"):
            fetch_kemp_animals(file)


def test_a_matlab_file_of_version_7_3_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "new.mat"
    file.write_bytes(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512))
    with pytest.raises(InvalidInput, match="save it in MATLAB with -v7"):
        fetch_kemp_animals(file)


def test_other_suffixes_missing_files_and_encodings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"must end in \.mat or \.csv"):
        fetch_kemp_animals(tmp_path / "animals.xls")
    for name in ("none.csv", "none.mat"):
        with pytest.raises(FileNotFoundError, match="none"):
            fetch_kemp_animals(tmp_path / name)
    file = tmp_path / "latin.csv"
    file.write_bytes("name,fährt\nEagle,0\n".encode("latin-1"))
    with pytest.raises(InvalidInput, match="not text in UTF-8"):
        fetch_kemp_animals(file)


@needs_kemp
def test_the_published_table() -> None:
    bunch = fetch_kemp_animals(KEMP_CSV)
    assert bunch.data.shape == (33, 102)
    assert len(bunch.target_names) == 8
    assert np.bincount(bunch.target).sum() == 33


@needs_kemp
def test_the_checksum_ignores_order_and_detects_changes() -> None:
    table = parse_csv(KEMP_CSV.read_text(), KEMP_CSV)
    assert content_sha256(table) == CONTENT_SHA256
    random = np.random.default_rng(0)
    rows, columns = random.permutation(33), random.permutation(102)
    shuffled = table._replace(
        names=[table.names[i].upper() for i in rows], X=table.X[rows][:, columns]
    )
    assert content_sha256(shuffled) == CONTENT_SHA256
    changed = table.X.copy()
    changed[5, 7] = 1 - changed[5, 7]
    assert content_sha256(table._replace(X=changed)) != CONTENT_SHA256


@needs_kemp
def test_a_matlab_file_of_the_published_table_gets_its_classes(tmp_path: Path) -> None:
    table = parse_csv(KEMP_CSV.read_text(), KEMP_CSV)
    features = cells(table.feature_names).T
    file = tmp_path / "animals.mat"
    write_mat(file, data=table.X, names=cells(table.names), features=features)
    assert classes_of(fetch_kemp_animals(file)) == table.classes


@needs_kemp
def test_the_shipped_animals_have_the_same_names_and_classes_but_other_features() -> None:
    animals = load_animals()
    kemp = parse_csv(KEMP_CSV.read_text(), KEMP_CSV)
    assert kemp.classes is not None
    classes = animals.target_names[animals.target]
    assert dict(zip(animals.names, classes, strict=True)) == dict(
        zip(kemp.names, kemp.classes, strict=True)
    )
    assert not set(animals.feature_names) & set(kemp.feature_names)
