"""The take-back command, which needs the consent of all people and must not undo what a player has seen."""

from collections.abc import Callable, Sequence
from itertools import takewhile

from clerestory.engine.core import State
from clerestory.engine.errors import IllegalAction
from clerestory.server.games.commands import advance_automatic, after, repeated, require_current, require_room
from clerestory.server.games.hosted import HostedGame, TakeBackProposal
from clerestory.server.games.log import BY_ITSELF, Entry, EntryKind, SeatKind, TakeBacks
from clerestory.server.games.viewer import Viewer
from clerestory.service_errors import Reason, raise_error

WORLDS = 16  # deals to try; a fact with a probability of one half is missed once in 65,000 times

ANSWERS = (EntryKind.AGREED, EntryKind.DECLINED, EntryKind.TAKEN_BACK)


def take_back(hosted: HostedGame, viewer: Viewer, version: int, ply: int, decline: bool, moment: int) -> int:
    """Propose, accept or decline a take-back, and carry it out once everyone has agreed; return the new version.

    Raises ServiceError: STALE_VERSION, LOG_FULL, WRONG_SEAT_TOKEN, BAD_PLY, TAKE_BACK_REFUSED, or because the game is
    not running.
    """
    people = [seat for seat in viewer.seats if hosted.seats[seat].kind == SeatKind.PERSON]
    if repeated(hosted, version, answered_by(people, ply, decline)):
        return after_answers(hosted, version, people)
    require_current(hosted, version)
    require_room(hosted)
    if not people:
        raise_error(Reason.WRONG_SEAT_TOKEN, "tokens", "none belongs to a seat of a person")
    if decline:
        decline_take_back(hosted, people[0], ply, moment)
        return hosted.version
    require_ply(hosted, ply)
    agree(hosted, people, ply, moment)
    advance_automatic(hosted, moment)
    return hosted.version


def answered_by(people: Sequence[int], ply: int, decline: bool) -> Callable[[Entry], bool]:
    """Return a predicate for entries that are this proposal or response of these players."""

    def is_it(entry: Entry) -> bool:
        same = entry.kind in ANSWERS and (entry.kind == EntryKind.DECLINED) == decline
        return same and entry.seat in people and entry.ply == ply

    return is_it


def after_answers(hosted: HostedGame, version: int, people: Sequence[int]) -> int:
    """Return the version after the players' responses, and after the take-back itself if it followed."""
    first = hosted.entries[version]
    if first.kind == EntryKind.DECLINED:
        return version + 1
    agreed = answered_by(people, first.ply, decline=False)
    more = hosted.entries[version : version + len(people)]
    version += len([*takewhile(lambda one: one.kind == EntryKind.AGREED and agreed(one), more)])
    carried_out = version < hosted.version and hosted.entries[version].kind == EntryKind.TAKEN_BACK
    return after(hosted, version) if carried_out else version


def decline_take_back(hosted: HostedGame, seat: int, ply: int, moment: int) -> None:
    """Decline a take-back. Raises ServiceError, TAKE_BACK_REFUSED, if none is proposed."""
    if hosted.proposal is None or hosted.proposal.ply != ply:
        raise_error(Reason.TAKE_BACK_REFUSED, "ply", f"nobody has asked to go back to ply {ply}")
    hosted.add(Entry(EntryKind.DECLINED, seat, str(ply), moment))


def require_ply(hosted: HostedGame, ply: int) -> None:
    """Raise ServiceError for a ply that the game cannot return to: BAD_PLY, TAKE_BACK_REFUSED."""
    rule = hosted.head.options.take_backs
    if ply >= hosted.ply:
        raise_error(Reason.BAD_PLY, "ply", f"is {ply}; must be below {hosted.ply}, the current one")
    if hosted.line[hosted.decision_before(ply)].kind in BY_ITSELF and hosted.line[ply].kind == EntryKind.FORCED:
        raise_error(Reason.TAKE_BACK_REFUSED, "ply", f"nobody had decided anything before ply {ply}")
    if rule == TakeBacks.NEVER:
        raise_error(Reason.TAKE_BACK_REFUSED, "ply", "this game does not allow take-backs")
    if rule == TakeBacks.FAIR and not hosted.head.options.table:
        require_nothing_shown(hosted, hosted.decision_before(ply))


def require_nothing_shown(hosted: HostedGame, ply: int) -> None:
    """Raise ServiceError, TAKE_BACK_REFUSED, if a take-back to a ply would leave players with later information."""
    if any(entry.seat is None for entry in hosted.line[ply:]):
        raise_error(Reason.TAKE_BACK_REFUSED, "ply", f"a chance event has happened since ply {ply}")
    if disclosed_since(hosted, ply):
        raise_error(Reason.TAKE_BACK_REFUSED, "ply", f"a hidden card has been shown since ply {ply}")


def agree(hosted: HostedGame, people: list[int], ply: int, moment: int) -> None:
    """Accept or propose a take-back for some players; carry it out if no more consent is needed."""
    pending = hosted.proposal if hosted.proposal is not None and hosted.proposal.ply == ply else None
    proposal = pending or TakeBackProposal(ply, people[0], frozenset())
    new = [seat for seat in people if seat not in proposal.agreed]
    missing = hosted.missing(TakeBackProposal(ply, proposal.seat, proposal.agreed | set(people)))
    if pending or missing:
        for seat in new:
            hosted.add(Entry(EntryKind.AGREED, seat, str(ply), moment))
    if not missing:
        hosted.add(Entry(EntryKind.TAKEN_BACK, proposal.seat, str(ply), moment))


# -- revealed cards --------------------------------------------------------------------------------


def disclosed_since(hosted: HostedGame, ply: int) -> bool:
    """Return whether hidden cards were shown to a player since a ply, except by a person, whose consent is required."""
    assert hosted.positions is not None
    states = list(hosted.positions.since(ply))
    people = [seat for seat, holder in enumerate(hosted.seats) if holder.token]
    asked = {seat for seat in people if hosted.seats[seat].kind == SeatKind.PERSON}
    return any(
        shows(before, entry.text, after, eyes)
        for before, entry, after in zip(states, hosted.line[ply:], states[1:], strict=False)
        for eyes in people
        if entry.seat == eyes or entry.seat not in asked
    )


def shows(before: State, text: str, after: State, eyes: int) -> bool:
    """Return whether an action reveals hidden information to a seat: some deal makes it illegal or look different."""
    known = before.observe(eyes)
    if known == before:
        return False
    for seed in range(WORLDS):
        world = known.determinize(seed)
        try:
            world.play(text)
        except IllegalAction:
            return True
        if world.key(eyes) != after.key(eyes):
            return True
    return False
