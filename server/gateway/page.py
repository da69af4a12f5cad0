"""Serves the web page from memory: reads its files once and keeps them both plain and compressed."""

import gzip
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

NO_PAGE = (
    "This installation of Clerestory has no web page. Install a release, or run `make` in a checkout to build it. "
    "The service itself works without it.\n"
)
ASSETS = "/assets/"  # files whose names contain a hash of their content, so they never change
FOREVER, NEVER = "public, max-age=31536000, immutable", "no-cache"


@dataclass(frozen=True, slots=True)
class File:
    """A file of the page.

    Attributes:
        content_type: the media type, with its character set.
        cache: the `Cache-Control` header.
        plain: the content.
        packed: the content, compressed with gzip.
    """

    content_type: str
    cache: str
    plain: bytes
    packed: bytes


def read_page(folder: Path | None) -> Mapping[str, File]:
    """Return the files of the page by path, from a folder or by default from the installed page, if any."""
    root = files("clerestory") / "page" if folder is None else folder
    found = {f"/{path}": read_file(f"/{path}", data) for path, data in walk(root)}
    return found | ({"/": found["/index.html"]} if "/index.html" in found else {})


def walk(folder: Traversable, prefix: str = "") -> list[tuple[str, bytes]]:
    """Return the path and content of each file below a folder; [] if the folder does not exist."""
    if not folder.is_dir():
        return []
    found = []
    for entry in folder.iterdir():
        inside = (
            walk(entry, f"{prefix}{entry.name}/") if entry.is_dir() else [(prefix + entry.name, entry.read_bytes())]
        )
        found += inside
    return found


def read_file(path: str, data: bytes) -> File:
    """Return a file with its headers and compressed content."""
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    content_type = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    return File(content_type, FOREVER if path.startswith(ASSETS) else NEVER, data, gzip.compress(data, mtime=0))
