"""The hash behind `State.key`, compiled alone, as no position allows every value of every byte."""

import subprocess
from collections.abc import Callable, Iterator
from ctypes import CDLL, c_uint64
from itertools import combinations, product
from pathlib import Path
from random import Random
from sysconfig import get_config_var
from typing import cast

import pytest

WORDS = 26  # as of the board game, the longer one
SOURCE = Path(__file__).parents[3] / "engine" / "shared" / "hash.pxd"
EXPORTED = "uint64_t hashed(const void *memory, int words) { return hash_words(memory, words); }"


@pytest.fixture(scope="module")
def hashed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytearray], int]:
    folder = tmp_path_factory.mktemp("hash")
    _, code, _ = SOURCE.read_text().split('    """\n')
    (folder / "hash.c").write_text(f"#include <stdint.h>\n{code}\n{EXPORTED}")
    compiler = cast("str", get_config_var("CC")).split()
    subprocess.run([*compiler, "-O2", "-shared", "-fPIC", "hash.c", "-o", "hash.so"], cwd=folder, check=True)
    function = CDLL(str(folder / "hash.so")).hashed
    function.restype = c_uint64
    return lambda memory: cast("int", function(bytes(memory), len(memory) // 8))


def neighbours(memory: bytearray) -> Iterator[bytearray]:
    """Yield the memory, and it with one byte or two one larger or one smaller."""
    yield memory
    for places in [(place,) for place in range(len(memory))] + list(combinations(range(len(memory)), 2)):
        for steps in product((-1, 1), repeat=len(places)):
            other = bytearray(memory)
            for place, step in zip(places, steps, strict=True):
                other[place] = (other[place] + step) % 256
            yield other


@pytest.mark.parametrize("values", [1, 2, 8])
def test_memory_that_differs_in_a_few_bytes_has_another_hash(hashed: Callable[[bytearray], int], values: int) -> None:
    random = Random(values)
    memory = bytearray(random.randrange(values) for _ in range(8 * WORDS))
    found = [hashed(other) for other in neighbours(memory)]
    assert len(found) - len(set(found)) == 0
