"""Forged files of draws are refused or hold arrays that agree, and never take much memory."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from draws.made import made_draws
from fuzz.cases import damaged, file_of, little_memory, seeds
from rbhmc import Draws, InvalidInput

Entries = dict[str, bytes]

# Values that replace one value in the JSON that describes an array.
ODD: list[Any] = [0, -1, 1, 2**31, 2**40, 2**63, 1.5, None, True, "", "numcodecs.pickle", [], {}]


def content_of(draws: Draws) -> bytes:
    with file_of(b"", ".zip") as path:
        draws.save(path)
        return path.read_bytes()


def entries_of(content: bytes) -> Entries:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(entries: Entries) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def changed(rng: Random, value: Any) -> Any:
    """Change one value somewhere in JSON."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        return {**value, key: changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        return [*value[:place], changed(rng, value[place]), *value[place + 1 :]]
    return rng.choice(ODD)


def is_taken(path: Path) -> bool:
    """Read all of a file and return whether it was accepted as draws."""
    try:
        draws = Draws.load(path)
        shape = draws.paths.shape
        for name in ("components", "cdll", "n_nodes", "path_acceptance"):
            assert draws.read(name).shape[:2] == shape[:2]
    except InvalidInput as error:
        assert "Draws.save" in str(error) or "rbhmc" in str(error) or "must" in str(error)
        return False
    assert len(draws.names) == shape[2]
    return True


WHOLE = [content_of(made_draws(seed=1)), content_of(made_draws(1, 3, 20, 2, n_leaves=9, seed=2))]


def test_damaged_archives() -> None:
    for seed in seeds(40):
        rng = Random(seed)
        one, other = rng.sample(WHOLE, 2)
        with file_of(damaged(rng, one, other), ".zip") as path, little_memory(seed):
            is_taken(path)


def test_forged_entries() -> None:
    """Entries are forged inside a valid archive, so that zarr has to read them."""
    taken = set()
    for seed in seeds(90):
        rng = Random(seed)
        one, other = (entries_of(content) for content in rng.sample(WHOLE, 2))
        name = rng.choice(sorted(one))
        if name.endswith(".json") and rng.random() < 0.8:
            one[name] = json.dumps(changed(rng, json.loads(one[name]))).encode()
        else:
            one[name] = damaged(rng, one[name], rng.choice(sorted(other.values())))
        with file_of(archive_of(one), ".zip") as path, little_memory((seed, name)):
            taken.add(is_taken(path))
    assert taken == {True, False}


def with_json(entries: Entries, name: str, old: str, new: str) -> None:
    text = entries[f"{name}/zarr.json"].decode()
    assert old in text
    entries[f"{name}/zarr.json"] = text.replace(old, new).encode()


def assert_refused(content: bytes, words: str) -> None:
    with (
        file_of(content, ".zip") as path,
        little_memory(words),
        pytest.raises(InvalidInput, match=words),
    ):
        _ = Draws.load(path).cdll


def inflate(entries: Entries) -> None:
    chunk = bytearray(entries["cdll/c/0/0"])
    chunk[4:8] = (2**31 - 2**20).to_bytes(4, "little")
    entries["cdll/c/0/0"] = bytes(chunk)


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (inflate, r"cdll/c/0/0 unpacks to \d+ bytes, not"),
        (lambda entries: with_json(entries, "cdll", '"blosc"', '"numcodecs.pickle"'), "damaged"),
        (lambda entries: with_json(entries, "cdll", '"bytes"', '"vlen-bytes"'), "damaged"),
        (
            lambda entries: with_json(entries, "cdll", '"transpose"', '"sharding_indexed"'),
            "damaged",
        ),
        (lambda entries: with_json(entries, "paths", "1,", "4096,"), "damaged"),
    ],
)
def test_forgeries_of_one_kind(forge: Callable[[Entries], None], words: str) -> None:
    entries = entries_of(WHOLE[0])
    forge(entries)
    assert_refused(archive_of(entries), words)


def test_entries_that_would_take_more_room_than_the_archive() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zarr.json", bytes(200 * 2**20))
    assert_refused(buffer.getvalue(), "compressed as a whole")
    # The central directory of the archive holds the sizes of an entry 20 bytes after its mark.
    content = bytearray(WHOLE[0])
    sizes = content.index(b"PK\x01\x02") + 20
    content[sizes : sizes + 8] = 2 * (2**31 - 1).to_bytes(4, "little")
    assert_refused(bytes(content), "larger than the archive")


def test_values_out_of_range_are_refused() -> None:
    for name, value in (("cdll", float("nan")), ("components", 9), ("n_nodes", -3)):
        made = made_draws(seed=1)
        getattr(made, name).flat[3] = value
        with file_of(content_of(made), ".zip") as path:
            draws = Draws.load(path)
            with pytest.raises(InvalidInput, match=f"{name} holds"):
                draws.read(name)


def test_an_empty_array_claims_no_length() -> None:
    """Chains without draws take no bytes, whatever number of them the file claims."""
    entries = entries_of(content_of(made_draws(2, 0, 9, 3)))
    for name in [name for name in entries if name.endswith("/zarr.json")]:
        text = json.loads(entries[name])
        text["shape"][0] = 10**9
        entries[name] = json.dumps(text).encode()
    assert_refused(archive_of(entries), "of which the file holds nothing")
