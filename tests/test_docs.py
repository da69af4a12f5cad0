"""The examples in documents work as written; the pages on playing have the same content in every language."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.clients import Advisor
from clerestory.i18n import patterns
from clerestory.i18n.languages import ENGLISH, LANGUAGES

ROOT = Path(__file__).parents[1]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = ("README.md", "docs/clients.md", "docs/environments.md")
SAYS = {
    ("README.md", 0): '"rules_revision": 2',
    ("README.md", 1): "%\n",
    ("docs/clients.md", 0): "” ",  # a rival looks worse, or was not tried if the machine is busy
    ("docs/clients.md", 1): "1 ",
    ("docs/clients.md", 2): "the end: Outcome(",
    ("docs/clients.md", 3): " True\n",
    ("docs/clients.md", 4): "",
    ("docs/clients.md", 5): "%",
    ("docs/clients.md", 6): "%\n",
    ("docs/environments.md", 0): "(256, 541) (256, 3)",
    ("docs/environments.md", 1): "(256, 541) (256,)",
    ("docs/environments.md", 2): "0",
}

BEFORE = """
from pathlib import Path
from typing import assert_type
from clerestory.clients import Advisor, AsyncAdvisor
from clerestory.clients.hosted_wire import GameSnapshot
from clerestory.clients.streams import AsyncStream, Stream

position = Path("position.json").read_text()
advisor = Advisor("127.0.0.1:50051")
assert_type(advisor.games.open("game").watch(), Stream[GameSnapshot])
assert_type(AsyncAdvisor("127.0.0.1:50051").games.open("game").watch(), AsyncStream[GameSnapshot])
"""  # what the examples of the pages have before them

EXAMPLES = [
    (page, number) for page in PAGES for number in range(len(PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))))
]


def example(page: str, number: int, target: str) -> str:
    """Return a block of Python, changed to use the test's server and little time."""
    text = PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))[number]
    return re.sub(r'time="\d+m?s"', 'time="200ms"', text.replace("127.0.0.1:50051", target))


@pytest.mark.system  # they search for some time, and must answer on time
@pytest.mark.parametrize(("page", "number"), EXAMPLES)
def test_python_example_runs(
    page: str,
    number: int,
    target: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    position = (ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json").read_text()
    with Advisor(target) as advisor:
        exec(compile(example(page, number, target), page, "exec"), {"position": position, "advisor": advisor})
    assert SAYS[page, number] in capsys.readouterr().out


@pytest.mark.system  # it starts mypy
def test_python_examples_have_right_types(tmp_path: Path) -> None:
    for page, number in EXAMPLES:
        name = f"{page.replace('/', '_').removesuffix('.md')}_{number}.py"
        (tmp_path / name).write_text(f"{BEFORE}\n{PYTHON.findall((ROOT / page).read_text())[number]}")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache", *tmp_path.glob("*.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_example_says_something_that_is_looked_for() -> None:
    assert list(SAYS) == EXAMPLES


def test_the_readme_shows_the_demo_in_eleven_lines() -> None:
    text = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))[1]
    assert len([line for line in text.splitlines() if line]) <= 11
    demo = re.search(r"^demo:(.*?)\n\n", (ROOT / "Makefile").read_text(), re.MULTILINE | re.DOTALL)
    assert demo is not None
    for word in ("recommend", "analyze", "1s", "2s"):
        assert word in demo[1]
        assert word in text


OTHERS = [language for language in LANGUAGES if language != ENGLISH]
COMMAND_LINE = re.compile(r"^\.venv/bin/clerestory ([^#\n]*?) *(?:#.*)?$", re.MULTILINE)
KEYS = re.compile(r"^\| (`.+?) \|", re.MULTILINE)
NAMED = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
TARGET = re.compile(r"\]\((?:\.\./)?([^)]*)\)")
CODE_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
TO_LANGUAGES = re.compile(r"\n\[Deutsch\].*?\n\n", re.DOTALL)  # which only the English page has
ENTRY = re.compile(r":|(?= \()")  # a longer text is identified by its beginning


def page(language: str = ENGLISH) -> str:
    folder = ROOT / "docs" if language == ENGLISH else ROOT / "docs" / language
    return (folder / "playing.md").read_text("utf-8")


def every_form(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_sections_paragraphs_links_keys_and_commands(language: str) -> None:
    text, english = page(language), TO_LANGUAGES.sub("\n", page())
    assert [len(section.split("\n\n")) for section in text.split("\n## ")] == [
        len(section.split("\n\n")) for section in english.split("\n## ")
    ]
    for pattern in (KEYS, TARGET, CODE_SPAN, COMMAND_LINE):
        assert pattern.findall(text) == pattern.findall(english)
    assert len(NAMED.findall(text)) == len(NAMED.findall(english))


@pytest.mark.parametrize("language", LANGUAGES)
def test_named_controls_are_on_the_page(language: str) -> None:
    texts = [text for part in ("page", "learn") for text in patterns(part, language).values()]
    forms = (form for text in texts for form in every_form(text))
    said = {" ".join(part.split()).casefold() for form in forms for part in (form, ENTRY.split(form)[0])}
    assert NAMED.findall(page(language))
    assert [name for name in NAMED.findall(page(language)) if " ".join(name.split()).casefold() not in said] == []
