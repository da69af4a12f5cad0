"""What the build leaves behind."""

from pathlib import Path

import clerestory.engine.core


def test_memory_views_are_compiled_once() -> None:
    package = Path(clerestory.engine.core.__file__).parents[1]
    modules = [module for module in package.rglob("*.so") if b"View.MemoryView" in module.read_bytes()]
    assert [module.name.partition(".")[0] for module in modules] == ["_cyutility"]
