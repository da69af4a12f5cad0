# cython: language_level=3
"""Reads the fields of a protobuf message straight into a struct, by the declared layout of positions."""
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset

from clerestory.engine.wire cimport *

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from clerestory.engine.positions.kinds import (
    Amounts, Card, Choice, Deck, Each, Flag, Multiset, Number, Order, Seat, SeatFlag, Set,
)

cdef enum:
    MOST_NAMES = 8         # of amounts
    MOST_ENTRIES = 1 << 16  # of a list without a limit; a message is shorter
    ANY = -128             # seats: a name does not depend on them
    NOWHERE = -1           # no set of cards

SIZES = {"b": 1, "B": 1, "H": 2, "I": 4, "Q": 8}  # bytes of a number, by its type code


class OtherField(NamedTuple):
    """A field whose values only its kind can convert.

    Attributes:
        name: name of the field.
        kind: its kind.
        check: raises ValueError unless values are of the JSON type of the kind, which its `write` relies on.
        places: offset of each number in the struct or in its player, its bytes, and whether it is in a player.
        wire: the field of the message.
    """

    name: str
    kind: Any
    check: Callable[[Any], object]
    places: list[tuple[int, int, bool]]
    wire: Any


class WireField(NamedTuple):
    """A field of a message.

    Attributes:
        name: name of the field.
        kind: `number`, `signed`, `text`, or `message`.
        optional: whether it can be absent.
        fields: the fields of its message by number.
    """

    name: str
    kind: str
    optional: bool = False
    fields: dict[int, Any] = {}


cdef object read_entry(Cursor c, dict fields):
    """Return a message of numbers and texts as a dictionary; None if it is not what every encoder writes."""
    cdef int number, kind, before = 0
    cdef int64_t value
    cdef Cursor part
    entry = {one.name: "" if one.kind == "text" else 0 for one in fields.values()}
    while c.at < c.end:
        if not read_tag(&c, &number, &kind) or number <= before or number not in fields:
            return None
        before, field = number, fields[number]
        if field.kind == "text" and kind == BYTES and read_part(&c, &part):
            entry[field.name] = taken(&part).decode(errors="replace")  # which no name contains
        elif field.kind == "number" and kind == VARINT and read_number(&c, False, &value):
            entry[field.name] = value
        else:
            return None
    return entry


cdef class MessageReader:
    """Reads one kind of message: a position, or a player.

    Args:
        layout: the layout of the game.
        declared: the fields of the layout that the message has.
        fields: the fields of the message by number.
        homes: index of each set of cards that are in one place.
    """

    def __init__(self, layout, declared, fields, homes):
        memset(self.slots, 0, sizeof(self.slots))
        self.names, self.others = [None] * MOST_FIELDS, [None] * MOST_FIELDS
        by_name = {field.name: field for field in declared}
        if max(fields) >= MOST_FIELDS:
            raise AssertionError(f"{layout.name}: numbers of fields must be below {MOST_FIELDS}")
        for number, field in fields.items():
            if field.name == "players":
                self.slots[<int> number].op = PLAYERS
                continue
            one = by_name.pop(field.name)
            places = places_of(layout, one)
            self._place(number, places, homes[one.home] if one.home else NOWHERE)
            self._describe(number, one.kind, field)
            if self.slots[<int> number].op == OTHER:
                check = TypeAdapter(one.kind.annotation).validate_python
                self.others[number] = OtherField(one.name, one.kind, check, places, field)
        if by_name:
            raise AssertionError(f"{layout.name}: the message lacks {', '.join(by_name)}")

    def _place(self, number, places, home):
        """Fill the place of a slot in the struct."""
        cdef Slot *slot = &self.slots[number]
        slot.offset, slot.size, slot.in_player = places[0]
        slot.count, slot.home, slot.seated = len(places), home, ANY

    def _describe(self, number, kind, field):
        """Fill the values of a slot from the kind of its field."""
        cdef Slot *slot = &self.slots[number]
        sort, inner = type(kind), type(getattr(kind, "kind", None))
        if sort in (Number, Flag, SeatFlag):
            slot.op = SEAT_FLAG if sort is SeatFlag else NUMBER
            slot.zigzag, slot.first = field.kind == "signed", getattr(kind, "first", 0)
            slot.low, slot.high = kind.low + slot.first, 1 if sort is SeatFlag else kind.high + slot.first
            slot.absent_fits = slot.low <= 0 <= slot.high
        elif sort in (Choice, Seat, Card) or (sort is Each and inner in (Choice, Seat, Card)):
            slot.op = NAMES if sort is Each else NAME
            self._name(number, kind.kind if sort is Each else kind)
        elif sort is Set and field.kind == "text":
            slot.op, slot.count = SET, most_of(kind.annotation)
            self.names[number] = encoded({name: i for i, name in enumerate(kind.bits)})
        elif sort is Deck:
            slot.op, slot.count, slot.unique = DECK, kind.places, kind.unique
            self.names[number] = encoded(kind.number)
        elif sort is Order:
            slot.op, slot.count, slot.bits, slot.seated = ORDER, kind.most, kind.bits, 1 if kind.seated else ANY
            self.names[number] = encoded({name: i for i, name in enumerate(kind.names, 1)})
        elif sort is Multiset:
            slot.op, slot.count = COUNTS, kind.most
            self.names[number] = encoded({name: i for i, name in enumerate(kind.names)})
        elif sort is Amounts and len(kind.names) <= MOST_NAMES:
            slot.op, slot.count, slot.bits = AMOUNTS, len(kind.names), kind.bits
            slot.low, slot.high = kind.low, kind.high
            self._amounts(number, kind, field)
        else:
            slot.op = OTHER

    def _name(self, number, kind):
        """Fill the vocabulary of a slot."""
        cdef Slot *slot = &self.slots[number]
        self.names[number] = encoded(kind.number)
        slot.absent_fits, slot.absent = "" in kind.number, kind.number.get("", 0)
        if type(kind) is Seat:
            slot.seated = kind.low + kind.others

    def _amounts(self, number, kind, field):
        """Fill the places of amounts: by number, the index and whether it can be absent."""
        cdef Slot *slot = &self.slots[number]
        place = {name: i for i, name in enumerate(kind.names)}
        inside = {inner: one for inner, one in field.fields.items() if one.name in place}
        slot.zigzag = any(one.kind == "signed" for one in inside.values())
        self.names[number] = {inner: (place[one.name], one.optional) for inner, one in inside.items()}

    cdef bint count(self, Cursor c, int *counts) noexcept:
        """Count the entries of each field; False if the message is malformed, or not in ascending order."""
        cdef int number, kind, before = 0
        memset(counts, 0, MOST_FIELDS * sizeof(int))
        while c.at < c.end:
            if not read_tag(&c, &number, &kind) or number < before or self.slots[number].op == UNKNOWN:
                return False
            if not skip(&c, kind):
                return False
            counts[number] += 1
            before = number
        return True

    cdef bint read(self, Cursor c, Target *to, list others) except -1:
        """Read a message into the struct; False if it is not a valid message in its usual form.

        `others` is extended by the fields that only their kinds can convert: OtherField, owner, and values.
        """
        cdef int counts[MOST_FIELDS]
        cdef int number, kind, i = 0, before = 0
        if not self.count(c, counts):
            return False
        for number in range(MOST_FIELDS):
            if not fits(&self.slots[number], counts[number], to):
                return False
            if self.slots[number].op == OTHER:
                counts[number] = len(others)
                others.append((self.others[number], to.owner, []))
        while c.at < c.end:
            read_tag(&c, &number, &kind)
            i, before = 0 if number != before else i + 1, number
            if self.slots[number].op == PLAYERS:
                skip(&c, kind)
            elif self.slots[number].op == OTHER:
                if not read_values(&c, kind, self.others[number].wire, others[counts[number]][2]):
                    return False
            elif not self._read_value(number, kind, i, counts[number], &c, to):
                return False
        return True

    cdef bint _read_value(self, int number, int kind, int i, int count, Cursor *c, Target *to) except -1:
        """Read entry i of a field with `count` entries."""
        cdef const Slot *slot = &self.slots[number]
        cdef uint8_t *at = (to.player if slot.in_player else to.position) + slot.offset
        cdef int64_t value
        cdef Cursor part
        if slot.op == NUMBER or slot.op == SEAT_FLAG:
            if kind != VARINT or not read_number(c, slot.zigzag, &value) or not slot.low <= value <= slot.high:
                return False
            store(at, slot.size, value << to.seat if slot.op == SEAT_FLAG else value - slot.first)
            return True
        if kind != BYTES or not read_part(c, &part):
            return False
        if slot.op == AMOUNTS:
            return read_amounts(slot, self.names[number], part, at)
        found = (<dict> self.names[number]).get(taken(&part))
        if found is None:
            return False
        value = found
        if slot.seated != ANY and value >= slot.seated + to.position[0]:
            return False
        if slot.home != NOWHERE and not claim(slot, value, &to.homes[slot.home]):
            return False
        return store_name(slot, value, i, count, at)


def places_of(layout, declared):
    """Return the places of a field's numbers, as in OtherField."""
    members = (declared.members,) if isinstance(declared.members[0], int) else declared.members
    players, stride = layout.players_at
    places = []
    for address, code, count in members:
        inside = players <= address < players + stride
        first = address - (players if inside else layout.struct_at[0])
        places += [(first + i * SIZES[code], SIZES[code], inside) for i in range(count)]
    return places


def most_of(annotation):
    """Return the greatest length of a type of lists."""
    limits = [limit for about in getattr(annotation, "__metadata__", ()) for limit in about.metadata]
    return next((limit.max_length for limit in limits if hasattr(limit, "max_length")), MOST_ENTRIES)


def encoded(numbers):
    """Return a vocabulary with its names in UTF-8."""
    return {name.encode(): number for name, number in numbers.items()}


cdef bint fits(const Slot *slot, int count, Target *to) noexcept nogil:
    """Whether a field may have a number of entries; store the value of an absent one."""
    cdef uint8_t *at = (to.player if slot.in_player else to.position) + slot.offset
    if slot.op == NUMBER or slot.op == NAME or slot.op == SEAT_FLAG:
        if count == 0 and slot.absent_fits:
            store(at, slot.size, slot.absent - slot.first)
        return count == 1 or (count == 0 and slot.absent_fits)
    if slot.op == NAMES:
        return count == slot.count
    if slot.op == AMOUNTS:
        return count == 1
    return not (slot.op == SET or slot.op == DECK or slot.op == ORDER or slot.op == COUNTS) or count <= slot.count


cdef bint claim(const Slot *slot, int64_t value, Home *home) noexcept nogil:
    """Give a card its place; False if it has another one."""
    cdef uint64_t card
    if slot.op != SET and value == 0:  # no card
        return True
    card = <uint64_t> 1 << (value if slot.op == SET else value - 1)
    if home.taken & card & ~home.everywhere:
        return False
    home.taken |= card
    return True


cdef bint store_name(const Slot *slot, int64_t value, int i, int count, uint8_t *at) noexcept nogil:
    """Store entry i of `count` names; False if it is repeated where it must not be."""
    cdef int j
    cdef uint8_t *first = at + (slot.count - count) * slot.size
    if slot.op == SET:
        if at[value // 8] >> value % 8 & 1:
            return False
        at[value // 8] |= <uint8_t> (1 << value % 8)
    elif slot.op == ORDER:
        store(at, slot.size, value << slot.bits * i)
    elif slot.op == COUNTS:
        at[value // 2] += <uint8_t> (1 << 4 * (value % 2))
    elif slot.op == DECK:
        for j in range(i if slot.unique else 0):
            if first[j * slot.size] == value:
                return False
        store(first + i * slot.size, slot.size, value)
    else:
        store(at + i * slot.size, slot.size, value)
    return True


cdef bint read_amounts(const Slot *slot, dict places, Cursor c, uint8_t *at) except -1:
    """Read a message of numbers."""
    cdef int64_t amounts[MOST_NAMES]
    cdef int i, number, kind, before = 0, present = 0
    memset(amounts, 0, sizeof(amounts))
    while c.at < c.end:
        if not read_tag(&c, &number, &kind) or number <= before or kind != VARINT or number not in places:
            return False
        before, i = number, places[number][0]
        present |= 1 << i
        if not read_number(&c, slot.zigzag, &amounts[i]):
            return False
    for i, optional in places.values():
        if not slot.low <= amounts[i] <= slot.high or (optional and not present >> i & 1):
            return False
        if slot.bits:
            store(at, slot.size, amounts[i] << slot.bits * i)
        else:
            store(at + i * slot.size, slot.size, amounts[i])
    return True


cdef bint read_values(Cursor *c, int kind, field, list values) except -1:
    """Append an entry of a list: a text, a message, or packed numbers."""
    cdef Cursor part
    cdef int64_t value
    if kind != BYTES or not read_part(c, &part):
        return False
    if field.kind == "text":
        values.append(taken(&part).decode(errors="replace"))  # which no name contains
    elif field.kind == "message":
        values.append(read_entry(part, field.fields))
    else:
        while part.at < part.end:
            if not read_number(&part, False, &value):
                return False
            values.append(value)
    return True
