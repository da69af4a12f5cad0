"""Lets a package export names lazily: each is imported on first access.

So code that needs only a constant of a package does not load an engine. The names are the imports in the package's
stub, `__init__.pyi`, which type checkers read as well.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def exports(package: str) -> tuple[Callable[[str], Any], list[str]]:
    """Return `__getattr__` and `__all__` for a package, from the imports in its stub."""
    stub = ast.parse(Path(sys.modules[package].__file__ or "").with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {name.name: node.module or "" for node in imports for name in node.names}

    def find(name: str) -> Any:
        """Return the export with a name. Raises AttributeError."""
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # later accesses bypass this function
        return found

    return find, sorted(homes)
