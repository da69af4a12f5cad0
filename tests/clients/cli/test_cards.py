"""`clerestory rules`: the cards of a game in every language, how another file differs, and `--catalogue`."""

import os
import re
import tomllib
from functools import partial
from pathlib import Path

import pytest

from clerestory.cli.cards import CardWords, cards_table
from clerestory.engine import GAMES
from clerestory.engine.catalogue import Catalogue
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.i18n import patterns
from clerestory.i18n.languages import ENGLISH, LANGUAGES
from tests.clients.cli.command import Ended, ended, failed, run
from tests.languages import OTHERS

GRADES = ("stated", "found", "derived", "reconstructed")
OWNERS = {  # a card, and the word for what it takes or gives
    "de": ("Glockengießer", "Metall"),
    "it": ("Creatore di campane", "metallo"),
    "es": ("Fundidor de campanas", "metal"),
    "fr": ("Fondeur de cloches", "métal"),
    "he": ("יוצק פעמונים", "מתכת"),
}
SHIPPED = {"cathedral": CathedralCatalogue.shipped, "duel": DuelCatalogue.shipped}
CHANGED = {  # replacements in the shipped text
    "cathedral": ('name = "Cold winter"', 'name = "Winter"'),
    "duel": ('kind = "income", gold = 4', 'kind = "income", gold = 9'),
}
TITLES = {"cathedral": "The Pillars of the Earth", "duel": "Builders Duel"}
rules = partial(run, "rules", COLUMNS="200")


@pytest.fixture
def others(tmp_path: Path) -> dict[str, Path]:
    for game, (before, after) in CHANGED.items():
        text = SHIPPED[game].read_text()
        assert before in text
        (tmp_path / f"{game}.toml").write_text(text.replace(before, after, 1))
    return {game: tmp_path / f"{game}.toml" for game in CHANGED}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_everything_in_the_shipped_catalogues_has_a_word(game: str, language: str) -> None:
    words = CardWords(GAMES[game], language)
    for title, rows in GAMES[game].cards().items():
        cards_table(words, title, [words.renamed(row) for row in rows], 200)
    assert words.missing == []


@pytest.mark.parametrize("language", OTHERS)
def test_cards_have_the_names_of_their_edition(language: str) -> None:
    shown = rules("--language", language).out
    assert [word for word in OWNERS[language] if word not in shown] == []
    assert [word for word in ("Bell maker", *GRADES) if word in shown] == []


def test_english_uses_the_words_of_catalogue_files() -> None:
    assert rules("--game", "duel") == rules("--game", "duel", "--language", "en-GB")
    (market,) = (row for row in GAMES["duel"].cards()["cards"] if row["id"] == "market_2")
    told = "effect buy and sell at most 2 price 3 kinds wood sand stone wool sold at 3"
    assert CardWords(GAMES["duel"], ENGLISH).values(market) == f"frame neutral, in deck A 1, in deck B 0, {told}"


def test_json_has_the_name_with_its_source_and_the_value() -> None:
    cards = {row["id"]: row for row in rules("--json", "--language", "it-CH").json["cards"]["craftsmen"]}
    assert (cards["mason_2"]["name"], cards["mason_2"]["sources"]["name"]) == ("Muratore", "stated R-IT")
    assert cards["carpenter_2"]["sources"]["name"] == "reconstructed, ours"
    assert rules("--json").json["value"] == "net"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("game", SHIPPED)
def test_the_catalogue_in_use_does_not_differ_from_itself(game: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text(SHIPPED[game].read_text(), encoding)
    assert rules("--check", tmp_path / "cards.toml") == Ended(0, f"{TITLES[game]}: no card differs\n")


@pytest.mark.parametrize("game", CHANGED)
def test_each_value_of_another_catalogue_that_differs_is_listed(game: str, others: dict[str, Path]) -> None:
    done = rules("--check", others[game], "--json")
    assert done.code == 1
    (difference,) = done.json["differences"]
    before, after = (tomllib.loads("value = {" + text + "}")["value"] for text in CHANGED[game])
    if difference["field"] == "name":
        assert (difference["in_use"], difference["in_file"]) == (before["name"], after["name"])
    else:
        assert before.items() <= difference["in_use"].items()
        assert after.items() <= difference["in_file"].items()
    shown = rules("--check", others[game]).out
    assert re.match(rf"{difference['card']} \(.*\)  {difference['field']}: ", shown)


def test_differences_are_listed_in_the_language(tmp_path: Path) -> None:
    text = SHIPPED["cathedral"].read_text().replace("gold = 8 }", "gold = 9 }")
    (tmp_path / "other.toml").write_text(text.replace('id = "cold_winter"', 'id = "snow"'))
    done = rules("--check", tmp_path / "other.toml", "--language", "de")
    assert (done.code, done.out.splitlines()) == (
        1,
        [
            "wool_fair (Wollmesse)  Wirkung: in Gebrauch sofort, 8 Gold, in der Datei sofort, 9 Gold",
            "cold_winter (Kalter Winter)  Karte: in Gebrauch Kalter Winter, in der Datei -",
            "snow  Karte: in Gebrauch -, in der Datei Cold winter",
        ],
    )


def test_cards_of_another_game_are_not_compared(others: dict[str, Path]) -> None:
    done = rules("--game", "cathedral", "--check", others["duel"])
    assert done == failed("--game: 'cathedral', but this is a game of duel")
    assert rules("--game", "duel", "--check", others["duel"]).code == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("version = 1", "catalogue.game: is missing"),
        ('game = "toy"', "catalogue.game: 'toy' is not one of"),
        ("game = [", "catalogue: is not TOML"),
        ('game = "duel"\nversion = 2', "catalogue.version"),
    ],
)
@pytest.mark.parametrize("before", [["--catalogue"], ["rules", "--check"]], ids=" ".join)
def test_a_faulty_file_is_one_line(before: list[str], text: str | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "cards.toml"
    if text is not None:
        path.write_text(text)
    done = run(*before, path, *(["rules"] if before == ["--catalogue"] else []))
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.count(str(path)) == 1
    assert says in done.err


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("shape", "check"), [(CathedralCatalogue, True), (DuelCatalogue, True), (DuelCatalogue, False)]
)
def test_a_fault_is_reported_in_the_language(
    shape: type[Catalogue], check: bool, language: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.toml"
    text = re.sub('^name = ".*"$', "name = 5\nage = 5", shape.shipped.read_text(), count=1, flags=re.MULTILINE)
    other.write_text(text)
    words = ["rules", "--check", other] if check else ["--catalogue", other, "lesson"]
    done = run(*words, "--language", language)
    texts = patterns("service", language)
    expected = [str(texts["fault.string"]).replace("{value}", "5"), str(texts["fault.stranger"])]
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert [one for one in expected if f": {' '.join(one.split())}" not in done.err] == []


def test_a_process_keeps_the_catalogue_of_a_game(others: dict[str, Path]) -> None:
    assert GAMES["duel"]
    done = run("--catalogue", others["duel"], "rules", "--game", "duel")
    assert (done.code, done.out) == (2, "")
    assert "duel: this process has the cards of catalogue " in done.err


OWN = """
id = "snow"
name = "Snow"
names = { it = "Neve", he = "שלג" }
sources.names = "found OWNER"
"""


def test_the_shipped_hashes_stay_because_games_and_values_are_stored_with_them() -> None:
    assert CathedralCatalogue.load().content_hash() == "7ba4330f9251d3d8"
    assert DuelCatalogue.load().content_hash() == "391ad16d8a0eba60"


def with_cards(*words: object) -> Ended:
    """Run the command in a separate process, because a process has one catalogue per game."""
    return ended(*words, env=os.environ | {"COLUMNS": "200"})


def changed(game: str, folder: Path, pattern: str, replacement: str, count: int = 0) -> Path:
    text, times = re.subn(pattern, replacement, SHIPPED[game].read_text(), count=count, flags=re.MULTILINE)
    assert times
    (folder / "changed.toml").write_text(text)
    return folder / "changed.toml"


@pytest.mark.system
@pytest.mark.parametrize("game", CHANGED)
def test_a_file_names_its_game(game: str, others: dict[str, Path]) -> None:
    def cards(*catalogues: Path) -> str:
        options = [word for path in catalogues for word in ("--catalogue", path)]
        done = with_cards(*options, "rules", "--game", game, "--json")
        assert (done.code, done.err) == (0, "")
        return done.out

    shipped, other = cards(), cards(others[game])
    assert other != shipped
    assert cards(*others.values()) == other
    (stranger,) = (path for name, path in others.items() if name != game)
    assert cards(stranger) == shipped


@pytest.mark.system
def test_arena_and_servers_play_with_the_cards(others: dict[str, Path], tmp_path: Path) -> None:
    position, out = tmp_path / "position.json", tmp_path / "games.jsonl"
    catalogue = ("--catalogue", others["duel"])
    assert with_cards(*catalogue, "new", "--game", "duel", "--seats", 2, "--out", position).code == 0
    mark = Ended(0, position.read_text()).json["catalogue"]
    assert mark == DuelCatalogue.load(others["duel"]).content_hash() != DuelCatalogue.load().content_hash()
    match = ("arena", "greedy", "random", "--game", "duel", "--games", 2, "--workers", 2, "--out", out)
    assert with_cards(*catalogue, *match).code == 0
    assert mark in out.read_text().splitlines()[0]
    answer = with_cards(*catalogue, "recommend", position, "--iterations", 50, "--json")
    assert answer.json["catalogue"] == mark
    assert "catalogue" in with_cards("recommend", position, "--iterations", 50).err


@pytest.mark.system
def test_cards_may_have_names_of_their_owner(tmp_path: Path) -> None:
    own = changed("cathedral", tmp_path, '\nid = "cold_winter"\nname = "Cold winter"\n', OWN, 1)
    italian = with_cards("--catalogue", own, "rules", "--language", "it").out
    assert "Neve" in italian
    assert "nome: trovato OWNER" in italian
    assert "inglese" not in italian
    *_, note = with_cards("--catalogue", own, "rules", "--language", "de").out.splitlines()
    assert note == "Ein Wort fehlt auf Deutsch und steht hier auf Englisch: Snow"


@pytest.mark.system
def test_cards_that_have_little_in_common_are_valued_by_hand(tmp_path: Path) -> None:
    other = changed("cathedral", tmp_path, r"^(capacity|workers) = \d+", r"\1 = 9")
    done = with_cards("--catalogue", other, "rules", "--game", "cathedral", "--json")
    assert done.json["value"] == "hand"
    assert re.fullmatch(
        r"cathedral: the search uses the hand-made value: these cards are [\d.]+% away from those of the learned "
        r"value, which holds up to 20%\n",
        done.err,
    )
    shown = with_cards("--catalogue", other, "rules", "--game", "cathedral").out
    assert shown.splitlines()[1].startswith("value: hand (")
