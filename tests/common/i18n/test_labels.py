"""Actions have labels in every language; English ones are those of the engine."""

from collections.abc import Collection

import pytest

from clerestory.engine import GAMES
from clerestory.i18n import patterns
from clerestory.i18n.labels import ARGUMENTS, Labels
from clerestory.i18n.languages import ENGLISH, LANGUAGES

OTHERS = [language for language in LANGUAGES if language != ENGLISH]


def all_labels(game: str, language: str) -> dict[str, str]:
    """Return the label of every action of a game by its text, "" where there is no text."""
    labels = Labels(game, GAMES[game].cards(), language)
    texts = (GAMES[game].action(code).text for code in range(GAMES[game].num_actions))
    return {text: labels.label(text, "") for text in texts}


@pytest.mark.parametrize("game", ARGUMENTS)
def test_english_labels_are_those_of_the_engine(game: str) -> None:
    actions = [GAMES[game].action(code) for code in range(GAMES[game].num_actions)]
    assert all_labels(game, ENGLISH) == {action.text: action.label for action in actions}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("game", ARGUMENTS)
def test_every_action_has_a_unique_label(game: str, language: str) -> None:
    found = all_labels(game, language)
    assert all(found.values())
    assert len(set(found.values())) == len(found)
    assert not [label for label in found.values() if "{" in label]


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("game", ARGUMENTS)
def test_no_label_falls_back_to_english(game: str, language: str) -> None:
    kinds = ("label.", "line.", "place.", "colour.", "seal.", "times", "of_round", "section", "cell")
    owed = {key for key in patterns(game) if key.startswith(kinds)}
    assert owed <= set(patterns(game, language))


def label_key(labels: Labels, texts: Collection[str], action: str) -> str:
    kind, *named = action.split()
    return next(key for key in labels._keys(kind, named) if key in texts)


@pytest.mark.parametrize("game", ARGUMENTS)
def test_every_text_of_a_label_is_that_of_an_action(game: str) -> None:
    labels, texts = Labels(game, GAMES[game].cards(), ENGLISH), patterns(game)
    actions = {GAMES[game].action(code).text for code in range(GAMES[game].num_actions)}
    assert {key for key in texts if key.startswith("label.")} == {label_key(labels, texts, one) for one in actions}
    assert ARGUMENTS[game].keys() <= {one.split()[0] for one in actions}


@pytest.mark.parametrize(
    ("game", "text", "language", "label"),
    [
        ("cathedral", "hire potter_2", "de", "anwerben: Töpfer (Runde 2)"),
        (
            "cathedral",
            "place red kingsbridge.1",
            "it",
            "piazza il Maestro Costruttore (rosso): Kingsbridge, prima carta",
        ),
        ("cathedral", "convert goldsmith_5 2", "es", "usar: Orfebre (ronda 5), dos veces"),
        ("cathedral", "buy wood 3", "fr", "acheter 3 bois"),
        ("duel", "build II mortar cloth", "de", "bauen in Abschnitt II: Mörtel, Tuch"),
        ("duel", "claim diagonal down", "he", "לבחור: האלכסון היורד"),
    ],
)
def test_a_label_says_it_as_at_a_table(game: str, text: str, language: str, label: str) -> None:
    assert Labels(game, GAMES[game].cards(), language).label(text, "") == label


def test_a_game_without_label_texts_keeps_its_own() -> None:
    assert Labels("toy", {}, "de").label("draw 2", "draw the card 2") == "draw the card 2"
    assert Labels("cathedral", {}, "de").label("hire", "hire") == "hire"
