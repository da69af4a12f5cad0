"""A kept game is derived from its log, and every change is checked first."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from clerestory.engine import NATURE
from clerestory.engine.record import EarlyEnd
from clerestory.games import course
from clerestory.games.cache import extended
from clerestory.games.kept import ServerGame
from clerestory.games.log import (
    BotSettings,
    EndReason,
    Entry,
    EntryKind,
    Head,
    Holder,
    SeatKind,
    TakeBacks,
    shares_of_end,
)
from clerestory.games.store import Unreadable
from clerestory.games.viewer import Viewer, viewer_of
from clerestory.refusals import Reason
from tests.games.table import BOTH, NOW, OWNER, STORED, first, head, kept, play, played, refused

# -- the log ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "seats"), [("toy", "ppp"), ("cathedral", "pppp"), ("duel", "pp")])
def test_a_log_gives_the_same_game_again(game: str, seats: str) -> None:
    played = kept(game, seats)
    everybody = Viewer(tuple(range(len(seats))))
    for _ in range(60):
        if not played.over:
            play(played, everybody)
    again = ServerGame(Head.from_json(played.head.to_json()), played.entries)
    assert (again.position, again.ply, again.version) == (played.position, played.ply, played.version)
    assert again.record(None).state.history == played.record(None).state.history
    assert [entry.kind for entry in played.entries if entry.seat is None] == [EntryKind.DRAWN] * sum(
        entry.kind == EntryKind.DRAWN for entry in played.entries
    )


def test_a_copy_goes_on_by_itself() -> None:
    game = kept()
    other, before = game.copy(), game.position.copy()
    play(other)
    assert (game.version, game.ply, game.position) == (other.version - 1, other.ply - 1, before)


def test_nature_is_never_due_once_things_have_settled() -> None:
    game = kept("cathedral", "pppp")
    while not game.over and game.ply < 200:
        assert game.turn != NATURE
        play(game, Viewer((0, 1, 2, 3)))


def test_luck_met_again_on_the_same_way_is_the_same() -> None:
    game = kept(take_backs=TakeBacks.ALL)
    before, version = game.ply, game.version
    while game.ply < before + 4:
        play(game)
    line = [entry.text for entry in game.line]
    course.take_back(game, BOTH, game.version, before, False, NOW)
    assert (game.ply, game.version > version) == (before, True)
    while game.ply < len(line):
        course.play(game, BOTH, game.version, line[game.ply], NOW)
    assert [entry.text for entry in game.line] == line


def test_a_game_of_other_rules_is_frozen() -> None:
    other = ServerGame(replace(head(), rules_revision=99))
    assert other.frozen
    assert not other.running
    assert other.turn is None
    assert refused(lambda: play_text(other, "fold")).reason == Reason.FROZEN
    assert not kept().frozen


def play_text(game: ServerGame, text: str) -> int:
    return course.play(game, BOTH, game.version, text, NOW)


# -- exactly once ----------------------------------------------------------------------------------


def test_an_action_is_played_once() -> None:
    game = kept()
    version, text = game.version, first(game)
    after = course.play(game, BOTH, version, text, NOW)
    entries = list(game.entries)
    assert course.play(game, BOTH, version, text, NOW + 1) == after
    play(game)
    assert course.play(game, BOTH, version, text, NOW + 2) == after
    assert game.entries[:after] == entries


def test_the_last_action_of_a_game_can_be_repeated() -> None:
    game = kept()
    while not game.over:
        version, text = game.version, first(game)
        after = course.play(game, BOTH, version, text, NOW)
    assert course.play(game, BOTH, version, text, NOW) == after


def test_another_action_for_the_same_version_is_refused_with_the_present_one() -> None:
    game = kept()
    version = game.version
    [text, other, *_] = [action.text for action in game.position.legal_actions()]
    course.play(game, BOTH, version, text, NOW)
    error = refused(lambda: course.play(game, BOTH, version, other, NOW))
    assert (error.reason, error.metadata) == (Reason.STALE_VERSION, {"version": str(game.version)})
    ahead = refused(lambda: course.play(game, BOTH, 99, other, NOW))
    assert (ahead.reason, ahead.metadata) == (Reason.STALE_VERSION, {"version": str(game.version)})


def test_the_same_action_of_another_seat_is_no_repetition() -> None:
    game = kept()
    version, text = game.version, first(game)
    seat = game.turn
    course.play(game, BOTH, version, text, NOW)
    other = Viewer((1 - (seat or 0),))
    assert refused(lambda: course.play(game, other, version, text, NOW)).reason == Reason.STALE_VERSION


# -- who may act -----------------------------------------------------------------------------------

REFUSED: list[tuple[Reason, str, Callable[[ServerGame], object]]] = [
    (Reason.NOT_SEATS_TURN, "pp", lambda game: play(game, Viewer((1,)))),
    (Reason.NOT_SEATS_TURN, "pp", lambda game: play(game, OWNER)),
    (Reason.NOT_SEATS_TURN, "bp", lambda game: play(game)),
    (Reason.BAD_ACTION, "pp", lambda game: play_text(game, "dance")),
    (Reason.ILLEGAL_ACTION, "pp", lambda game: play_text(game, "fair")),
    (Reason.NOT_STARTED, "po", lambda game: play_text(game, "fold")),
    (Reason.NOT_STARTED, "po", lambda game: course.end(game, Viewer((0,)), EndReason.RESIGNED, None, NOW)),
    (Reason.SEAT_TAKEN, "pp", lambda game: course.join(game, None, "", "x", NOW)),
    (Reason.SEAT_TAKEN, "po", lambda game: course.join(game, 0, "", "x", NOW)),
    (Reason.BAD_SEAT, "po", lambda game: course.join(game, 2, "", "x", NOW)),
    (Reason.BAD_SEAT, "pp", lambda game: course.set_seat(game, OWNER, 2, Holder(SeatKind.OPEN), NOW)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: course.set_seat(game, Viewer((1,)), 0, Holder(SeatKind.OPEN), NOW)),
    (Reason.BAD_OPTIONS, "pb", lambda game: course.set_seat(game, OWNER, 1, Holder(SeatKind.PERSON), NOW)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: course.end(game, BOTH, EndReason.ABANDONED, None, NOW)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: course.end(game, OWNER, EndReason.RESIGNED, None, NOW)),
    (Reason.WRONG_SEAT_TOKEN, "ppp", lambda game: course.end(game, BOTH, EndReason.RESIGNED, 2, NOW)),
    (Reason.BAD_SEAT, "ppp", lambda game: course.end(game, BOTH, EndReason.RESIGNED, 3, NOW)),
    (Reason.BAD_PLY, "pp", lambda game: course.take_back(game, BOTH, game.version, game.ply, False, NOW)),
    (Reason.TAKE_BACK_REFUSED, "pp", lambda game: course.take_back(game, BOTH, game.version, 0, False, NOW)),
    (Reason.TAKE_BACK_REFUSED, "pp", lambda game: course.take_back(game, BOTH, game.version, 1, True, NOW)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: course.take_back(game, OWNER, game.version, 0, False, NOW)),
    (Reason.STALE_VERSION, "pp", lambda game: course.take_back(game, BOTH, 0, 0, False, NOW)),
]


@pytest.mark.parametrize(("reason", "seats", "act"), REFUSED)
def test_what_may_not_be_done(reason: Reason, seats: str, act: Callable[[ServerGame], object]) -> None:
    game = kept(seats=seats)
    before = list(game.entries)
    assert refused(lambda: act(game)).reason == reason
    assert game.entries == before


@pytest.mark.parametrize("act", [play, lambda game: course.take_back(game, BOTH, game.version, 0, False, NOW)])
def test_nothing_is_done_in_a_game_that_is_over(act: Callable[[ServerGame], object]) -> None:
    game = kept()
    course.end(game, OWNER, EndReason.ABANDONED, None, NOW)
    assert refused(lambda: act(game)).reason == Reason.GAME_OVER


def test_of_two_moves_at_once_the_second_is_stale_also_if_the_first_ended_the_game() -> None:
    game = kept()
    while not game.over:
        version, [text, *others] = game.version, [action.text for action in game.position.legal_actions()]
        course.play(game, BOTH, version, text, NOW)
    error = refused(lambda: course.play(game, BOTH, version, [*others, "pass"][0], NOW))
    assert (error.reason, error.metadata) == (Reason.STALE_VERSION, {"version": str(game.version)})
    assert refused(lambda: course.take_back(game, BOTH, version, 0, False, NOW)).reason == Reason.STALE_VERSION
    assert refused(lambda: course.play(game, BOTH, game.version, text, NOW)).reason == Reason.GAME_OVER


# -- take-backs ------------------------------------------------------------------------------------


def test_against_bots_a_take_back_is_free_and_stays_in_the_log() -> None:
    game, ply = played("pb")
    version = game.version
    course.take_back(game, Viewer((0,)), version, ply, False, NOW)
    assert (game.ply, game.version, game.entries[-1].kind) == (ply, version + 1, EntryKind.TAKEN_BACK)
    assert game.turn == 0


def test_other_people_are_asked() -> None:
    game, ply = played("ppp")
    course.take_back(game, Viewer((0,)), game.version, ply, False, NOW)
    assert game.proposal is not None
    assert (game.ply, game.missing(game.proposal)) == (ply + 1, [1, 2])
    course.take_back(game, Viewer((2,)), game.version, ply, False, NOW)
    assert game.missing(game.proposal) == [1]
    course.take_back(game, Viewer((1,)), game.version, ply, False, NOW)
    assert (game.ply, game.proposal) == (ply, None)
    assert (game.entries[-1].kind, game.entries[-1].seat) == (EntryKind.TAKEN_BACK, 0)


def test_a_question_is_declined_or_lapses_with_the_next_action() -> None:
    game, ply = played("ppp")
    course.take_back(game, Viewer((0,)), game.version, ply, False, NOW)
    course.take_back(game, Viewer((1,)), game.version, ply, True, NOW)
    assert (game.ply, game.proposal) == (ply + 1, None)
    course.take_back(game, Viewer((0,)), game.version, ply, False, NOW)
    assert game.proposal is not None
    play(game, Viewer((1,)))
    assert game.proposal is None


def test_people_at_one_screen_agree_among_themselves() -> None:
    game, ply = played("pp")
    course.take_back(game, BOTH, game.version, ply, False, NOW)
    assert game.ply == ply


def test_a_take_back_is_done_once() -> None:
    game, ply = played("pp")
    version = game.version
    after = course.take_back(game, BOTH, version, ply, False, NOW)
    assert course.take_back(game, BOTH, version, ply, False, NOW) == after == game.version


def test_what_is_answered_about_a_take_back_is_told_again_as_it_was() -> None:
    game, ply = played("pppp")
    told = []
    for seats, decline in (((0,), False), ((0,), True), ((0, 1), False), ((2,), False), ((3,), False)):
        asked = Viewer(seats), game.version, ply, decline
        told.append((asked, course.take_back(game, *asked, NOW)))
    assert game.ply == ply
    for asked, after in told:
        assert course.take_back(game, *asked, NOW) == after


def test_to_decline_is_no_repetition_of_asking() -> None:
    game, ply = played("pp")
    version = game.version
    course.take_back(game, Viewer((0,)), version, ply, False, NOW)
    error = refused(lambda: course.take_back(game, Viewer((0,)), version, ply, True, NOW))
    assert error.reason == Reason.STALE_VERSION


@pytest.mark.parametrize(
    ("rule", "reason"), [(TakeBacks.NEVER, Reason.TAKE_BACK_REFUSED), (TakeBacks.FAIR, Reason.TAKE_BACK_REFUSED)]
)
def test_what_came_up_is_not_taken_back(rule: TakeBacks, reason: Reason) -> None:
    game, ply = played("pp", 3, take_backs=rule)
    assert EntryKind.DRAWN in {entry.kind for entry in game.line[ply:]}
    assert refused(lambda: course.take_back(game, BOTH, game.version, ply, False, NOW)).reason == reason


SHOWN = [
    ("pbp", "play", TakeBacks.FAIR, False),  # everybody knows now what the bot had in its hand
    ("pbp", "fold", TakeBacks.FAIR, True),  # which shows nothing
    ("pbp", "play", TakeBacks.ALL, True),
    ("ppp", "play", TakeBacks.FAIR, True),  # the person who showed the card agrees
]


@pytest.mark.parametrize(("seats", "word", "rule", "fair"), SHOWN)
def test_a_card_that_a_bot_showed_is_not_taken_back(seats: str, word: str, rule: TakeBacks, fair: bool) -> None:
    game, all_seats = kept(seats=seats, take_backs=rule), Viewer((0, 1, 2))
    ply = game.ply
    play_text(game, "fold")
    text = next(action.text for action in game.position.legal_actions() if action.text.startswith(word))
    game.add(Entry(EntryKind.PLAYED, 1, text, NOW))
    assert (game.turn, game.ply) == (2, ply + 2)
    before = list(game.entries)
    if fair:
        course.take_back(game, all_seats, game.version, ply, False, NOW)
        assert game.ply == ply
    else:
        error = refused(lambda: course.take_back(game, all_seats, game.version, ply, False, NOW))
        assert (error.reason, game.entries) == (Reason.TAKE_BACK_REFUSED, before)


# -- seats, the end, time --------------------------------------------------------------------------


def test_a_game_begins_when_the_last_seat_is_taken() -> None:
    game = kept(seats="poo")
    assert (game.waiting, game.version) == (True, 0)
    assert course.join(game, None, "Ann", "x", NOW) == 1
    assert game.version == 1
    assert course.join(game, 2, "Bob", "y", NOW) == 2
    assert game.running
    assert {entry.kind for entry in game.entries[2:]} == {EntryKind.DRAWN}
    assert [holder.name for holder in game.seats] == ["", "Ann", "Bob"]


def test_a_person_leaves_a_seat_to_a_bot_and_comes_back() -> None:
    game = kept()
    course.set_seat(game, Viewer((0,)), 0, Holder(SeatKind.BOT, bot=BotSettings(3)), NOW)
    assert game.mover == 0
    course.set_seat(game, Viewer((0,)), 0, Holder(SeatKind.PERSON), NOW)
    assert (game.mover, game.seats[0]) == (None, replace(head().seats[0]))


@pytest.mark.parametrize(("seats", "alone"), [("bb", True), ("bp", False), ("bo", False), ("po", False)])
def test_a_game_of_bots_only_has_nobody_and_no_seat_for_anybody(seats: str, alone: bool) -> None:
    assert kept(seats=seats).bots_only is alone


def test_a_game_is_of_bots_only_while_its_people_leave_their_seats_to_bots() -> None:
    game = kept(seats="pb")
    course.set_seat(game, OWNER, 0, Holder(SeatKind.BOT, bot=BotSettings(3)), NOW)
    assert game.bots_only
    course.set_seat(game, OWNER, 0, Holder(SeatKind.PERSON), NOW)
    assert not game.bots_only


def test_a_seat_that_is_so_already_stays_as_it_is() -> None:
    game = kept()
    version = game.version
    course.set_seat(game, OWNER, 0, Holder(SeatKind.PERSON), NOW)
    assert game.version == version


def test_a_seat_that_is_freed_loses_its_token() -> None:
    game = kept()
    course.set_seat(game, OWNER, 1, Holder(SeatKind.OPEN), NOW)
    assert game.waiting
    assert refused(lambda: viewer_of(game, ["seat 1"])).reason == Reason.WRONG_SEAT_TOKEN


def test_of_two_the_other_wins_when_one_resigns() -> None:
    game = kept()
    course.end(game, Viewer((1,)), EndReason.RESIGNED, None, NOW)
    version = game.version
    assert game.ended is not None
    assert shares_of_end(game.ended, 2) == [1.0, 0.0]
    assert game.record(None).early == EarlyEnd(0)
    course.end(game, Viewer((1,)), EndReason.RESIGNED, None, NOW)
    assert game.version == version


def test_an_abandoned_game_is_recorded_as_that() -> None:
    game = kept()
    assert game.record(None).early is None
    course.end(game, OWNER, EndReason.ABANDONED, None, NOW)
    assert game.record(None).early == EarlyEnd(None)


def test_of_three_a_bot_goes_on_for_one_who_resigns() -> None:
    game = kept(seats="ppp", play_on=BotSettings(2, 0.1))
    course.end(game, Viewer((1,)), EndReason.RESIGNED, None, NOW)
    assert (game.over, game.seats[1].kind, game.seats[1].bot) == (False, SeatKind.BOT, BotSettings(2, 0.1))


@pytest.mark.parametrize(("seats", "named"), [((1,), None), ((1,), 1), ((0, 1), None), ((0, 1), 1), ((0, 1), 0)])
def test_of_three_nobody_else_resigns_by_a_repetition(seats: tuple[int, ...], named: int | None) -> None:
    game = kept(seats="ppp")
    for _ in range(3):
        course.end(game, Viewer(seats), EndReason.RESIGNED, named, NOW)
    assert [holder.kind for holder in game.seats].count(SeatKind.BOT) == 1
    course.end(game, OWNER, EndReason.ABANDONED, None, NOW)
    version = game.version
    course.end(game, Viewer(seats), EndReason.RESIGNED, named, NOW)
    assert game.version == version


def test_of_three_two_at_one_screen_resign_by_name() -> None:
    game = kept(seats="ppp")
    for seat in (1, 0):
        course.end(game, BOTH, EndReason.RESIGNED, seat, NOW)
    assert [holder.kind for holder in game.seats] == [SeatKind.BOT, SeatKind.BOT, SeatKind.PERSON]


def test_of_two_at_one_screen_the_one_that_is_named_resigns_and_the_other_cannot_any_more() -> None:
    game = kept()
    for _ in range(2):
        course.end(game, BOTH, EndReason.RESIGNED, 1, NOW)
    assert [(entry.kind, entry.seat) for entry in game.entries[-1:]] == [(EntryKind.ENDED, 1)]
    assert refused(lambda: course.end(game, BOTH, EndReason.RESIGNED, 0, NOW)).reason == Reason.GAME_OVER


def test_the_owner_abandons_and_nobody_has_won() -> None:
    game = kept()
    course.end(game, OWNER, EndReason.ABANDONED, None, NOW)
    assert game.ended is not None
    assert shares_of_end(game.ended, 2) is None


def test_the_time_for_a_move_begins_with_the_turn_and_is_that_of_people() -> None:
    assert kept().deadline is None
    game = kept(seconds_per_move=2.0)
    assert game.deadline == STORED + 2_000
    play(game)
    assert game.deadline == NOW + 2_000
    bots = kept(seats="bp", seconds_per_move=2.0)
    assert bots.deadline is None


def test_a_name_that_changes_gives_no_more_time() -> None:
    game = kept(seconds_per_move=2.0)
    course.set_seat(game, Viewer((0,)), 0, Holder(SeatKind.PERSON, name="Ann"), NOW)
    assert game.deadline == STORED + 2_000


def test_the_server_plays_on_for_a_person_whose_time_is_over() -> None:
    game = kept(seconds_per_move=2.0)
    course.play_bot(game, game.version, first(game), NOW)
    assert [entry.kind for entry in game.entries if entry.seat is not None] == [EntryKind.PLAYED_ON]
    stale = refused(lambda: course.play_bot(game, 0, "fold", NOW))
    assert stale.reason == Reason.STALE_VERSION


@pytest.mark.parametrize(
    ("seat", "text"), [(0, "agreed"), (None, ""), (None, "resigned"), (2, "resigned"), (-1, "resigned")]
)
def test_a_damaged_end_does_not_fit_the_game(seat: int | None, text: str) -> None:
    game = kept()
    with pytest.raises(Unreadable, match="does not fit"):
        extended(game, [Entry(EntryKind.ENDED, seat, text, NOW)])
    assert game.ended is None
