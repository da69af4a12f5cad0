"""The parts of a position around the game's fields: JSON, the revision of the rules, the card catalogue."""

import json
from typing import Any, Protocol

from clerestory.engine.errors import BadPosition, named, quoted, text, unread

SCHEMA_KEY, POSITION_SCHEMA = "$schema", "urn:clerestory:position"  # the key that names the schema in a position file


class Identity(Protocol):
    """What identifies a position's game, rules and cards."""

    name: str
    rules_revision: int
    catalogue: str


def read_json(position: object) -> dict[str, Any]:
    """Return a position's dictionary from JSON text, bytes, or the dictionary itself. Raises BadPosition."""
    if isinstance(position, (str, bytes, bytearray)):
        try:
            position = json.loads(position)
        except (ValueError, RecursionError) as error:
            code = "fault.lines" if "Extra data" in str(error) else "fault.json"
            raise BadPosition([("position", text(code, why=unread(error)))]) from None
    if not isinstance(position, dict):
        kind = "null" if position is None else type(position).__name__
        raise BadPosition([("position", text("fault.json_object", kind=kind))])
    return position


def check_envelope(game: Identity, fields: dict[str, Any]) -> None:
    """Check the parts around a game's fields. Raises BadPosition."""
    wrong = []
    revision = fields.get("rules_revision")
    if type(revision) is not int or revision != game.rules_revision:
        fault = text("fault.revision", value=quoted(revision), revision=game.rules_revision)
        wrong.append(("rules_revision", fault if "rules_revision" in fields else text("fault.missing")))
    if fields.get("catalogue", "") != game.catalogue:
        given = quoted(fields.get("catalogue", ""))
        wrong.append(("catalogue", text("fault.catalogue", value=given, catalogue=repr(game.catalogue))))
    if not isinstance(fields.get(game.name), dict):
        wrong.append((game.name, text("fault.missing" if game.name not in fields else "fault.object")))
    strangers = fields.keys() - {"rules_revision", "catalogue", game.name}
    if isinstance(fields.get(SCHEMA_KEY), str):
        strangers -= {SCHEMA_KEY}
    wrong += [(named(str(name)), text("fault.unknown")) for name in fields if name in strangers]
    if wrong:
        raise BadPosition(wrong)


def position_file(position: dict[str, Any]) -> dict[str, Any]:
    """Return a position that names its schema."""
    return {SCHEMA_KEY: POSITION_SCHEMA, **position}


def list_fields(fields: dict[str, Any]) -> str:
    """Return the fields of a position, one per line."""
    return "\n".join(f"{name}: {json.dumps(value)}" for name, value in fields.items())
