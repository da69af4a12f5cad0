"""The shipped texts are valid; missing or wrong texts of a language are found; a language can be added."""

import json
from pathlib import Path

import pytest

from clerestory.i18n.languages import LANGUAGES
from tools.texts import FOLDER, add, faults, missing

GLOSSARY = {"words": {"toy": {"card.a": {"de": ["A", "ours"]}}}}
ENGLISH = {"greet": "Hello {name}", "cubes": {"one": "{count} cube", "other": "{count} cubes"}, "close": "Close"}
CUBES = {"one": "{count} Würfel", "other": "{count} Würfel"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """English texts, and a list of languages with German."""
    (tmp_path / "languages.json").write_text('["en", "de"]')
    (tmp_path / "glossary.json").write_text(json.dumps(GLOSSARY))
    write(tmp_path, "en", ENGLISH)
    return tmp_path


def write(folder: Path, language: str, texts: object) -> None:
    (folder / language).mkdir(exist_ok=True)
    (folder / language / "page.json").write_text(json.dumps(texts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_texts_are_complete_and_have_no_faults(language: str) -> None:
    assert list(faults(FOLDER, language)) == []
    assert language == LANGUAGES[0] or list(missing(FOLDER, language)) == []


def test_every_language_that_has_a_folder_is_in_the_list() -> None:
    assert {path.name for path in FOLDER.iterdir() if list(path.glob("*.json"))} == set(LANGUAGES)


def test_missing_texts_are_listed(folder: Path) -> None:
    write(folder, "de", {"close": "Schließen"})
    assert list(missing(folder, "de")) == ["page greet", "page cubes"]
    assert list(faults(folder, "de")) == []


@pytest.mark.parametrize(
    ("key", "pattern", "fault"),
    [
        ("open", "Öffnen", "English has no such text"),
        ("greet", "Hallo", "has the arguments none; English has name"),
        ("greet", "Hallo {nam}", "has the arguments nam; English has name"),
        ("greet", "", "is empty"),
        ("close", {"one": "Zu", "other": "Zu"}, "only one of this and English has plural forms"),
        ("cubes", "{count} Würfel", "only one of this and English has plural forms"),
        ("cubes", {"other": "{count} Würfel"}, "has the plural forms other; must have one, other"),
        ("cubes", CUBES | {"two": "zwei Würfel"}, "must have one, other"),
    ],
)
def test_faults_are_listed(key: str, pattern: object, fault: str, folder: Path) -> None:
    write(folder, "de", {"close": "Schließen", "greet": "Hallo {name}", "cubes": CUBES})
    assert list(faults(folder, "de")) == []
    write(folder, "de", {key: pattern})
    found = list(faults(folder, "de"))
    assert found
    assert found[0].startswith(f"de/page.json {key}: ")
    assert fault in found[0]


def test_hebrew_has_a_form_for_two(folder: Path) -> None:
    write(folder, "he", {"cubes": {"one": "קובייה אחת", "other": "{count} קוביות"}})
    assert list(faults(folder, "he")) == [
        "he/page.json cubes: has the plural forms one, other; must have one, other, two"
    ]


def test_a_key_that_is_there_twice_is_rejected(folder: Path) -> None:
    (folder / "en" / "page.json").write_text('{"close": "Close", "close": "Shut"}')
    with pytest.raises(ValueError, match="there twice: close"):
        list(missing(folder, "de"))


def test_one_command_begins_a_language(folder: Path) -> None:
    add(folder, "pt")
    assert json.loads((folder / "languages.json").read_text()) == ["en", "de", "pt"]
    assert json.loads((folder / "pt" / "page.json").read_text()) == {}
    assert list(missing(folder, "pt")) == ["page greet", "page cubes", "page close", "glossary toy card.a"]
    assert list(faults(folder, "pt")) == []


@pytest.mark.parametrize("code", ["de", "", "portuguese", "../x"])
def test_a_language_is_begun_once_and_by_its_code(code: str, folder: Path) -> None:
    with pytest.raises(ValueError, match="is not the code of a new language"):
        add(folder, code)
