"""Forms of a position file that every reader accepts, and forms that every reader rejects, in one table."""

import json
from typing import Any

from google.protobuf.json_format import MessageToDict, MessageToJson, ParseDict

from clerestory.engine.positions.envelope import position_file
from clerestory.engine.toy.rules import TOY
from clerestory.v1.position_pb2 import Position

STATE = TOY.new(2, 1)
STATE.play_nature(1)
VIEW = STATE.observe(STATE.turn)
MESSAGE = ParseDict(VIEW.to_position(), Position())
FIELDS = VIEW.to_position()
WHOLE = json.dumps(FIELDS)


def toy(**fields: Any) -> str:
    """Return the file with other fields of the game, given as JSON text."""
    return json.dumps(FIELDS | {"toy": FIELDS["toy"] | fields}, ensure_ascii=False)


def with_texts(value: Any) -> Any:
    """Return a value with all numbers as texts."""
    if isinstance(value, dict):
        return {name: with_texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [with_texts(one) for one in value]
    return str(value) if type(value) is int else value


ACCEPTED = {
    "as the engine writes it": WHOLE,
    "without defaults, as the gateway answers": json.dumps(MessageToDict(MESSAGE, preserving_proto_field_name=True)),
    "with JSON names, as libraries write it": MessageToJson(MESSAGE),
    "with JSON names and defaults": MessageToJson(MESSAGE, always_print_fields_with_no_presence=True),
    "numbers as texts": json.dumps(with_texts(FIELDS)),
    "whole numbers with a point": WHOLE.replace('"rules_revision": 1', '"rules_revision": 1.0'),
    "null for a default": toy(feast=None),
    "naming its schema": json.dumps(position_file(FIELDS)),
}
REFUSED = {  # the error: the file, and the field that the message names
    "a key twice": (WHOLE.replace('"round": 1', '"round": 1, "round": 1'), "toy.round"),
    "a key twice, in a list": (WHOLE.replace('"points": 0', '"points": 0, "points": 0', 1), "toy.players[0].points"),
    "a field under both names": (WHOLE.replace("{", '{"rulesRevision": 1, ', 1), "rules_revision"),
    "a schema without a name": (json.dumps(FIELDS | {"$schema": 1}), "$schema"),
    "an unknown field": (toy(colour="red"), "toy.colour"),
    "two games": (WHOLE.replace("{", '{"duel": {}, ', 1), "toy"),
    "an underscore in a number": (toy(moved="0_4"), "toy.moved"),
    "digits of another script": (toy(moved="\N{ARABIC-INDIC DIGIT FOUR}"), "toy.moved"),
    "space around a number": (toy(moved=" 4"), "toy.moved"),
    "a hexadecimal number": (toy(moved="0x4"), "toy.moved"),
    "no number": (toy(moved="x"), "toy.moved"),
    "an empty text for a number": (toy(moved=""), "toy.moved"),
    "a fraction": (toy(moved=3.14), "toy.moved"),
    "a fraction as text": (toy(moved="3.14"), "toy.moved"),
    "a negative number": (toy(moved=-1), "toy.moved"),
    "too large a number": (toy(moved=1 << 32), "toy.moved"),
    "a flag for a number": (toy(moved=True), "toy.moved"),
    "a number for a flag": (toy(feast=1), "toy.feast"),
    "a number for a text": (toy(step=1), "toy.step"),
    "half of a surrogate pair": (json.dumps(FIELDS | {"toy": FIELDS["toy"] | {"step": "\ud800"}}), "toy.step"),
    "a list for a message": (json.dumps(FIELDS | {"toy": []}), "toy"),
    "an object for a list": (toy(players={}), "toy.players"),
    "a list in a list of messages": (toy(players=[{}, []]), "toy.players[1]"),
    "null in a list": (toy(seen=[None]), "toy.seen[0]"),
    "what a list cannot hold": (toy(seen=[1, "x"]), "toy.seen[1]"),
}
WRITTEN = MESSAGE.SerializeToString(deterministic=True).hex()
