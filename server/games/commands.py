"""The commands on a game: each validates an action of a player and appends its entries to the given game.

The given game is a copy, which is discarded if the command fails or cannot be stored.
"""

import hashlib
from collections.abc import Callable, Sequence

from clerestory.engine.core import NATURE
from clerestory.engine.errors import BadText, IllegalAction
from clerestory.engine.rng import Rng
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BY_ITSELF, EndReason, Entry, EntryKind, Holder, SeatKind, seated
from clerestory.server.games.rulebook import require_few, some_of
from clerestory.server.games.viewer import Viewer
from clerestory.service_errors import Reason, ServiceError, no_seat, raise_error

MAX_ENTRIES = 4000  # of a game, except moves; the longest games end with a tenth of it
MOST_THEN = 100  # maximum further actions in one request
TWO = 2  # players: if one resigns, the other one wins


# -- preconditions ---------------------------------------------------------------------------------


def require_playable(hosted: HostedGame) -> None:
    """Raise ServiceError, FROZEN, for a game with other rules or cards than this server's."""
    if hosted.frozen:
        raise_error(Reason.FROZEN, "game_id", hosted.frozen_reason)


def require_alive(hosted: HostedGame) -> None:
    """Raise ServiceError for a game that accepts no more entries: FROZEN or GAME_OVER."""
    require_playable(hosted)
    if hosted.over:
        raise_error(Reason.GAME_OVER, "game_id", "the game is over")


def require_running(hosted: HostedGame) -> None:
    """Raise ServiceError for a game that is not running: FROZEN, GAME_OVER or NOT_STARTED."""
    require_alive(hosted)
    if hosted.waiting:
        raise_error(Reason.NOT_STARTED, "game_id", "the game is waiting for people to take its open seats")


def require_version(hosted: HostedGame, version: int) -> None:
    """Raise ServiceError, STALE_VERSION with the current version, unless the versions are equal."""
    if version != hosted.version:
        raise stale(version, hosted.version)


def require_current(hosted: HostedGame, version: int) -> None:
    """Raise ServiceError unless a running game has this version: FROZEN, STALE_VERSION, GAME_OVER or NOT_STARTED.

    A stale version is reported before the end of the game, so that a slow player gets the same error in all cases.
    """
    require_playable(hosted)
    require_version(hosted, version)
    require_running(hosted)


def stale(version: int, current: int) -> ServiceError:
    """Return the error of a command for a version that is not the current one."""
    text = f"is {version}; the game now has version {current}"
    return ServiceError(Reason.STALE_VERSION, [("version", text)], metadata={"version": str(current)})


def require_room(hosted: HostedGame) -> None:
    """Raise ServiceError, LOG_FULL, for a game whose log has room only for the moves that remain until its end."""
    if hosted.version >= MAX_ENTRIES:
        raise_error(
            Reason.LOG_FULL,
            "game_id",
            f"the log of the game has {hosted.version:,} entries; from {MAX_ENTRIES:,} on only moves are accepted",
        )


def repeated(hosted: HostedGame, version: int, is_it: Callable[[Entry], bool]) -> bool:
    """Return whether a command is a repetition: the entry after the version is the same."""
    return version < hosted.version and is_it(hosted.entries[version])


# -- actions ---------------------------------------------------------------------------------------


def play(hosted: HostedGame, viewer: Viewer, version: int, text: str, moment: int, then: Sequence[str] = ()) -> int:
    """Play an action and the automatic moves after it; return the new version.

    `then` are the texts of further actions of the same seat, to be played directly after it. Raises ServiceError:
    TOO_MANY_ACTIONS, STALE_VERSION, NOT_SEATS_TURN, BAD_ACTION, ILLEGAL_ACTION, or because the game is not running.
    """
    require_few("then_actions", len(then), MOST_THEN)
    texts = (text, *then)
    if all(repeated(hosted, version + place, played_by(viewer, one)) for place, one in enumerate(texts)):
        return after(hosted, version + len(then))
    require_current(hosted, version)
    seat = require_turn(hosted, viewer)
    for number, one in enumerate(texts):
        field = f"then_actions[{number - 1}]" if number else "action"
        if require_turn(hosted, viewer) != seat:
            raise_error(Reason.ILLEGAL_ACTION, field, f"{one[:40]!r} is not of the seat that began")
        add_action(hosted, Entry(EntryKind.PLAYED, seat, one, moment), field)
    advance_automatic(hosted, moment)
    return hosted.version


def played_by(viewer: Viewer, text: str) -> Callable[[Entry], bool]:
    """Return a predicate for entries that are this action of the viewer."""

    def is_it(entry: Entry) -> bool:
        same = entry.kind == EntryKind.PLAYED and entry.text == text
        return same and (entry.seat is None or entry.seat in viewer.seats)

    return is_it


def after(hosted: HostedGame, version: int) -> int:
    """Return the version after the action stored at a version and the automatic moves after it."""
    version += 1
    while version < hosted.version and hosted.entries[version].kind in (*BY_ITSELF, EntryKind.GIVEN_BACK):
        version += 1
    return version


def require_turn(hosted: HostedGame, viewer: Viewer) -> int | None:
    """Return the seat that a viewer may act for, None for Nature. Raises ServiceError: NOT_SEATS_TURN."""
    turn = hosted.turn
    if turn == NATURE and (viewer.seats or viewer.owner):
        return None
    if turn not in viewer.seats:
        who = "a chance event is due" if turn == NATURE else f"seat {turn} is to decide"
        raise_error(Reason.NOT_SEATS_TURN, "tokens", f"{who}; send the token of a seat that may act")
    if hosted.seats[turn].kind != SeatKind.PERSON:
        raise_error(Reason.NOT_SEATS_TURN, "tokens", f"a bot plays seat {turn}; SetSeat returns it to its player")
    return turn


def add_action(hosted: HostedGame, entry: Entry, field: str = "action") -> None:
    """Add an action from the field `field`. Raises ServiceError: BAD_ACTION, or ILLEGAL_ACTION with some legal ones."""
    try:
        hosted.add(entry)
    except BadText:
        raise_error(Reason.BAD_ACTION, field, f"{entry.text[:40]!r} is not an action of {hosted.head.game}")
    except IllegalAction as error:
        raise_error(
            Reason.ILLEGAL_ACTION, field, f"{entry.text[:40]!r} is not legal; legal here: {some_of(error.legal)}"
        )


def play_bot(hosted: HostedGame, version: int, text: str, moment: int) -> None:
    """Play an automatic move, for a bot or a player who is out of time, unless the version has changed.

    Raises ServiceError: STALE_VERSION.
    """
    require_version(hosted, version)
    turn = hosted.turn
    assert turn is not None
    assert turn >= 0
    kind = EntryKind.PLAYED if hosted.seats[turn].kind == SeatKind.BOT else EntryKind.PLAYED_ON
    add_action(hosted, Entry(kind, turn, text, moment))
    advance_automatic(hosted, moment)


def give_back(before: HostedGame, hosted: HostedGame, playable: int, moment: int) -> int:
    """Give back what a turn that a command has ended lost while the game was not playable; return the new entries.

    Args:
        before: the game before the command.
        hosted: the game after it.
        playable: since when the game has been playable, in milliseconds since 1970.
        moment: the time of the command.
    """
    seat, lost = before.person_to_move, min(playable, moment) - before.since
    if seat is None or not hosted.clocks or hosted.over or hosted.since == before.since or lost <= 0:
        return 0
    hosted.add(Entry(EntryKind.GIVEN_BACK, seat, str(lost), moment))
    return 1


# -- automatic moves -------------------------------------------------------------------------------


def advance_automatic(hosted: HostedGame, moment: int) -> list[Entry]:
    """Add the automatic moves that are due, and return them: chance events, and forced actions.

    At a physical table there are no automatic chance events, because people enter them.
    """
    added: list[Entry] = []
    while (entry := next_by_itself(hosted, moment)) is not None:
        hosted.add(entry)
        added.append(entry)
    return added


def next_by_itself(hosted: HostedGame, moment: int) -> Entry | None:
    """Return the next automatic move; None if a player is to decide."""
    if hosted.turn == NATURE:
        return None if hosted.head.options.table else draw(hosted, moment)
    text = hosted.forced
    return None if text is None else Entry(EntryKind.FORCED, hosted.turn, text, moment)


def draw(hosted: HostedGame, moment: int) -> Entry:
    """Return the outcome of the due chance event, which depends only on the seed and the ply."""
    seed = hashlib.sha256(f"{hosted.head.seed}:{hosted.ply + 1}".encode()).digest()[:8]
    state = hosted.position.copy()
    return Entry(EntryKind.DRAWN, None, state.draw(Rng(int.from_bytes(seed))).text, moment)


# -- private outcomes ------------------------------------------------------------------------------


def set_private_outcome(hosted: HostedGame, viewer: Viewer, version: int, seat: int, text: str, moment: int) -> int:
    """Enter the private outcome of a coming chance event that a seat saw at a physical table; return the new version.

    Raises ServiceError: STALE_VERSION, LOG_FULL, BAD_SEAT, WRONG_SEAT_TOKEN, BAD_ACTION, ILLEGAL_ACTION, or because the
    game is not running.
    """
    require_seat(hosted, seat)
    require_own(hosted, viewer, seat)
    if repeated(
        hosted, version, lambda entry: (entry.kind, entry.seat, entry.text) == (EntryKind.PRIVATE_OUTCOME, seat, text)
    ):
        return version + 1
    require_current(hosted, version)
    require_room(hosted)
    try:
        hosted.add(Entry(EntryKind.PRIVATE_OUTCOME, seat, text, moment))
    except BadText:
        raise_error(Reason.BAD_ACTION, "action", f"{text[:40]!r} is not an outcome in {hosted.head.game}")
    except IllegalAction as error:
        raise_error(Reason.ILLEGAL_ACTION, "action", str(error))
    return hosted.version


def require_own(hosted: HostedGame, viewer: Viewer, seat: int) -> None:
    """Raise ServiceError, WRONG_SEAT_TOKEN, unless the viewer is the seat's player, or the owner for a bot's seat."""
    holder = hosted.seats[seat]
    is_bots = holder.kind == SeatKind.BOT and not holder.token  # no person can reclaim it
    if seat not in viewer.seats and not (viewer.owner and is_bots):
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", f"only seat {seat} can say what it has been shown")


# -- seats and the end -----------------------------------------------------------------------------


def join(hosted: HostedGame, seat: int | None, name: str, token: str, moment: int) -> int:
    """Give an open seat to the person whose token has this digest; return the seat. Raises ServiceError."""
    require_alive(hosted)
    if seat is None:
        seat = next((n for n, holder in enumerate(hosted.seats) if holder.kind == SeatKind.OPEN), None)
    if seat is None:
        raise_error(Reason.SEAT_TAKEN, "seat", "every seat is taken")
    require_seat(hosted, seat)
    if hosted.seats[seat].kind != SeatKind.OPEN:
        raise_error(Reason.SEAT_TAKEN, "seat", f"seat {seat} is taken")
    hosted.add(seated(seat, Holder(SeatKind.PERSON, name=name, token=token), moment))
    advance_automatic(hosted, moment)
    return seat


def require_seat(hosted: HostedGame, seat: int) -> None:
    """Raise ServiceError, BAD_SEAT, for a seat that does not exist."""
    if seat >= len(hosted.seats):
        raise_error(Reason.BAD_SEAT, "seat", no_seat(seat, len(hosted.seats)))


def set_seat(
    hosted: HostedGame, viewer: Viewer, seat: int, plan: Holder, moment: int, version: int | None = None
) -> None:
    """Assign a seat to a bot or its player, or open it, unless its holder has changed since a version.

    Raises ServiceError: WRONG_SEAT_TOKEN, BAD_SEAT, STALE_VERSION, LOG_FULL.
    """
    require_seat(hosted, seat)
    require_alive(hosted)
    if not (viewer.owner or seat in viewer.seats):
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", f"the owner's or that of seat {seat} is required")
    holder = new_holder(hosted.seats[seat], plan)
    if holder != hosted.seats[seat]:
        require_unchanged(hosted, seat, version)
        require_room(hosted)
        hosted.add(seated(seat, holder, moment))
        advance_automatic(hosted, moment)


def require_unchanged(hosted: HostedGame, seat: int, version: int | None) -> None:
    """Raise ServiceError, STALE_VERSION, if the holder of a seat has changed since a version; None for any."""
    if version is None:
        return
    since = hosted.entries[version:]
    if version > hosted.version or any((one.kind, one.seat) == (EntryKind.SEATED, seat) for one in since):
        raise stale(version, hosted.version)


def new_holder(holder: Holder, plan: Holder) -> Holder:
    """Return the new holder of a seat. Raises ServiceError, BAD_OPTIONS, for a person without a token."""
    if plan.kind == SeatKind.OPEN:
        return plan
    if plan.kind == SeatKind.BOT:
        assert plan.bot is not None
        return holder.played_by(plan.bot)
    if not holder.token:
        raise_error(Reason.BAD_OPTIONS, "holder", "nobody has a token for this seat; open it so that a person can join")
    return Holder(SeatKind.PERSON, name=plan.name or holder.name, token=holder.token)


def end(hosted: HostedGame, viewer: Viewer, reason: EndReason, seat: int | None, moment: int) -> None:
    """End a game early; `seat` is the one that resigns, None for any of the viewer's.

    Raises ServiceError: WRONG_SEAT_TOKEN, BAD_SEAT, GAME_OVER, FROZEN, NOT_STARTED.
    """
    if reason == EndReason.RESIGNED:
        resign(hosted, viewer, seat, moment)
        return
    if hosted.ended is not None and hosted.ended.text == reason and viewer.owner:
        return
    if not hosted.over and not viewer.owner:
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "only the owner may abandon the game")
    if hosted.over:
        require_alive(hosted)
    hosted.add(Entry(EntryKind.ENDED, None, reason, moment))


def resign(hosted: HostedGame, viewer: Viewer, seat: int | None, moment: int) -> None:
    """Let a player resign: the other one wins, or with more players a bot takes over the seat."""
    if seat is not None:
        require_seat(hosted, seat)
        if seat not in viewer.seats:
            raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", f"that of seat {seat} is required")
    if has_resigned(hosted, viewer, seat):
        return
    require_running(hosted)
    people = [own for own in viewer.seats if seat in (None, own) and hosted.seats[own].kind == SeatKind.PERSON]
    if not people:
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "none belongs to a seat of a person")
    leaving = hosted.turn if hosted.turn in people else people[0]
    assert leaving is not None
    if len(hosted.seats) == TWO:
        hosted.add(Entry(EntryKind.ENDED, leaving, EndReason.RESIGNED, moment))
    else:
        hosted.add(seated(leaving, hosted.seats[leaving].played_by(hosted.head.options.play_on), moment))


def has_resigned(hosted: HostedGame, viewer: Viewer, seat: int | None) -> bool:
    """Return whether a seat has resigned; with None, whether any of the viewer's has, to detect repetitions."""
    seats = viewer.seats if seat is None else (seat,)
    if len(hosted.seats) > TWO:
        return any(hosted.seats[own].kind == SeatKind.BOT for own in seats)
    if hosted.ended is None or hosted.ended.text != EndReason.RESIGNED:
        return False
    return hosted.ended.seat in seats or (seat is None and viewer.owner)
