"""JSON Schemas (2020-12) of position files, lines of records and card catalogues, from the games' declarations."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from clerestory.engine.catalogue import Catalogue
from clerestory.engine.games import GAMES, LIST
from clerestory.engine.positions.envelope import POSITION_SCHEMA, SCHEMA_KEY
from clerestory.engine.positions.layout import Field
from clerestory.engine.record import ABANDONED, FORMAT, RESIGNED

DIALECT = "https://json-schema.org/draft/2020-12/schema"
RECORD, CATALOGUE = "urn:clerestory:record", "urn:clerestory:catalogue"
ID = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,39}$"}
COUNT = {"type": "integer", "minimum": 0}
NAME = {"type": "string"}
Schema = dict[str, Any]


class Untitled(GenerateJsonSchema):
    """Leaves out titles, which pydantic derives from names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  # as pydantic calls it
        """Return False."""
        return False


# -- positions -------------------------------------------------------------------------------------


def position_schema() -> Schema:
    """Return the schema of a position file, with the ranges and words of every field."""
    return {"$schema": DIALECT, "$id": POSITION_SCHEMA, "title": "Position", **position_of_any_game()}


def position_of_any_game() -> Schema:
    """Return the schema of a position of any game."""
    games = {name: position_of(name) for name in GAMES}
    envelope: Schema = {
        SCHEMA_KEY: {"type": "string", "description": f"names this schema: `{POSITION_SCHEMA}`"},
        "rules_revision": {**COUNT, "description": "revision of the rules, which must be the reader's"},
        "catalogue": {"type": "string", "description": "hash of the card catalogue; empty for a game without one"},
    }
    return {
        "type": "object",
        "properties": envelope | games,
        "required": ["rules_revision"],
        "oneOf": [{"required": [name]} for name in games],
        "additionalProperties": False,
    }


@cache
def position_of(name: str) -> Schema:
    """Return the schema of a game's own fields. Fields with their default may be absent, as in the JSON of messages."""
    game = GAMES[name]
    player = {"type": "object", **declared(game.layout.player_fields)}
    players = {"type": "array", "items": player, "minItems": game.seats[0], "maxItems": game.seats[-1]}
    found = declared(game.layout.fields)
    found["properties"] |= {"players": players}
    return {"type": "object", **found, "required": ["players"]}


def range_of(path: str) -> tuple[int, int] | None:
    """Return the range of a number in a position, whose path may begin above the name of the game; None for others."""
    names = re.findall(r"\w+", path)
    place = next((i for i, name in enumerate(names) if name in GAMES), None)
    if place is None:
        return None
    schema = position_of(names[place])
    for name in names[place + 1 :]:
        schema = schema.get("items" if name.isdigit() else "properties", {})
        schema = schema if name.isdigit() else schema.get(name, {})
    return (schema["minimum"], schema["maximum"]) if {"minimum", "maximum"} <= schema.keys() else None


def declared(fields: Iterable[Field]) -> Schema:
    """Return the properties of an object with these fields."""
    return {"properties": {field.name: field_schema(field) for field in fields}, "additionalProperties": False}


def field_schema(field: Field) -> Schema:
    """Return the schema of a field, with its meaning."""
    found = without_definitions(TypeAdapter(field.kind.annotation).json_schema(schema_generator=Untitled))
    return {**found, "description": field.meaning} if field.meaning else found


def without_definitions(schema: JsonSchemaValue) -> Schema:
    """Return a schema with its definitions in place of the references to them."""
    definitions = schema.pop("$defs", {})

    def inlined(value: Any) -> Any:
        if isinstance(value, dict):
            named = definitions.get(str(value.get("$ref", "")).rpartition("/")[2])
            kept = {key: one for key, one in value.items() if key != "discriminator"}  # of OpenAPI, with references
            return inlined(named) if named else {key: inlined(one) for key, one in kept.items()}
        return [inlined(one) for one in value] if isinstance(value, list) else value

    found: Schema = inlined(schema)
    return found


# -- records ---------------------------------------------------------------------------------------


def record_schema() -> Schema:
    """Return the schema of one line of a record: the opening, a ply, or the end."""
    shares = {"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "null"}]}
    opening = {
        "record": {"const": FORMAT},
        "seed": {"anyOf": [COUNT, {"type": "null"}], "description": "of the deal; null if it is not known"},
        "position": {"$ref": "#/$defs/position"},
    }
    ply = {
        "ply": {"type": "integer", "minimum": 1},
        "by": {**NAME, "description": "`nature`, or the name of the seat"},
        "action": {**NAME, "description": "text of the action or chance outcome"},
    }
    end = {
        "end": {"const": True},
        "plies": COUNT,
        "returns": {**shares, "description": "share of the win by seat; null for a game that is not over"},
        "margins": {**shares, "description": "lead over the best other seat, by seat, in points"},
    }
    early = {"ended": {"enum": [RESIGNED, ABANDONED]}, "winner": {"anyOf": [NAME, {"type": "null"}]}}
    return {
        "$schema": DIALECT,
        "$id": RECORD,
        "title": "Line of a record",
        "oneOf": [whole(opening), whole(ply), whole(end, early)],
        "$defs": {"position": position_of_any_game()},
    }


def whole(required: Schema, optional: Mapping[str, Any] | None = None) -> Schema:
    """Return the schema of an object with these properties and no others."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


# -- catalogues ------------------------------------------------------------------------------------


def catalogue_schema() -> Schema:
    """Return the schema of the tables of a catalogue file (TOML)."""
    kinds = [listing.catalogue for listing in LIST.values() if listing.catalogue is not None]
    games = [catalogue_of(kind) for kind in kinds]
    return {"$schema": DIALECT, "$id": CATALOGUE, "title": "Card catalogue", "oneOf": games}


def catalogue_of(kind: type[Catalogue]) -> Schema:
    """Return the schema of a game's catalogue. Lists of cards are tables by ID in memory, and lists in the file."""
    schema = kind.model_json_schema(schema_generator=Untitled)
    definitions = {name: dict(one) for name, one in schema["$defs"].items()}
    for name, one in schema["properties"].items():
        if row := row_of(one):
            schema["properties"][name] = {"type": "array", "items": with_id(definitions[row])}
    return without_definitions({**schema, "$defs": definitions})


def row_of(table: Schema) -> str:
    """Return the name of the definition of the rows of a table by ID; "" for any other schema."""
    by_pattern = table.get("patternProperties", {}).get(ID["pattern"], {})
    return str(by_pattern.get("$ref", "")).rpartition("/")[2]


def with_id(row: Schema) -> Schema:
    """Return the schema of a card with its ID."""
    return {**row, "properties": {"id": ID, **row["properties"]}, "required": ["id", *row["required"]]}


SCHEMAS: Mapping[str, Callable[[], Schema]] = {
    "position": position_schema,
    "record": record_schema,
    "catalogue": catalogue_schema,
}
