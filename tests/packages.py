"""The locations of the project's modules, and the imports in their source."""

import re
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROOMS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["clerestory"]["rooms"]
FOLDERS: dict[str, str] = {  # the packages of code, by folder
    folder: room.get("package", "clerestory." + folder.removesuffix(".py").replace("/", "."))
    for room in ROOMS
    for folder in [room["folder"]]
}
TOOLS = "tools"  # not shipped, except tools/bench
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd"}

NAMES = r"\([^)]*\)|[^\n#]*"
HOUSE = r"(?:clerestory|loadtest|tools)\b[\w.]*"
IMPORT = re.compile(rf"^\s*(?:from ({HOUSE}) c?import ({NAMES})|c?import ({HOUSE}))", re.MULTILINE)
RENAMED = re.compile(r"\bas \w+|#[^\n]*")


def sources() -> list[Path]:
    """Return the source files, relative to the root."""
    tops = {Path(folder).parts[0] for folder in (*FOLDERS, TOOLS)}
    paths = [path.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*.p*")]
    found = {path for path in paths if path.suffix in SUFFIXES and not {"node_modules", "build"} & {*path.parts}}
    return sorted(path for path in found if str(folder_of(path)) != "clients")


def folder_of(path: Path) -> Path:
    """Return the folder of a file: the longest listed folder, or the file itself if listed, else its top folder."""
    return next((one for one in (path, *path.parents) if str(one) in FOLDERS), Path(path.parts[0]))


def module_of(path: Path) -> str:
    """Return the dotted name of the module in a file: a package is the module in its __init__."""
    folder = next((one for one in path.parents if str(one) in FOLDERS), None)
    inner = path if folder is None else path.relative_to(folder)
    parts = [*([] if folder is None else [FOLDERS[str(folder)]]), *inner.with_suffix("").parts]
    return ".".join(parts).removesuffix(".__init__")


def imports_of(text: str, modules: Collection[str]) -> set[str]:
    """Return the imported names: for `from package import name`, the module `package.name` if it exists."""
    found = set[str]()
    for origin, names, whole in IMPORT.findall(text):
        each = re.findall(r"\w+", RENAMED.sub("", names))
        found |= {inner if (inner := f"{origin}.{name}") in modules else origin for name in each} or {origin or whole}
    return found
