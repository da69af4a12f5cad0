"""Names that a package exports without importing its modules: each is imported when it is first asked for.

So whoever needs a number of a package does not load an engine. The names are the imports of the package's stub,
`__init__.pyi`, which type checkers read as well.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def exports(package: str) -> tuple[Callable[[str], Any], list[str]]:
    """Return `__getattr__` and `__all__` of a package, from the imports in its stub."""
    stub = ast.parse(Path(sys.modules[package].__file__ or "").with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {name.name: node.module or "" for node in imports for name in node.names}

    def find(name: str) -> Any:
        """Return what the package exports under a name. Raises AttributeError."""
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # asked for once
        return found

    return find, sorted(homes)
