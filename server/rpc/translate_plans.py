"""Parses the options of a new game or seat, collecting all faults."""

from dataclasses import replace
from typing import Any

from clerestory.engine.tuning import level_as
from clerestory.server.games.creation import NewGame, check_holder, check_name, check_request
from clerestory.server.games.log import BotSettings, EndReason, GameOptions, Holder, SeatKind
from clerestory.server.games.rulebook import require_seats
from clerestory.server.rpc.translate import given, seconds_of
from clerestory.server.rpc.translate_games import ENDS, HINTS, ONLOOKERS, SEATS, TAKE_BACKS
from clerestory.server.rpc.translate_rules import read_any, read_game
from clerestory.service_errors import Faults, Reason, raise_error
from clerestory.v1 import games_pb2 as games


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
