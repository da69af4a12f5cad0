"""Errors of positions and catalogues are codes with arguments, with texts in every language; none is plain English."""

import copy
import json
import pickle
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import GAMES, BadCatalogue, BadPosition, Rng, from_position
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.engine.errors import Fault, Violations, quoted
from clerestory.i18n import patterns
from clerestory.i18n.languages import LANGUAGES
from clerestory.i18n.sentences import Text
from clerestory.server.games.rulebook import all_faults
from tests.languages import OTHERS
from tests.laws import walk

ROOT = Path(__file__).parents[2]
TOLD = ("cathedral", "duel")
KINDS = ("fault.", "rule.")  # prefixes of the codes of errors, and of invariants
OTHER = "fault.other"  # errors that exist only in English, as in games without their own texts
SPOILT: list[Any] = [
    *(99, "nobody", "red", -1, 2, True, "", "wood", 1.5, [], {}, [1, 1], "x" * 200, {"kind": "win"}),
    *(None, 10**30, float("inf"), [[]], {"": None}),
]


def codes(one: Text) -> list[str]:
    return [one.code, *(code for _, value in one.arguments if isinstance(value, Text) for code in codes(value))]


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the places of all values, including containers."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(one, dict | list):
            yield from leaves(one)


def spoilt(fields: Any, rng: Rng) -> Any:
    """Return fields with one value replaced, removed or added at a random place."""
    fields = copy.deepcopy(fields)
    places = list(leaves(fields))
    owner, key = places[rng.below(len(places))]
    value, chance = SPOILT[rng.below(len(SPOILT))], rng.below(16)
    if isinstance(owner, dict) and chance < 2:
        del owner[key]
    elif isinstance(owner, dict) and chance == 2:
        owner["luck"] = value
    else:
        owner[key] = value
    return fields


def assert_told(faults: list[Fault]) -> set[str]:
    """Require a code and texts in every language for each error; return the codes."""
    for fault in faults:
        assert OTHER not in codes(fault.text), fault
        assert fault.in_language("en") == fault
        assert all(re.search(r"[^{}]+", fault.in_language(language)) for language in LANGUAGES)
        assert fault.in_language("he") != fault
    return {code for fault in faults for code in codes(fault.text)}


@pytest.mark.parametrize("name", GAMES)
def test_a_spoilt_position_is_sound_or_rejected_with_codes(name: str) -> None:
    rng, found, refused = Rng(4), set[str](), 0
    wholes = [state.to_position() for state in walk(GAMES[name], 2, 4)][::8]
    for count in range(400):
        position = spoilt(wholes[count % len(wholes)], rng)
        try:
            assert from_position(json.dumps(position)).check() == 0
        except BadPosition:
            refused += 1
            if name in TOLD:
                found |= assert_told([fault for _, fault in all_faults(GAMES[name], position)])
    assert refused > 200
    assert len(found) > 15 or name not in TOLD


@pytest.mark.parametrize("shape", [CathedralCatalogue, DuelCatalogue])
def test_the_faults_of_spoilt_catalogues_have_codes(shape: Any) -> None:
    rng, whole, found = Rng(5), tomllib.loads(shape.shipped.read_text("utf-8")), set[str]()
    for _ in range(160):
        try:
            shape.read(spoilt(whole, rng))
        except BadCatalogue as error:
            found |= assert_told([fault for _, fault in error.violations])
    assert len(found) > 10


@pytest.mark.parametrize(
    ("position", "why"),
    [("[" * 100_000, "it is nested too deeply"), (f'{{"a":{"9" * 5_000}}}', "a number has too many digits")],
    ids=["deep", "long"],
)
def test_json_that_is_more_than_can_be_read_is_rejected(position: str, why: str) -> None:
    with pytest.raises(BadPosition, match=f"^position: is not JSON: {why}$"):
        from_position(position)


def test_a_fault_is_described_in_each_language() -> None:
    position = GAMES["cathedral"].new(2, 4).to_position()
    position["cathedral"] |= {"step": "redraw"}
    (told,) = (fault for _, fault in all_faults(GAMES["cathedral"], position))
    assert codes(told.text) == ["fault.rule", "rule.drawn"]
    assert told == "breaks rule 7 of every position: a drawn builder is present exactly at steps redraw and builder"
    assert len({told.in_language(language) for language in OTHERS}) == len(OTHERS)


@pytest.mark.parametrize("domain", ["service", *TOLD])
def test_every_text_of_a_fault_is_used(domain: str) -> None:
    folders = [ROOT / "engine" / domain] if domain in TOLD else [ROOT / name for name in ("engine", "server")]
    code = "\n".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py*"))
    owed = [key for key in patterns(domain) if key.startswith(KINDS)]
    assert len(owed) > 10
    assert [key for key in owed if f'"{key}"' not in code and f'b"{key.removeprefix("rule.")}"' not in code] == []


def test_faults_reach_other_processes_whole() -> None:
    with pytest.raises(Violations) as caught:
        GAMES["cathedral"].new(7, 1)
    error, again = caught.value, pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert again.violations
    assert again.in_language("de") == error.in_language("de") != str(error)


@pytest.mark.parametrize("game", GAMES)
def test_a_name_that_is_no_text_is_quoted_as_one(game: str) -> None:
    """JSON may contain half a surrogate pair, and errors must be sendable."""
    with pytest.raises(BadPosition) as caught:
        from_position({"\ud800": 1, game: {}})
    assert "\\ud800" in str(caught.value)
    str(caught.value).encode()


def test_what_is_nested_too_deeply_is_not_quoted() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = {"a": nested}
    assert quoted(nested) == "what is nested too deeply"
