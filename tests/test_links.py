"""Every link in a Markdown file leads to a file, and its anchor to a heading; decisions are numbered without gaps."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\))?[^()\s]*)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z]+:")
MENTION = re.compile(r"docs/[\w-]+(?:/[\w-]+)*\.md|decisions/\d{4}[\w-]*|[Dd]ecision (\d+)")
TEXTS = ("*.py", "*.pyi", "*.pyx", "*.pxd", "*.proto", "*.toml", "*.yaml", "*.ts", "*.tsx", "*.mjs", "*.md", "Makefile")
DECISIONS = ROOT / "docs" / "decisions"


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False)
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


PAGES = tracked("*.md")


@cache
def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, in GitHub's format."""
    found: Counter[str] = Counter()
    names = []
    for title in HEADING.findall(prose(page)):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        names.append(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return frozenset(names)


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the file and the anchor of each link that stays in the repository."""
    for target in LINK.findall(CODE.sub("", prose(page))):
        if not ELSEWHERE.match(target):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def broken(page: Path) -> list[str]:
    found = []
    for path, anchor in links(page):
        if not path.exists():
            found.append(str(path))
        elif anchor and anchor not in anchors(path):
            found.append(f"{path}#{anchor}")
    return found


def test_every_link_and_anchor_leads_somewhere() -> None:
    assert {ROOT / "README.md", ROOT / "docs" / "protocol.md"} <= set(PAGES)
    assert {str(page.relative_to(ROOT)): found for page in PAGES if (found := broken(page))} == {}


def test_a_broken_link_and_a_missing_anchor_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c\n[x](#a-b-c) [x](#d) [x](gone.md)\n[words](https://example.org/gone)\n`[x](code.md)`\n")
    assert broken(page) == [f"{page}#d", str(tmp_path / "gone.md")]


def test_decisions_are_numbered_without_holes() -> None:
    pages = sorted(DECISIONS.glob("0*.md"))
    titles = [page.read_text(encoding="utf-8").partition("\n")[0] for page in pages]
    numbers = [int(page.name[:4]) for page in pages]
    assert numbers == list(range(1, len(pages) + 1))
    assert [re.match(r"# (\d+)\. ", title)[1] for title in titles] == [str(number) for number in numbers]  # type: ignore[index]


def missing(text: str) -> Iterator[str]:
    """Yield missing pages and decisions that a text mentions, in a comment or in a sentence."""
    for found in MENTION.finditer(text):
        number = found[1] and f"{int(found[1]):04}-"
        if found[0].startswith("docs/") and found[0].endswith(".md"):
            exists = (ROOT / found[0]).exists()
        else:
            exists = any(DECISIONS.glob(f"{number or found[0].partition('/')[2]}*"))
        if not exists:
            yield found[0]


def test_pages_and_decisions_that_are_mentioned_exist() -> None:
    """Also in comments, where nothing is a link."""
    texts = [page for page in tracked(*TEXTS) if page != Path(__file__)]
    faults = [f"{page}: {found}" for page in texts for found in missing(page.read_text(encoding="utf-8"))]
    assert faults == []
    assert list(missing("docs/gone.md, docs/decisions/0099, decision 98, decision 1")) == [
        "docs/gone.md",
        "decisions/0099",
        "decision 98",
    ]


def test_files_that_pages_name_exist() -> None:
    """For example, `tests/laws.py`; for folders in git, also with a star for several files."""
    folders = {path.relative_to(ROOT).parts[0] for path in tracked("*/*")}
    for page in PAGES:
        named = re.findall(r"`((\w[\w-]*)/[\w/.*-]+\.\w+)`", page.read_text(encoding="utf-8"))
        assert [name for name, folder in named if folder in folders and not list(ROOT.glob(name))] == [], page


def test_a_link_to_a_decision_says_its_number() -> None:
    said = re.compile(r"\[[Dd]ecision (\d+)\]\([^)]*?(\d{4})-[^)]*\)")
    pairs = [pair for page in PAGES for pair in said.findall(page.read_text(encoding="utf-8"))]
    assert pairs
    assert [pair for pair in pairs if int(pair[0]) != int(pair[1])] == []
