"""`clerestory rules --language`: the cards as their owner knows them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from clerestory.cli.card_words import CardWords
from clerestory.cli.cards import cards_table
from clerestory.cli.options import BadOption
from clerestory.cli.rules import rules
from clerestory.engine import GAMES
from clerestory.engine.catalogue import Catalogue
from clerestory.engine.cathedral.catalogue import CathedralCatalogue
from clerestory.engine.duel.catalogue import DuelCatalogue
from clerestory.texts import patterns
from clerestory.texts.languages import ENGLISH, LANGUAGES

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
GRADES = ("stated", "found", "derived", "reconstructed")
OWNERS = {  # a card, and the word for what it takes or gives
    "de": ("Glockengießer", "Metall"),
    "it": ("Creatore di campane", "metallo"),
    "es": ("Fundidor de campanas", "metal"),
    "fr": ("Fondeur de cloches", "métal"),
    "he": ("יוצק פעמונים", "מתכת"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_there_is_a_word_for_everything_in_the_shipped_catalogues(
    game: str, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = CardWords(GAMES[game], language)
    for title, rows in GAMES[game].cards().items():
        cards_table(words, title, [words.renamed(row) for row in rows], 200)
    assert words.missing == []


@pytest.mark.parametrize("language", OTHERS)
def test_cards_are_called_as_their_owner_knows_them(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules(language=language)
    shown = capsys.readouterr().out
    assert all(word in shown for word in OWNERS[language])
    assert "Bell maker" not in shown
    assert not [grade for grade in GRADES if grade in shown]


def test_english_has_words_for_what_catalogue_files_name(capsys: pytest.CaptureFixture[str]) -> None:
    rules(game="duel")
    shown = capsys.readouterr().out
    rules(game="duel", language="en-GB")
    assert capsys.readouterr().out == shown
    (market,) = (row for row in GAMES["duel"].cards()["cards"] if row["id"] == "market_2")
    told = "effect buy and sell at most 2 price 3 kinds wood sand stone wool sold at 3"
    assert CardWords(GAMES["duel"], ENGLISH).values(market) == f"frame neutral, in deck A 1, in deck B 0, {told}"


def test_json_has_the_name_and_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    rules(as_json=True, language="it-CH")
    cards = {row["id"]: row for row in json.loads(capsys.readouterr().out)["cards"]["craftsmen"]}
    assert (cards["mason_2"]["name"], cards["mason_2"]["sources"]["name"]) == ("Muratore", "stated R-IT")
    assert cards["carpenter_2"]["sources"]["name"] == "reconstructed, ours"


@pytest.mark.parametrize("check", [None, CathedralCatalogue.shipped])
def test_another_language_is_refused_with_the_list(check: Path | None) -> None:
    with pytest.raises(BadOption, match="--language: 'pt' is not one of en, de, it, es, fr, he"):
        rules(language="pt", check=check)


def test_what_differs_is_told_in_the_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.toml"
    text = CathedralCatalogue.shipped.read_text().replace("gold = 8 }", "gold = 9 }")
    other.write_text(text.replace('id = "cold_winter"', 'id = "snow"'))
    with pytest.raises(typer.Exit):
        rules(check=other, language="de")
    assert capsys.readouterr().out.splitlines() == [
        "wool_fair (Wollmesse)  Wirkung: in Gebrauch sofort, 8 Gold, in der Datei sofort, 9 Gold",
        "cold_winter (Kalter Winter)  Karte: in Gebrauch Kalter Winter, in der Datei -",
        "snow  Karte: in Gebrauch -, in der Datei Cold winter",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("shape", "check"), [(CathedralCatalogue, True), (DuelCatalogue, True), (DuelCatalogue, False)]
)
def test_what_is_wrong_with_a_file_is_told_in_the_language(
    shape: type[Catalogue], check: bool, language: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.toml"
    other.write_text(
        re.sub('^name = ".*"$', "name = 5\nage = 5", shape.shipped.read_text(), count=1, flags=re.MULTILINE)
    )
    before, after = (("rules", "--check", other), ()) if check else (("--catalogue", other), ("lesson",))
    done = run(*before, *after, "--language", language)
    texts = patterns("service", language)
    said = [str(texts["fault.string"]).replace("{value}", "5"), str(texts["fault.stranger"])]
    assert (done.returncode, done.stdout) == (2, "")
    assert all(f": {' '.join(one.split())}" in done.stderr for one in said)  # with plain spaces
    assert len(done.stderr.splitlines()) == 1


# -- catalogues of owners --------------------------------------------------------------------------

OWN = """
id = "snow"
name = "Snow"
names = { it = "Neve", he = "שלג" }
sources.names = "found OWNER"
"""


@pytest.fixture
def owned(tmp_path: Path) -> Path:
    """A catalogue whose owner renamed an event, with names in some languages."""
    text = CathedralCatalogue.shipped.read_text()
    before = 'id = "cold_winter"\nname = "Cold winter"\n'
    assert before in text
    (tmp_path / "own.toml").write_text(text.replace(before, OWN, 1))
    return tmp_path / "own.toml"


def told(owned: Path, language: str) -> str:
    """In a process of its own, as a process has one catalogue."""
    done = run("--catalogue", owned, "rules", "--language", language)
    assert done.returncode == 0
    return done.stdout


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clerestory", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "200"})


def test_a_catalogue_may_have_names_of_its_own(owned: Path) -> None:
    shown = told(owned, "it")
    assert "Neve" in shown
    assert "nome: trovato OWNER" in shown
    assert "inglese" not in shown


def test_what_has_no_name_is_told_in_english_and_noted(owned: Path) -> None:
    *_, note = told(owned, "de").splitlines()
    assert note == "Ein Wort fehlt auf Deutsch und steht hier auf Englisch: Snow"


def test_names_do_not_count_in_the_hash(owned: Path) -> None:
    renamed = CathedralCatalogue.shipped.read_text().replace(
        'name = "Cold winter"', 'name = "Snow"\nnames = { it = "Neve" }\nsources.names = "found OWNER"'
    )
    assert CathedralCatalogue.parse(renamed).content_hash() == CathedralCatalogue.load().content_hash()


def test_the_shipped_hashes_stay_because_games_and_values_are_stored_with_them() -> None:
    assert CathedralCatalogue.load().content_hash() == "7ba4330f9251d3d8"
    assert DuelCatalogue.load().content_hash() == "391ad16d8a0eba60"
