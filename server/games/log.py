"""What is kept of a game: a head that never changes, and entries, which become more and never fewer."""

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from pydantic import TypeAdapter

USUAL_SECONDS = 1.0  # of a bot for a move


class SeatKind(StrEnum):
    """Who holds a seat."""

    OPEN = "open"
    PERSON = "person"
    BOT = "bot"


class Hints(StrEnum):
    """What clients shall show of hints."""

    NEVER = "never"
    AFTERWARDS = "afterwards"
    ALWAYS = "always"


class TakeBacks(StrEnum):
    """What may be taken back."""

    NEVER = "never"
    FAIR = "fair"
    ALL = "all"


class Onlookers(StrEnum):
    """Who may look on."""

    NONE = "none"
    LINK = "link"
    ALL = "all"


class EndReason(StrEnum):
    """In which way a game ended before its end."""

    RESIGNED = "resigned"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Bot:
    """How a bot plays.

    Attributes:
        level: 1 to 8, None for full strength.
        seconds: for a move.
    """

    level: int | None = None
    seconds: float = USUAL_SECONDS


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a seat.

    Attributes:
        name: of a person.
        bot: of a bot, None for anybody else.
        token: digest of the seat's token, "" where there is none.
    """

    kind: SeatKind
    name: str = ""
    bot: Bot | None = None
    token: str = ""

    def played_by(self, bot: Bot) -> Self:
        """Return the same seat with a bot in it; its person may come back."""
        return replace(self, kind=SeatKind.BOT, bot=bot)


@dataclass(frozen=True, slots=True)
class Options:
    """What is chosen when a game is made.

    Attributes:
        delay_plies: by which onlookers see it late.
        table: luck is entered, not drawn.
        seconds_per_move: of a person, None for no limit.
        play_on: who moves for a person whose time is over, or who has resigned.
        listed: shown to everybody while a seat is open.
    """

    hints: Hints = Hints.ALWAYS
    take_backs: TakeBacks = TakeBacks.FAIR
    onlookers: Onlookers = Onlookers.NONE
    delay_plies: int = 0
    table: bool = False
    seconds_per_move: float | None = None
    play_on: Bot = field(default_factory=Bot)
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """What never changes.

    Attributes:
        opening: the first position as JSON, nothing unknown unless at a table.
        seed: of all luck that the server draws; None at a table.
        seed_chosen: whoever made the game chose the seed, or the position it began with.
        salt: of the commitment, 32 hexadecimal digits.
        seats: who holds them at first.
        owner: digest of the owner's token.
        onlooker: digest of the onlookers' token, "" for none.
        created: milliseconds since 1970.
        maker: digest of the caller who made it, "" for a game made before that was kept.
        begun: it began in a position that was given, not in one that the seed dealt.
    """

    game_id: str
    game: str
    rules_revision: int
    catalogue: str
    opening: str
    seed: int | None
    seed_chosen: bool
    salt: str
    seats: tuple[Holder, ...]
    options: Options
    owner: str
    onlooker: str
    created: int
    maker: str = ""
    begun: bool = False

    @property
    def commitment(self) -> str:
        """What is told of the seed at the beginning, "" at a table."""
        return "" if self.seed is None else hashlib.sha256(f"{self.seed}:{self.salt}".encode()).hexdigest()

    def to_json(self) -> str:
        """Return it as text."""
        return HEAD.dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> "Head":
        """Return what `to_json` wrote."""
        return HEAD.validate_json(text)


class Kind(StrEnum):
    """What an entry tells, and what its `text` is."""

    PLAYED = "played"  # an action of its seat, or what came up and was entered
    PLAYED_ON = "played on"  # an action of the server for a person whose time was over
    DRAWN = "drawn"  # what came up, drawn by the server
    SAID = "said"  # the outcome of a chance event to come that its seat has been shown at the table
    TAKEN_BACK = "taken back"  # the ply
    AGREED = "agreed"  # the ply of a take-back, asked for first if no other was
    DECLINED = "declined"  # the same
    SEATED = "seated"  # the holder as JSON
    ENDED = "ended"  # an EndReason


MOVES = (Kind.PLAYED, Kind.PLAYED_ON, Kind.DRAWN)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened.

    Attributes:
        seat: whose; None for a chance event, and for the owner.
        text: as its kind says.
        moment: milliseconds since 1970.
    """

    kind: Kind
    seat: int | None
    text: str
    moment: int

    @property
    def moves(self) -> bool:
        """Whether it is a ply."""
        return self.kind in MOVES

    @property
    def ply(self) -> int:
        """The ply that a take-back speaks of."""
        return int(self.text)

    @property
    def holder(self) -> Holder:
        """Who holds the seat from now on."""
        return HOLDER.validate_json(self.text)


def seated(seat: int, holder: Holder, moment: int) -> Entry:
    """Return the entry that gives a seat to somebody."""
    return Entry(Kind.SEATED, seat, HOLDER.dump_json(holder).decode(), moment)


HEAD = TypeAdapter(Head)
HOLDER = TypeAdapter(Holder)
