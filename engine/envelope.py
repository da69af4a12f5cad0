"""The parts of a position around the game's fields: JSON, the revision of the rules, the card catalogue."""

import json
from typing import Any, Protocol

from clerestory.engine.errors import BadPosition


class Identity(Protocol):
    """What tells the positions of one game, its rules and its cards from others."""

    name: str
    rules_revision: int
    catalogue: str


def read_json(position: object) -> dict[str, Any]:
    """Return a position's dictionary from JSON text, bytes, or the dictionary itself. Raises BadPosition."""
    if isinstance(position, (str, bytes, bytearray)):
        try:
            position = json.loads(position)
        except (ValueError, RecursionError) as error:
            more = "; a position is one object, and `clerestory replay` reads records" * ("Extra data" in str(error))
            raise BadPosition([("position", f"is not JSON: {error}{more}")]) from None
    if not isinstance(position, dict):
        kind = "null" if position is None else type(position).__name__
        raise BadPosition([("position", f"must be a JSON object, not {kind}")])
    return position


def check_envelope(game: Identity, fields: dict[str, Any]) -> None:
    """Check the parts around a game's fields. Raises BadPosition."""
    wrong = []
    revision = fields.get("rules_revision")
    if type(revision) is not int or revision != game.rules_revision:
        wrong.append(("rules_revision", f"is {shown(revision)}; these rules are revision {game.rules_revision}"))
    if fields.get("catalogue", "") != game.catalogue:
        given = shown(fields.get("catalogue", ""))
        wrong.append(("catalogue", f"is {given}; the cards in use are those of {game.catalogue!r}"))
    if not isinstance(fields.get(game.name), dict):
        wrong.append((game.name, "is missing" if game.name not in fields else "must be an object"))
    strangers = fields.keys() - {"rules_revision", "catalogue", game.name}
    wrong += [(str(name)[:80], "is not a field of a position") for name in fields if name in strangers]
    if wrong:
        raise BadPosition(wrong)


def shown(value: object) -> str:
    """Return a value's representation, short enough for a message."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def list_fields(fields: dict[str, Any]) -> str:
    """Return the fields of a position, one a line."""
    return "\n".join(f"{name}: {json.dumps(value)}" for name, value in fields.items())
