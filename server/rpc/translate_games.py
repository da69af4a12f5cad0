"""Translates hosted games, as their viewers may see them, and the plans of new ones: messages of GameService."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar, cast

from clerestory.engine.scoring import by_position
from clerestory.engine.tuning import level_as
from clerestory.i18n import say
from clerestory.i18n.characters import name_of_character
from clerestory.i18n.languages import ENGLISH
from clerestory.i18n.sentences import SERVICE, format_text
from clerestory.server.games.creation import NewGame, check_holder, check_name, check_request
from clerestory.server.games.hosted import HostedGame, TakeBackProposal
from clerestory.server.games.log import (
    BotSettings,
    EndReason,
    Entry,
    EntryKind,
    GameOptions,
    Hints,
    Holder,
    Onlookers,
    SeatKind,
    TakeBacks,
    shares_of_end,
)
from clerestory.server.games.rulebook import require_seats
from clerestory.server.games.session import SentPhrase
from clerestory.server.games.viewer import (
    EntryView,
    Presence,
    SeatView,
    Viewer,
    record_for,
    steps_of_line,
    views_of,
)
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate import (
    duration,
    given,
    moment,
    read_any,
    seconds_of,
    write_action,
    write_changes,
    write_outcome,
    write_position,
    write_scores,
    write_turn,
)
from clerestory.server.rpc.translate_rules import read_game, write_actions
from clerestory.service_errors import Faults, Reason, raise_error
from clerestory.v1 import games_pb2 as games
from clerestory.v1 import rules_pb2 as rules

E = TypeVar("E", bound=StrEnum)


def wire_values(ours: type[E], theirs: Any, prefix: str) -> dict[E, Any]:
    """Map our enum values to those in proto/, which have the same names with a prefix."""
    return {value: theirs.Value(f"{prefix}_{value.name}") for value in ours}


HINTS = wire_values(Hints, games.Hints, "HINTS")
TAKE_BACKS = wire_values(TakeBacks, games.TakeBacks, "TAKE_BACKS")
ONLOOKERS = wire_values(Onlookers, games.Onlookers, "ONLOOKERS")
SEATS = wire_values(SeatKind, games.SeatKind, "SEAT_KIND")
ENDS = wire_values(EndReason, games.EndReason, "END_REASON")


# -- a game ----------------------------------------------------------------------------------------


def write_game(hosted: HostedGame, *, listed: bool = False) -> games.Game:
    """Return the public part of a game. For a viewer with a delay, apply `visible` first.

    In a list, the sources of points are not given by card, because that takes a replay.
    """
    head, revealed = hosted.head, hosted.over and hosted.head.seed is not None
    return games.Game(
        game_id=head.game_id,
        game=head.game,
        rules_revision=head.rules_revision,
        catalogue=head.catalogue,
        options=write_options(head.options),
        seats=[write_seat(seat, holder) for seat, holder in enumerate(hosted.seats)],
        status=status_of(hosted),
        version=hosted.version,
        ply=hosted.ply,
        turn=turn_of(hosted),
        move_deadline=None if hosted.deadline is None else moment(int(hosted.deadline)),
        time_left=[duration(max(0.0, left) / 1000) for left in hosted.clocks],
        take_back=None if hosted.proposal is None else write_question(hosted, hosted.proposal),
        end=write_end(hosted, listed=listed),
        created=moment(head.created),
        updated=moment(hosted.entries[-1].moment if hosted.entries else head.created),
        commitment=head.commitment,
        seed=head.seed if revealed else None,
        salt=head.salt if revealed else "",
        seed_chosen=head.seed_chosen,
        frozen_reason="" if hosted.over else reason_frozen(hosted),
    )


def write_unreadable(game_id: str, why: str) -> games.Game:
    """Return the message of a game that cannot be read or shown."""
    translated_text = why if LOCALE.get() == ENGLISH else say(SERVICE, "frozen.unreadable", language=LOCALE.get())
    return games.Game(game_id=game_id, status=games.GAME_STATUS_FROZEN, frozen_reason=translated_text)


def reason_frozen(hosted: HostedGame) -> str:
    """Return why a game is frozen, in the locale of the call; "" if it is not."""
    return "" if hosted.why_frozen is None else format_text(hosted.why_frozen, hosted.head.game, LOCALE.get())


def status_of(hosted: HostedGame) -> games.GameStatus.ValueType:
    """Return the status of a game."""
    if hosted.over:
        return games.GAME_STATUS_OVER
    if hosted.frozen:
        return games.GAME_STATUS_FROZEN
    return games.GAME_STATUS_OPEN if hosted.waiting else games.GAME_STATUS_RUNNING


def turn_of(hosted: HostedGame) -> rules.Turn | None:
    """Return whose turn it is; None if no one can act."""
    if hosted.over:
        return rules.Turn(kind=rules.TURN_KIND_OVER)
    return write_turn(hosted.position.turn) if hosted.running else None


def write_options(options: GameOptions) -> games.GameOptions:
    """Return the options of a game as a message."""
    seconds, whole = options.seconds_per_move, options.seconds_per_game
    return games.GameOptions(
        hints=HINTS[options.hints],
        take_backs=TAKE_BACKS[options.take_backs],
        onlookers=ONLOOKERS[options.onlookers],
        delay_plies=options.delay_plies,
        table=options.table,
        time_per_move=None if seconds is None else duration(seconds),
        play_on=write_bot(options.play_on),
        listed=options.listed,
        play_forced=options.play_forced,
        time_per_game=None if whole is None else duration(whole),
        increment=duration(options.increment) if options.increment else None,
    )


def write_bot(bot: BotSettings) -> games.Bot:
    """Return the settings of a bot as a message."""
    return games.Bot(level=bot.level, time_budget=duration(bot.seconds), character=bot.character)


def write_seat(seat: int, holder: Holder) -> games.GameSeat:
    """Return the holder of a seat as a message."""
    return games.GameSeat(
        seat=seat,
        kind=SEATS[holder.kind],
        name=name_of_holder(holder),
        bot=write_bot(holder.bot) if holder.kind == SeatKind.BOT and holder.bot is not None else None,
        has_token=bool(holder.token),
    )


def name_of_holder(holder: Holder) -> str:
    """Return the name of a person or a character, in the locale of the call; "" for none."""
    if holder.kind == SeatKind.PERSON:
        return holder.name
    bot = holder.bot if holder.kind == SeatKind.BOT else None
    return "" if bot is None else name_of_character(bot.character, LOCALE.get())


def write_question(hosted: HostedGame, question: TakeBackProposal) -> games.TakeBackQuestion:
    """Return the pending take-back."""
    return games.TakeBackQuestion(ply=question.ply, seat=question.seat, missing=hosted.missing(question))


def write_end(hosted: HostedGame, *, listed: bool) -> games.GameEnd | None:
    """Return how a game ended; None if it is not over."""
    if not hosted.over:
        return None
    if hosted.ended is None:
        outcome = write_outcome(hosted.position, None if listed else hosted.score_parts())
        return games.GameEnd(reason=games.END_REASON_PLAYED, outcome=outcome)
    message = ended(hosted.ended, len(hosted.seats))
    if message.HasField("outcome") and not hosted.frozen:
        parts = by_position(hosted.position) if listed else hosted.score_parts()
        message.outcome.scores.extend(write_scores(hosted.position, parts))
    return message


def ended(entry: Entry, seats: int) -> games.GameEnd:
    """Return the early end of a game."""
    reason, shares = ENDS[EndReason(entry.text)], shares_of_end(entry, seats)
    if shares is None:
        return games.GameEnd(reason=reason)
    return games.GameEnd(reason=reason, seat=entry.seat, outcome=rules.Outcome(win_shares=shares))


# -- views -----------------------------------------------------------------------------------------


def write_views(views: Iterable[SeatView]) -> list[games.GameView]:
    """Return seats' views of a position as messages."""
    return [write_view(view) for view in views]


def write_view(view: SeatView) -> games.GameView:
    """Return a seat's view of a position as a message."""
    game = view.state.game
    return games.GameView(
        seat=view.seat,
        position=write_position(view.state),
        actions=write_actions(view.state).actions if view.acts else None,
        private_outcomes=[write_action(game, outcome) for outcome in view.private],
        points=view.state.current_scores(),
    )


# -- entries ---------------------------------------------------------------------------------------


def write_line(hosted: HostedGame, first: int, last: int, viewer: Viewer) -> list[games.GameEntry]:
    """Return the entries of the current line between two plies, both included, as a viewer may know them."""
    return write_entries(hosted, steps_of_line(hosted, first, last, viewer))


def write_entries(hosted: HostedGame, steps: Iterable[EntryView]) -> list[games.GameEntry]:
    """Return entries of a game as messages."""
    written = []
    for step in steps:
        message = write_entry(len(hosted.seats), step)
        message.version, message.ply = step.version, step.ply
        written.append(message)
    return written


def write_entry(seats: int, step: EntryView) -> games.GameEntry:
    """Return an entry of a game as a message, without its version and ply."""
    entry = step.entry
    time, seat = moment(entry.moment), entry.seat
    if entry.moves:
        return applied(step)
    if entry.kind == EntryKind.ENDED:
        return games.GameEntry(time=time, end=ended(entry, seats))
    assert seat is not None
    if entry.kind == EntryKind.TAKEN_BACK:
        return games.GameEntry(time=time, taken_back=games.TakenBack(seat=seat, from_ply=step.from_ply))
    if entry.kind == EntryKind.PRIVATE_OUTCOME:
        # the outcome itself stays hidden
        return games.GameEntry(time=time, private_outcome=games.PrivateOutcomeEntered(seat=seat))
    if entry.kind == EntryKind.GIVEN_BACK:
        given_back = games.TimeGivenBack(seat=seat, time=duration(int(entry.text) / 1000))
        return games.GameEntry(time=time, time_given_back=given_back)
    if entry.kind == EntryKind.SEATED:
        return games.GameEntry(time=time, seat=write_seat(seat, entry.holder))
    word = games.TakeBackAnswered(seat=seat, asked_ply=entry.ply, declined=entry.kind == EntryKind.DECLINED)
    return games.GameEntry(time=time, take_back_answered=word)


def applied(step: EntryView) -> games.GameEntry:
    """Return an action or outcome that was played; without a position, only its text is known."""
    entry, position = step.entry, step.position
    done = rules.AppliedAction(drawn=entry.kind == EntryKind.DRAWN)
    if position is None:
        done.action.text = entry.text
    else:
        done.action.CopyFrom(write_action(position.game, position.game.parse_action(entry.text)))
        done.turn.CopyFrom(write_turn(position.turn))
        done.changes.extend(write_changes(position.game, step.changes))
    return games.GameEntry(
        time=moment(entry.moment),
        applied=done,
        played_on=entry.kind == EntryKind.PLAYED_ON,
        forced=entry.kind == EntryKind.FORCED,
    )


# -- states ----------------------------------------------------------------------------------------


def write_state(hosted: HostedGame, viewer: Viewer, *, present: bool = True) -> games.WatchGameResponse:
    """Return a game as a viewer sees it, without entries.

    Args:
        hosted: the game.
        viewer: the viewer.
        present: whether this is the latest version, so that actions are possible.
    """
    return games.WatchGameResponse(game=write_game(hosted), views=write_views(views_of(hosted, viewer, latest=present)))


def write_presence(presence: Presence) -> games.Presence:
    """Return the presence of watchers as a message."""
    return games.Presence(seats=presence.seats, onlookers=presence.onlookers)


def write_phrases(phrases: Iterable[SentPhrase]) -> games.WatchGameResponse:
    """Return phrases as a message of a stream."""
    sent = [games.SentPhrase(seat=one.seat, phrase=cast("games.Phrase.ValueType", one.phrase)) for one in phrases]
    return games.WatchGameResponse(phrases=sent)


def read_phrase(request: games.SendPhraseRequest) -> tuple[int, int | None]:
    """Return the phrase to send, and its seat, None for any. Raises ServiceError: BAD_PHRASE."""
    if request.phrase not in games.Phrase.values()[1:]:
        raise_error(Reason.BAD_PHRASE, "phrase", f"is {request.phrase}; must be one of the set phrases")
    return request.phrase, request.seat if request.HasField("seat") else None


def write_record(hosted: HostedGame, viewer: Viewer) -> games.GetRecordResponse:
    """Return the record, as far as a viewer may know it."""
    lines = record_for(hosted, viewer).lines()
    return games.GetRecordResponse(record="".join(f"{line}\n" for line in lines), whole=hosted.over)


# -- plans of games and seats ----------------------------------------------------------------------


def read_plan(request: games.CreateGameRequest) -> NewGame:
    """Return the plan in a request. Raises ServiceError with all faults."""
    game, faults = read_game(request.game), Faults()
    require_seats(game, len(request.seats))
    plan = NewGame(
        game,
        tuple(read_holder(seat, f"seats[{number}].", faults) for number, seat in enumerate(request.seats)),
        read_options(request.options, faults),
        request.seed if request.HasField("seed") else None,
        request.request_id,
    )
    plan.check(faults)
    faults.require_none()
    if not request.HasField("beginning"):
        return plan
    return plan.continuing(read_any(request.beginning.opening, "beginning.opening"), request.beginning.actions)


def read_join(request: games.JoinGameRequest) -> tuple[int | None, str]:
    """Return the requested seat, None for any, and the player's name. Raises ServiceError."""
    faults = Faults()
    check_name(request.name, "", faults)
    check_request(request.request_id, faults)
    faults.require_none()
    return given(request, "seat"), request.name.strip()


def read_seat_plan(request: games.SetSeatRequest) -> Holder:
    """Return the new holder of a seat. Raises ServiceError."""
    faults = Faults()
    holder = read_holder(request.plan, "plan.", faults)
    check_holder(holder, "plan.", faults)
    faults.require_none()
    return holder


def read_end(request: games.EndGameRequest) -> tuple[EndReason, int | None]:
    """Return how a game ends, and the named seat. Raises ServiceError."""
    found = {number: reason for reason, number in ENDS.items()}.get(request.reason)
    if found is None:
        raise_error(Reason.BAD_OPTIONS, "reason", "must be END_REASON_RESIGNED or END_REASON_ABANDONED")
    return found, given(request, "seat")


def read_holder(plan: games.SeatPlan, path: str, faults: Faults) -> Holder:
    """Return the holder of a seat, not validated; collect faults of the message itself."""
    kind = {number: kind for kind, number in SEATS.items()}.get(plan.kind)
    if kind is None:
        faults.add(Reason.BAD_OPTIONS, f"{path}kind", "must be SEAT_KIND_OPEN, SEAT_KIND_PERSON or SEAT_KIND_BOT")
        return Holder(SeatKind.OPEN)
    if plan.HasField("bot") and kind != SeatKind.BOT:
        faults.add(Reason.BAD_OPTIONS, f"{path}bot", "is for SEAT_KIND_BOT only")
    if plan.name and kind != SeatKind.PERSON:
        faults.add(Reason.BAD_OPTIONS, f"{path}name", "is for SEAT_KIND_PERSON only")
    return Holder(kind, name=plan.name.strip(" "), bot=read_bot(plan.bot) if kind == SeatKind.BOT else None)


def read_bot(message: games.Bot) -> BotSettings:
    """Return the settings of a bot, not validated."""
    level = level_as(message.character, message.level if message.HasField("level") else None)
    bot = BotSettings(level, character=message.character)
    return replace(bot, seconds=seconds_of(message.time_budget)) if message.HasField("time_budget") else bot


def read_options(message: games.GameOptions, faults: Faults) -> GameOptions:
    """Return the options, not validated, with defaults for absent ones; collect unknown values."""
    usual = GameOptions()
    return GameOptions(
        hints=chosen(message, "hints", HINTS, usual.hints, faults),
        take_backs=chosen(message, "take_backs", TAKE_BACKS, usual.take_backs, faults),
        onlookers=chosen(message, "onlookers", ONLOOKERS, usual.onlookers, faults),
        delay_plies=message.delay_plies,
        table=message.table,
        seconds_per_move=seconds_of(message.time_per_move) if message.HasField("time_per_move") else None,
        seconds_per_game=seconds_of(message.time_per_game) if message.HasField("time_per_game") else None,
        increment=seconds_of(message.increment),
        play_on=read_bot(message.play_on),
        listed=message.listed,
        play_forced=message.play_forced,
    )


def chosen(message: games.GameOptions, field: str, values: dict[Any, Any], usual: Any, faults: Faults) -> Any:
    """Return the enum value of an option, the default if it is absent; collect an unknown value as a fault."""
    number = getattr(message, field)
    found = {theirs: ours for ours, theirs in values.items()}.get(number, usual)
    if number and number not in values.values():
        faults.add(Reason.BAD_OPTIONS, f"options.{field}", f"{number} is not a value of this field")
    return found
