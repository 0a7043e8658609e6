"""Forged chains in a run folder are refused or valid, and never take much memory."""

import hashlib
import io
import json
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
from rbhmc.sampling.chain_store import GENERATION, RESULT, STATE, ChainStore
from rbhmc.sampling.run_folder import RECORD, RunFolder
from sampling.cases import X

CHUNKS = ("draws-000000000-1.npz", "draws-000000007-1.npz")


def store_in(folder: Path) -> ChainStore:
    """Return the store of chain 0 in a run folder."""
    (folder / GENERATION).write_text("1")
    return ChainStore(folder, 0, "run", 1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a chain: its state, and two chunks of draws."""
    folder = tmp_path_factory.mktemp("run")
    store = store_in(folder)
    sampler: Any = rbhmc.Sampler(X, seed=1)
    for n_new in (7, 5):
        store.save(sampler, sampler.run(n_new))
    return {file.name: file.read_bytes() for file in (folder / "chain-0").iterdir()}


def loaded(folder: Path, files: dict[str, bytes]) -> Any:
    (folder / "chain-0").mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / "chain-0" / name).write_bytes(content)
    return store_in(folder).load()


def with_hashes(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give forged chunks the hashes that the state lists, as a forger would."""
    digests = [hashlib.sha256(files[name]).hexdigest() for name in CHUNKS]
    chunks = [(n, 1, digest) for n, digest in zip((7, 5), digests, strict=True)]
    return {**files, STATE: with_record(files[STATE], chunks=chunks)}


def with_record(state: bytes, **changes: Any) -> bytes:
    arrays = arrays_of(state)
    record = json.loads(arrays["record"].tobytes()) | changes
    return npz(arrays | {"record": np.frombuffer(json.dumps(record).encode(), np.uint8)})


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
        if name != STATE:
            files = with_hashes(files)
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
        loaded(tmp_path, with_hashes({**whole, CHUNKS[1]: npz(none)}))


@pytest.mark.parametrize("change", [{}, {"cdll": np.zeros(())}, {"cdll": np.zeros((5, 0))}])
def test_a_chunk_without_its_draws(
    tmp_path: Path, whole: dict[str, bytes], change: dict[str, Any]
) -> None:
    arrays = {k: v for k, v in arrays_of(whole[CHUNKS[1]]).items() if k != "cdll"} | change
    with pytest.raises(rbhmc.InvalidCheckpoint, match="damaged"):
        loaded(tmp_path, with_hashes({**whole, CHUNKS[1]: npz(arrays)}))


@pytest.mark.parametrize("n_draws", [-1, 0, 6, 8, 7.5, np.nan, [7, 7], "seven", None, True])
def test_a_state_that_counts_other_draws(
    tmp_path: Path, whole: dict[str, bytes], n_draws: Any
) -> None:
    chunks = json.loads(arrays_of(whole[STATE])["record"].tobytes())["chunks"]
    state = with_record(whole[STATE], chunks=[[n_draws, *chunks[0][1:]], chunks[1]])
    with pytest.raises(rbhmc.InvalidCheckpoint):
        loaded(tmp_path, {**whole, STATE: state})


@pytest.mark.parametrize(
    "changes",
    [
        {"chunks": None},
        {"chunks": 3},
        {"chunks": [3]},
        {"chunks": [[7]]},
        {"chunks": {"a": 1}},
        {"chunks": [[7, "../../1", "0"]]},
        {"run": 3},
        {"chain": "0"},
        {"chain": 1},
    ],
)
def test_a_state_with_another_record(
    tmp_path: Path, whole: dict[str, bytes], changes: dict[str, Any]
) -> None:
    with pytest.raises(rbhmc.InvalidCheckpoint, match=r"damaged|another (run|chain)"):
        loaded(tmp_path, {**whole, STATE: with_record(whole[STATE], **changes)})


@pytest.mark.parametrize("absent", ["sampler", "record"])
def test_a_state_that_lacks_something(tmp_path: Path, whole: dict[str, bytes], absent: str) -> None:
    arrays = {key: values for key, values in arrays_of(whole[STATE]).items() if key != absent}
    with pytest.raises(rbhmc.InvalidCheckpoint, match=f"damaged: no {absent}"):
        loaded(tmp_path, {**whole, STATE: npz(arrays)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cdll", np.nan),
        ("rcdll", np.nan),
        ("loss", -1.0),
        ("n_components", -3),
        ("n_components", 21),
        ("n_nodes", 0),
        ("paths", -1),
        ("paths", 20),
        ("components", 20),
        ("path_acceptance", 1.5),
    ],
)
def test_values_out_of_range_are_refused(
    tmp_path: Path, whole: dict[str, bytes], name: str, value: float
) -> None:
    arrays = arrays_of(whole[CHUNKS[0]])
    kind = np.int32 if arrays[name].dtype.kind == "u" else np.float64
    arrays[name] = arrays[name].astype(kind)
    arrays[name].flat[3] = value
    with pytest.raises(rbhmc.InvalidCheckpoint, match=f"{name} holds"):
        loaded(tmp_path, with_hashes({**whole, CHUNKS[0]: npz(arrays)}))


def test_a_chunk_in_another_place_is_refused(tmp_path: Path, whole: dict[str, bytes]) -> None:
    first, second = CHUNKS
    with pytest.raises(rbhmc.InvalidCheckpoint, match="SHA-256"):
        loaded(tmp_path, {**whole, first: whole[second], second: whole[first]})


def test_values_without_bytes_allocate_no_memory(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """Text of length 0 takes no bytes, whatever number of values a header claims."""
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (300000000,), }"
    header += b" " * (64 * 2 - 10 - 1 - len(header)) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("record.npy", content)
        archive.writestr("sampler.npy", content)
    with little_memory("U0"), pytest.raises(rbhmc.InvalidCheckpoint, match="damaged"):
        loaded(tmp_path, {**whole, STATE: buffer.getvalue()})


INVALID_RECORDS = [b"", b'{"run": "run"', b"[1, 2]", b"{}", b"\xff\xfe\x00", b"[" * 100_000]


@pytest.mark.parametrize(
    "content", [*INVALID_RECORDS, b'{"run": "run", "chain": 0}', b'{"run": 1, "result": 1}']
)
def test_a_forged_result(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "chain-0").mkdir()
    (tmp_path / "chain-0" / RESULT).write_bytes(content)
    with pytest.raises(rbhmc.InvalidCheckpoint, match=r"damaged|another run"):
        store_in(tmp_path).load_result()


@pytest.mark.parametrize(
    "content", [*INVALID_RECORDS, b'{"format": 3, "inputs": 2, "n_draws": 3}', b'{"format": 9}']
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
    arrays = arrays_of(whole[STATE]) | {"record": np.array([Path], dtype=object)}
    with pytest.raises(rbhmc.InvalidCheckpoint, match="pickle"):
        loaded(tmp_path, {**whole, STATE: npz(arrays)})


def test_a_forged_size_allocates_no_memory(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """The sizes of an entry are forged in the archive's directory."""
    content = bytearray(whole[CHUNKS[0]])
    sizes = content.index(b"PK\x01\x02") + 20
    content[sizes : sizes + 8] = 2 * (2**31 - 1).to_bytes(4, "little")
    with little_memory("sizes"), pytest.raises(rbhmc.InvalidCheckpoint, match="damaged"):
        loaded(tmp_path, with_hashes({**whole, CHUNKS[0]: bytes(content)}))


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
            loaded(tmp_path, with_hashes({**whole, CHUNKS[0]: buffer.getvalue()}))
