"""Forged chains in a run folder are refused or valid, and never take much memory."""

import io
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import rbhmc
from fuzz.cases import damaged, little_memory, seeds
from rbhmc.cli.console import UserError
from rbhmc.cli.run import CONFIG, Run
from rbhmc.sampling.chain_store import RESULT, STATE, ChainStore
from rbhmc.sampling.run_folder import RECORD, RunFolder
from sampling.cases import X

CHUNKS = ("draws-000000000.npz", "draws-000000007.npz")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a chain: its state, and two chunks of draws."""
    folder = tmp_path_factory.mktemp("chain")
    store = ChainStore(folder, "run")
    sampler: Any = rbhmc.Sampler(X, seed=1)
    for n_draws, n_new in ((7, 7), (12, 5)):
        store.save(sampler, sampler.run(n_new), n_draws)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def loaded(folder: Path, files: dict[str, bytes]) -> Any:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return ChainStore(folder, "run").load()


def arrays_of(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content)) as file:
        return {key: file[key] for key in file.files}


def npz(arrays: dict[str, Any], **how: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays, **how)
    return buffer.getvalue()


def test_a_whole_chain_is_read(tmp_path: Path, whole: dict[str, bytes]) -> None:
    assert whole.keys() == {STATE, *CHUNKS}
    assert [len(chunk["cdll"]) for chunk in loaded(tmp_path, whole)[1]] == [7, 5]


def test_damaged_files(tmp_path: Path, whole: dict[str, bytes]) -> None:
    taken = set()
    for seed in seeds(400):
        rng = Random(seed)
        name, other = rng.sample(sorted(whole), 2)
        files = {**whole, name: damaged(rng, whole[name], whole[other])}
        with little_memory(seed):
            try:
                _, chunks = loaded(tmp_path, files)
                assert sum(len(chunk["cdll"]) for chunk in chunks) == 12
                taken.add(True)
            except rbhmc.InvalidInput:
                taken.add(False)
    assert taken == {True, False}


def test_an_empty_chunk_is_refused(tmp_path: Path, whole: dict[str, bytes]) -> None:
    none = {key: values[:0] for key, values in arrays_of(whole[CHUNKS[1]]).items()}
    with pytest.raises(rbhmc.InvalidCheckpoint, match="damaged"):
        loaded(tmp_path, {**whole, CHUNKS[1]: npz(none)})


@pytest.mark.parametrize("change", [{}, {"cdll": np.zeros(())}, {"cdll": np.zeros((5, 0))}])
def test_a_chunk_without_its_draws(
    tmp_path: Path, whole: dict[str, bytes], change: dict[str, Any]
) -> None:
    arrays = {k: v for k, v in arrays_of(whole[CHUNKS[1]]).items() if k != "cdll"} | change
    with pytest.raises(rbhmc.InvalidCheckpoint, match="damaged"):
        loaded(tmp_path, {**whole, CHUNKS[1]: npz(arrays)})


@pytest.mark.parametrize("n_draws", [-1, 11, 13, 7.5, np.nan, [12, 12], "twelve"])
def test_a_state_that_counts_other_draws(
    tmp_path: Path, whole: dict[str, bytes], n_draws: Any
) -> None:
    arrays = arrays_of(whole[STATE]) | {"n_draws": np.array(n_draws)}
    with pytest.raises(rbhmc.InvalidCheckpoint):
        loaded(tmp_path, {**whole, STATE: npz(arrays)})


@pytest.mark.parametrize("absent", ["sampler", "n_draws", "run"])
def test_a_state_that_lacks_something(tmp_path: Path, whole: dict[str, bytes], absent: str) -> None:
    arrays = {key: values for key, values in arrays_of(whole[STATE]).items() if key != absent}
    with pytest.raises(rbhmc.InvalidCheckpoint, match=f"damaged: no {absent}"):
        loaded(tmp_path, {**whole, STATE: npz(arrays)})


INVALID_RECORDS = [b"", b'{"run": "run"', b"[1, 2]", b"{}", b"\xff\xfe\x00", b"[" * 100_000]


@pytest.mark.parametrize(
    "content", [*INVALID_RECORDS, b'{"run": "run"}', b'{"run": 1, "result": 1}']
)
def test_a_forged_result(tmp_path: Path, content: bytes) -> None:
    (tmp_path / RESULT).write_bytes(content)
    with pytest.raises(rbhmc.InvalidCheckpoint, match=r"damaged|another run"):
        ChainStore(tmp_path, "run").load_result()


@pytest.mark.parametrize(
    "content", [*INVALID_RECORDS, b'{"format": 2, "inputs": 2, "n_draws": 3}', b'{"format": 9}']
)
def test_a_forged_record_of_a_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / RECORD).write_bytes(content)
    (tmp_path / CONFIG).write_bytes(content)
    with pytest.raises(rbhmc.InvalidInput, match=r"not the record of a run|has format 9"):
        RunFolder.open(tmp_path)
    with pytest.raises(UserError, match=r"not the record of a run|has a format"):
        Run.open(tmp_path)


def test_pickles_are_not_loaded(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """An array of objects is a pickle, which can run any code."""
    arrays = arrays_of(whole[STATE]) | {"run": np.array([Path], dtype=object)}
    with pytest.raises(rbhmc.InvalidCheckpoint, match="pickle"):
        loaded(tmp_path, {**whole, STATE: npz(arrays)})


def test_a_forged_size_allocates_no_memory(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """The sizes of an entry are forged in the archive's directory."""
    content = bytearray(whole[CHUNKS[0]])
    sizes = content.index(b"PK\x01\x02") + 20
    content[sizes : sizes + 8] = 2 * (2**31 - 1).to_bytes(4, "little")
    with little_memory("sizes"), pytest.raises(rbhmc.InvalidCheckpoint, match="damaged"):
        loaded(tmp_path, {**whole, CHUNKS[0]: bytes(content)})


def test_a_forged_shape_allocates_no_memory(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """The shape in a header is forged, or an entry is compressed."""
    with zipfile.ZipFile(io.BytesIO(whole[CHUNKS[0]])) as archive:
        cdll = archive.read("cdll.npy")
    more = cdll.replace(b"(7,), }", b"(7" + 9 * b"0" + b",), }").replace(9 * b" ", b"", 1)
    assert len(more) == len(cdll)
    for content, compression, words in (
        (more, zipfile.ZIP_STORED, "shape"),
        (bytes(200 * 2**20), zipfile.ZIP_DEFLATED, "compressed"),
    ):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", compression) as archive:
            archive.writestr("cdll.npy", content)
        with little_memory(words), pytest.raises(rbhmc.InvalidCheckpoint, match=words):
            loaded(tmp_path, {**whole, CHUNKS[0]: buffer.getvalue()})
