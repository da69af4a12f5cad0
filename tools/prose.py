"""Checks that the prose of Markdown files is wrapped at 100 columns: `python -m tools.prose [--fix] [FILE ...]`.

Tables, code, headings, and words that cannot be broken, such as links, may be longer. Without files, it checks all
Markdown files in git except generated ones. `--fix` wraps the paragraphs that have a line that is too long.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDTH = 100
GENERATED = {ROOT / "docs" / "reference.md"}
FENCE = re.compile(r" *(```+|~~~+)")
MARKER = re.compile(r"(?: *(?:[-*+]|\d+[.)]) +| *(?:> ?)+| *)")
APART = re.compile(r" *(?:\||#|<|\[[^\]]+\]: |!\[|$)")  # tables and similar lines, never joined with others
STARTS = re.compile(r" *(?:[-*+] |\d+[.)] |> )")
UNFIT = re.compile(r"[-*+#>|]+$|\d+[.)]$")  # words with a special meaning at the beginning of a line
WORD = re.compile(r"(?:`[^`]*`|\S)+")


@dataclass
class Block:
    """Consecutive lines of one kind."""

    first: int  # number of its first line, from 1
    prose: bool
    lines: list[str] = field(default_factory=list)


def blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs and items of a page, and the lines between them one by one."""
    fence, current, listed = "", None, False
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if fence or found:
            yield from [current] if current else []
            current = None
            yield Block(number, False, [line])
            fence = "" if fence and line.strip() == fence else fence or (found[1] if found else "")
        elif APART.match(line) or (line.startswith("    ") and current is None and not listed):
            yield from [current] if current else []
            current = None
            yield Block(number, False, [line])
        elif current is None or STARTS.match(line):
            yield from [current] if current else []
            current = Block(number, True, [line])
        else:
            current.lines.append(line)
        if line.strip():
            listed = bool(STARTS.match(line)) or (listed and line.startswith(" "))
    yield from [current] if current else []


def too_long(block: Block) -> list[int]:
    """Return the numbers of lines that are too long and could be broken."""
    lines = enumerate(block.lines, block.first) if block.prose else ()
    return [number for number, line in lines if len(line) > WIDTH and len(words(line)) > 1]


def words(line: str) -> list[str]:
    """Return the parts of a line between which it may be broken, without the marker of an item."""
    return WORD.findall(line[len(MARKER.match(line)[0]) :])  # type: ignore[index]


def wrapped(block: Block) -> list[str]:
    """Return the lines of a paragraph, filled."""
    marker = MARKER.match(block.lines[0])[0]  # type: ignore[index]
    indent = marker if ">" in marker else " " * len(marker)
    lines, line = [], marker
    for word in words(" ".join([block.lines[0], *map(str.strip, block.lines[1:])])):
        started = len(line) > len(indent)
        if started and len(line) + 1 + len(word) > WIDTH and not UNFIT.match(word):
            lines.append(line)
            line = indent + word
        else:
            line += " " * started + word
    return [*lines, line]


def fixed(text: str) -> str:
    """Return a page with wrapped paragraphs."""
    lines: list[str] = []
    for block in blocks(text):
        lines += wrapped(block) if too_long(block) else block.lines
    return "\n".join(lines)


def faults(text: str) -> list[int]:
    """Return the numbers of the lines of a page that are too long."""
    return [number for block in blocks(text) for number in too_long(block)]


def pages() -> list[Path]:
    """Return every Markdown file in git."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true", help="wrap what is too long")
    parser.add_argument("files", type=Path, nargs="*")
    options = parser.parse_args()
    found = 0
    for page in options.files or pages():
        if page.resolve() in GENERATED:
            continue
        text = page.read_text(encoding="utf-8")
        if options.fix and faults(text):
            text = fixed(text)
            page.write_text(text, encoding="utf-8")
        for number in faults(text):
            found += 1
            print(f"{page}:{number}: longer than {WIDTH} columns")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
