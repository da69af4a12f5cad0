"""The artifacts of the build."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import clerestory.engine.core

ROOT = Path(__file__).parents[1]


def test_memory_views_are_compiled_once() -> None:
    package = Path(clerestory.engine.core.__file__).parents[1]
    modules = [module for module in package.rglob("*.so") if b"View.MemoryView" in module.read_bytes()]
    assert [module.name.partition(".")[0] for module in modules] == ["_cyutility"]


@pytest.mark.system
@pytest.mark.slow
def test_the_checked_build_of_make_test_asan_is_translated() -> None:
    """Its divisions have Python's semantics, so code that compiles without checks may not compile with them."""
    command = [sys.executable, "setup.py", "--quiet", "--version"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"CLERESTORY_BUILD": "checked"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
