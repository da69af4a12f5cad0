"""Builds and packs @clerestory/client with the tools of the page: python clients/typescript/pack.py [FOLDER].

`make client` does so with what it needs.
"""

import importlib
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "web"))
page = importlib.import_module("build")  # build.py of the page, and not the package of this name


def main(folder: Path) -> None:
    """Leave the package in a folder."""
    page.install()
    page.write_messages()
    build(HERE, folder.resolve())


def build(source: Path, folder: Path) -> None:
    """Compile the package in `source`, where its messages and its tools are, and leave it packed in a folder."""
    shutil.rmtree(source / "dist", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE.parents[1] / "LICENSE", source)
    page.run("./node_modules/.bin/tsc", folder=source)
    page.run("npm", "pack", "--silent", "--pack-destination", str(folder), folder=source)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
