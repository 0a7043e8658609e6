"""Cases for fuzzing: the same in every run, or others for as long as FUZZ_SECONDS says.

The first is FUZZ_SEED where that is set, to see a case again.
"""

import itertools
import os
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

# What a forged length or shape must not make a reader ask for.
MOST_BYTES = 64 * 2**20


def seeds(n: int) -> Iterator[int]:
    """Yield the seeds of n cases, or with `make fuzz` those of new ones until the time is over."""
    seconds = float(os.environ.get("FUZZ_SECONDS", 0))
    first = int(os.environ.get("FUZZ_SEED", time.time_ns() if seconds else 0))
    end = time.monotonic() + seconds
    for seed in itertools.count(first):
        if time.monotonic() >= end if seconds else seed == first + n:
            return
        print(f"FUZZ_SEED={seed}")
        yield seed


def damaged(rng: Random, content: bytes, other: bytes) -> bytes:
    """Damage bytes in one to three places; `other` lends pieces of itself."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(content))
        length = rng.randint(0, 24)
        start = rng.randint(0, len(other))
        before, after = content[:at], content[at:]
        content = rng.choice(
            [
                before,
                before + after[length:],
                before + bytes([rng.randrange(256)]) + after[1:],
                before + rng.randbytes(length) + after,
                before + b"\xff" * 8 + after[8:],
                before + b"\0" * 8 + after[8:],
                before + other[start : start + 8 * length] + after[8 * length :],
            ]
        )
    return content


@contextmanager
def little_memory(case: object) -> Iterator[None]:
    """Fail where more memory is asked for at once than any case could need."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST_BYTES, f"{peak} bytes for {case}"


@contextmanager
def file_of(content: bytes, ending: str) -> Iterator[Path]:
    """Yield a file with a content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{ending}"
        path.write_bytes(content)
        yield path
