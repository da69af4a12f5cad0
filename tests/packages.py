"""Where the modules of the house are, and what their texts import."""

import re
import tomllib
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
WITHOUT_CODE = {"docs", "build"}  # of what is installed: documents, and what is generated
ROOMS = sorted({Path(folder).parts[0] for folder in (*FOLDERS.values(), "tools")} - WITHOUT_CODE)
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd"}

NAMES = r"\([^)]*\)|[^\n#]*"
HOUSE = r"(?:clerestory|lab|tools)\b[\w.]*"
IMPORT = re.compile(rf"^\s*(?:from ({HOUSE}) c?import ({NAMES})|c?import ({HOUSE}))", re.MULTILINE)
RENAMED = re.compile(r"\bas \w+|#[^\n]*")


def sources() -> list[Path]:
    paths = [path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.p*")]
    return sorted(path for path in paths if path.suffix in SUFFIXES and not {"node_modules", "build"} & {*path.parts})


def module_of(path: Path) -> str:
    """Return the dotted name of the module in a file: a package is the module in its __init__."""
    for package, folder in sorted(FOLDERS.items(), key=lambda pair: -len(pair[1])):
        if path.is_relative_to(folder):
            parts = (package, *path.relative_to(folder).with_suffix("").parts)
            break
    else:
        parts = path.with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports_of(text: str, modules: Collection[str]) -> set[str]:
    """Return the names that a text imports: of `from package import name` the module `package.name` if there is one."""
    found = set[str]()
    for origin, names, whole in IMPORT.findall(text):
        each = re.findall(r"\w+", RENAMED.sub("", names))
        found |= {inner if (inner := f"{origin}.{name}") in modules else origin for name in each} or {origin or whole}
    return found
