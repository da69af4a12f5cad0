"""Builds the page that plays without a server, as files for any host: python clients/web/offline.py [FOLDER].

`make site` does so with what it needs: the page's tools, the installed package, and the engine for browsers.
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from icons import png

from build import HERE, TEXTS, install, run, write_messages, write_texts
from clerestory.engine import GAMES
from clerestory.engine.games import LIST
from clerestory.i18n import has, patterns, say
from clerestory.i18n.glossary import words
from clerestory.i18n.labels import Labels
from clerestory.i18n.languages import ENGLISH
from clerestory.server.rpc.locale import LOCALE, name_of
from clerestory.server.rpc.translate_rules import write_catalogue

ENGINE = HERE.parents[1] / "build" / "browser" / "package" / "dist"
PLAYED = ("cathedral", "duel")
OWN = HERE / "src" / "offline"
MANIFEST = {
    "name": "Clerestory",
    "short_name": "Clerestory",
    "start_url": "./",
    "display": "standalone",
    "background_color": "#faf7f0",
    "theme_color": "#faf7f0",
}
TACIT = {"grey_next", "markers"}  # things whose changes mean little without their causes
ICON = HERE / "src" / "icon.svg"
ICONS = {  # sizes and purposes of the pictures for home screens
    "icon-192.png": (192, "any"),
    "icon-512.png": (512, "any"),
    "icon-maskable.png": (512, "maskable"),
}


def main(folder: Path) -> None:
    """Leave the page in a folder."""
    if not (ENGINE / "duel.wasm").is_file():
        raise SystemExit("the engine for browsers is missing; `make engine-wasm` builds it")
    install()
    write_messages()
    write_texts()
    run("node", "build.mjs", str(folder), "--offline")
    shutil.copytree(ENGINE, folder / "engine", ignore=shutil.ignore_patterns("*.d.ts"))
    write_data(folder / "data")
    write_manifest(folder)
    write_worker(folder)


def write_data(folder: Path) -> None:
    """Write what the service says of each game: its cards, and its words in each language."""
    folder.mkdir()
    for name in PLAYED:
        (folder / f"catalogue-{name}.bin").write_bytes(write_catalogue(GAMES[name]).SerializeToString())
        for language in json.loads((TEXTS / "languages.json").read_text("utf-8")):
            words = json.dumps(words_of(name, language), ensure_ascii=False)
            (folder / f"words-{name}-{language}.json").write_text(words, "utf-8")


def words_of(name: str, language: str) -> dict[str, Any]:
    """Return the labels of actions by their texts, and what texts of changes are made of."""
    LOCALE.set(language)
    game = GAMES[name]
    named = [row["id"] for rows in game.cards().values() for row in rows]
    goods = [key.partition(".")[2] for key in words(name) if key.startswith("good.")]
    names = {item: name_of(game, item) for item in (*named, *goods)}
    names |= {good: text_of(name, f"thing.{good}", language) for good in goods if has(name, f"thing.{good}")}
    things = [thing for thing in LIST[name].changes.THINGS if thing not in TACIT]
    signed = say("service", "change", language=language, amount="+", thing="{thing}")  # a sign may need an isolate
    return {
        "labels": labels_of(name, language),
        "change": signed.replace("+", "{amount}"),
        "things": {thing: text_of(name, f"thing.{thing}", language) for thing in things},
        "names": {item: shown for item, shown in names.items() if shown != item},
    }


def text_of(name: str, key: str, language: str) -> Any:
    """Return the pattern of a game's text."""
    return patterns(name, language).get(key) or patterns(name)[key]


def labels_of(name: str, language: str) -> dict[str, str]:
    """Return the label of each action in a language, by its text."""
    game = GAMES[name]
    english = dict(zip(game.texts, game.labels, strict=True))
    if language == ENGLISH:
        return english
    labels = Labels(name, game.cards(), language)
    return {text: labels.label(text, label) for text, label in english.items()}


def write_manifest(folder: Path) -> None:
    """Write what a browser needs to install the page, with pictures made of icon.svg."""
    icons = [{"src": ICON.name, "sizes": "any", "type": "image/svg+xml", "purpose": "any"}]
    for name, (size, purpose) in ICONS.items():
        (folder / name).write_bytes(png(ICON, size, maskable=purpose == "maskable"))
        icons.append({"src": name, "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose})
    (folder / "manifest.webmanifest").write_text(json.dumps({**MANIFEST, "icons": icons}, indent=2), "utf-8")


def write_worker(folder: Path) -> None:
    """Write the service worker with the list of all files, and a name that changes with their content."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    content = hashlib.sha256()
    for name, path in zip(names, files, strict=True):
        content.update(name.encode() + path.read_bytes())
    addresses = ["./" if name == "index.html" else name for name in names]
    head = f"const BUILD = {json.dumps(content.hexdigest()[:16])};\nconst FILES = {json.dumps(addresses)};\n"
    (folder / "sw.js").write_text(head + (OWN / "sw.js").read_text("utf-8"), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/site").resolve())
