"""The stored form of a game: an immutable head and an append-only list of entries."""

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, TypeAdapter

from clerestory.engine.record import EarlyEnd
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.search.limits import LONGEST_TIME

USUAL_SECONDS = 1.0  # default time of a bot's move
LATEST = 253_402_300_799_999  # milliseconds since 1970: the end of the year 9999, the maximum of a Timestamp

# The ranges that messages can represent. A store may contain other numbers, and such a game cannot be shown.
Moment = Annotated[int, Field(ge=0, le=LATEST)]
Small = Annotated[int, Field(ge=0, lt=1 << 32)]
Large = Annotated[int, Field(ge=0, lt=1 << 64)]

SeatKind = StrEnum("SeatKind", "OPEN PERSON BOT")  # the holder of a seat
Hints = StrEnum("Hints", "NEVER AFTERWARDS ALWAYS")  # when clients may show hints
TakeBacks = StrEnum("TakeBacks", "NEVER FAIR ALL")  # which take-backs are allowed
Onlookers = StrEnum("Onlookers", "NONE LINK ALL")  # who may look on
EndReason = StrEnum("EndReason", "RESIGNED ABANDONED")  # why a game ended early


def bounded(seconds: float) -> float:
    """Return the time of a bot in a store, clamped to the valid range, because old versions did not check it."""
    return min(seconds, LONGEST_TIME) if seconds > 0 else USUAL_SECONDS


@dataclass(frozen=True, slots=True)
class BotSettings:
    """The settings of a bot.

    Attributes:
        level: 1 to 8, None for full strength.
        seconds: time per move, at most LONGEST_TIME.
        character: one of CHARACTERS, with `level` set to its level; "" for none.
    """

    level: Annotated[int, Field(ge=1, le=NUM_LEVELS)] | None = None
    seconds: Annotated[float, AfterValidator(bounded)] = USUAL_SECONDS
    character: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a seat.

    Attributes:
        name: the name of a person.
        bot: the bot's settings; None if no bot holds the seat.
        token: digest of the seat's token, "" for none.
    """

    kind: SeatKind
    name: str = ""
    bot: BotSettings | None = None
    token: str = ""

    def played_by(self, bot: BotSettings) -> Self:
        """Return the same seat played by a bot, which its player can reclaim."""
        return replace(self, kind=SeatKind.BOT, bot=bot)


@dataclass(frozen=True, slots=True)
class GameOptions:
    """The options of a game.

    Attributes:
        delay_plies: delay of the onlookers' view, in plies.
        table: whether chance events are entered, not drawn.
        seconds_per_move: limit for a person, None for no limit.
        seconds_per_game: limit for each person for all moves of the game, None for no limit.
        increment: seconds that a person's clock for the game gains with each move.
        play_on: the bot that moves for a person who has run out of time or resigned.
        listed: whether everyone can find the game while a seat is open.
        play_forced: whether the server plays a person's only legal action.
    """

    hints: Hints = Hints.ALWAYS
    take_backs: TakeBacks = TakeBacks.FAIR
    onlookers: Onlookers = Onlookers.NONE
    delay_plies: Small = 0
    table: bool = False
    seconds_per_move: Annotated[float, Field(gt=0, le=LATEST / 1000)] | None = None
    play_on: BotSettings = field(default_factory=BotSettings)
    listed: bool = False
    play_forced: bool = False
    seconds_per_game: Annotated[float, Field(gt=0, le=LATEST / 1000)] | None = None
    increment: Annotated[float, Field(ge=0, le=LATEST / 1000)] = 0.0


@dataclass(frozen=True, slots=True)
class Head:
    """The immutable part of a game.

    Attributes:
        opening: the first position as JSON, without unknowns except at a physical table.
        seed: the seed of all chance events that the server draws; None at a physical table.
        seed_chosen: whether the creator of the game chose the seed or the first position.
        salt: the salt of the commitment, 32 hexadecimal digits.
        seats: the initial holders of the seats.
        owner: digest of the owner's token.
        onlooker: digest of the onlookers' token, "" for none.
        created: milliseconds since 1970.
        maker: origin of the creator, "" for games from before it was stored.
        begun: whether the game began in a given position, not in one dealt from the seed.
    """

    game_id: str
    game: str
    rules_revision: Small
    catalogue: str
    opening: str
    seed: Large | None
    seed_chosen: bool
    salt: str
    seats: tuple[Holder, ...]
    options: GameOptions
    owner: str
    onlooker: str
    created: Moment
    maker: str = ""
    begun: bool = False

    @property
    def commitment(self) -> str:
        """The commitment to the seed, published at the beginning; "" at a physical table."""
        return "" if self.seed is None else hashlib.sha256(f"{self.seed}:{self.salt}".encode()).hexdigest()

    def to_json(self) -> str:
        """Return the head as JSON."""
        return HEAD.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> "Head":
        """Return the head from its JSON."""
        return HEAD.validate_json(text)


class EntryKind(StrEnum):
    """The kind of an entry, which determines the meaning of its `text`."""

    PLAYED = "played"  # an action of its seat, or an entered chance outcome
    PLAYED_ON = "played on"  # an automatic move for a person who ran out of time
    FORCED = "forced"  # the only legal action of a person, played by the server
    DRAWN = "drawn"  # a chance outcome drawn by the server
    PRIVATE_OUTCOME = "said"  # the private outcome of a coming chance event that its seat saw at the table
    TAKEN_BACK = "taken back"  # the ply
    AGREED = "agreed"  # the ply of a take-back; the first one proposes it
    DECLINED = "declined"  # the same
    SEATED = "seated"  # the holder as JSON
    ENDED = "ended"  # an EndReason
    GIVEN_BACK = "given back"  # milliseconds of the last turn of its seat, in which the game was not playable


BY_ITSELF = (EntryKind.FORCED, EntryKind.DRAWN)  # moves that are stored together with the entry before them
MOVES = (EntryKind.PLAYED, EntryKind.PLAYED_ON, *BY_ITSELF)


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in a game.

    Attributes:
        seat: the acting seat; None for a chance event, and for the owner.
        text: its meaning depends on the kind.
        moment: milliseconds since 1970.
    """

    kind: EntryKind
    seat: int | None
    text: str
    moment: int

    @property
    def moves(self) -> bool:
        """Whether it is a ply."""
        return self.kind in MOVES

    @property
    def ply(self) -> int:
        """The ply of a take-back."""
        return int(self.text)

    @property
    def holder(self) -> Holder:
        """The new holder of the seat."""
        return HOLDER.validate_json(self.text)


def shares_of_end(entry: Entry, seats: int) -> list[float] | None:
    """Return the win shares after an early end, 1 for the player who did not resign; None if abandoned."""
    if EndReason(entry.text) == EndReason.ABANDONED:
        return None
    return [0.0 if seat == entry.seat else 1.0 for seat in range(seats)]


def early_end(entry: Entry, seats: int) -> EarlyEnd:
    """Return an early end in the form of records."""
    shares = shares_of_end(entry, seats)
    return EarlyEnd(None if shares is None else shares.index(1.0))


def seated(seat: int, holder: Holder, moment: int) -> Entry:
    """Return the entry that assigns a seat."""
    return Entry(EntryKind.SEATED, seat, HOLDER.dump_json(holder).decode(), moment)


HEAD = TypeAdapter(Head)
HOLDER = TypeAdapter(Holder)
