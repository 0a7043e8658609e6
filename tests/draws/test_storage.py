"""Files of draws: round trips, reading in parts, sizes, interrupted saves, damage and forgery."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from zarr.storage import ZipStore

import rbhmc
from draws.made import assert_same, made_draws
from rbhmc import Draws, InvalidInput
from rbhmc.draws import storage
from rbhmc.draws.variables import VARIABLES

SETTINGS = {"C": 1.0, "path_move": None, "seeds": [2**63 - 2, 0], "nested": {"é": ["\ud800", ""]}}


def saved(draws: Draws, folder: Path) -> Path:
    path = folder / "draws.zarr.zip"
    draws.save(path)
    return path


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    n_chains=st.integers(1, 3),
    n_draws=st.integers(0, 5),
    n_items=st.integers(1, 8),
    n_levels=st.integers(1, 4),
    n_leaves=st.integers(1, 8),
    seed=st.integers(0, 2**32 - 1),
    names=st.lists(st.text(), min_size=8, max_size=8),
    values=st.lists(st.floats(), min_size=1),
)
def test_what_is_saved_comes_back(
    tmp_path: Path,
    n_chains: int,
    n_draws: int,
    n_items: int,
    n_levels: int,
    n_leaves: int,
    seed: int,
    names: list[str],
    values: list[float],
) -> None:
    made = made_draws(n_chains, n_draws, n_items, n_levels, n_leaves=n_leaves, seed=seed)
    made.eta_acceptance[...] = np.resize(values, made.eta_acceptance.shape)
    draws = Draws({name: getattr(made, name) for name in VARIABLES}, names[:n_items], SETTINGS)
    assert_same(Draws.load(saved(draws, tmp_path)), draws)


@pytest.mark.parametrize("n_items", [256, 257, 65_537])
def test_labels_of_every_size_come_back(tmp_path: Path, n_items: int) -> None:
    """Each item has its own leaf and component, so that labels take one, two or four bytes."""
    made = made_draws(1, 2, n_items, 2, n_leaves=1)
    made.paths[...] = np.arange(n_items)[:, None]
    made.components[...] = np.arange(n_items)
    assert_same(Draws.load(saved(made, tmp_path)), made)


def test_draws_of_a_sampler_come_back_from_a_second_file(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(25, 2)) * 4
    chains = [rbhmc.Sampler(X, seed=seed).run(40) for seed in (1, 2, 3)]
    draws = Draws.of_chains(chains, [str(n) for n in range(25)], SETTINGS)
    path = saved(draws, tmp_path)
    loaded = Draws.load(path)
    loaded.save(path)
    assert_same(Draws.load(path), draws)
    assert_same(loaded, draws)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_loaded_draws_stay_the_same_when_the_file_is_replaced(tmp_path: Path) -> None:
    old = made_draws(seed=1)
    loaded = Draws.load(saved(old, tmp_path))
    saved(made_draws(seed=2), tmp_path)
    assert_same(loaded, old)


@pytest.mark.parametrize("chain", [0, -1, slice(None), slice(1, None), slice(None, None, -1)])
@pytest.mark.parametrize("draw", [0, -2, slice(None), slice(2, 6, 3), slice(5, 1, -2), slice(0, 0)])
def test_a_part_is_that_part_of_the_whole(tmp_path: Path, chain: Any, draw: Any) -> None:
    draws = made_draws()
    loaded = Draws.load(saved(draws, tmp_path))
    for name in VARIABLES:
        expected = getattr(draws, name)[chain, draw]
        for one in (draws, loaded):
            part = one.read(name, chain, draw)
            assert part.dtype == expected.dtype
            np.testing.assert_array_equal(part, expected)


def test_parts_that_are_not_there(tmp_path: Path) -> None:
    loaded = Draws.load(saved(made_draws(), tmp_path))
    with pytest.raises(IndexError, match="out of bounds"):
        loaded.read("paths", 2)
    with pytest.raises(InvalidInput, match="'leaf'; they have cdll"):
        loaded.read("leaf")


def test_only_what_is_asked_for_is_read(
    tmp_path: Path, entries_read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A chunk holds 100 draws of components: 250 draws take three chunks in each chain.
    monkeypatch.setattr(storage, "CHUNK_BYTES", 10_000)
    draws = made_draws(2, 250, 100, 2)
    path = saved(draws, tmp_path)
    entries_read.clear()

    loaded = Draws.load(path)
    assert repr(loaded) == "Draws(2 chains x 250 draws of 100 items, 2 levels)"
    assert all(name.endswith("zarr.json") for name in entries_read)
    entries_read.clear()

    np.testing.assert_array_equal(loaded.read("paths", 1, 130), draws.paths[1, 130])
    assert sorted(entries_read) == ["paths/c/1/2/0/0"]
    entries_read.clear()

    np.testing.assert_array_equal(loaded.read("components", 0), draws.components[0])
    assert sorted(entries_read) == [f"components/c/0/{block}/0" for block in range(3)]
    entries_read.clear()

    np.testing.assert_array_equal(loaded.cdll, draws.cdll)
    assert sorted(entries_read) == ["cdll/c/0/0", "cdll/c/1/0"]
    entries_read.clear()
    np.testing.assert_array_equal(loaded.cdll, draws.cdll)
    assert entries_read == []


def share(draws: Draws, folder: Path) -> float:
    size = saved(draws, folder).stat().st_size
    return size / (draws.paths.nbytes + draws.components.nbytes)


def test_draws_of_a_sampler_take_less_than_a_tenth(tmp_path: Path) -> None:
    centres = np.random.default_rng(0).normal(size=(40, 5)) * 5
    X = np.repeat(centres, 25, axis=0) + np.random.default_rng(1).normal(size=(1000, 5))
    shuffled = np.random.default_rng(2).permutation(X)
    sampler = rbhmc.Sampler(shuffled, n_levels=4, alpha=0.2, gamma=1.5, C=0.0, base_cov=25.0)
    chain = sampler.run(150, burn_in=20)
    assert chain["n_nodes"][-1, -1] > 40
    draws = Draws.of_chains([chain], [str(n) for n in range(1000)])
    assert share(draws, tmp_path) < 0.1


def test_independent_trees_of_10_000_items_take_less_than_a_fifth(tmp_path: Path) -> None:
    """All leaves are equally likely, so that draws share nothing that compression could use."""
    draws = made_draws(2, 50, 10_000, 4, n_leaves=200, n_components=40)
    assert draws.n_nodes.max() == 200
    assert share(draws, tmp_path) < 0.2


@pytest.mark.parametrize(
    ("name", "labels", "words"),
    [
        ("paths", [[0, 0], [1, 0], [0, 1], [0, 1]], "chain 0, draw 0: "),
        ("paths", -1, "label -1"),
        ("paths", 4, "label 4 .* from 0 to 4 - 1"),
        ("components", -1, "label -1"),
    ],
)
def test_labels_that_are_not_of_trees_are_not_saved(
    tmp_path: Path, name: str, labels: Any, words: str
) -> None:
    made = made_draws(1, 1, 4, 2)
    getattr(made, name)[...] = labels
    with pytest.raises(InvalidInput, match=words):
        made.save(tmp_path / "draws.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = made_draws(seed=1)
    path = saved(old, tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for target, name in ((zipfile.ZipFile, "writestr"), (os, "fsync"), (Path, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(target, name, full)
            with pytest.raises(OSError, match="No space left"):
                made_draws(seed=2).save(path)
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert_same(Draws.load(path), old)


# Starts processes that save to the given files over and over, and kills each at a random moment.
KILLED = """
import itertools, os, random, signal, sys, time
from draws.made import made_draws
from rbhmc.draws import storage  # imported once, before the processes fork

made = [made_draws(2, 60, 400, 3, seed=n, settings={"number": n}) for n in (1, 2)]
moments = random.Random(0)
for path in sys.argv[1:]:
    process = os.fork()
    if process == 0:
        for draws in itertools.cycle(made):
            draws.save(path)
    time.sleep(moments.uniform(0.05, 0.3))
    os.kill(process, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_save_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    old = made_draws(2, 60, 400, 3, seed=0, settings={"number": 0})
    paths = [tmp_path / str(run) for run in range(10)]
    for path in paths:
        old.save(path)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    subprocess.run([sys.executable, "-c", KILLED, *paths], env=environment, check=True)
    for path in paths:
        found = Draws.load(path)
        number = found.settings["number"]
        assert_same(found, made_draws(2, 60, 400, 3, seed=number, settings={"number": number}))


def load_everything(path: Path) -> Draws:
    loaded = Draws.load(path)
    loaded.to_arrays()
    return loaded


def test_a_missing_file_and_a_folder_raise_the_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.zip"):
        Draws.load(tmp_path / "none.zip")
    with pytest.raises(OSError, match=tmp_path.name):
        Draws.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        made_draws().save(tmp_path / "none" / "draws.zip")


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = saved(made_draws(), tmp_path)
    whole = path.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 30, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(InvalidInput, match=r"must be as Draws\.save wrote it"):
            Draws.load(path)


def test_damage_is_found_or_does_no_harm(tmp_path: Path) -> None:
    """Some bytes of an archive do not matter, such as dates: then the draws are right."""
    draws = made_draws()
    path = saved(draws, tmp_path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    found = 0
    for place in rng.integers(len(whole), size=150):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        try:
            assert_same(load_everything(path), draws)
        except InvalidInput:
            found += 1
    assert found > 75


def rewrite(path: Path, change: Any) -> None:
    """Change the entries of an archive and write it with valid checksums."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def test_a_missing_chunk_is_not_read_as_zeros(tmp_path: Path) -> None:
    for name in VARIABLES:
        path = saved(made_draws(), tmp_path)

        def lose(entries: dict[str, bytes], name: str = name) -> None:
            entries.pop(next(key for key in entries if key.startswith(f"{name}/c/1/")))

        rewrite(path, lose)
        with pytest.raises(InvalidInput, match=f"{name}/c/1/.* is missing"):
            Draws.load(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format_version": 5, "rbhmc_version": "9.0"}, "version 5, written by rbhmc 9.0; .* 4$"),
        ({"format_version": 3, "rbhmc_version": "0.1"}, "version 3, written by rbhmc 0.1; .* 4$"),
        ({"format": "other"}, "not draws; Draws.save writes those"),
        ({"names": ["one"]}, "names has 1 entries; it must have 9"),
        ({"names": 3}, "damaged"),
        ({"settings": 3}, "damaged"),
    ],
)
def test_other_contents_are_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    path = saved(made_draws(), tmp_path)

    def change(entries: dict[str, bytes]) -> None:
        about = json.loads(entries["zarr.json"])
        about["attributes"] |= changes
        entries["zarr.json"] = json.dumps(about).encode()

    rewrite(path, change)
    with pytest.raises(InvalidInput, match=words):
        Draws.load(path)


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path, other = saved(made_draws(), tmp_path), tmp_path / "other.zip"
    made_draws(n_draws=3).save(other)
    with zipfile.ZipFile(other) as archive:
        foreign = {name: archive.read(name) for name in archive.namelist()}
    for name in ("cdll", "components", "n_nodes"):
        saved(made_draws(), tmp_path)
        mine = {key: value for key, value in foreign.items() if key.startswith(f"{name}/")}
        rewrite(path, lambda entries, mine=mine: entries.update(mine))
        with pytest.raises(InvalidInput, match="damaged"):
            Draws.load(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("no archive")
    with pytest.raises(InvalidInput, match="not a file of draws"):
        Draws.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("note.txt", "an archive")
    with pytest.raises(InvalidInput, match="not a file of draws"):
        Draws.load(path)


@pytest.mark.parametrize(("zarr_format", "words"), [(3, "not draws"), (2, "not a file of draws")])
def test_other_zarr_files_are_refused(tmp_path: Path, zarr_format: Any, words: str) -> None:
    """Format 2 above all, since its arrays of objects may hold pickles."""
    path = tmp_path / "other.zip"
    store = ZipStore(path, mode="w")
    zarr.create_group(store, zarr_format=zarr_format, attributes={"format": "x"})
    store.close()
    with pytest.raises(InvalidInput, match=words):
        Draws.load(path)
