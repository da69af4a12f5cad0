"""The commands of people in a hosted game: each action is checked first, and a repeated one is applied once."""

from collections.abc import Callable
from typing import Any

import pytest

from clerestory.engine import NATURE
from clerestory.server.games import commands, takebacks
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, EndReason, EntryKind, Holder, SeatKind, TakeBacks
from clerestory.server.games.viewer import Viewer, viewer_of
from clerestory.service_errors import Reason
from tests.server.games.table import (
    BOTH,
    NOW,
    OWNER,
    everybody,
    first,
    head,
    hosted,
    play,
    play_one,
    play_text,
    refused,
    take_back,
)

OPEN, PERSON = Holder(SeatKind.OPEN), Holder(SeatKind.PERSON)
BOT = Holder(SeatKind.BOT, bot=BotSettings(3))


def resign(game: HostedGame, *seats: int, named: int | None = None) -> None:
    commands.end(game, Viewer(seats), EndReason.RESIGNED, named, NOW)


def abandon(game: HostedGame, viewer: Viewer = OWNER) -> None:
    commands.end(game, viewer, EndReason.ABANDONED, None, NOW)


@pytest.mark.parametrize("name", ["toy", "cathedral"])
def test_an_action_is_played_once_however_often_it_is_sent(name: str) -> None:
    """With the forced actions that follow it."""
    game = hosted(name, play_forced=True)
    while not game.over:
        version, text = game.version, first(game)
        after = commands.play(game, BOTH, version, text, NOW)
        entries = list(game.entries)
        assert commands.play(game, BOTH, version, text, NOW + 1) == after
        assert game.entries == entries
    assert commands.play(game, BOTH, version, text, NOW) == after


def test_another_action_for_a_played_version_is_rejected_with_the_current_version() -> None:
    game = hosted()
    version = game.version
    [text, other, *_] = [action.text for action in game.position.legal_actions()]
    commands.play(game, BOTH, version, text, NOW)
    for asked in (version, 99):
        error = refused(lambda asked=asked: commands.play(game, BOTH, asked, other, NOW))
        assert (error.reason, error.metadata) == (Reason.STALE_VERSION, {"version": str(game.version)})


def test_the_same_action_of_another_seat_is_no_repetition() -> None:
    game = hosted()
    version, text, other = game.version, first(game), Viewer((1 - (game.turn or 0),))
    play(game)
    assert refused(lambda: commands.play(game, other, version, text, NOW)).reason == Reason.STALE_VERSION


def test_a_late_move_is_stale_also_if_the_other_one_ended_the_game() -> None:
    game = hosted()
    while not game.over:
        version, [text, *others] = game.version, [action.text for action in game.position.legal_actions()]
        play(game)
    error = refused(lambda: commands.play(game, BOTH, version, [*others, "pass"][0], NOW))
    assert (error.reason, error.metadata) == (Reason.STALE_VERSION, {"version": str(game.version)})
    assert refused(lambda: takebacks.take_back(game, BOTH, version, 0, False, NOW)).reason == Reason.STALE_VERSION
    for act in (lambda: play_text(game, text), lambda: take_back(game, 0, 0, 1)):
        assert refused(act).reason == Reason.GAME_OVER


REFUSED: list[tuple[Reason, str, Callable[[HostedGame], object]]] = [
    (Reason.NOT_SEATS_TURN, "pp", lambda game: play(game, Viewer((1,)))),
    (Reason.NOT_SEATS_TURN, "pp", lambda game: play(game, OWNER)),
    (Reason.NOT_SEATS_TURN, "bp", play),
    (Reason.BAD_ACTION, "pp", lambda game: play_text(game, "dance")),
    (Reason.ILLEGAL_ACTION, "pp", lambda game: play_text(game, "fair")),
    (Reason.TOO_MANY_ACTIONS, "pp", lambda game: commands.play(game, BOTH, game.version, "fold", NOW, ["fold"] * 101)),
    (Reason.NOT_STARTED, "po", lambda game: play_text(game, "fold")),
    (Reason.NOT_STARTED, "po", lambda game: resign(game, 0)),
    (Reason.SEAT_TAKEN, "pp", lambda game: commands.join(game, None, "", "x", NOW)),
    (Reason.SEAT_TAKEN, "po", lambda game: commands.join(game, 0, "", "x", NOW)),
    (Reason.BAD_SEAT, "po", lambda game: commands.join(game, 2, "", "x", NOW)),
    (Reason.BAD_SEAT, "pp", lambda game: commands.set_seat(game, OWNER, 2, OPEN, NOW)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: commands.set_seat(game, Viewer((1,)), 0, OPEN, NOW)),
    (Reason.BAD_OPTIONS, "pb", lambda game: commands.set_seat(game, OWNER, 1, PERSON, NOW)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: abandon(game, BOTH)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: commands.end(game, OWNER, EndReason.RESIGNED, None, NOW)),
    (Reason.WRONG_SEAT_TOKEN, "ppp", lambda game: resign(game, 0, 1, named=2)),
    (Reason.BAD_SEAT, "ppp", lambda game: resign(game, 0, 1, named=3)),
    (Reason.BAD_PLY, "pp", lambda game: take_back(game, game.ply, 0, 1)),
    (Reason.TAKE_BACK_REFUSED, "pp", lambda game: take_back(game, 0, 0, 1)),
    (Reason.TAKE_BACK_REFUSED, "pp", lambda game: take_back(game, 1, 0, 1, decline=True)),
    (Reason.WRONG_SEAT_TOKEN, "pp", lambda game: take_back(game, 0)),
    (Reason.STALE_VERSION, "pp", lambda game: takebacks.take_back(game, BOTH, 0, 0, False, NOW)),
]


@pytest.mark.parametrize(("reason", "seats", "act"), REFUSED)
def test_a_rejected_request_changes_nothing(reason: Reason, seats: str, act: Callable[[HostedGame], object]) -> None:
    game = hosted(seats=seats)
    before = list(game.entries)
    assert refused(lambda: act(game)).reason == reason
    assert game.entries == before


def test_at_a_table_anybody_who_plays_enters_chance_events_and_takes_them_back() -> None:
    game = hosted(table=True)
    assert (game.version, game.turn) == (0, NATURE)
    assert refused(lambda: play(game, Viewer())).reason == Reason.NOT_SEATS_TURN
    play(game, Viewer((1,)))
    play(game, OWNER)
    assert commands.play(game, OWNER, 1, game.entries[1].text, NOW) == game.version == 2  # repeated
    assert [entry.seat for entry in game.entries] == [None, None]
    take_back(game, 1, 0, 1)
    assert (game.ply, game.turn) == (1, NATURE)


def test_several_actions_are_played_together_or_not_at_all() -> None:
    game = hosted("cathedral", "pp")
    while game.position.to_position()["cathedral"]["step"] != "cathedral":
        play_one(game, game.ply)
    text, version, seat = first(game), game.version, game.turn
    error = refused(lambda: commands.play(game.copy(), BOTH, version, text, NOW, ("nonsense",)))
    assert (error.reason, error.faults[0][0]) == (Reason.BAD_ACTION, "then_actions[0]")
    then = ("finish",) if text != "finish" else ()
    after = commands.play(game, BOTH, version, text, NOW, then)
    added = [(entry.text, entry.seat) for entry in game.entries[version : version + 1 + len(then)]]
    assert added == [(one, seat) for one in (text, *then)]
    assert commands.play(game, BOTH, version, text, NOW, then) == after
    error = refused(lambda: commands.play(game, BOTH, version, text, NOW, (*then, "leave")))
    assert error.reason == Reason.STALE_VERSION


def test_further_actions_are_those_of_the_same_seat() -> None:
    game = hosted("toy", "ppp")
    error = refused(lambda: commands.play(game, everybody(game), game.version, "fold", NOW, ("fold",)))
    assert (error.reason, error.faults[0][0]) == (Reason.ILLEGAL_ACTION, "then_actions[0]")


def test_a_game_begins_when_the_last_seat_is_taken() -> None:
    game = hosted(seats="poo")
    assert (game.waiting, game.version) == (True, 0)
    assert commands.join(game, None, "Ann", "x", NOW) == 1
    assert game.version == 1
    assert commands.join(game, 2, "Bob", "y", NOW) == 2
    assert game.running
    assert {entry.kind for entry in game.entries[2:]} == {EntryKind.DRAWN}
    assert [holder.name for holder in game.seats] == ["", "Ann", "Bob"]


def test_a_person_leaves_a_seat_to_a_bot_and_comes_back() -> None:
    game = hosted(seats="pb")
    commands.set_seat(game, Viewer((0,)), 0, BOT, NOW)
    assert (game.mover, game.bots_only) == (0, True)
    commands.set_seat(game, Viewer((0,)), 0, PERSON, NOW)
    assert (game.mover, game.bots_only) == (None, False)
    assert game.seats == list(head(seats="pb").seats)
    version = game.version
    commands.set_seat(game, OWNER, 0, PERSON, NOW)
    assert game.version == version, "a seat that is so already stays as it is"


def test_a_bot_does_not_replace_a_guest_who_has_just_sat_down() -> None:
    game = hosted(seats="ppo")
    seen = game.version
    commands.set_seat(game, OWNER, 1, BOT, NOW, seen)  # another seat
    commands.join(game, None, "Eve", "digest", NOW)
    for version in (seen, game.version + 1):
        error = refused(lambda version=version: commands.set_seat(game, OWNER, 2, BOT, NOW, version))
        assert (error.reason, error.metadata) == (Reason.STALE_VERSION, {"version": str(game.version)})
    assert game.seats[2].name == "Eve"
    for _ in range(2):  # the second time as if the first answer had been lost
        commands.set_seat(game, OWNER, 2, BOT, NOW, game.version if game.seats[2].kind == SeatKind.PERSON else seen)
        assert game.seats[2].bot == BOT.bot


def test_a_seat_that_is_opened_loses_its_token() -> None:
    game = hosted()
    commands.set_seat(game, OWNER, 1, OPEN, NOW)
    assert game.waiting
    assert refused(lambda: viewer_of(game, ["seat 1"])).reason == Reason.WRONG_SEAT_TOKEN


def test_a_new_name_gives_no_more_time() -> None:
    game = hosted(seconds_per_move=2.0)
    deadline = game.deadline
    commands.set_seat(game, Viewer((0,)), 0, Holder(SeatKind.PERSON, name="Ann"), NOW)
    assert game.deadline == deadline


def test_the_server_plays_on_for_a_person_whose_time_is_over() -> None:
    game = hosted(seconds_per_move=2.0)
    commands.play_bot(game, game.version, first(game), NOW)
    assert [entry.kind for entry in game.entries if entry.seat is not None] == [EntryKind.PLAYED_ON]
    assert refused(lambda: commands.play_bot(game, 0, "fold", NOW)).reason == Reason.STALE_VERSION


def test_a_bot_goes_on_for_one_of_three_who_resigns() -> None:
    game = hosted(seats="ppp", play_on=BotSettings(2, 0.1))
    resign(game, 1)
    assert (game.over, game.seats[1].kind, game.seats[1].bot) == (False, SeatKind.BOT, BotSettings(2, 0.1))


@pytest.mark.parametrize(("seats", "named"), [((1,), None), ((1,), 1), ((0, 1), None), ((0, 1), 1), ((0, 1), 0)])
def test_a_repeated_resignation_removes_nobody_else(seats: tuple[int, ...], named: int | None) -> None:
    game = hosted(seats="ppp")
    for _ in range(3):
        resign(game, *seats, named=named)
    assert [holder.kind for holder in game.seats].count(SeatKind.BOT) == 1
    abandon(game)
    version = game.version
    resign(game, *seats, named=named)
    assert game.version == version


def test_of_players_at_one_screen_the_one_to_act_resigns() -> None:
    game = hosted(seats="ppp")
    while game.turn != 1:
        play(game)
    resign(game, 0, 1)
    assert [holder.kind for holder in game.seats] == [SeatKind.PERSON, SeatKind.BOT, SeatKind.PERSON]


def test_players_at_one_screen_resign_by_their_seat() -> None:
    game = hosted(seats="ppp")
    for seat in (1, 0):
        resign(game, 0, 1, named=seat)
    assert [holder.kind for holder in game.seats] == [SeatKind.BOT, SeatKind.BOT, SeatKind.PERSON]
    two = hosted()
    for _ in range(2):
        resign(two, 0, 1, named=1)
    assert (two.entries[-1].kind, two.entries[-1].seat) == (EntryKind.ENDED, 1)
    assert refused(lambda: resign(two, 0, 1, named=0)).reason == Reason.GAME_OVER


def test_a_full_log_takes_moves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    game = hosted(take_backs=TakeBacks.ALL)
    play(game)
    monkeypatch.setattr(commands, "MAX_ENTRIES", game.version)
    acts: list[Any] = [lambda: take_back(game, 0, 0, 1), lambda: commands.set_seat(game, OWNER, 0, BOT, NOW)]
    assert [refused(act).reason for act in acts] == [Reason.LOG_FULL] * 2
    while not game.over:
        play(game)
