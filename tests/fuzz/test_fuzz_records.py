"""Forged arrays, trees and records of a run are refused in words, and take little memory."""

import io
import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cli.cases import QUICK, invoke, invoke_any, write_table
from fuzz.cases import damaged, file_of, little_memory, seeds
from fuzz.test_fuzz_csv import is_table
from fuzz.test_fuzz_draws import changed
from rbhmc import InvalidInput, Tree

TREE = Tree.from_labels(
    [[0, 0], [0, 1], [1, 2], [1, 2]], names=["a", "b", "c", "d"], X=np.arange(8.0).reshape(4, 2)
)


def npy(header: str, n_bytes: int) -> bytes:
    """Return a .npy file with a forged header."""
    line = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + bytes(n_bytes)


@pytest.mark.parametrize(
    "shape",
    [(0, 10**12), (10**12, 0), (300_000_000, 0), (0, 200_000), (-2, -1), (2**40, 2**40), (4,), ()],
)
@pytest.mark.parametrize("kind", ["<f8", "<U0", "|V0", "|O"])
def test_forged_arrays_take_no_memory(shape: tuple[int, ...], kind: str) -> None:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape!r}, }}"
    with little_memory((shape, kind)):
        assert not is_table(npy(header, 16), ".npy")


def test_damaged_arrays_are_read_or_refused() -> None:
    with file_of(b"", ".npy") as path:
        np.save(path, np.arange(12.0).reshape(4, 3))
        whole = path.read_bytes()
    outcomes = set()
    for seed in seeds(150):
        with little_memory(seed):
            outcomes.add(is_table(damaged(Random(seed), whole, whole), ".npy"))
    assert outcomes == {True, False}


@pytest.mark.filterwarnings("ignore::UserWarning")  # openpyxl warns of what it does not know
@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".xlsx"])
def test_damaged_files_of_frames_are_read_or_refused(suffix: str) -> None:
    buffer = io.BytesIO()
    frame = pd.DataFrame({"name": ["a", "b", "c"], "x": [1.5, 2.5, 4.0], "y": [1, 2, 9]})
    write = {".parquet": frame.to_parquet, ".feather": frame.to_feather, ".xlsx": frame.to_excel}
    write[suffix](buffer, **({"index": False} if suffix == ".xlsx" else {}))
    whole, outcomes = buffer.getvalue(), set()
    for seed in seeds(150):
        outcomes.add(is_table(damaged(Random(seed), whole, whole), suffix))
    assert outcomes == {True, False}


def test_an_excel_file_that_unpacks_to_far_more_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/worksheets/sheet1.xml", b" " * 2**27)
    with little_memory(0):
        assert not is_table(buffer.getvalue(), ".xlsx")


def test_damaged_trees_are_read_or_refused() -> None:
    whole, outcomes = TREE.to_json(), set()
    for seed in seeds(300):
        rng = Random(seed)
        content = json.dumps(changed(rng, json.loads(whole))).encode()
        if rng.random() < 0.3:
            content = damaged(rng, content, whole.encode())
        with little_memory(seed):
            try:
                outcomes.add(Tree.from_json(content).n_items > 0)
            except InvalidInput:
                outcomes.add(False)
    assert outcomes == {True, False}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("record")
    write_table(folder / "things.csv")
    invoke("fit", folder / "things.csv", "--drop", "kind", "-o", folder / "run", *QUICK)
    return folder / "run"


@pytest.mark.filterwarnings("ignore:.*was made by rbhmc")
@pytest.mark.parametrize("name", ["config.json", "checkpoints/run.json"])
def test_edited_records_are_read_or_refused(run: Path, name: str) -> None:
    """An edit that is refused names its file, and none ends in a traceback."""
    whole = (run / name).read_bytes()
    codes = set()
    try:
        for seed in seeds(60):
            record: Any = changed(Random(seed), json.loads(whole))
            (run / name).write_text(json.dumps(record))
            for command in (("export", run, "-f", "newick"), ("export", run, "-f", "draws")):
                done = invoke_any(*command, "-o", run.parent / "out")
                codes.add(done.exit_code)
                assert done.exit_code in (0, 1), (seed, done.output)
    finally:
        (run / name).write_bytes(whole)
    assert codes == {0, 1}
