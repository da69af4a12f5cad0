"""Faults of positions are codes with arguments: they say the English description again, and the same in others."""

import copy
import json
from typing import Any

import pytest

from clerestory.engine import GAMES, Rng
from clerestory.games.rulebook import all_faults
from clerestory.server.faults import KINDS, OTHER, fault_text
from clerestory.texts import patterns
from clerestory.texts.languages import LANGUAGES
from clerestory.texts.sentences import Text, said
from tests.languages import OTHERS

TOLD = ("cathedral", "duel")


def codes(one: Text) -> list[str]:
    """The codes of a text and of those in it."""
    return [one.code, *(code for _, value in one.arguments if isinstance(value, Text) for code in codes(value))]


@pytest.mark.parametrize("game", TOLD)
def test_what_is_true_of_every_position_has_a_text(game: str) -> None:
    rules = [sentence for sentence in GAMES[game].invariants if sentence]
    told = [sentence for sentence in rules if fault_text(sentence, game).code.startswith("rule.")]
    assert told == rules[-len(told) :]
    owed = [code for code in patterns(game) if code.startswith("rule.")]
    assert sorted(fault_text(sentence, game).code for sentence in told) == sorted(owed)


@pytest.mark.parametrize("game", ["", *TOLD])
def test_every_pattern_finds_its_own_code_and_says_the_same_again(game: str) -> None:
    for code, pattern in patterns(game or "service").items():
        if code.startswith(KINDS) and code != OTHER:
            description = str(pattern).format_map(Filled())
            found = fault_text(description, game)
            assert found.code == code
            assert said(found, game or "toy") == description


class Filled(dict[str, str]):
    """A number for each argument, and a sentence where that is one."""

    def __missing__(self, name: str) -> str:
        return "nothing that is known" if name == "sentence" else "7"


def spoilt(fields: Any, rng: Rng) -> Any:
    """Fields with one value replaced, somewhere."""
    places = list(leaves(fields))
    owner, key = places[rng.below(len(places))]
    owner[key] = [99, "nobody", "red", -1, 2, True, "", "wood"][rng.below(8)]
    return fields


def leaves(value: Any) -> Any:
    """Yield the places of all values that hold no others."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(one, dict | list):
            yield from leaves(one)
        else:
            yield value, key


@pytest.mark.parametrize("game", TOLD)
def test_the_faults_of_spoilt_positions_have_codes(game: str) -> None:
    rng, state = Rng(4), GAMES[game].new(2, 4)
    state.play_nature(rng)
    whole, found = state.to_position(), list[str]()
    for _ in range(300):
        for _, description in all_faults(GAMES[game], spoilt(copy.deepcopy(whole), rng)):
            one = fault_text(description, game)
            assert said(one, game) == description
            assert all(said(one, game, language) for language in LANGUAGES)
            found += codes(one)
    assert len(set(found)) > 10
    assert found.count(OTHER) < len(found) / 20, json.dumps(found)


def test_a_fault_is_told_in_each_language() -> None:
    english = "breaks rule 7 of every position: a drawn builder is present exactly at steps redraw and builder"
    one = fault_text(english, "cathedral")
    assert codes(one) == ["fault.rule", "rule.drawn"]
    assert said(one, "cathedral") == english
    assert len({said(one, "cathedral", language) for language in OTHERS}) == len(OTHERS)
