"""Builds and packs @clerestory/engine: python clients/browser/pack.py [FOLDER].

`make engine-wasm` does so with what it needs: the C code of the engine, the installed package, and a C compiler.
"""

import json
import shutil
import sys
from pathlib import Path
from runpy import run_path

from compiling import MODULES, compiled
from gamedata import write_game

from clerestory import __version__

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = run_path(str(HERE.parent / "web" / "build.py"))  # with its tools


def main(folder: Path) -> None:
    """Leave the package in a folder: as a folder `package`, and packed."""
    package = folder / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(HERE / "src", package / "src")
    for path in (HERE / "tsconfig.json", HERE / "README.md", ROOT / "LICENSE"):
        shutil.copy(path, package)
    facts = {**json.loads((HERE / "package.json").read_text("utf-8")), "version": __version__}
    del facts["scripts"]["bench"]  # of a checkout
    (package / "package.json").write_text(json.dumps(facts, indent=2), "utf-8")
    PAGE["install"]()
    PAGE["run"]("./node_modules/.bin/tsc", "--project", str(package))
    for module in compiled(folder / "wasm"):
        shutil.copy(module, package / "dist")
    for name in MODULES:
        write_game(name, package / "dist")
    PAGE["run"]("npm", "pack", "--silent", "--pack-destination", str(folder), folder=package)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/browser").resolve())
