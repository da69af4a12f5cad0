"""The glossary has a word in every language for everything that the games name, and a source for each word."""

import json
import re
from typing import Any

import pytest

from clerestory.engine import GAMES
from clerestory.engine.cathedral.data.state import Step as CathedralStep
from clerestory.engine.duel.data.state import STEP_NAMES as DUEL_STEPS
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.i18n.files import FOLDER
from clerestory.i18n.glossary import GLOSSARY, NUMBER, OURS, SERVICE, Word, card_words, definite, sources, word, words
from clerestory.i18n.languages import ENGLISH, LANGUAGES

NAMES = ("cathedral", "duel")
SIX = {"en", "de", "it", "es", "fr", "he"}  # complete languages
STEPS = {"cathedral": [step.name.removeprefix("AT_").lower() for step in CathedralStep], "duel": DUEL_STEPS}
PARTS = (SERVICE, *NAMES)
KINDS = ("step", "action")
HEBREW = re.compile("[א-ת]")
LATIN = re.compile(r"[A-Za-zÀ-ÿ]")
TYPED = re.compile("['\"]|\\.\\.\\.|  |^ | $")  # as typed on a typewriter: ' for ’, ... for …


@pytest.mark.parametrize("part", PARTS)
def test_every_entry_is_in_every_language_and_has_a_source(part: str) -> None:
    for key, entry in words(part).items():
        languages = SIX - ({ENGLISH} if key.startswith(("card.", "the.")) else set())
        assert languages <= set(entry) <= set(LANGUAGES), key
        assert all(text for text, _ in entry.values()), key
        assert {source for _, source in entry.values()} <= set(sources()), key


def test_every_source_is_used_and_graded() -> None:
    used = {source for part in PARTS for entry in words(part).values() for _, source in entry.values()}
    assert used == set(sources())
    assert {one["grade"] for one in sources().values()} == {"stated", "found", "reconstructed"}
    assert sources()[OURS]["grade"] == "reconstructed"


@pytest.mark.parametrize("part", PARTS)
def test_words_are_in_the_letters_of_their_language_and_set_as_print_is(part: str) -> None:
    for key, entry in words(part).items():
        hebrew, _ = entry["he"]
        assert HEBREW.search(hebrew) or hebrew == "1x", key
        assert set(LATIN.findall(hebrew.replace("1x", ""))) <= set("ABI"), key  # decks and sections
        assert not [text for language, (text, _) in entry.items() if language != "he" and HEBREW.search(text)], key
        assert not [text for text, _ in entry.values() if TYPED.search(text)], key


@pytest.mark.parametrize("part", NAMES)
def test_the_glossary_has_the_cards_of_the_catalogue_in_every_language(part: str) -> None:
    cards = {row["id"] for rows in GAMES[part].cards().values() for row in rows}
    assert {card for card in cards if not set(card_words(part, card)) >= SIX - {ENGLISH}} == set()
    known = {key.removeprefix("card.") for key in words(part) if key.startswith("card.")}
    assert known <= cards | {NUMBER.sub("", card) for card in cards}


@pytest.mark.parametrize("part", NAMES)
def test_steps_and_kinds_of_actions_are_those_of_the_game(part: str) -> None:
    game = GAMES[part]
    actions = {game.action(code).text.split()[0] for code in range(game.num_actions)}
    known = {kind: {key.partition(".")[2] for key in words(part) if key.startswith(f"{kind}.")} for kind in KINDS}
    assert known == {"step": set(STEPS[part]), "action": actions}


def test_levels_and_languages_have_names() -> None:
    assert {f"level.{number}" for number in range(1, NUM_LEVELS + 1)} <= set(words(SERVICE))
    assert {f"language.{language}" for language in LANGUAGES} <= set(words(SERVICE))


def test_no_key_is_there_twice() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs), [key for key, _ in pairs]
        return dict(pairs)

    json.loads((FOLDER / GLOSSARY).read_text("utf-8"), object_pairs_hook=once)


def test_a_card_of_several_rounds_has_one_entry_unless_one_is_special() -> None:
    assert card_words("cathedral", "mason_4") == card_words("cathedral", "mason_1")
    assert card_words("cathedral", "mortar_mixer_1") != card_words("cathedral", "mortar_mixer")
    assert card_words("cathedral", "dragon_1") == {} == card_words("chess", "mason_1")


def test_every_craftsman_has_a_name_with_an_article_where_the_language_needs_one() -> None:
    catalogue = GAMES["cathedral"].cards()
    for row in (*catalogue["starting_craftsmen"], *catalogue["craftsmen"]):
        assert all(definite("cathedral", row["id"], language) for language in SIX - {ENGLISH}), row["id"]
        assert definite("cathedral", row["id"], ENGLISH) == ""
    assert definite("cathedral", "mason_3", "de") == "der Maurer"
    assert definite("cathedral", "mortar_mixer_1", "de") == "der Erfahrene Mörtelmischer"
    assert definite("cathedral", "dragon_1", "de") == ""


def test_a_word_falls_back_to_english_and_has_its_provenance() -> None:
    assert word("cathedral", "good.wood", "it") == Word("legno", "it", "R-IT")
    assert word("cathedral", "good.wood", "pt") == Word("wood", "en", word("cathedral", "good.wood", "en")[2])  # type: ignore[index]
    assert word("cathedral", "good.silk", "it") is None
    assert Word("legno", "it", "R-IT").provenance() == "stated R-IT"
    assert Word("Maurer", "de", "GLU").provenance() == "found GLU"
    assert Word("Maçon", "fr", OURS).provenance() == "reconstructed, ours"
