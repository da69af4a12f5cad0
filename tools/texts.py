"""Lists missing or wrong texts in each language: `python -m tools.texts [--add LANGUAGE]`.

Missing texts fall back to English and are only listed. Errors are keys that English lacks, other arguments than in
English, and forms that are not plural forms of the language. `--add` creates a language: its folder, and its entry in
the list.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clerestory.i18n import ARGUMENT, Pattern
from clerestory.i18n.languages import ENGLISH, plural

FOLDER = Path(__file__).parents[1] / "common" / "i18n"
COUNTS = range(101)  # together have every plural form

SENTENCES = ("help",)  # files whose keys are the English sentences, declared in the code

Texts = Mapping[str, Pattern]


def read(path: Path) -> Any:
    """Return the content of a JSON file; {} if there is none. Raises ValueError for a repeated key."""
    return json.loads(path.read_text("utf-8"), object_pairs_hook=once) if path.is_file() else {}


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs as a dictionary. Raises ValueError for a repeated key."""
    keys = [key for key, _ in pairs]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise ValueError(f"there twice: {', '.join(sorted(twice))}")
    return dict(pairs)


def domains(folder: Path, language: str = ENGLISH) -> list[str]:
    """Return the names of the files of a language."""
    return sorted(path.stem for path in (folder / language).glob("*.json"))


def english_of(folder: Path, domain: str) -> Texts:
    """Return the English texts of a file by key; if its keys are sentences, those that any language has."""
    if domain not in SENTENCES:
        texts: Texts = read(folder / ENGLISH / f"{domain}.json")
        return texts
    return {key: key for path in sorted(folder.glob(f"*/{domain}.json")) for key in read(path)}


def arguments(pattern: Pattern) -> set[str]:
    """Return the names of a pattern's arguments, in any of its forms."""
    forms = pattern.values() if isinstance(pattern, dict) else [pattern]
    return {name for form in forms for name in ARGUMENT.findall(form)}


def missing(folder: Path, language: str) -> Iterator[str]:
    """Yield the texts missing in a language: `page.close`, `glossary cathedral card.mason`."""
    for domain in (*domains(folder), *SENTENCES):
        ours = read(folder / language / f"{domain}.json")
        yield from (f"{domain} {key}" for key in english_of(folder, domain) if key not in ours)
    for part, entries in read(folder / "glossary.json").get("words", {}).items():
        yield from (f"glossary {part} {key}" for key, entry in entries.items() if language not in entry)


def faults(folder: Path, language: str) -> Iterator[str]:
    """Yield the errors of a language."""
    for domain in domains(folder, language):
        english = english_of(folder, domain)
        for key, pattern in read(folder / language / f"{domain}.json").items():
            place = f"{language}/{domain}.json {key}"
            if key not in english:
                yield f"{place}: English has no such text; remove it"
            else:
                yield from (f"{place}: {fault}" for fault in pattern_faults(language, pattern, english[key]))


def pattern_faults(language: str, pattern: Pattern, english: Pattern) -> Iterator[str]:
    """Yield the errors of a pattern compared with English."""
    if not all(pattern.values() if isinstance(pattern, dict) else [pattern]):
        yield "is empty; remove it, and English is said"
    if isinstance(pattern, str) != isinstance(english, str):
        yield "only one of this and English has plural forms"
        return
    owed = {plural(language, count) for count in COUNTS}
    if isinstance(pattern, dict) and set(pattern) != owed:
        yield f"has the plural forms {listed(set(pattern))}; must have {listed(owed)}"
    if arguments(pattern) != arguments(english):
        yield f"has the arguments {listed(arguments(pattern))}; English has {listed(arguments(english))}"


def listed(names: set[str]) -> str:
    """Return names in order, for display."""
    return ", ".join(sorted(names)) or "none"


def add(folder: Path, language: str) -> None:
    """Create a language: add it to the list, and create its files. Raises ValueError for an invalid language code."""
    known = read(folder / "languages.json")
    if not re.fullmatch("[a-z]{2,3}", language) or language in known:
        raise ValueError(f"--add: {language!r} is not the code of a new language, such as pt")
    (folder / "languages.json").write_text(json.dumps([*known, language]) + "\n", "utf-8")
    (folder / language).mkdir()
    for domain in (*domains(folder), *SENTENCES):
        (folder / language / f"{domain}.json").write_text("{}\n", "utf-8")


def main() -> None:
    """List missing texts and errors; exit with 1 if there are errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", metavar="LANGUAGE", help="begin a language, by its code: pt")
    given = parser.parse_args()
    if given.add:
        add(FOLDER, given.add)
    wrong = 0
    for language in read(FOLDER / "languages.json"):
        lacking, found = list(missing(FOLDER, language)) if language != ENGLISH else [], list(faults(FOLDER, language))
        wrong += len(found)
        print(f"{language}: {len(lacking)} missing, {len(found)} wrong")
        for kind, ones in (("missing", lacking), ("wrong", found)):
            print(*(f"  {kind}: {one}\n" for one in ones), sep="", end="")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
