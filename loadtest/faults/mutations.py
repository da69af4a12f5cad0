"""Mutates valid requests, as a stranger might: by their schema, as bytes, or as JSON."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

NUMBERS = (0, 1, 7, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, -1, -(2**31), -(2**63))
SECONDS = (0, -1, 1, 2**31, 2**32, 315_576_000_000, 315_576_000_001, 2**53, 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 1e308, 5e-324)
MANY = (2, 30, 1_000, 20_000)
RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}
TEXTS = (
    *("", " ", "\0", "a\0b", "\n", "x" * 300, "x" * 60_000, "\ufeff", "\u202e", "\U0001f3b2" * 5_000, "%s%n"),
    *("-1", "0", "nan", "inf", "1e999", str(2**64), "9" * 5_000, "99999999999999999999 x", "'; DROP TABLE game; --"),
    *("{}", "[]", "null", '{"record": 1}', "[" * 30_000, '{"a":' * 10_000, "memory:", "../../etc", "toy", "duel"),
)
BEYOND = 70_000  # bytes beyond the limit of a message


def is_map(field: Any) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def places(message: Message) -> Iterator[tuple[Message, Any]]:
    """Yield each field of a message and of nested messages, with the message that it belongs to."""
    for field in message.DESCRIPTOR.fields:
        yield message, field
        if field.message_type is not None and not is_map(field):
            value = getattr(message, field.name)
            inner = value if field.is_repeated else [value] if message.HasField(field.name) else []
            for one in inner:
                yield from places(one)


def mutate(message: Message, luck: Random, texts: Sequence[str]) -> None:
    """Change one place of a message, in place.

    Args:
        message: the request.
        luck: source of random choices.
        texts: strings known to the server, such as tokens and names of games.
    """
    if not (found := list(places(message))):
        return
    owner, field = luck.choice(found)
    if is_map(field) or luck.random() < 0.1:
        owner.ClearField(field.name)
    elif field.is_repeated:
        mutate_list(owner, field, luck, texts)
    elif field.message_type is not None:
        mutate_message(getattr(owner, field.name), luck)
    else:
        setattr(owner, field.name, strange(field, luck, texts))


def mutate_message(message: Message, luck: Random) -> None:
    message.SetInParent()
    if isinstance(message, Duration):
        message.seconds, message.nanos = luck.choice(SECONDS), luck.choice((0, 1, -1, 999_999_999, 2**31 - 1))
    elif luck.random() < 0.5:
        message.Clear()
        message.SetInParent()


def mutate_list(owner: Message, field: FieldDescriptor, luck: Random, texts: Sequence[str]) -> None:
    """Make a list shorter, longer or much longer, or put an unusual value into it."""
    items, more = getattr(owner, field.name), luck.choice(MANY) if luck.random() < 0.3 else 1
    pattern = luck.choice(items) if len(items) and luck.random() < 0.5 else None
    del items[luck.randint(0, len(items)) :]
    if field.message_type is None:
        items.extend([strange(field, luck, texts)] * more)
        return
    for _ in range(more):
        added = items.add()
        if pattern is not None:
            added.CopyFrom(pattern)


def strange(field: FieldDescriptor, luck: Random, texts: Sequence[str]) -> Any:
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            text = luck.choice(TEXTS if luck.random() < 0.5 or not texts else texts)
            return text if field.type == FieldDescriptor.TYPE_STRING else text.encode()
        case FieldDescriptor.CPPTYPE_BOOL:
            return luck.random() < 0.5
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return luck.choice(FLOATS)
    least, most = RANGES[field.cpp_type]
    return luck.choice([number for number in (*NUMBERS, luck.randrange(100)) if least <= number <= most])


def varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


def nested(depth: int) -> bytes:
    """Return a field nested in itself to a depth."""
    found = b""
    for _ in range(depth):
        found = b"\x0a" + varint(len(found)) + found
    return found


def flipped(payload: bytes, luck: Random) -> bytes:
    """Return bytes with some changed, removed or inserted."""
    changed = bytearray(payload)
    for _ in range(luck.randint(1, 4)):
        start = luck.randint(0, len(changed))
        changed[start : start + luck.randint(0, 3)] = luck.randbytes(luck.randint(0, 3))
    return bytes(changed)


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    flipped,
    lambda payload, luck: payload[: luck.randint(0, len(payload))],
    lambda payload, luck: payload + luck.randbytes(luck.choice((1, 5, 100))),
    lambda payload, luck: payload + b"\xfa\x7f" + varint(50_000) + b"x" * 50_000,  # an unknown field
    lambda payload, luck: payload + b"\x0b" * 20_000 + b"\x0c" * 20_000,  # groups in groups
    lambda payload, luck: payload + nested(luck.choice((50, 150, 10_000))),
    lambda payload, luck: payload + payload,  # merged
    lambda payload, luck: payload.replace(b"toy", b"\xff\xfe\xc0").replace(b"duel", b"\xed\xa0\x80x"),  # not UTF-8
    lambda payload, luck: payload + b"\0" * BEYOND,
    lambda payload, luck: luck.randbytes(luck.choice((1, 16, 1_000))),
    lambda payload, luck: b"",
)


def damaged(payload: bytes, luck: Random) -> bytes:
    return luck.choice(DAMAGES)(payload, luck)


ODD: tuple[Any, ...] = (
    *(None, True, -1, 0.5, 1e308, 2**31, 2**53 + 1, 2**63, 2**64, "", "0", "\0", "\ud800", "NaN", "-Infinity", "1e999"),
    *(f"{2**63 - 1}s", "315576000001s", "-1s", "1.0000000001s", "s", "9" * 5_000, [], {}, [[]], [None], {"": None}),
)
RAW = ('"\\ud800"', "NaN", "1e999", "9" * 50_000, '"\\u0000"', "[" * 30_000, '{"a":' * 9_000, "tru", "\ufeff{}")


def slots(node: Any) -> list[tuple[Any, Any]]:
    """Return every place of a JSON value: (container, key or index)."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    return [slot for key in keys for slot in ((node, key), *slots(node[key]))]


def mutated_json(fields: dict[str, Any], luck: Random) -> bytes:
    """Return a request as JSON text with one to three mutated places, and possibly a changed end."""
    raw = "null"
    for _ in range(luck.randint(1, 3)):
        container, key = luck.choice(slots(fields) or [(fields, "game_id")])
        if luck.random() < 0.2:
            raw, container[key] = luck.choice(RAW), "RAW"
        else:
            many = [container.get(key) if isinstance(container, dict) else container[key]] * 1_000
            container[key] = deepcopy(luck.choice((*ODD, many)))
    text = json.dumps(fields).replace('"RAW"', raw)
    if luck.random() < 0.2:
        text = text[: luck.randint(0, len(text))] + luck.choice(("", "}", "\0", '"game_id": 1}', " " * 1_000))
    return text.encode("utf-8", errors="surrogatepass")
