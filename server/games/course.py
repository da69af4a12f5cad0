"""The commands on a game: each validates an action of a player and appends its entries to the given game.

The given game is a copy, which is discarded if the command fails or cannot be stored.
"""

from collections.abc import Callable, Sequence
from itertools import takewhile

from clerestory.engine.core import NATURE
from clerestory.engine.errors import BadText, IllegalAction
from clerestory.refusals import Reason, Refusal, no_seat, refuse
from clerestory.server.games.disclosure import disclosed_since
from clerestory.server.games.kept import ServerGame, TakeBackProposal, settle
from clerestory.server.games.log import BY_ITSELF, EndReason, Entry, EntryKind, Holder, SeatKind, TakeBacks, seated
from clerestory.server.games.rulebook import require_few, some_of
from clerestory.server.games.viewer import Viewer

MAX_ENTRIES = 4000  # of a game, except moves; the longest games end with a tenth of it
MOST_THEN = 100  # maximum further actions in one request
TWO = 2  # players: if one resigns, the other one wins

ANSWERS = (EntryKind.AGREED, EntryKind.DECLINED, EntryKind.TAKEN_BACK)


# -- preconditions ---------------------------------------------------------------------------------


def require_playable(kept: ServerGame) -> None:
    """Raise Refusal, FROZEN, for a game with other rules or cards than this server's."""
    if kept.frozen:
        refuse(Reason.FROZEN, "game_id", kept.frozen_reason)


def require_alive(kept: ServerGame) -> None:
    """Raise Refusal for a game that accepts no more entries: FROZEN or GAME_OVER."""
    require_playable(kept)
    if kept.over:
        refuse(Reason.GAME_OVER, "game_id", "the game is over")


def require_running(kept: ServerGame) -> None:
    """Raise Refusal for a game that is not running: FROZEN, GAME_OVER or NOT_STARTED."""
    require_alive(kept)
    if kept.waiting:
        refuse(Reason.NOT_STARTED, "game_id", "the game is waiting for people to take its open seats")


def require_version(kept: ServerGame, version: int) -> None:
    """Raise Refusal, STALE_VERSION with the current version, unless the versions are equal."""
    if version != kept.version:
        raise stale(version, kept.version)


def require_current(kept: ServerGame, version: int) -> None:
    """Raise Refusal unless a running game has this version: FROZEN, STALE_VERSION, GAME_OVER or NOT_STARTED.

    A stale version is reported before the end of the game, so that a slow player gets the same error in all cases.
    """
    require_playable(kept)
    require_version(kept, version)
    require_running(kept)


def stale(version: int, current: int) -> Refusal:
    """Return the error of a command for a version that is not the current one."""
    text = f"is {version}; the game now has version {current}"
    return Refusal(Reason.STALE_VERSION, [("version", text)], metadata={"version": str(current)})


def require_room(kept: ServerGame) -> None:
    """Raise Refusal, LOG_FULL, for a game whose log has room only for the moves that remain until its end."""
    if kept.version >= MAX_ENTRIES:
        refuse(
            Reason.LOG_FULL,
            "game_id",
            f"the log of the game has {kept.version:,} entries; from {MAX_ENTRIES:,} on only moves are accepted",
        )


def repeated(kept: ServerGame, version: int, is_it: Callable[[Entry], bool]) -> bool:
    """Return whether a command is a repetition: the entry after the version is the same."""
    return version < kept.version and is_it(kept.entries[version])


# -- actions ---------------------------------------------------------------------------------------


def play(kept: ServerGame, viewer: Viewer, version: int, text: str, moment: int, then: Sequence[str] = ()) -> int:
    """Play an action and the automatic moves after it; return the new version.

    `then` are the texts of further actions of the same seat, to be played directly after it. Raises Refusal:
    TOO_MANY_ACTIONS, STALE_VERSION, NOT_SEATS_TURN, BAD_ACTION, ILLEGAL_ACTION, or because the game is not running.
    """
    require_few("then_actions", len(then), MOST_THEN)
    texts = (text, *then)
    if all(repeated(kept, version + place, played_by(viewer, one)) for place, one in enumerate(texts)):
        return after(kept, version + len(then))
    require_current(kept, version)
    seat = require_turn(kept, viewer)
    for number, one in enumerate(texts):
        field = f"then_actions[{number - 1}]" if number else "action"
        if require_turn(kept, viewer) != seat:
            refuse(Reason.ILLEGAL_ACTION, field, f"{one[:40]!r} is not of the seat that began")
        add_action(kept, Entry(EntryKind.PLAYED, seat, one, moment), field)
    settle(kept, moment)
    return kept.version


def played_by(viewer: Viewer, text: str) -> Callable[[Entry], bool]:
    """Return a predicate for entries that are this action of the viewer."""

    def is_it(entry: Entry) -> bool:
        same = entry.kind == EntryKind.PLAYED and entry.text == text
        return same and (entry.seat is None or entry.seat in viewer.seats)

    return is_it


def after(kept: ServerGame, version: int) -> int:
    """Return the version after the action stored at a version and the automatic moves after it."""
    version += 1
    while version < kept.version and kept.entries[version].kind in BY_ITSELF:
        version += 1
    return version


def require_turn(kept: ServerGame, viewer: Viewer) -> int | None:
    """Return the seat that a viewer may act for, None for Nature. Raises Refusal: NOT_SEATS_TURN."""
    turn = kept.turn
    if turn == NATURE and (viewer.seats or viewer.owner):
        return None
    if turn not in viewer.seats:
        who = "a chance event is due" if turn == NATURE else f"seat {turn} is to decide"
        refuse(Reason.NOT_SEATS_TURN, "tokens", f"{who}; send the token of a seat that may act")
    if kept.seats[turn].kind != SeatKind.PERSON:
        refuse(Reason.NOT_SEATS_TURN, "tokens", f"a bot plays seat {turn}; SetSeat returns it to its player")
    return turn


def add_action(kept: ServerGame, entry: Entry, field: str = "action") -> None:
    """Add an action from the field `field`. Raises Refusal: BAD_ACTION, or ILLEGAL_ACTION with some legal ones."""
    try:
        kept.add(entry)
    except BadText:
        refuse(Reason.BAD_ACTION, field, f"{entry.text[:40]!r} is not an action of {kept.head.game}")
    except IllegalAction as error:
        refuse(Reason.ILLEGAL_ACTION, field, f"{entry.text[:40]!r} is not legal; legal here: {some_of(error.legal)}")


def play_bot(kept: ServerGame, version: int, text: str, moment: int) -> None:
    """Play an automatic move, for a bot or a player who is out of time, unless the version has changed.

    Raises Refusal: STALE_VERSION.
    """
    require_version(kept, version)
    turn = kept.turn
    assert turn is not None
    assert turn >= 0
    kind = EntryKind.PLAYED if kept.seats[turn].kind == SeatKind.BOT else EntryKind.PLAYED_ON
    add_action(kept, Entry(kind, turn, text, moment))
    settle(kept, moment)


# -- private outcomes ------------------------------------------------------------------------------


def enter_private_outcome(kept: ServerGame, viewer: Viewer, version: int, seat: int, text: str, moment: int) -> int:
    """Enter the private outcome of a coming chance event that a seat saw at a physical table; return the new version.

    Raises Refusal: STALE_VERSION, LOG_FULL, BAD_SEAT, WRONG_SEAT_TOKEN, BAD_ACTION, ILLEGAL_ACTION, or because the game
    is not running.
    """
    require_seat(kept, seat)
    require_own(kept, viewer, seat)
    if repeated(
        kept, version, lambda entry: (entry.kind, entry.seat, entry.text) == (EntryKind.PRIVATE_OUTCOME, seat, text)
    ):
        return version + 1
    require_current(kept, version)
    require_room(kept)
    try:
        kept.add(Entry(EntryKind.PRIVATE_OUTCOME, seat, text, moment))
    except BadText:
        refuse(Reason.BAD_ACTION, "action", f"{text[:40]!r} is not an outcome in {kept.head.game}")
    except IllegalAction as error:
        refuse(Reason.ILLEGAL_ACTION, "action", str(error))
    return kept.version


def require_own(kept: ServerGame, viewer: Viewer, seat: int) -> None:
    """Raise Refusal, WRONG_SEAT_TOKEN, unless the viewer is the seat's player, or the owner for a bot's seat."""
    holder = kept.seats[seat]
    is_bots = holder.kind == SeatKind.BOT and not holder.token  # no person can reclaim it
    if seat not in viewer.seats and not (viewer.owner and is_bots):
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", f"only seat {seat} can say what it has been shown")


# -- take-backs ------------------------------------------------------------------------------------


def take_back(kept: ServerGame, viewer: Viewer, version: int, ply: int, decline: bool, moment: int) -> int:
    """Propose, accept or decline a take-back, and carry it out once everyone has agreed; return the new version.

    Raises Refusal: STALE_VERSION, LOG_FULL, WRONG_SEAT_TOKEN, BAD_PLY, TAKE_BACK_REFUSED, or because the game is not
    running.
    """
    people = [seat for seat in viewer.seats if kept.seats[seat].kind == SeatKind.PERSON]
    if repeated(kept, version, answered_by(people, ply, decline)):
        return after_answers(kept, version, people)
    require_current(kept, version)
    require_room(kept)
    if not people:
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", "none belongs to a seat of a person")
    if decline:
        decline_take_back(kept, people[0], ply, moment)
        return kept.version
    require_ply(kept, ply)
    agree(kept, people, ply, moment)
    settle(kept, moment)
    return kept.version


def answered_by(people: Sequence[int], ply: int, decline: bool) -> Callable[[Entry], bool]:
    """Return a predicate for entries that are this proposal or response of these players."""

    def is_it(entry: Entry) -> bool:
        same = entry.kind in ANSWERS and (entry.kind == EntryKind.DECLINED) == decline
        return same and entry.seat in people and entry.ply == ply

    return is_it


def after_answers(kept: ServerGame, version: int, people: Sequence[int]) -> int:
    """Return the version after the players' responses, and after the take-back itself if it followed."""
    first = kept.entries[version]
    if first.kind == EntryKind.DECLINED:
        return version + 1
    agreed = answered_by(people, first.ply, decline=False)
    more = kept.entries[version : version + len(people)]
    version += len([*takewhile(lambda one: one.kind == EntryKind.AGREED and agreed(one), more)])
    carried_out = version < kept.version and kept.entries[version].kind == EntryKind.TAKEN_BACK
    return after(kept, version) if carried_out else version


def decline_take_back(kept: ServerGame, seat: int, ply: int, moment: int) -> None:
    """Decline a take-back. Raises Refusal, TAKE_BACK_REFUSED, if none is proposed."""
    if kept.proposal is None or kept.proposal.ply != ply:
        refuse(Reason.TAKE_BACK_REFUSED, "ply", f"nobody has asked to go back to ply {ply}")
    kept.add(Entry(EntryKind.DECLINED, seat, str(ply), moment))


def require_ply(kept: ServerGame, ply: int) -> None:
    """Raise Refusal for a ply that the game cannot return to: BAD_PLY, TAKE_BACK_REFUSED."""
    rule = kept.head.options.take_backs
    if ply >= kept.ply:
        refuse(Reason.BAD_PLY, "ply", f"is {ply}; must be below {kept.ply}, the current one")
    if kept.line[kept.decision_before(ply)].kind in BY_ITSELF and kept.line[ply].kind == EntryKind.FORCED:
        refuse(Reason.TAKE_BACK_REFUSED, "ply", f"nobody had decided anything before ply {ply}")
    if rule == TakeBacks.NEVER:
        refuse(Reason.TAKE_BACK_REFUSED, "ply", "this game does not allow take-backs")
    if rule == TakeBacks.FAIR and not kept.head.options.table:
        require_nothing_shown(kept, kept.decision_before(ply))


def require_nothing_shown(kept: ServerGame, ply: int) -> None:
    """Raise Refusal, TAKE_BACK_REFUSED, if a take-back to a ply would leave players with later information."""
    if any(entry.seat is None for entry in kept.line[ply:]):
        refuse(Reason.TAKE_BACK_REFUSED, "ply", f"a chance event has happened since ply {ply}")
    if disclosed_since(kept, ply):
        refuse(Reason.TAKE_BACK_REFUSED, "ply", f"a hidden card has been shown since ply {ply}")


def agree(kept: ServerGame, people: list[int], ply: int, moment: int) -> None:
    """Accept or propose a take-back for some players; carry it out if no more consent is needed."""
    pending = kept.proposal if kept.proposal is not None and kept.proposal.ply == ply else None
    proposal = pending or TakeBackProposal(ply, people[0], frozenset())
    new = [seat for seat in people if seat not in proposal.agreed]
    missing = kept.missing(TakeBackProposal(ply, proposal.seat, proposal.agreed | set(people)))
    if pending or missing:
        for seat in new:
            kept.add(Entry(EntryKind.AGREED, seat, str(ply), moment))
    if not missing:
        kept.add(Entry(EntryKind.TAKEN_BACK, proposal.seat, str(ply), moment))


# -- seats and the end -----------------------------------------------------------------------------


def join(kept: ServerGame, seat: int | None, name: str, token: str, moment: int) -> int:
    """Give an open seat to the person whose token has this digest; return the seat. Raises Refusal."""
    require_alive(kept)
    if seat is None:
        seat = next((n for n, holder in enumerate(kept.seats) if holder.kind == SeatKind.OPEN), None)
    if seat is None:
        refuse(Reason.SEAT_TAKEN, "seat", "every seat is taken")
    require_seat(kept, seat)
    if kept.seats[seat].kind != SeatKind.OPEN:
        refuse(Reason.SEAT_TAKEN, "seat", f"seat {seat} is taken")
    kept.add(seated(seat, Holder(SeatKind.PERSON, name=name, token=token), moment))
    settle(kept, moment)
    return seat


def require_seat(kept: ServerGame, seat: int) -> None:
    """Raise Refusal, BAD_SEAT, for a seat that does not exist."""
    if seat >= len(kept.seats):
        refuse(Reason.BAD_SEAT, "seat", no_seat(seat, len(kept.seats)))


def set_seat(kept: ServerGame, viewer: Viewer, seat: int, plan: Holder, moment: int) -> None:
    """Assign a seat to a bot or its player, or open it. Raises Refusal: WRONG_SEAT_TOKEN, BAD_SEAT, LOG_FULL."""
    require_seat(kept, seat)
    require_alive(kept)
    if not (viewer.owner or seat in viewer.seats):
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", f"the owner's or that of seat {seat} is required")
    holder = new_holder(kept.seats[seat], plan)
    if holder != kept.seats[seat]:
        require_room(kept)
        kept.add(seated(seat, holder, moment))
        settle(kept, moment)


def new_holder(holder: Holder, plan: Holder) -> Holder:
    """Return the new holder of a seat. Raises Refusal, BAD_OPTIONS, for a person without a token."""
    if plan.kind == SeatKind.OPEN:
        return plan
    if plan.kind == SeatKind.BOT:
        assert plan.bot is not None
        return holder.played_by(plan.bot)
    if not holder.token:
        refuse(Reason.BAD_OPTIONS, "holder", "nobody has a token for this seat; open it so that a person can join")
    return Holder(SeatKind.PERSON, name=plan.name or holder.name, token=holder.token)


def end(kept: ServerGame, viewer: Viewer, reason: EndReason, seat: int | None, moment: int) -> None:
    """End a game early; `seat` is the one that resigns, None for any of the viewer's.

    Raises Refusal: WRONG_SEAT_TOKEN, BAD_SEAT, GAME_OVER, FROZEN, NOT_STARTED.
    """
    if reason == EndReason.RESIGNED:
        resign(kept, viewer, seat, moment)
        return
    if kept.ended is not None and kept.ended.text == reason and viewer.owner:
        return
    if not kept.over and not viewer.owner:
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", "only the owner may abandon the game")
    if kept.over:
        require_alive(kept)
    kept.add(Entry(EntryKind.ENDED, None, reason, moment))


def resign(kept: ServerGame, viewer: Viewer, seat: int | None, moment: int) -> None:
    """Let a player resign: the other one wins, or with more players a bot takes over the seat."""
    if seat is not None:
        require_seat(kept, seat)
        if seat not in viewer.seats:
            refuse(Reason.WRONG_SEAT_TOKEN, "tokens", f"that of seat {seat} is required")
    if has_resigned(kept, viewer, seat):
        return
    require_running(kept)
    people = [own for own in viewer.seats if seat in (None, own) and kept.seats[own].kind == SeatKind.PERSON]
    if not people:
        refuse(Reason.WRONG_SEAT_TOKEN, "tokens", "none belongs to a seat of a person")
    leaving = kept.turn if kept.turn in people else people[0]
    assert leaving is not None
    if len(kept.seats) == TWO:
        kept.add(Entry(EntryKind.ENDED, leaving, EndReason.RESIGNED, moment))
    else:
        kept.add(seated(leaving, kept.seats[leaving].played_by(kept.head.options.play_on), moment))


def has_resigned(kept: ServerGame, viewer: Viewer, seat: int | None) -> bool:
    """Return whether a seat has resigned; with None, whether any of the viewer's has, to detect repetitions."""
    seats = viewer.seats if seat is None else (seat,)
    if len(kept.seats) > TWO:
        return any(kept.seats[own].kind == SeatKind.BOT for own in seats)
    if kept.ended is None or kept.ended.text != EndReason.RESIGNED:
        return False
    return kept.ended.seat in seats or (seat is None and viewer.owner)
