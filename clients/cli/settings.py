"""Options of settings: what a dataclass declares of its fields, as options that the environment can give as well."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from clerestory.declared import Declaration, OneOf, declarations, in_words

METAVARS: Mapping[Any, str] = {int: "N", float: "X", Path | None: "FILE", str: "TEXT", tuple[str, ...]: "TEXT"}
NOUNS = {"`HOST:PORT`": "HOST:PORT", "`http://HOST:PORT`": "URL"} | {
    noun: noun.upper() for noun in ("address", "bytes", "days", "file", "folder", "name", "seconds")
}
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
ROUNDED = re.compile(r"\d+ \((\d+ [kMG]?B)\)")  # "1073741824 (1 GB)"


def settings_of(defaults: Any) -> Mapping[str, Any]:
    """Return the options of a dataclass of settings, by the names of its fields, given one with its defaults."""
    return {name: setting_of(type(defaults), name, getattr(defaults, name)) for name in declarations(type(defaults))}


def setting_of(kind: type, field: str, default: object = None) -> Any:
    """Return the option of one field of a dataclass of settings."""
    declaration = declarations(kind)[field]
    return typer.Option(
        option_name(field, declaration),
        metavar=metavar_of(field, declaration, kind.__dataclass_fields__[field].type),  # type: ignore[attr-defined]
        help=plain(declaration.meaning),
        envvar=variable_name(field, declaration),
        show_default=shown_default(default, declaration),
    )


def metavar_of(field: str, declaration: Declaration, kind: Any) -> str | None:
    """Return what stands for a value in help: the noun with which its meaning begins, if it is one of ours."""
    if isinstance(declaration.range, OneOf):
        return field.rpartition("_")[2].upper()
    return NOUNS.get(declaration.meaning.split()[0]) or METAVARS.get(kind)


def shown_default(default: object, declaration: Declaration) -> bool | str:
    """Return whether help shows a default, or the words that it shows in its place."""
    words = in_words(default, declaration)
    return words not in ("none", "no") if words in ("none", "no", str(default)) else ROUNDED.sub(r"\1", words)


def option_name(field: str, declaration: Declaration) -> str:
    """Return the option of a field."""
    return f"--{(declaration.name or field).replace('_', '-')}"


def variable_name(field: str, declaration: Declaration) -> str:
    """Return the environment variable of a field."""
    return f"CLERESTORY_{(declaration.name or field).upper()}"


def plain(meaning: str) -> str:
    """Return a phrase of Markdown as a sentence for a terminal."""
    text = LINK.sub(r"\1", meaning)
    return f"{text[0].upper()}{text[1:]}."
