# cython: language_level=3
"""Reads positions from protobuf messages straight into the struct of their game, by its declared layout.

Accepts what every encoder writes for a valid position: known fields in ascending order. For anything else it returns
None, and the reader of dictionaries (`Game.from_position`) decides, which describes each fault.
"""
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport Game, State
from clerestory.engine.message_fields cimport MOST_HOMES, Home, MessageReader, Target, store
from clerestory.engine.wire cimport *

from clerestory.engine.positions.kinds import FieldContext, Set


def part_of(bytes message not None, *path):
    """Return the bytes of a message inside another; None if one on its path is missing or occurs more than once.

    Args:
        message: the outer message.
        path: numbers of the fields, from the outside in.
    """
    cdef Cursor c, part, found
    cdef uint64_t tag
    cdef int wanted
    c.at = <const uint8_t *> <const char *> message
    c.end = c.at + len(message)
    found = c
    for wanted in path:
        found.at = NULL
        while c.at < c.end:
            if not read_short(&c, &tag):
                return None
            if <int> (tag >> 3) != wanted or tag & 7 != BYTES:
                if not skip(&c, tag & 7):
                    return None
                continue
            if found.at != NULL or not read_part(&c, &part):
                return None
            found = part
        if found.at == NULL:
            return None
        c = found
    return taken(&found)


cdef class GameReader:
    """Reads the positions of a game from their messages.

    Args:
        game: the game.
        fields: the fields of its message by number, as WireField.
    """

    cdef Game game
    cdef MessageReader position, player
    cdef int players               # number of the field
    cdef int first_player, stride  # bytes from the position, and from one player to the next
    cdef Home homes[MOST_HOMES]    # before any card has a place

    def __init__(self, Game game not None, fields):
        layout = game.layout
        owned = [field for field in (*layout.fields, *layout.player_fields) if field.home]
        homes = {name: i for i, name in enumerate(dict.fromkeys(field.home for field in owned))}
        memset(self.homes, 0, sizeof(self.homes))
        for field in owned:
            if isinstance(field.kind, Set):
                self.homes[<int> homes[field.home]].everywhere = sum(
                    bit for card, bit in field.kind.bits.items() if card in layout.everywhere
                )
        [self.players] = [number for number, field in fields.items() if field.name == "players"]
        self.game = game
        self.first_player, self.stride = layout.players_at[0] - layout.struct_at[0], layout.players_at[1]
        self.position = MessageReader(layout, layout.fields, fields, homes)
        self.player = MessageReader(layout, layout.player_fields, fields[self.players].fields, homes)

    cdef State read(self, Cursor c):
        """Return a position; None if it is not a valid one in its usual form."""
        cdef int counts[MOST_FIELDS]
        cdef Target to
        cdef State state = State.__new__(State, self.game)
        others = []
        if not self.position.count(c, counts) or counts[self.players] not in self.game.seats:
            return None
        memcpy(to.homes, self.homes, sizeof(self.homes))
        to.position, to.seat, to.owner = <uint8_t *> state.data, 0, -1
        to.player = to.position + self.first_player
        to.position[0] = counts[self.players]
        if not self.position.read(c, &to, others) or not self._read_players(c, &to, others):
            return None
        return state if self._is_sound(state, others) else None

    cdef bint _read_players(self, Cursor c, Target *to, list others) except -1:
        """Read the messages of all players."""
        cdef int number, kind
        cdef Cursor part
        to.owner = 0
        while c.at < c.end:
            read_tag(&c, &number, &kind)
            if number != self.players:
                skip(&c, kind)
                continue
            if kind != BYTES or not read_part(&c, &part) or not self.player.read(part, to, others):
                return False
            to.player += self.stride
            to.seat += 1
            to.owner += 1
        return True

    cdef bint _is_sound(self, State state, list others) except -1:
        """Whether a position that C has read is consistent, once the other fields are in it."""
        for other, owner, values in others:
            if values or not other.kind.empty_is_zero:
                around = FieldContext(self.game.layout.peek(state.to_bytes()), max(owner, 0), state.seats)
                if not self._write(state, other, values, around):
                    return False
        return self._is_consistent(state) and self.game.broken(state.data) < 0

    cdef bint _is_consistent(self, State state) except -1:
        """Whether the game's consistency checks find nothing."""
        if self.game.ops.consistent != NULL:
            return self.game.ops.consistent(state.data)
        fields = self.game.layout.peek(state.to_bytes())
        return not any(True for check in self.game.consistency_checks for _ in check(fields))

    cdef bint _write(self, State state, other, list values, around) except -1:
        """Write values into the struct with their kind; False if the kind would not read them so again."""
        cdef uint8_t *position = <uint8_t *> state.data
        cdef uint8_t *player = position + self.first_player + <int> around.seat * self.stride
        cdef uint64_t bits
        kind = other.kind
        try:
            other.check(values)
            if any(True for _ in kind.faults(values, around)):
                return False
            numbers = tuple(kind.write(values, around))
            if len(numbers) != len(other.places) or not kind.in_range(numbers, around):
                return False
            if kind.read(numbers, around) != values:
                return False
        except (LookupError, ValueError, TypeError, OverflowError):
            return False
        for number, (offset, size, inside) in zip(numbers, other.places, strict=True):
            bits = number & 0xFFFFFFFFFFFFFFFF  # of a negative number too
            store((player if inside else position) + <int> offset, size, <int64_t> bits)
        return True


cdef class PositionReader:
    """Reads positions from the protobuf wire format.

    Args:
        fields: the fields of the message by number, as WireField.
        games: the games by name; the fields of the same names hold their positions.
    """

    cdef int revision, catalogue   # numbers of these fields
    cdef dict fields
    cdef object games
    cdef dict readers              # by number, made at the first position of a game

    def __init__(self, fields, games):
        number = {field.name: number for number, field in fields.items()}
        self.revision, self.catalogue = number["rules_revision"], number["catalogue"]
        self.fields, self.games, self.readers = dict(fields), games, {}

    cdef GameReader reader(self, int number):
        """Return the reader of a game's positions; None if the field is not that of a game."""
        if number not in self.readers:
            field = self.fields.get(number)
            known = field is not None and field.name in self.games
            self.readers[number] = GameReader(self.games[field.name], field.fields) if known else None
        return self.readers[number]

    def read(self, bytes message not None):
        """Return the position of a message; None if it is not a valid one in its usual form."""
        cdef Cursor c, part, game
        cdef int number, kind, before = 0
        cdef int64_t revision = 0
        cdef GameReader reader = None
        catalogue = b""
        c.at = <const uint8_t *> <const char *> message
        c.end = c.at + len(message)
        while c.at < c.end:
            if not read_tag(&c, &number, &kind) or number <= before:
                return None
            before = number
            if number == self.revision and kind == VARINT:
                if not read_number(&c, False, &revision):
                    return None
                continue
            if kind != BYTES or not read_part(&c, &part):
                return None
            if number == self.catalogue:
                catalogue = taken(&part)
            elif reader is None:
                reader, game = self.reader(number), part
                if reader is None:
                    return None
            else:
                return None
        if reader is None or revision != reader.game.rules_revision or catalogue != reader.game.catalogue.encode():
            return None
        return reader.read(game)
