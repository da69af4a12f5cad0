"""Reads the options of a new game or seat from messages, reporting all faults at once."""

import re
from dataclasses import replace
from typing import Any

from clerestory.advice.question import MAX_ACTIONS
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.games.log import BotSettings, EndReason, GameOptions, Holder, SeatKind
from clerestory.games.making import NewGame
from clerestory.refusals import Faults, Reason, refuse
from clerestory.seeds import SEED_BITS
from clerestory.server.translate import read_duration
from clerestory.server.translate_games import ENDS, HINTS, ONLOOKERS, SEATS, TAKE_BACKS
from clerestory.server.translate_rules import read_any, read_game
from clerestory.v1 import games_pb2 as games

LONGEST_NAME = 40  # characters
MOST_DELAY = 1000  # plies
SHORTEST_MOVE, LONGEST_MOVE = 1.0, 30 * 24 * 3600.0  # seconds
MOST_THEN = 100  # further actions of one call
REQUEST_ID = re.compile(r"[\w.:-]{16,64}", re.ASCII)


def read_plan(request: games.CreateGameRequest) -> NewGame:
    """Return the plan in a request. Raises Refusal with all faults."""
    faults = Faults()
    game = read_game(request.game)
    if len(request.seats) not in game.seats:
        text = f"are {len(request.seats)}; {game.name} has {game.seats[0]} to {game.seats[-1]} players"
        refuse(Reason.BAD_SEATS, "seats", text)
    seats = tuple(read_holder(seat, f"seats[{number}].", faults) for number, seat in enumerate(request.seats))
    options = read_options(request.options, faults)
    seed = request.seed if request.HasField("seed") else None
    if seed is not None and seed >= 1 << SEED_BITS:
        faults.add(Reason.BAD_OPTIONS, "seed", f"is {seed}; must be below 2^{SEED_BITS}")
    if seed is not None and options.table:
        faults.add(Reason.BAD_OPTIONS, "seed", "has no effect in a game at a table")
    check_request(request.request_id, faults)
    faults.require_none()
    plan = NewGame(game, seats, options, seed, request.request_id)
    return begun(plan, request.beginning) if request.HasField("beginning") else plan


def begun(plan: NewGame, beginning: games.Beginning) -> NewGame:
    """Return a plan that continues a record. Raises Refusal: BAD_POSITION, BAD_OPTIONS, TOO_MANY_ACTIONS."""
    path = "beginning.opening"
    given = read_any(beginning.opening, path)
    if (given.state.game, given.state.seats) != (plan.game, len(plan.seats)):
        refuse(
            Reason.BAD_OPTIONS,
            path,
            f"is a position of {given.state.game.name} with {given.state.seats} players, not of the game to be made",
        )
    if not (given.referee or plan.options.table):
        refuse(
            Reason.BAD_POSITION,
            path,
            "has unknown cards; only a game at a real table (options.table) can continue it",
        )
    if len(beginning.actions) > MAX_ACTIONS:
        refuse(
            Reason.TOO_MANY_ACTIONS,
            "beginning.actions",
            f"has {len(beginning.actions)} actions; must have {MAX_ACTIONS} at most",
        )
    return replace(plan, opening=given.state, played=tuple(beginning.actions))


def read_join(request: games.JoinGameRequest) -> tuple[int | None, str]:
    """Return the requested seat, None for any, and the player's name. Raises Refusal."""
    faults = Faults()
    check_name(request.name, "", faults)
    check_request(request.request_id, faults)
    faults.require_none()
    return (request.seat if request.HasField("seat") else None), request.name.strip()


def read_seat_plan(request: games.SetSeatRequest) -> Holder:
    """Return who is to hold a seat. Raises Refusal."""
    faults = Faults()
    holder = read_holder(request.plan, "plan.", faults)
    faults.require_none()
    return holder


def read_then(request: games.PlayActionRequest) -> tuple[str, ...]:
    """Return the further actions of a request. Raises Refusal, TOO_MANY_ACTIONS."""
    if len(request.then_actions) > MOST_THEN:
        text = f"has {len(request.then_actions)} actions; must have {MOST_THEN} at most"
        refuse(Reason.TOO_MANY_ACTIONS, "then_actions", text)
    return tuple(request.then_actions)


def read_end(request: games.EndGameRequest) -> EndReason:
    """Return how a game is to end. Raises Refusal."""
    faults = Faults()
    found = {number: reason for reason, number in ENDS.items()}.get(request.reason)
    if found is None:
        faults.add(Reason.BAD_OPTIONS, "reason", "must be END_REASON_RESIGNED or END_REASON_ABANDONED")
    faults.require_none()
    assert found is not None
    return found


def read_holder(plan: games.SeatPlan, path: str, faults: Faults) -> Holder:
    """Return who is to hold a seat; faults are collected."""
    kind = {number: kind for kind, number in SEATS.items()}.get(plan.kind)
    if kind is None:
        faults.add(Reason.BAD_OPTIONS, f"{path}kind", "must be SEAT_KIND_OPEN, SEAT_KIND_PERSON or SEAT_KIND_BOT")
        return Holder(SeatKind.OPEN)
    if plan.HasField("bot") and kind != SeatKind.BOT:
        faults.add(Reason.BAD_OPTIONS, f"{path}bot", "is for SEAT_KIND_BOT only")
    if plan.name and kind != SeatKind.PERSON:
        faults.add(Reason.BAD_OPTIONS, f"{path}name", "is for SEAT_KIND_PERSON only")
    check_name(plan.name, path, faults)
    bot = read_bot(plan.bot, f"{path}bot.", faults) if kind == SeatKind.BOT else None
    return Holder(kind, name=plan.name.strip(), bot=bot)


def read_bot(message: games.Bot, path: str, faults: Faults) -> BotSettings:
    """Return how a bot is to play; faults are collected."""
    level = message.level if message.HasField("level") else None
    if level is not None and not 1 <= level <= NUM_LEVELS:
        faults.add(Reason.BAD_LEVEL, f"{path}level", f"is {level}; must be 1 to {NUM_LEVELS}")
    seconds = read_duration(message, "time_budget", faults, Reason.BAD_TIME_BUDGET, path=path)
    return BotSettings(level) if seconds is None else BotSettings(level, seconds)


def read_options(message: games.GameOptions, faults: Faults) -> GameOptions:
    """Return the chosen options, with defaults for the others; faults are collected."""
    usual, path = GameOptions(), "options."
    if message.delay_plies > MOST_DELAY:
        faults.add(Reason.BAD_OPTIONS, f"{path}delay_plies", f"is {message.delay_plies}; must be {MOST_DELAY} at most")
    seconds = read_duration(message, "time_per_move", faults, Reason.BAD_OPTIONS, SHORTEST_MOVE, LONGEST_MOVE, path)
    return GameOptions(
        hints=chosen(message, "hints", {number: value for value, number in HINTS.items()}, usual.hints, faults),
        take_backs=chosen(
            message, "take_backs", {number: value for value, number in TAKE_BACKS.items()}, usual.take_backs, faults
        ),
        onlookers=chosen(
            message, "onlookers", {number: value for value, number in ONLOOKERS.items()}, usual.onlookers, faults
        ),
        delay_plies=message.delay_plies,
        table=message.table,
        seconds_per_move=seconds,
        play_on=read_bot(message.play_on, f"{path}play_on.", faults),
        listed=message.listed,
        play_forced=message.play_forced,
    )


def chosen(message: games.GameOptions, field: str, values: dict[Any, Any], usual: Any, faults: Faults) -> Any:
    """Return the value of an enumeration, the default if it is left out; an unknown one is a fault."""
    number = getattr(message, field)
    if number and number not in values:
        faults.add(Reason.BAD_OPTIONS, f"options.{field}", f"{number} is not a value of this field")
    return values.get(number, usual)


def check_name(name: str, path: str, faults: Faults) -> None:
    """Add a fault for a name that is too long, or cannot be shown on one line."""
    if len(name) > LONGEST_NAME or (name and not name.isprintable()):
        text = f"must be {LONGEST_NAME} characters at most, without line ends or other control characters"
        faults.add(Reason.BAD_OPTIONS, f"{path}name", text)


def check_request(request_id: str, faults: Faults) -> None:
    """Add a fault for an invalid request name."""
    if request_id and not REQUEST_ID.fullmatch(request_id):
        faults.add(Reason.BAD_OPTIONS, "request_id", "must be 16 to 64 letters, digits and `_.:-`, or empty")
