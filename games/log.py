"""What is stored of a game: an immutable head and an append-only list of entries."""

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, TypeAdapter

from clerestory.engine.record import EarlyEnd
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.search.limits import LONGEST_TIME

USUAL_SECONDS = 1.0  # that a bot takes for a move by default
LATEST = 253_402_300_799_999  # milliseconds since 1970: the end of the year 9999, later than which no message can say

# What a message can say of a game. A store may have anything, and what has other numbers cannot be shown.
Moment = Annotated[int, Field(ge=0, le=LATEST)]
Small = Annotated[int, Field(ge=0, lt=1 << 32)]
Large = Annotated[int, Field(ge=0, lt=1 << 64)]

SeatKind = StrEnum("SeatKind", "OPEN PERSON BOT")  # who holds a seat
Hints = StrEnum("Hints", "NEVER AFTERWARDS ALWAYS")  # when clients may show hints
TakeBacks = StrEnum("TakeBacks", "NEVER FAIR ALL")  # what may be taken back
Onlookers = StrEnum("Onlookers", "NONE LINK ALL")  # who may look on
EndReason = StrEnum("EndReason", "RESIGNED ABANDONED")  # why a game ended early


def bounded(seconds: float) -> float:
    """Return the time of a bot as a store has it, cut to what a caller may ask for: it was not always checked."""
    return min(seconds, LONGEST_TIME) if seconds > 0 else USUAL_SECONDS


@dataclass(frozen=True, slots=True)
class BotSettings:
    """How a bot plays.

    Attributes:
        level: 1 to 8, None for full strength.
        seconds: for a move, LONGEST_TIME at most.
        character: who it is, one of CHARACTERS, whose level `level` is; "" for nobody.
    """

    level: Annotated[int, Field(ge=1, le=NUM_LEVELS)] | None = None
    seconds: Annotated[float, AfterValidator(bounded)] = USUAL_SECONDS
    character: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a seat.

    Attributes:
        name: of a person.
        bot: how it plays, None if no bot holds the seat.
        token: digest of the seat's token, "" for none.
    """

    kind: SeatKind
    name: str = ""
    bot: BotSettings | None = None
    token: str = ""

    def played_by(self, bot: BotSettings) -> Self:
        """Return the same seat played by a bot; its player can take it back."""
        return replace(self, kind=SeatKind.BOT, bot=bot)


@dataclass(frozen=True, slots=True)
class GameOptions:
    """The options of a game.

    Attributes:
        delay_plies: by which onlookers see it late.
        table: chance events are entered, not drawn.
        seconds_per_move: limit for a person, None for no limit.
        play_on: the bot that moves for a person who has run out of time or resigned.
        listed: shown to everybody while a seat is open.
        play_forced: the server plays a person's only legal action.
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


@dataclass(frozen=True, slots=True)
class Head:
    """The part that never changes.

    Attributes:
        opening: the first position as JSON, without unknowns except at a physical table.
        seed: of all chance events that the server draws; None at a physical table.
        seed_chosen: the creator of the game chose the seed or the first position.
        salt: of the commitment, 32 hexadecimal digits.
        seats: who holds them initially.
        owner: digest of the owner's token.
        onlooker: digest of the onlookers' token, "" for none.
        created: milliseconds since 1970.
        maker: digest of the caller who created it, "" for a game from before this was stored.
        begun: it began in a given position, not in one dealt from the seed.
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
        """Return it as text."""
        return HEAD.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> "Head":
        """Return what `to_json` wrote."""
        return HEAD.validate_json(text)


class EntryKind(StrEnum):
    """The kind of an entry, which determines the meaning of its `text`."""

    PLAYED = "played"  # an action of its seat, or an entered chance outcome
    PLAYED_ON = "played on"  # an action of the server for a person who ran out of time
    FORCED = "forced"  # the only legal action of a person, played by the server
    DRAWN = "drawn"  # a chance outcome drawn by the server
    PRIVATE_OUTCOME = "said"  # the outcome of a coming chance event that its seat has been shown at the table
    TAKEN_BACK = "taken back"  # the ply
    AGREED = "agreed"  # the ply of a take-back; the first one requests it
    DECLINED = "declined"  # the same
    SEATED = "seated"  # the holder as JSON
    ENDED = "ended"  # an EndReason


BY_ITSELF = (EntryKind.FORCED, EntryKind.DRAWN)  # moves that are stored together with the entry before them
MOVES = (EntryKind.PLAYED, EntryKind.PLAYED_ON, *BY_ITSELF)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        seat: whose; None for a chance event, and for the owner.
        text: depends on its kind.
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
        """Who holds the seat from now on."""
        return HOLDER.validate_json(self.text)


def shares_of_end(entry: Entry, seats: int) -> list[float] | None:
    """Return the win shares after an early end: of two players the one who did not resign has won; None: abandoned."""
    if EndReason(entry.text) == EndReason.ABANDONED:
        return None
    return [0.0 if seat == entry.seat else 1.0 for seat in range(seats)]


def early_end(entry: Entry, seats: int) -> EarlyEnd:
    """Return an early end as records tell of it."""
    shares = shares_of_end(entry, seats)
    return EarlyEnd(None if shares is None else shares.index(1.0))


def seated(seat: int, holder: Holder, moment: int) -> Entry:
    """Return the entry that gives a seat to somebody."""
    return Entry(EntryKind.SEATED, seat, HOLDER.dump_json(holder).decode(), moment)


HEAD = TypeAdapter(Head)
HOLDER = TypeAdapter(Holder)
