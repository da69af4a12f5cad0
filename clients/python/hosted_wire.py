"""Hosted games as messages and as plain values, for the sync and the async client."""

from dataclasses import dataclass, field
from typing import Any, TypedDict

from clerestory.clients.errors import BadRequest, FieldViolation
from clerestory.clients.plans import Change, read_changes
from clerestory.clients.referee import LegalAction, Outcome, outcome_of, plain, read_legal
from clerestory.clients.types import Action
from clerestory.clients.wire import Time, read_action, set_field, set_time, value_name
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as api
from clerestory.v1 import rules_pb2 as rules

KINDS = {
    "open": api.SEAT_KIND_OPEN,
    "person": api.SEAT_KIND_PERSON,
    "bot": api.SEAT_KIND_BOT,
    "level": api.SEAT_KIND_BOT,
}
PHRASES = {name.removeprefix("PHRASE_").lower(): value for name, value in api.Phrase.items() if value}


class GameChoices(TypedDict, total=False):
    """Options of a new game; those left out get the server's defaults.

    Attributes:
        hints: `never`, `afterwards` or `always`; enforced by clients only.
        take_backs: `never`, `fair` (only moves that revealed nothing) or `all`.
        onlookers: `none`, `link` or `all`.
        delay_plies: delay of the game for onlookers, in plies.
        table: chance events happen at a physical table, and are entered with `play`.
        time_per_move: limit for a person; after it the server moves.
        time_per_game: limit for each person for all moves of the game; after it the server moves.
        increment: what a person gains with each move, with `time_per_game`.
        play_on: who moves then: `bot`, `bot:CHARACTER` or `level:N`.
        listed: shown in the public list of games while a seat is open.
        play_forced: the server plays a person's only legal action.
    """

    hints: str
    take_backs: str
    onlookers: str
    delay_plies: int
    table: bool
    time_per_move: Time
    time_per_game: Time
    increment: Time
    play_on: str
    listed: bool
    play_forced: bool


@dataclass(frozen=True, slots=True)
class GameEntry:
    """An entry of a game's log.

    Attributes:
        version: of the game after it.
        ply: after it.
        what: `applied`, `private_outcome` (its seat has entered one), `taken_back`, `take_back_answered`, `seat`, `end`
            or `time_given_back` (of a turn in which the game was not playable).
        action: the one applied; None for other entries.
        seat: who did it; None for a chance event, and for the end of a game that was abandoned.
        drawn: the server drew it.
        played_on: the server moved because the player ran out of time.
        forced: the server played it as the only legal action.
        changes: the changes that it made, as far as the viewer may know them.
        asked_ply: the ply to go back to, of `take_back_answered`; None for other entries.
        declined: the seat has declined that.
        message: the original message.
    """

    version: int
    ply: int
    what: str
    action: Action | None
    seat: int | None
    drawn: bool
    played_on: bool
    forced: bool
    changes: tuple[Change, ...]
    asked_ply: int | None
    declined: bool
    message: api.GameEntry = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class TakeBackRequest:
    """A take-back that a player has requested; it lapses with the next action.

    Attributes:
        ply: to go back to.
        seat: that asked.
        missing: seats that have not agreed yet.
    """

    ply: int
    seat: int
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameSeat:
    """Who holds a seat.

    Attributes:
        kind: `open`, `person` or `bot`.
        name: of a person, or of a character in the language of the client.
        level: of a bot, None for full strength and for people.
        character: which a bot is, as in `bot:CHARACTER`; "" for none.
    """

    kind: str
    name: str
    level: int | None
    character: str = ""


@dataclass(frozen=True, slots=True)
class SentPhrase:
    """A set phrase of a player.

    Attributes:
        seat: that sent it.
        phrase: one of PHRASES.
    """

    seat: int
    phrase: str


@dataclass(frozen=True)
class GameSnapshot:
    """A game at one moment, as its viewer may see it.

    Attributes:
        version: number of entries in its log.
        ply: of the position.
        status: `open`, `running`, `over` or `frozen`.
        seats: who holds them.
        seat: the seat to decide, None if none is.
        chance: a chance event is due; at a table, a player enters it.
        legal: the viewer's legal actions; empty if another seat is to decide.
        entries: of the log since the previous snapshot, or from where they were requested.
        outcome: how the game ended, None before, and for a game that was abandoned.
        message: the message it was read from.
        present: seats that are being watched from, known from streams of `watch`; None if not known.
        phrases: what players have said since the previous snapshot of the stream.
    """

    version: int
    ply: int
    status: str
    seats: tuple[GameSeat, ...]
    seat: int | None
    chance: bool
    legal: tuple[LegalAction, ...]
    entries: tuple[GameEntry, ...]
    outcome: Outcome | None
    message: Any
    present: frozenset[int] | None = None
    phrases: tuple[SentPhrase, ...] = ()

    @property
    def frozen_reason(self) -> str:
        """Why the server cannot continue the game, "" if it can."""
        return str(self.message.game.frozen_reason)

    @property
    def take_back(self) -> TakeBackRequest | None:
        """The take-back that waits for consent; None without one."""
        asked = self.message.game.take_back
        waits = self.message.game.HasField("take_back")
        return TakeBackRequest(asked.ply, asked.seat, tuple(asked.missing)) if waits else None

    @property
    def time_left(self) -> tuple[float, ...]:
        """The seconds that each seat had left for the whole game when the turn began; empty without such a limit."""
        return tuple(left.ToNanoseconds() / 1e9 for left in self.message.game.time_left)

    def position(self, seat: int | None = None) -> dict[str, Any]:
        """Return the position as a seat of the viewer's sees it; None: the only one, or what is public.

        Raises KeyError for a seat that is not the viewer's.
        """
        views = self._views()
        if seat is None and None not in views and views:
            [seat] = views
        return plain(views[seat].position)

    @property
    def private_outcomes(self) -> dict[int, tuple[Action, ...]]:
        """What the viewer's seats may have been shown at a table and have not entered yet, by seat; usually {}."""
        return {
            seat: tuple(map(read_action, view.private_outcomes))
            for seat, view in self._views().items()
            if seat is not None and view.private_outcomes
        }

    def _views(self) -> dict[int | None, Any]:
        return {view.seat if view.HasField("seat") else None: view for view in self.message.views}


# -- requests and answers --------------------------------------------------------------------------


def seat_plan(who: str, field: str, time: Time | None = None) -> api.SeatPlan:
    """Return who is to hold a seat, as a message. Raises BadRequest for an unknown word."""
    word, _, more = who.partition(":") if isinstance(who, str) else ("", "", "")
    plan = api.SeatPlan(kind=KINDS.get(word, api.SEAT_KIND_UNSPECIFIED))
    if word == "level" and more.isascii() and more.isdigit():
        set_field(plan.bot, "level", int(more[:12]), field)  # any longer number is out of range as well
    elif word == "bot" and more:
        set_field(plan.bot, "character", more, f"{field}.bot.character")
    elif word not in KINDS or word == "level" or (more and word != "person"):
        text = f"{who!r:.60} is not person, person:NAME, open, bot, bot:CHARACTER or level:N"
        raise BadRequest("", "BAD_OPTIONS", [FieldViolation(field, text)])
    set_field(plan, "name", more if word == "person" else "", f"{field}.name")
    if time is not None and plan.kind == api.SEAT_KIND_BOT:
        set_time(plan.bot, "time_budget", time)
    return plan


def bot_of(who: str, field: str) -> api.Bot:
    """Return the message of a bot. Raises BadRequest for a name of no bot."""
    plan = seat_plan(who, field)
    if plan.kind != api.SEAT_KIND_BOT:
        raise BadRequest(
            "", "BAD_OPTIONS", [FieldViolation(field, f"{who!r:.60} is not bot, bot:CHARACTER or level:N")]
        )
    return plan.bot


def write_choices(choices: GameChoices) -> api.GameOptions:
    """Return choices as a message. Raises BadRequest for an unfit value, TypeError for an unknown choice."""
    if unknown := choices.keys() - GameChoices.__annotations__.keys():
        raise TypeError(f"{min(unknown)!r} is not one of the choices {', '.join(GameChoices.__annotations__)}")
    options = api.GameOptions()
    for name in choices.keys() & {"table", "listed", "play_forced", "delay_plies"}:
        set_field(options, name, choices[name])  # type: ignore[literal-required]
    if "hints" in choices:
        options.hints = value_of("hints", "HINTS_", choices["hints"], api.Hints)
    if "take_backs" in choices:
        options.take_backs = value_of("take_backs", "TAKE_BACKS_", choices["take_backs"], api.TakeBacks)
    if "onlookers" in choices:
        options.onlookers = value_of("onlookers", "ONLOOKERS_", choices["onlookers"], api.Onlookers)
    for name in ("time_per_move", "time_per_game", "increment"):
        if name in choices:
            set_time(options, name, choices[name])  # type: ignore[literal-required]
    if "play_on" in choices:
        options.play_on.CopyFrom(bot_of(choices["play_on"], "play_on"))
    return options


def value_of(field: str, prefix: str, word: str, kind: Any, reason: str = Reason.BAD_OPTIONS) -> Any:
    """Return the value of an enumeration by its word. Raises BadRequest for an unknown word."""
    values = {name.removeprefix(prefix).lower(): number for name, number in kind.items() if number}
    if not isinstance(word, str) or word not in values:
        raise BadRequest("", str(reason), [FieldViolation(field, f"{word!r} is not one of {', '.join(values)}")])
    return values[word]


def read_snapshot(message: Any) -> GameSnapshot:
    """Return the game in a response of GetGame, PlayAction, SetPrivateOutcome, TakeBack or WatchGame."""
    game = message.game
    return GameSnapshot(
        version=game.version,
        ply=message.ply if isinstance(message, api.GetGameResponse) else game.ply,
        status=value_name(api.GameStatus, "GAME_STATUS_", game.status),
        seats=tuple(read_seat(seat) for seat in game.seats),
        seat=game.turn.seat if game.turn.kind == rules.TURN_KIND_SEAT else None,
        chance=game.turn.kind == rules.TURN_KIND_NATURE,
        legal=next((tuple(map(read_legal, view.actions)) for view in message.views if view.actions), ()),
        entries=tuple(map(read_entry, message.entries)),
        outcome=read_outcome(game),
        message=message,
    )


def read_phrases(message: Any) -> tuple[SentPhrase, ...]:
    """Return the phrases in a message of WatchGame."""
    return tuple(SentPhrase(one.seat, value_name(api.Phrase, "PHRASE_", one.phrase)) for one in message.phrases)


def read_seat(seat: api.GameSeat) -> GameSeat:
    """Return who holds a seat."""
    kind = value_name(api.SeatKind, "SEAT_KIND_", seat.kind)
    return GameSeat(kind, seat.name, seat.bot.level if seat.bot.HasField("level") else None, seat.bot.character)


def read_outcome(game: api.Game) -> Outcome | None:
    """Return the outcome of a game; None if it is not over, or ended without a winner."""
    if not game.end.HasField("outcome"):
        return None
    return outcome_of(game.end.outcome)


def read_entry(entry: api.GameEntry) -> GameEntry:
    """Return an entry of the log."""
    what, applied = entry.WhichOneof("what") or "", entry.applied
    if what == "applied":
        seat = applied.turn.seat if applied.turn.kind == rules.TURN_KIND_SEAT else None
    else:
        event: Any = getattr(entry, what) if what else None
        seat = event.seat if event is not None and (what != "end" or event.HasField("seat")) else None
    return GameEntry(
        version=entry.version,
        ply=entry.ply,
        what=what,
        action=read_action(applied.action) if what == "applied" else None,
        seat=seat,
        drawn=applied.drawn,
        played_on=entry.played_on,
        forced=entry.forced,
        changes=read_changes(applied.changes),
        asked_ply=entry.take_back_answered.asked_ply if what == "take_back_answered" else None,
        declined=entry.take_back_answered.declined,
        message=entry,
    )
