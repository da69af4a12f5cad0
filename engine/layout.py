"""The fields of a game's positions, declared once. Reading, writing, the range check and the schema follow from it.

A game says of each field its name in JSON, where it lies in the struct (`at` of place.pxd), its kind (kinds.py) and
what it means; and for its players once what each of them has. Bytes that no field claims are 0 in every position.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from clerestory.engine.errors import BadPosition
from clerestory.engine.fields import read_fields
from clerestory.engine.kinds import Context, Kind, listed, model

Fault = tuple[str, str]  # path of a field, what is wrong there
Member = tuple[int, str, int]  # address, type as the module struct calls it, how many


class Field(NamedTuple):
    """A field of a position.

    Attributes:
        name: in JSON.
        members: the members of the struct that hold it, one or several.
        kind: what it may hold.
        meaning: for people, in Markdown.
        hidden: from whom: "" nobody, "all" everybody, "others" all players but the owner.
        home: the set of cards of which each is in one field only, among those that name the same set.
    """

    name: str
    members: Member | tuple[Member, ...]
    kind: Kind
    meaning: str = ""
    hidden: str = ""
    home: str = ""


class Slot(NamedTuple):
    """A field of a position, or of one of its players: its path, the seat, and which numbers of the struct it has."""

    path: str
    field: Field
    seat: int
    numbers: tuple[int, ...]
    take: Callable[[Sequence[int]], Sequence[int]]


class Plan(NamedTuple):
    """How positions of so many seats lie in memory: the codec of all their numbers, how many, and whose they are."""

    codec: struct.Struct
    width: int
    slots: list[Slot]


class Layout:
    """How the positions of a game lie in memory and in JSON.

    Args:
        name: of the game.
        seats: player counts.
        struct_at: address and size of the struct that the members were taken of. Its first byte holds the seats.
        players_at: address and size of its first player.
        fields: of the position, in the order of JSON; `players` comes last by itself.
        player_fields: of each player. Members outside the players belong to all of them.
        everywhere: cards that may be in several homes.
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
    ) -> None:
        self.name, self.everywhere = name, frozenset(everywhere)
        self.struct_at, self.players_at = struct_at, players_at
        self.fields, self.player_fields = tuple(fields), tuple(player_fields)
        player = model("Player", {field.name: field.kind.annotation for field in player_fields})
        players = {"players": listed(player, seats[0], seats[-1])}
        self.schema = model("Position", {field.name: field.kind.annotation for field in fields} | players)
        self.plans = {count: self.plan(count) for count in seats}

    # -- memory --------------------------------------------------------------------------------------

    def plan(self, seats: int) -> Plan:
        """Return how positions of so many seats lie in memory."""
        owned = [(field.name, field, 0) for field in self.fields]
        for seat in range(seats):
            owned += [(f"players[{seat}].{field.name}", field, seat) for field in self.player_fields]
        members = {self.struct_at[0]: ("B", 1)}  # the seats
        members |= {at: (code, count) for _, field, seat in owned for at, code, count in self.members(field, seat)}
        form, first, end, number = "=", {}, self.struct_at[0], 0
        for at, (code, count) in sorted(members.items()):
            form += f"{at - end}x{count}{code}"
            first[at], end, number = number, at + count * struct.calcsize(f"={code}"), number + count
        form += f"{sum(self.struct_at) - end}x"
        slots = [self.slot(path, field, seat, first) for path, field, seat in owned]
        return Plan(struct.Struct(form), number, slots)

    def members(self, field: Field, seat: int) -> list[Member]:
        """Return the members of a field, those of a player moved to the seat's."""
        members = field.members if isinstance(field.members[0], tuple) else (field.members,)
        players, stride = self.players_at
        return [
            (at + seat * stride if players <= at < players + stride else at, code, count) for at, code, count in members
        ]

    def slot(self, path: str, field: Field, seat: int, first: dict[int, int]) -> Slot:
        """Return the slot of a field, given the first number of each member by its address."""
        runs = [range(first[at], first[at] + count) for at, _, count in self.members(field, seat)]
        numbers = tuple(number for run in runs for number in run)
        one_run = len(runs) == 1
        take = itemgetter(slice(runs[0].start, runs[0].stop)) if one_run else itemgetter(*numbers)
        return Slot(path, field, seat, numbers, take)

    def in_range(self, memory: bytes) -> bool:
        """Whether every field of a position with a right number of seats is in its range, and all other bytes are 0."""
        seats = memory[0]
        plan = self.plans[seats]
        numbers = plan.codec.unpack(memory)
        return plan.codec.pack(*numbers) == memory and all(
            slot.field.kind.sound(slot.take(numbers), Context({}, slot.seat, seats)) for slot in plan.slots
        )

    # -- both ways -----------------------------------------------------------------------------------

    def unpack(self, memory: bytes) -> dict[str, Any]:
        """Return the fields of a position that is in range."""
        seats = memory[0]
        plan = self.plans[seats]
        numbers = plan.codec.unpack(memory)
        fields: dict[str, Any] = {}
        players: list[dict[str, Any]] = [{} for _ in range(seats)]
        around = [Context(fields, seat, seats) for seat in range(seats)]
        for i, (_, field, seat, _, take) in enumerate(plan.slots):
            owner = fields if i < len(self.fields) else players[seat]
            owner[field.name] = field.kind.read(take(numbers), around[seat])
        fields["players"] = players
        return fields

    def pack(self, fields: dict[str, Any]) -> bytes:
        """Return the memory of fields without faults."""
        seats = len(fields["players"])
        plan = self.plans[seats]
        numbers = [seats] + [0] * (plan.width - 1)
        for slot, value, around in self.values(fields):
            for i, number in zip(slot.numbers, slot.field.kind.write(value, around), strict=True):
                numbers[i] |= number
        return plan.codec.pack(*numbers)

    def values(self, fields: dict[str, Any]) -> Iterator[tuple[Slot, Any, Context]]:
        """Yield every value of a position, its slot before it, what stands around it after it."""
        players = fields["players"]
        around = [Context(fields, seat, len(players)) for seat in range(len(players))]
        for i, slot in enumerate(self.plans[len(players)].slots):
            owner = fields if i < len(self.fields) else players[slot.seat]
            yield slot, owner[slot.field.name], around[slot.seat]

    # -- faults --------------------------------------------------------------------------------------

    def check(self, fields: object) -> None:
        """Raise BadPosition, which lists every fault of type, range and vocabulary."""
        read_fields(self.schema, fields, self.name, BadPosition)
        assert isinstance(fields, dict)
        values = self.values(fields)
        self.refuse(
            (slot.path, text) for slot, value, around in values for text in slot.field.kind.faults(value, around)
        )

    def refuse(self, faults: Iterator[Fault]) -> None:
        """Raise BadPosition if there are faults; their paths are those in the game's own fields, "" for all of them."""
        found = [(f"{self.name}.{path}".rstrip("."), description) for path, description in faults]
        if found:
            raise BadPosition(found)

    def place_faults(self, fields: dict[str, Any]) -> Iterator[Fault]:
        """A card is in one place."""
        home: dict[tuple[str, str], str] = {}
        for (path, field, *_), cards, _ in self.values(fields):
            for card in filter(None, cards if isinstance(cards, list) else [cards]) if field.home else ():
                if (field.home, card) in home and card not in self.everywhere:
                    yield path, f"{card!r} is also in {home[field.home, card]}"
                home.setdefault((field.home, card), path)

    # -- in words ------------------------------------------------------------------------------------

    def description(self) -> str:
        """Return the tables of all fields, as RULES.md has them; neighbours that mean the same share a row."""
        players = Field("players", (), Kind(), "by seat, below")
        return f"{table('field', [*self.fields, players])}\n{table('field of a player', self.player_fields)}"


def table(title: str, fields: Sequence[Field]) -> str:
    """Return a table of fields in Markdown."""
    rows = [f"| {title} | content |", "|---|---|"]
    for meaning, same in groupby(fields, key=lambda field: field.meaning):
        rows.append(f"| {', '.join(f'`{field.name}`' for field in same)} | {f'{meaning} |' if meaning else '|'}")
    return "\n".join(rows) + "\n"
