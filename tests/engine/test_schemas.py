"""The JSON Schemas accept what the engine writes and the files that are shipped, and reject what it cannot read."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clerestory.engine import GAMES, from_position, read_records
from clerestory.engine.games import LIST
from clerestory.engine.positions.envelope import position_file
from clerestory.engine.schemas import SCHEMAS, range_of

EXAMPLES = Path(__file__).parents[2] / "examples"
POSITIONS = sorted((EXAMPLES / "positions").glob("*.json"))


def errors(name: str, value: Any) -> list[str]:
    return [f"{list(error.absolute_path)}: {error.message}" for error in validator(name).iter_errors(value)]


def validator(name: str) -> Draft202012Validator:
    schema = SCHEMAS[name]()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("cathedral.players[0].gold", (0, 60)),
        ("question.position.cathedral.supply.sand", (-120, 23)),
        ("cathedral.stock.sand", (0, 4)),
        *(
            (path, None)
            for path in ("", "rules_revision", "cathedral", "cathedral.step", "cathedral.no.such", "seats[0]")
        ),
    ],
)
def test_the_range_of_a_number_is_found_by_its_path(path: str, expected: tuple[int, int] | None) -> None:
    assert range_of(path) == expected


def test_every_position_of_a_game_fits_as_the_engine_and_each_seat_have_it() -> None:
    schema = validator("position")
    for path in sorted((EXAMPLES / "records").glob("*.jsonl")):
        [record] = read_records(path.read_text().splitlines())
        state = record.state.origin
        for ply, action in enumerate(record.state.history):
            state.play(action)
            if ply % 9 == 0:
                for known in (state, state.observe(0)):
                    assert not [*schema.iter_errors(position_file(known.to_position()))], (path, ply)


@pytest.mark.parametrize("path", POSITIONS, ids=lambda path: path.stem)
def test_a_position_file_fits_with_and_without_its_schema(path: Path) -> None:
    position = json.loads(path.read_text())
    named = position_file(position)
    assert errors("position", position) == errors("position", named) == []
    assert from_position(named) == from_position(position)


def wrong_positions() -> Iterator[dict[str, Any]]:
    """Yield positions with one fault each."""
    position = json.loads((EXAMPLES / "positions" / "duel-2p-phase2-turn.json").read_text())
    for fields in ({"round": 4}, {"power": "green"}, {"step": "x"}, {"players": []}, {"stranger": 1}, {"grid": [""]}):
        yield position | {"duel": position["duel"] | fields}
    yield position | {"toy": {}}
    yield position | {"$schema": 1}
    yield {name: value for name, value in position.items() if name != "rules_revision"}


@pytest.mark.parametrize("position", list(wrong_positions()))
def test_a_position_with_a_fault_does_not_fit(position: dict[str, Any]) -> None:
    assert errors("position", position)
    with pytest.raises(ValueError, match=r"\w"):
        from_position(position)


def test_each_line_of_a_record_fits_and_others_do_not() -> None:
    schema = validator("record")
    lines = [line for path in (EXAMPLES / "records").glob("*.jsonl") for line in path.read_text().splitlines()]
    assert [line for line in lines if not schema.is_valid(json.loads(line))] == []
    ended = {"end": True, "plies": 3, "returns": None, "margins": None}
    assert schema.is_valid(ended | {"ended": "resigned", "winner": "red"})
    assert not schema.is_valid(ended | {"ended": "bored"})
    assert not schema.is_valid({"ply": 0, "by": "red", "action": "pass"})


def test_the_shipped_catalogues_fit_and_a_wrong_value_does_not() -> None:
    for game in GAMES:
        kind = LIST[game].catalogue
        if kind is None:
            continue
        tables = tomllib.loads(kind.shipped.read_text())
        assert errors("catalogue", tables) == []
        [cards] = [tables[name] for name in ("cards", "event_cards") if name in tables]
        del cards[0]["id"]
        assert errors("catalogue", tables)
