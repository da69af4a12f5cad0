"""Builds and packs @clerestory/board with the tools of the page: python clients/board/pack.py [FOLDER].

`make board` does so with what it needs: the page's tools, and the installed package, which has the cards.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from runpy import run_path

from google.protobuf.json_format import MessageToDict

from clerestory import __version__
from clerestory.engine import GAMES
from clerestory.server.rpc.translate_rules import write_catalogue

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = run_path(str(HERE.parent / "web" / "build.py"))
DRAWN = ("cathedral", "duel")
BUNDLED = ("preact", "@preact/signals", "@preact/signals-core")  # and @bufbuild/protobuf, which has our licence


def main(folder: Path) -> None:
    """Leave the package in a folder."""
    PAGE["install"]()
    PAGE["write_messages"]()
    PAGE["write_texts"]()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        package = Path(made)
        write_facts(package)
        PAGE["run"]("node", "board.mjs", str(package / "dist"))
        write_types(package)
        for name in DRAWN:
            write_cards(name, package / "dist")
        PAGE["run"]("npm", "pack", "--silent", "--pack-destination", str(folder), folder=package)


def write_facts(package: Path) -> None:
    """Write what a package says of itself."""
    for path in (HERE / "README.md", ROOT / "LICENSE"):
        shutil.copy(path, package)
    modules = HERE.parent / "web" / "node_modules"
    notices = (f"{name}\n\n{(modules / name / 'LICENSE').read_text('utf-8')}" for name in BUNDLED)
    (package / "THIRD-PARTY").write_text("\n".join(notices), "utf-8")
    facts = {**json.loads((HERE / "package.json").read_text("utf-8")), "version": __version__}
    (package / "package.json").write_text(json.dumps(facts, indent=2), "utf-8")


def write_types(package: Path) -> None:
    """Write the types of the element; those of its parts are not needed."""
    types = package / "types"
    emitted = ("--noEmit", "false", "--rootDir", "..", "--declaration", "--emitDeclarationOnly", "--outDir", str(types))
    PAGE["run"]("./node_modules/.bin/tsc", "--project", ".", *emitted)
    [found] = types.rglob("element/index.d.ts")
    shutil.copy(found, package / "dist")


def write_cards(name: str, folder: Path) -> None:
    """Write the cards of a game as a module: the answer to DescribeCatalogue in JSON."""
    cards = json.dumps(MessageToDict(write_catalogue(GAMES[name])), ensure_ascii=False, separators=(",", ":"))
    (folder / f"{name}.catalogue.js").write_text(f"export default {cards};\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist").resolve())
