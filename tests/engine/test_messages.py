"""The C reader accepts exactly the positions that the reader of dictionaries accepts, and leaves the others to it."""

import random
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import DecodeError, Message

from clerestory.engine import GAMES, State
from clerestory.engine.messages import part_of
from clerestory.server.rpc.translate import read_fields, reader_of_positions, write_position
from clerestory.service_errors import ServiceError
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveRequest
from clerestory.v1.position_pb2 import Position
from tests.laws import walk
from tests.server.rpc.rules import CASES


def positions(name: str, seats: int, seed: int) -> Iterator[State]:
    """Yield every third position of a random game, and one seat's view of it."""
    for number, state in enumerate(walk(GAMES[name], seats, seed)):
        if number % 3 == seed % 3:
            yield state.copy()
            yield state.observe(number % seats)


def described(payload: bytes) -> State | None:
    """Return the position that the reader of dictionaries makes of a message; None if it refuses it."""
    try:
        return read_fields(Position.FromString(payload))
    except (ServiceError, DecodeError):
        return None


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 30))])
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_every_position_is_read_and_a_changed_one_as_the_reader_of_dictionaries_reads_it(
    name: str, seats: int, seed: int
) -> None:
    luck, found = random.Random(seed), Counter[str]()
    for state in positions(name, seats, seed):
        assert reader_of_positions().read(write_position(state).SerializeToString()) == state
        for change in (change_a_value, change_a_byte, cut_or_repeat):
            message = change(write_position(state), luck)
            read, expected = reader_of_positions().read(message), described(message)
            assert read is None or read == expected
            found["read" if read else "described" if expected else "refused"] += 1
    assert found["refused"]


def change_a_value(message: Position, luck: random.Random) -> bytes:
    """Return a position with another value in one field: that of another place, or a strange one."""
    places = list(places_in(getattr(message, message.WhichOneof("game"))))
    words = [
        word for inner, field in places if field.cpp_type == field.CPPTYPE_STRING for word in words_of(inner, field)
    ]
    inner, field = luck.choice(places)
    kinds: dict[int, list[Any]] = {field.CPPTYPE_STRING: [*words, "", "?"], field.CPPTYPE_BOOL: [False, True]}
    other = luck.choice(kinds.get(field.cpp_type, [0, 1, 2, 7, 31, 2**31 - 1]))
    value = getattr(inner, field.name)
    if not field.is_repeated:
        setattr(inner, field.name, other)
    elif value and luck.random() < 0.5:
        value[luck.randrange(len(value))] = luck.choice([other, value[0], value[-1]])
    elif value and luck.random() < 0.5:
        del value[luck.randrange(len(value))]
    else:
        value.append(other)
    return message.SerializeToString()


def places_in(message: Message) -> Iterator[tuple[Message, Any]]:
    """Yield the fields with texts and numbers of a message and of those inside, with their messages."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type is None:
            yield message, field
            continue
        for inner in value if field.is_repeated else [value]:
            yield from places_in(inner)


def words_of(message: Message, field: Any) -> list[str]:
    """Return the texts of a field."""
    value = getattr(message, field.name)
    return list(value) if field.is_repeated else [value]


def change_a_byte(message: Position, luck: random.Random) -> bytes:
    """Return a position with another byte."""
    payload = bytearray(message.SerializeToString())
    payload[luck.randrange(len(payload))] ^= 1 << luck.randrange(8)
    return bytes(payload)


def cut_or_repeat(message: Position, luck: random.Random) -> bytes:
    """Return a position with an end cut off, or followed by a part of another message."""
    payload = message.SerializeToString()
    if luck.random() < 0.5:
        return payload[: luck.randrange(len(payload))]
    return payload + luck.choice([payload, b"\x08\x01", b"\x1a\x00", b"\x32\x00", b"\x0b", b"\xff" * 12])


# Changes of a first position that only the consistency checks find: a field, and its values or number.
INCONSISTENT: list[tuple[str, dict[str, Any]]] = [
    ("cathedral", {"supply.sand": 20}),
    ("cathedral", {"supply.metal": 11}),
    ("cathedral", {"players.0.gold": 31}),
    ("cathedral", {"players.1.vp": 3}),
    ("duel", {"players.0.gold": 72}),
    ("duel", {"players.1.supply.wool": 5}),
    ("duel", {"players.0.materials.bell": 1}),
    ("duel", {"stack": ["0/5"]}),
    (
        "duel",
        {"seal_order": [], "unseen_seals": ["0/5", "1/4", "2/3", "2/3"], "players.0.seals": ["1/4", "1/4", "2/3"]},
    ),
    ("duel", {"seal_order": ["1/4", "2/3", "2/3", "2/3"]}),
]


@pytest.mark.parametrize(("name", "changes"), INCONSISTENT, ids=str)
def test_an_inconsistent_position_is_left_to_the_reader_of_dictionaries(name: str, changes: dict[str, Any]) -> None:
    message = write_position(GAMES[name].new(2, 1))
    for path, value in changes.items():
        *outer, last = path.split(".")
        inner = getattr(message, name)
        for part in outer:
            inner = inner[int(part)] if part.isdecimal() else getattr(inner, part)
        if isinstance(value, list):
            getattr(inner, last)[:] = value
        else:
            setattr(inner, last, value)
    payload = message.SerializeToString()
    assert reader_of_positions().read(payload) is None
    assert described(payload) is None


@pytest.mark.parametrize("name", ["cathedral", "duel", "toy"])
def test_other_rules_and_cards_are_described(name: str) -> None:
    message = write_position(GAMES[name].new(2, 1))
    for fields in ({"rules_revision": message.rules_revision + 1}, {"catalogue": "other"}):
        changed = Position()
        changed.CopyFrom(message)
        for field, value in fields.items():
            setattr(changed, field, value)
        assert reader_of_positions().read(changed.SerializeToString()) is None


@pytest.mark.parametrize(
    "begin",
    [
        b"\x88\x80\x80\x80\x80\x00\x01\x1a\x1b",  # a tag of six bytes
        b"\x88\x80\x80\x80\x10\x01\x1a\x1b",  # a tag of more than 32 bits
        b"\x08\x01\x1a\x9b\x80\x80\x80\x80\x00",  # a length of six bytes
    ],
)
def test_tags_and_lengths_that_protobuf_rejects_are_left_to_it(begin: bytes) -> None:
    message = write_position(GAMES["toy"].new(2, 1)).SerializeToString()
    assert message.startswith(b"\x08\x01\x1a\x1b")
    changed = begin + message[4:]
    assert reader_of_positions().read(changed) is None
    assert described(changed) is None


def test_a_part_of_a_message_is_the_bytes_that_were_received() -> None:
    position = write_position(GAMES["duel"].new(2, 1))
    question = RecommendMoveRequest(position=position, seat=1, iterations=5, character="x", avoid_actions=["a", "b"])
    payload, inside = question.SerializeToString(), AnalyzeRequest(question=question).SerializeToString()
    assert part_of(payload, 1) == part_of(inside, 1, 1) == position.SerializeToString()
    assert part_of(inside, 1) == payload


@pytest.mark.parametrize("payload", [b"", b"\x10\x01", b"\x0a\x00\x0a\x00", b"\x0a\x05abc", b"\x0b", b"\xff" * 11])
def test_a_part_that_is_missing_repeated_or_cut_off_is_none(payload: bytes) -> None:
    assert part_of(payload, 1) is None


def test_a_number_out_of_range_is_rejected_before_it_is_a_bit() -> None:
    """Otherwise a message of 30 bytes would take 256 MB, and half a second."""
    message = write_position(GAMES["toy"].new(2, 1))
    message.toy.players[0].hand[0] = 1 << 31
    payload = message.SerializeToString()
    reader_of_positions().read(payload)
    tracemalloc.start()
    try:
        assert reader_of_positions().read(payload) is None
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
