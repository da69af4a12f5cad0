"""Texts by key: arguments, plural forms, and the fallback if a language lacks one."""

import re
from collections.abc import Iterator

import pytest

from clerestory import i18n as texts
from clerestory.engine.cathedral.data.points import LUCK as CATHEDRAL
from clerestory.engine.duel.data.points import LUCK as DUEL
from clerestory.engine.games import LIST
from clerestory.i18n import Pattern, has, patterns, say
from clerestory.i18n.files import FOLDER
from clerestory.i18n.glossary import words
from clerestory.i18n.languages import (
    ENGLISH,
    LANGUAGES,
    RIGHT_TO_LEFT,
    WITH_COMMA,
    BadLanguage,
    language_asked,
    language_of,
)
from clerestory.i18n.sentences import QuotedItem, format_text, text

LUCK = {"cathedral": CATHEDRAL, "duel": DUEL}

TEXTS = {
    "en/any.json": {
        "greet": "Hello {name}",
        "cubes": {"one": "{count} cube", "other": "{count} cubes"},
        "only": "here",
    },
    "he/any.json": {"cubes": {"one": "קובייה אחת", "two": "שתי קוביות", "other": "{count} קוביות"}},
    "fr/any.json": {"greet": "Bonjour {name}", "cubes": {"one": "{count} cube", "other": "{count} cubes"}},
}


@pytest.fixture
def some_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "read", lambda name: TEXTS.get(name, {}))


@pytest.mark.usefixtures("some_texts")
@pytest.mark.parametrize(
    ("language", "key", "arguments", "said"),
    [
        ("fr", "greet", {"name": "Ellen"}, "Bonjour Ellen"),
        ("he", "greet", {"name": "{count}"}, "Hello {count}"),
        ("de", "only", {}, "here"),
        ("en", "cubes", {"count": 1}, "1 cube"),
        ("en", "cubes", {"count": 1.5}, "1.5 cubes"),
        ("de", "cubes", {"count": 0}, "0 cubes"),
        *[("fr", "cubes", {"count": count}, f"{count} cube") for count in (0, 1)],
        *[("fr", "cubes", {"count": count}, text) for count, text in ((1.5, "1,5 cube"), (2, "2 cubes"))],
        ("he", "cubes", {"count": 2}, "שתי קוביות"),
        ("he", "cubes", {"count": 5}, "5 קוביות"),
    ],
)
def test_a_text_is_in_its_language_or_english(language: str, key: str, arguments: dict[str, object], said: str) -> None:
    assert say("any", key, language=language, **arguments) == said


@pytest.mark.usefixtures("some_texts")
def test_an_unknown_key_and_a_missing_argument_are_errors() -> None:
    assert has("any", "greet")
    assert not has("any", "nowhere")
    for domain, key in (("any", "nowhere"), ("none", "greet"), ("any", "greet"), ("any", "cubes")):
        with pytest.raises(KeyError):
            say(domain, key)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "2 stone for the Sculptor."),
        ("de", "2 Steine, genau das braucht der Bildhauer."),
        ("es", "2 de piedra para el Escultor."),
        ("fr", "2 pierres pour le Sculpteur."),
        ("it", "2 pietre per lo Scultore."),
        ("he", "שתי אבנים עבור הפסל."),
    ],
)
def test_a_card_in_a_reason_has_its_article(language: str, said: str) -> None:
    reason = text("reason.brings", what=text("amount.stone", count=2), who=QuotedItem("sculptor_3", "Sculptor"))
    assert format_text(reason, "cathedral", language) == said


def test_a_tag_names_a_language_or_is_rejected_with_the_list() -> None:
    assert [language_of(tag) for tag in ("it", "it-CH", "DE_at", "he-IL", "iw_IL")] == ["it", "it", "de", "he", "he"]
    for tag in ("", "pt", "italian", "-it"):
        with pytest.raises(BadLanguage, match=f"is not one of {', '.join(LANGUAGES)}"):
            language_of(tag)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("it", "it"),
        ("de-CH, de;q=0.9, en;q=0.8", "de"),
        ("pt-BR, es;q=0.7, en;q=0.5", "es"),
        ("en;q=0.3, FR;q=0.4", "fr"),
        ("en; q=0.3, FR ;Q=0.4", "fr"),
        ("en, he", "en"),
        ("iw-IL, en;q=0.5", "he"),
        ("he;q=0, *", "en"),
        ("it;q=much", "en"),
        ("it;q=7", "en"),
        ("", "en"),
        (",;q=,,-", "en"),
        ("x," * 5000 + "it", "en"),
    ],
)
def test_the_language_is_the_preferred_one_of_a_header(header: str, language: str) -> None:
    assert language_asked(header) == language


def test_every_fault_of_a_plan_and_kind_of_luck_has_a_text() -> None:
    faults = ("unknown", "capacity", "goods", "needs", "gold", "count")
    assert {f"plan.{code}" for code in faults} <= set(patterns("service"))
    for name, sources in LUCK.items():
        kinds = {source.replace(" ", "_") for source in sources.values()}
        assert {f"luck.{kind}" for kind in kinds} <= set(patterns(name))


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_written_as_in_the_language(language: str) -> None:
    assert say("service", "lead.ahead", language=language, count=1.5).count("1,5") == (language in WITH_COMMA)
    signed = say("service", "change", language=language, amount="+2", thing="x")
    assert ("\u2066+2\u2069" in signed) == (language in RIGHT_TO_LEFT)
    assert " " not in say("page", "percent", language=language, number="5")  # keeps the number and its sign on one line


@pytest.mark.parametrize("language", [one for one in LANGUAGES if say("page", "percent", one, number=5) == "5%"])
def test_a_percent_sign_without_a_space_has_none_in_any_text(language: str) -> None:
    for domain in ("page", "review", "service", "terminal"):
        assert "} %" not in str(dict(patterns(domain, language)))


def test_italian_numbers_have_no_article() -> None:
    """The article would depend on the number: il 5%, l'8%, l'11%."""
    article = re.compile(r"\b(il|lo|la|l’|\w+l|\w+ll[oa’]) ?\{(count|even|figure|loss|lost|number|share)\}")
    domains = ("first", "page", "review", "service", "terminal")
    texts_of = (one for domain in domains for one in patterns(domain, "it").items())
    assert [key for key, text in texts_of if article.search(str(text))] == ["percent.over"]  # always 99%


LEAVE_OUT_ORE = ("take", "convert", "finish", "place", "trade_seals")  # effects of cards (D26, D28)


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_that_leave_out_ore_say_so(language: str) -> None:
    said = [forms_of(patterns("page", language)[f"effect.{kind}"]) for kind in LEAVE_OUT_ORE]
    assert len({form.rpartition(", ")[2] for forms in said for form in forms.values()}) == 1


def test_every_tie_break_and_source_of_points_has_a_text() -> None:
    for name, listing in LIST.items():
        if listing.points:
            field, last = listing.points.TIE_BREAK
            sources = (f"source.{source.name}" for source in listing.points.SOURCES)
            assert {f"tie.{field}", f"tie.{last}", *sources} <= patterns(name).keys()


DOMAINS = sorted(path.stem for path in (FOLDER / ENGLISH).glob("*.json"))
NUMBERS = {"count", "number", "cost", "cubes", "gold", "limit", "most", "price", "seals", "stone", "chips", "builders"}
COUNTED = re.compile(r"\{(\w+)\}[ \u00a0](?:de |di )?([^\W\d_]+)")  # a number, and what it counts
ALONE = re.compile(r"([^\W\d_]+) (?:אחת|אחד)(?![^\W\d_])")  # Hebrew says one after what it counts


VERBS = {"is"}  # may follow a number in the singular


def forms_of(pattern: Pattern) -> dict[str, str]:
    return pattern if isinstance(pattern, dict) else {"other": pattern}


def every_text(language: str) -> Iterator[tuple[str, dict[str, str]]]:
    for domain in DOMAINS:
        yield from ((f"{domain} {key}", forms_of(text)) for key, text in patterns(domain, language).items())


def singulars(language: str) -> set[str]:
    """Return the nouns that texts have in the singular only."""
    singular = [forms["one"] for _, forms in every_text(language) if "one" in forms]
    counted = {word for form in singular for _, word in COUNTED.findall(form)}
    return (counted | {word for form in singular for word in ALONE.findall(form)}) - plurals(language) - VERBS


def plurals(language: str) -> set[str]:
    """Return the words that texts have after a number in the plural."""
    return {word for _, forms in every_text(language) if "one" in forms for _, word in COUNTED.findall(forms["other"])}


def misplaced(forms: dict[str, str], singular: set[str]) -> list[str]:
    """Return the singular words after a number that may be any."""
    others = (form for category, form in forms.items() if category != "one")
    return [word for form in others for name, word in COUNTED.findall(form) if name in NUMBERS and word in singular]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_meets_a_singular_noun(language: str) -> None:
    singular = singulars(language)
    found = {key: words for key, forms in every_text(language) if (words := misplaced(forms, singular))}
    assert found == {}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_every_good_has_its_plural_forms(game: str, language: str) -> None:
    goods = {key.partition(".")[2] for key in words(game) if key.startswith("good.")} - {"gold"}
    assert len(goods) >= 5
    texts = patterns(game, language)
    assert [good for good in goods if isinstance(texts[f"amount.{good}"], str)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_is_followed_by_the_name_of_a_good(language: str) -> None:
    """Names are singular: amounts have the plural forms."""
    named = re.compile(r"(\d|\{(count|number|chips)\})[ \u00a0](de |di )?\{(good|chip)\}")
    assert [key for key, forms in every_text(language) if named.search("; ".join(forms.values()))] == []


def test_a_stored_text_without_a_count_is_in_the_general_form() -> None:
    assert say("cathedral", "amount.vp", "de", count=1) != say("cathedral", "amount.vp", "de", count=2)
    assert say("cathedral", "thing.stone", "de") == say("cathedral", "thing.stone", "de", count=2)


# -- punctuation -----------------------------------------------------------------------------------


def test_french_punctuation_stays_on_the_line_of_its_word() -> None:
    loose = re.compile(r"\S [:;!?»]|« ")
    assert [key for key, forms in every_text("fr") if loose.search("\n".join(forms.values()))] == []


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_a_percent_sign_stays_on_the_line_of_its_number(language: str) -> None:
    assert [key for key, forms in every_text(language) if re.search(r"[}\d] %", str(forms))] == []
