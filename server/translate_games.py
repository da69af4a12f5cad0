"""Translates kept games to messages of GameService; every view is made here, from `State.observe` only."""

from enum import StrEnum
from itertools import pairwise, repeat
from typing import Any, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from clerestory.engine.core import NATURE, State
from clerestory.engine.scoring import by_position
from clerestory.games.kept import ServerGame, TakeBackProposal
from clerestory.games.log import (
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
from clerestory.games.viewer import Presence, Viewer
from clerestory.server.translate_answers import duration
from clerestory.server.translate_changes import write_changes
from clerestory.server.translate_rules import (
    write_action,
    write_actions,
    write_outcome,
    write_position,
    write_scores,
    write_turn,
)
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import games_pb2 as games
from clerestory.v1 import rules_pb2 as rules

E = TypeVar("E", bound=StrEnum)


def wire_values(ours: type[E], theirs: Any, prefix: str) -> dict[E, Any]:
    """Map our values to those in proto/, which have the same names with a prefix."""
    return {value: theirs.Value(f"{prefix}_{value.name}") for value in ours}


HINTS = wire_values(Hints, games.Hints, "HINTS")
TAKE_BACKS = wire_values(TakeBacks, games.TakeBacks, "TAKE_BACKS")
ONLOOKERS = wire_values(Onlookers, games.Onlookers, "ONLOOKERS")
SEATS = wire_values(SeatKind, games.SeatKind, "SEAT_KIND")
ENDS = wire_values(EndReason, games.EndReason, "END_REASON")


# -- a game ----------------------------------------------------------------------------------------


def write_game(kept: ServerGame, *, listed: bool = False) -> games.Game:
    """Return the public part of a game; pass it through `visible` first for a viewer with a delay.

    In a list the sources of points are not told card by card, because that takes a replay.
    """
    head, revealed = kept.head, kept.over and kept.head.seed is not None
    return games.Game(
        game_id=head.game_id,
        game=head.game,
        rules_revision=head.rules_revision,
        catalogue=head.catalogue,
        options=write_options(head.options),
        seats=[write_seat(seat, holder) for seat, holder in enumerate(kept.seats)],
        status=status_of(kept),
        version=kept.version,
        ply=kept.ply,
        turn=turn_of(kept),
        move_deadline=None if kept.deadline is None else moment(int(kept.deadline)),
        take_back=None if kept.proposal is None else write_question(kept, kept.proposal),
        end=write_end(kept, listed=listed),
        created=moment(head.created),
        updated=moment(kept.entries[-1].moment if kept.entries else head.created),
        commitment=head.commitment,
        seed=head.seed if revealed else None,
        salt=head.salt if revealed else "",
        seed_chosen=head.seed_chosen,
        frozen_reason="" if kept.over else kept.frozen_reason,
    )


def write_unreadable(game_id: str, why: str) -> games.Game:
    """Return what is shown of a game that cannot be read or shown."""
    return games.Game(game_id=game_id, status=games.GAME_STATUS_FROZEN, frozen_reason=why)


def status_of(kept: ServerGame) -> games.GameStatus.ValueType:
    """Return the status of a game."""
    if kept.over:
        return games.GAME_STATUS_OVER
    if kept.frozen:
        return games.GAME_STATUS_FROZEN
    return games.GAME_STATUS_OPEN if kept.waiting else games.GAME_STATUS_RUNNING


def turn_of(kept: ServerGame) -> rules.Turn | None:
    """Return whose turn it is, None while nobody can act."""
    if kept.over:
        return rules.Turn(kind=rules.TURN_KIND_OVER)
    return write_turn(kept.position) if kept.running else None


def write_options(options: GameOptions) -> games.GameOptions:
    """Return the options of a game."""
    seconds = options.seconds_per_move
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
    )


def write_bot(bot: BotSettings) -> games.Bot:
    """Return how a bot plays."""
    return games.Bot(level=bot.level, time_budget=duration(bot.seconds))


def write_seat(seat: int, holder: Holder) -> games.GameSeat:
    """Return who holds a seat."""
    return games.GameSeat(
        seat=seat,
        kind=SEATS[holder.kind],
        name=holder.name if holder.kind == SeatKind.PERSON else "",
        bot=write_bot(holder.bot) if holder.kind == SeatKind.BOT and holder.bot is not None else None,
        has_token=bool(holder.token),
    )


def write_question(kept: ServerGame, question: TakeBackProposal) -> games.TakeBackQuestion:
    """Return the pending take-back."""
    return games.TakeBackQuestion(ply=question.ply, seat=question.seat, missing=kept.missing(question))


def write_end(kept: ServerGame, *, listed: bool) -> games.GameEnd | None:
    """Return how a game ended, None if it has not."""
    if not kept.over:
        return None
    if kept.ended is None:
        outcome = write_outcome(kept.position, None if listed else kept.score_parts())
        return games.GameEnd(reason=games.END_REASON_PLAYED, outcome=outcome)
    message = ended(kept.ended, len(kept.seats))
    if message.HasField("outcome") and not kept.frozen:
        parts = by_position(kept.position) if listed else kept.score_parts()
        message.outcome.scores.extend(write_scores(kept.position, parts))
    return message


def ended(entry: Entry, seats: int) -> games.GameEnd:
    """Return the early end of a game."""
    reason, shares = ENDS[EndReason(entry.text)], shares_of_end(entry, seats)
    if shares is None:
        return games.GameEnd(reason=reason)
    return games.GameEnd(reason=reason, seat=entry.seat, outcome=rules.Outcome(win_shares=shares))


def moment(milliseconds: int) -> Timestamp:
    """Return a time as a message."""
    message = Timestamp()
    message.FromMilliseconds(milliseconds)
    return message


# -- views -----------------------------------------------------------------------------------------


def write_views(kept: ServerGame, viewer: Viewer, ply: int | None = None) -> list[games.GameView]:
    """Return the position of a ply (None for the current one) as each seat of the viewer sees it."""
    if kept.positions is None or viewer.stranger:
        return []
    position, present = kept.positions.at(kept.ply if ply is None else ply), ply is None or ply == kept.ply
    by_seat: list[int | None] = [*viewer.seats]
    if len(by_seat) != 1:
        by_seat.insert(0, None)
    enters = kept.head.options.table and not viewer.late
    return [write_view(position, seat, actions=present and kept.running, enters=enters) for seat in by_seat]


def write_view(position: State, seat: int | None, *, actions: bool, enters: bool) -> games.GameView:
    """Return a position as a seat knows it; None for the public view.

    Args:
        position: the whole position.
        seat: whose view.
        actions: this is the current position: list the legal actions if it is the seat's turn.
        enters: chance outcomes are entered, and this viewer may enter them.
    """
    eyes = NATURE if seat is None else seat
    known = position.observe(eyes)
    mine = known.turn == seat if known.turn != NATURE else enters
    return games.GameView(
        seat=seat,
        position=write_position(known),
        actions=write_actions(known).actions if actions and mine else None,
        unsaid=[write_action(known.game, outcome) for outcome in known.private_outcomes(eyes)] if actions else None,
    )


# -- entries ---------------------------------------------------------------------------------------


def write_entries(before: ServerGame, kept: ServerGame, viewer: Viewer) -> list[games.GameEntry]:
    """Return the entries added to a game since `before`, as a viewer may know them."""
    walk, written = before.copy(), []
    for entry in kept.entries[before.version :]:
        position = None if walk.frozen or not entry.moves else walk.position
        message = write_entry(walk, entry)
        walk.add(entry)
        message.version, message.ply = walk.version, walk.ply
        if position is not None:
            message.applied.changes.extend(changes_for(viewer, position, entry, walk.position))
        written.append(message)
    return written


def write_line(kept: ServerGame, first: int, last: int, viewer: Viewer) -> list[games.GameEntry]:
    """Return the entries of the current line from one ply to another, both included, as a viewer may know them."""
    numbers = {id(entry): number for number, entry in enumerate(kept.entries, 1)}
    written, first = [], max(first, 1)
    steps = repeat((None, None)) if kept.positions is None else pairwise(kept.positions.since(first - 1))
    for ply, (position, after) in zip(range(first, last + 1), steps, strict=False):
        entry = kept.line[ply - 1]
        message = applied(position, entry)
        message.version, message.ply = numbers[id(entry)], ply
        if position is not None and after is not None:
            message.applied.changes.extend(changes_for(viewer, position, entry, after))
        written.append(message)
    return written


def changes_for(viewer: Viewer, position: State, entry: Entry, after: State) -> list[rules.Change]:
    """Return what an entry changed by the knowledge of a viewer: that of the only seat, else what is public."""
    eyes = viewer.seats[0] if len(viewer.seats) == 1 else NATURE
    return write_changes(position.observe(eyes), entry.text, after.observe(eyes))


def write_entry(before: ServerGame, entry: Entry) -> games.GameEntry:
    """Return the entry that follows a game, without its numbers and changes."""
    time, seat = moment(entry.moment), entry.seat
    if entry.moves:
        return applied(None if before.frozen else before.position, entry)
    if entry.kind == EntryKind.ENDED:
        return games.GameEntry(time=time, end=ended(entry, len(before.seats)))
    assert seat is not None
    if entry.kind == EntryKind.TAKEN_BACK:
        return games.GameEntry(time=time, taken_back=games.TakenBack(seat=seat, from_ply=before.ply))
    if entry.kind == EntryKind.SAID:
        return games.GameEntry(time=time, said=games.Said(seat=seat))  # and not what
    if entry.kind == EntryKind.SEATED:
        return games.GameEntry(time=time, seat=write_seat(seat, entry.holder))
    word = games.TakeBackAnswered(seat=seat, asked_ply=entry.ply, declined=entry.kind == EntryKind.DECLINED)
    return games.GameEntry(time=time, take_back_answered=word)


def applied(position: State | None, entry: Entry) -> games.GameEntry:
    """Return an action or outcome played in a position; without a position its English text is unknown."""
    if position is None:
        action, turn = advisor.Action(text=entry.text), None
    else:
        action, turn = write_action(position.game, position.game.parse_action(entry.text)), write_turn(position)
    done = rules.AppliedAction(action=action, turn=turn, drawn=entry.kind == EntryKind.DRAWN)
    return games.GameEntry(
        time=moment(entry.moment),
        applied=done,
        played_on=entry.kind == EntryKind.PLAYED_ON,
        forced=entry.kind == EntryKind.FORCED,
    )


# -- states ----------------------------------------------------------------------------------------


def write_state(
    before: ServerGame, kept: ServerGame, viewer: Viewer, *, present: bool = True
) -> games.WatchGameResponse:
    """Return a game as a viewer sees it, with the entries since `before`.

    Args:
        before: the game as the viewer last saw it.
        kept: the game.
        viewer: who looks.
        present: this is the latest version, so actions are possible.
    """
    views = write_views(kept, viewer)
    for view in views if not present else ():
        del view.actions[:]
        del view.unsaid[:]
    return games.WatchGameResponse(game=write_game(kept), views=views, entries=write_entries(before, kept, viewer))


def write_presence(presence: Presence) -> games.Presence:
    """Return who watches as a message."""
    return games.Presence(seats=presence.seats, onlookers=presence.onlookers)


def write_record(kept: ServerGame, viewer: Viewer) -> games.GetRecordResponse:
    """Return the record as far as a viewer may know it."""
    seat = None if kept.over else viewer.seats[0] if viewer.seats else NATURE
    lines = kept.record(seat).lines()
    return games.GetRecordResponse(record="".join(f"{line}\n" for line in lines), whole=kept.over)
