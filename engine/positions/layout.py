"""Declares the fields of a game's positions once; reading, writing, the range check and the schema are derived.

A game declares for each field its name in JSON, its address in the struct (`at` of place.pxd), its kind (kinds.py) and
its meaning; fields of players are declared once for all players. Bytes outside all fields are 0 in every position.
"""

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from clerestory.engine.errors import BadPosition
from clerestory.engine.positions.fields import read_fields
from clerestory.engine.positions.goods import Good, strangers
from clerestory.engine.positions.kinds import FieldContext, Kind, listed, model
from clerestory.i18n.sentences import Text, text

FieldFault = tuple[str, Text]  # path of a field, and its error
Member = tuple[int, str, int]  # address, type code of the module struct, count


class Field(NamedTuple):
    """A field of a position.

    Attributes:
        name: name in JSON.
        members: the members of the struct that hold it, one or several.
        kind: kind of its values.
        meaning: description in Markdown.
        hidden: viewers that cannot see it: "" none, "all" all, "others" all players but the owner.
        home: name of a set of cards; each card is in at most one of the fields that name the same set.
        default: value for positions written before the field existed; None if the field is required.
    """

    name: str
    members: Member | tuple[Member, ...]
    kind: Kind
    meaning: str = ""
    hidden: str = ""
    home: str = ""
    default: Any = None


class Slot(NamedTuple):
    """A field of a position or of one of its players.

    Attributes:
        path: path in the game's own fields.
        name: name in its owner.
        kind: kind of its values.
        home: as in Field.
        owner: seat of the player, -1 for the position itself.
        take: selects its numbers from those of the struct.
    """

    path: str
    name: str
    kind: Kind
    home: str
    owner: int
    take: Callable[[Sequence[int]], Sequence[int]]


class MemoryPlan(NamedTuple):
    """The memory layout of positions with a number of seats. Places of slots are indices into `slots`.

    Attributes:
        codec: codec of all numbers of the struct.
        slots: slots in the order of JSON: those of the position, then those of each player.
        first: selects the first number of each slot, which is the value if the kind is plain.
        converted: the slots of other kinds, with their places.
        writers: for each of these, the place, the owner, and the function that converts its value to numbers.
        judged: for each slot whose kind has its own checks, the place, the path, the owner, and the check.
        homes: the slots that are homes of cards.
        order: selects the numbers of the struct from the seats, the values and the numbers of the converted ones.
        shared: a number, and the places of other numbers that hold a part of it.
    """

    codec: struct.Struct
    slots: list[Slot]
    first: Callable[[Sequence[int]], tuple[int, ...]]
    converted: list[tuple[int, Slot]]
    writers: Sequence[tuple[int, int, Callable[[Any, FieldContext], Sequence[int]]]]
    judged: Sequence[tuple[int, str, int, Callable[[Any, FieldContext], Iterable[Text]]]]
    homes: list[Slot]
    order: Callable[[Sequence[Any]], tuple[int, ...]]
    shared: list[tuple[int, int]]


class Layout:
    """The layout of a game's positions in memory and in JSON.

    Args:
        name: name of the game.
        seats: player counts.
        struct_at: address and size of the struct whose members the fields name. Its first byte holds the seats.
        players_at: address and size of its first player.
        fields: fields of the position, in the order of JSON; `players` follows automatically.
        player_fields: fields of each player. Members outside the players belong to all of them.
        everywhere: cards that may be in several homes.
        goods: what a player can have more or less of, for exchange rates.

    Attributes:
        defaults: values of the fields, except those of players, that may be missing in a position.
        has_hands: whether players have cards that the others do not see.
    """

    def __init__(
        self,
        name: str,
        seats: range,
        struct_at: tuple[int, int],
        players_at: tuple[int, int],
        fields: Sequence[Field],
        player_fields: Sequence[Field],
        everywhere: Sequence[str] = (),
        goods: Sequence[Good] = (),
    ) -> None:
        self.name, self.everywhere, self.goods = name, frozenset(everywhere), tuple(goods)
        self.struct_at, self.players_at = struct_at, players_at
        self.fields, self.player_fields = tuple(fields), tuple(player_fields)
        self.defaults = {field.name: field.default for field in fields if field.default is not None}
        self.has_hands = any(field.hidden for field in player_fields)
        player = model("Player", {field.name: field.kind.annotation for field in player_fields})
        players = {"players": listed(player, seats[0], seats[-1])}
        self.names, self.player_names = [[field.name for field in group] for group in (fields, player_fields)]
        if unknown := list(strangers(goods, self.player_names, self.names)):
            raise AssertionError(f"{name}: goods change {', '.join(unknown)}, no fields of a position")
        self.schema = model("Position", {field.name: field.kind.annotation for field in fields} | players)
        self.plans = {count: self.plan(count) for count in seats}
        self.by_path = {count: {slot.path: slot for slot in plan.slots} for count, plan in self.plans.items()}

    # -- memory --------------------------------------------------------------------------------------

    def plan(self, seats: int) -> MemoryPlan:
        """Return the memory layout of positions with a number of seats."""
        owned = [(field, -1) for field in self.fields]
        owned += [(field, seat) for seat in range(seats) for field in self.player_fields]
        codec, first = self.codec(member for field, owner in owned for member in self.members(field, owner))
        numbers = [
            [first[at] + i for at, _, count in self.members(field, owner) for i in range(count)]
            for field, owner in owned
        ]
        slots = [slot_of(field, owner, own) for (field, owner), own in zip(owned, numbers, strict=True)]
        converted = [(i, slot) for i, slot in enumerate(slots) if not slot.kind.plain]
        writers = [(i, slot.owner, slot.kind.write) for i, slot in converted]
        faulty = [(i, slot) for i, slot in enumerate(slots) if type(slot.kind).faults is not Kind.faults]
        judged = [(i, slot.path, slot.owner, slot.kind.faults) for i, slot in faulty]
        homes = [slot for slot in slots if slot.home]
        first_of_each = itemgetter(*(own[0] for own in numbers))
        order, shared = places_written(numbers, [i for i, _ in converted])
        return MemoryPlan(codec, slots, first_of_each, converted, writers, judged, homes, itemgetter(*order), shared)

    def codec(self, members: Iterable[Member]) -> tuple[struct.Struct, dict[int, int]]:
        """Return the codec of the seats and all members, and the index of each member's first number, by address."""
        start, size = self.struct_at
        by_address = {at: (code, count) for at, code, count in members}
        form, first, end, number = "=B", {}, start + 1, 1
        for at, (code, count) in sorted(by_address.items()):
            form += f"{at - end}x{count}{code}"
            first[at], end, number = number, at + count * struct.calcsize(f"={code}"), number + count
        return struct.Struct(f"{form}{start + size - end}x"), first

    def members(self, field: Field, owner: int) -> list[Member]:
        """Return the members of a field; members inside a player are taken from the owner."""
        members = field.members if isinstance(field.members[0], tuple) else (field.members,)
        players, stride = self.players_at
        return [
            (at + max(owner, 0) * stride if players <= at < players + stride else at, code, count)
            for at, code, count in members
        ]

    def in_range(self, memory: bytes) -> bool:
        """Whether every field of a position with a valid number of seats is in range, and all other bytes are 0."""
        seats = memory[0]
        plan = self.plans[seats]
        numbers = plan.codec.unpack(memory)
        return plan.codec.pack(*numbers) == memory and all(
            slot.kind.in_range(slot.take(numbers), FieldContext({}, max(slot.owner, 0), seats)) for slot in plan.slots
        )

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the location and possible values of each field, for memory that leaves the process."""
        plans = [(plan.codec.format, list(map(trait_of, plan.slots))) for plan in self.plans.values()]
        return hashlib.sha256(repr(plans).encode()).hexdigest()[:16]

    # -- single fields -------------------------------------------------------------------------------

    def read(self, slot: Slot, raw: Sequence[int], seats: int) -> Any:
        """Return the value of one field; its kind must not depend on other fields."""
        return raw[0] if slot.kind.plain else slot.kind.read(raw, FieldContext({}, max(slot.owner, 0), seats))

    # -- both ways -----------------------------------------------------------------------------------

    def unpack(self, memory: bytes) -> dict[str, Any]:
        """Return the fields of a position that is in range."""
        seats = memory[0]
        plan = self.plans[seats]
        numbers = plan.codec.unpack(memory)
        plain = iter(plan.first(numbers))
        fields: dict[str, Any] = dict(zip(self.names, plain, strict=False))
        players = [dict(zip(self.player_names, plain, strict=False)) for _ in range(seats)]
        owners, around = [*players, fields], surroundings(fields, seats)
        for _, (_, name, kind, _, owner, take) in plan.converted:
            owners[owner][name] = kind.read(take(numbers), around[owner])
        fields["players"] = players
        return fields

    def pack(self, fields: dict[str, Any]) -> bytes:
        """Return the memory of valid fields."""
        seats = len(fields["players"])
        plan, values, around = self.plans[seats], self.values(fields), surroundings(fields, seats)
        written = [seats, *values]
        for i, owner, write in plan.writers:
            written += write(values[i], around[owner])
        numbers = list(plan.order(written))
        for i, part in plan.shared:
            numbers[i] |= written[part]
        return plan.codec.pack(*numbers)

    def values(self, fields: dict[str, Any]) -> list[Any]:
        """Return the values of a position, in the order of its slots."""
        values = list(map(fields.__getitem__, self.names))
        for player in fields["players"]:
            values += map(player.__getitem__, self.player_names)
        return values

    # -- errors --------------------------------------------------------------------------------------

    def check(self, fields: object) -> None:
        """Raise BadPosition, which lists all errors of type, range and vocabulary."""
        read_fields(self.schema, fields, self.name, BadPosition)
        assert isinstance(fields, dict)
        seats = len(fields["players"])
        values, around = self.values(fields), surroundings(fields, seats)
        found: list[FieldFault] = []
        for i, path, owner, faults in self.plans[seats].judged:
            if wrong := faults(values[i], around[owner]):  # nearly always ()
                found += [(path, fault) for fault in wrong]
        self.reject(found)

    def reject(self, faults: Iterable[FieldFault]) -> None:
        """Raise BadPosition if there are errors, with paths in the game's own fields, "" for all of them."""
        found = [(f"{self.name}.{path}".rstrip("."), fault) for path, fault in faults]
        if found:
            raise BadPosition(found, self.name)

    def place_faults(self, fields: dict[str, Any]) -> Iterator[FieldFault]:
        """A card is in one place."""
        home: dict[tuple[str, str], str] = {}
        owners = [*fields["players"], fields]
        for slot in self.plans[len(fields["players"])].homes:
            value = owners[slot.owner][slot.name]
            for card in filter(None, value if isinstance(value, list) else [value]):
                place = slot.home, card
                if place not in home:
                    home[place] = slot.path
                elif card not in self.everywhere:
                    yield slot.path, text("fault.place", value=repr(card), place=home[place])

    # -- documentation -------------------------------------------------------------------------------

    def description(self) -> str:
        """Return the tables of all fields for the reference; neighbouring fields with the same meaning share a row."""
        players = Field("players", (), Kind(), "by seat, below")
        return f"{table('field', [*self.fields, players])}\n{table('field of a player', self.player_fields)}"


def trait_of(slot: Slot) -> tuple[str, str, int, int]:
    """Return what distinguishes a slot from one of another layout."""
    return slot.path, type(slot.kind).__name__, slot.kind.low, slot.kind.high


def slot_of(field: Field, owner: int, numbers: Sequence[int]) -> Slot:
    """Return the slot of a field, given its owner and the indices of its numbers."""
    path = field.name if owner < 0 else f"players[{owner}].{field.name}"
    one_run = numbers[-1] - numbers[0] == len(numbers) - 1
    take = itemgetter(slice(numbers[0], numbers[-1] + 1)) if one_run else itemgetter(*numbers)
    return Slot(path, field.name, field.kind, field.home, owner, take)


def places_written(
    numbers: Sequence[Sequence[int]], converted: Sequence[int]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return `order`, as a list, and `shared` of a MemoryPlan, given all numbers and the converted ones."""
    place = {i: [1 + i] for i in range(len(numbers))}
    end = 1 + len(numbers)
    for i in converted:
        place[i] = list(range(end, end + len(numbers[i])))
        end += len(numbers[i])
    parts: dict[int, list[int]] = {0: [0]}
    for i, own in enumerate(numbers):
        for number, part in zip(own, place[i], strict=True):
            parts.setdefault(number, []).append(part)
    order = [parts[number][0] for number in range(len(parts))]
    return order, [(number, part) for number, all_parts in parts.items() for part in all_parts[1:]]


def surroundings(fields: dict[str, Any], seats: int) -> list[FieldContext]:
    """Return the context of each seat's values and, at -1, of the position's own."""
    return [*(FieldContext(fields, seat, seats) for seat in range(seats)), FieldContext(fields, 0, seats)]


def table(title: str, fields: Sequence[Field]) -> str:
    """Return a table of fields in Markdown."""
    rows = [f"| {title} | content |", "|---|---|"]
    for meaning, same in groupby(fields, key=lambda field: field.meaning):
        rows.append(f"| {', '.join(f'`{field.name}`' for field in same)} | {f'{meaning} |' if meaning else '|'}")
    return "\n".join(rows) + "\n"
