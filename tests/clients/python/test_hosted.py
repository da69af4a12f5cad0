"""Games hosted by a server, played through the client, sync and async."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any, assert_type

import pytest
from google.protobuf.duration_pb2 import Duration
from numpy import array

from clerestory.clients import (
    Advisor,
    AsyncAdvisor,
    BadRequest,
    Denied,
    GameSnapshot,
    HostedGame,
    NotNow,
    TakeBackRequest,
)
from clerestory.clients.hosted_wire import read_snapshot, seat_plan, write_choices
from clerestory.clients.review_wire import read_review
from clerestory.clients.streams import AsyncStream, Stream
from clerestory.engine import read_records
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.v1 import games_pb2 as api
from clerestory.v1.annotation_pb2 import GameReview, NamedError
from tests.foreseen import play_until_shown


def play_out(game: HostedGame) -> Any:
    for seen in assert_type(game.watch(), Stream[GameSnapshot]):  # the last one is wanted
        if seen.legal:
            game.play(seen.legal[0], version=seen.version)
    return seen


def test_a_game_is_played_to_its_end(advisor: Advisor) -> None:
    game = advisor.games.create("toy", ["person:Ann", "level:1", "bot"], seed=7, time="10ms")
    seen = play_out(game)
    assert (seen.status, sum(seen.outcome.win_shares)) == ("over", pytest.approx(1))
    assert [(one.kind, one.name, one.level) for one in seen.seats] == [
        ("person", "Ann", None),
        ("bot", "", 1),
        ("bot", "", None),
    ]
    [record] = read_records(game.record().splitlines())
    assert record.state.over


def test_a_character_is_named_in_the_language_of_the_client(target: str) -> None:
    with Advisor(target, language="de") as advisor:
        game = advisor.games.create("duel", ["person:Ann", "bot:mabel"])
        assert [(one.name, one.character) for one in game.look().seats] == [("Ann", ""), ("Mabel", "mabel")]


def test_tokens_saved_as_json_still_hold_their_seats(advisor: Advisor) -> None:
    made = advisor.games.create("toy", ["person", "person"], seed=7)
    game = advisor.games.open(made.game_id, json.loads(json.dumps(made.tokens)))
    assert [one.label for one in game.look().legal]
    game.resign()
    assert (game.tokens, game.look().status) == (made.tokens, "over")


def test_people_join_a_game_and_take_moves_back(advisor: Advisor) -> None:
    mine = advisor.games.create("toy", ["person", "open"], seed=7, listed=True)
    with pytest.raises(Denied) as wrong:
        advisor.games.open(mine.game_id, {0: "nonsense"}).look()
    assert wrong.value.reason == "WRONG_SEAT_TOKEN"
    games, _ = advisor.games.list(status="open")
    assert mine.game_id in [game["game_id"] for game in games]
    theirs = advisor.games.join(mine.game_id, name="Bob")
    assert list(theirs.tokens) == [1]
    seen = mine.look(entries_from=1)
    assert (seen.status, seen.seat, seen.entries[0].action and seen.entries[0].seat) == ("running", 0, None)
    after = mine.play(seen.legal[0].text)
    assert [(one.what, one.seat, one.drawn) for one in after.entries] == [("applied", 0, False)]
    assert theirs.look(seen.ply).position()["toy"]["step"] == "play"
    with pytest.raises(BadRequest, match="seat: 1 is not held here"):
        mine.take_back(seen.ply, seat=1)
    assert seen.take_back is None
    asked = mine.take_back(seen.ply)
    assert asked.take_back == TakeBackRequest(seen.ply, seat=0, missing=(1,))
    theirs.look()
    refused = theirs.take_back(seen.ply, decline=True)
    assert refused.take_back is None
    mine.look()
    mine.take_back(seen.ply)
    theirs.look()
    back = theirs.take_back(seen.ply)
    assert back.ply == seen.ply
    told = [(one.seat, one.asked_ply, one.declined) for one in [*asked.entries, *refused.entries, *back.entries[:1]]]
    assert told == [(0, seen.ply, False), (1, seen.ply, True), (1, seen.ply, False)]
    assert refused.entries[0].message.HasField("time")
    games, page = advisor.games.list(tokens=[mine.owner_token], size=1)
    assert ([game["game_id"] for game in games], page) == ([mine.game_id], "")


def test_an_action_for_an_old_version_is_rejected_with_the_current_one(advisor: Advisor) -> None:
    game = advisor.games.create("toy", ["person", "person"], seed=7)
    seen = game.look()
    game.play(seen.legal[0])
    with pytest.raises(NotNow) as stale:
        game.play(seen.legal[1], version=seen.version)
    assert (stale.value.reason, stale.value.metadata) == ("STALE_VERSION", {"version": str(game.version)})
    assert [one.field for one in stale.value.violations] == ["version"]
    with pytest.raises(NotNow) as illegal:
        game.play("turn-up 1")
    assert (illegal.value.reason, illegal.value.violations[0].field) == ("ILLEGAL_ACTION", "action")


def test_seats_change_hands_and_games_end(advisor: Advisor) -> None:
    game = advisor.games.create("toy", ["person", "person"], seed=7)
    game.set_seat(1, "level:2")
    assert game.look().seats[1].level == 2
    game.set_seat(1, "person:Eve")
    assert game.look().seats[1].name == "Eve"
    game.set_seat(1, "open")
    game.set_seat(1, "open")  # as if the first answer were lost
    assert list(game.tokens) == [0]
    assert [one.kind for one in game.look().seats] == ["person", "open"]
    with pytest.raises(NotNow) as stale:
        game.set_seat(1, "level:1", version=0)  # as if a guest had sat down meanwhile
    assert (stale.value.reason, stale.value.violations[0].field) == ("STALE_VERSION", "version")
    game.set_seat(1, "level:1")
    game.set_seat(1, "level:2")  # after a change of one's own
    game.play(game.look().legal[0])
    game.resign()
    assert game.look().outcome is not None
    other = advisor.games.create("toy", ["person", "person"])
    other.abandon()
    assert (other.look().status, other.look().outcome) == ("over", None)


def test_a_game_begins_from_a_position_of_any_form_and_the_actions_since(advisor: Advisor) -> None:
    referee = advisor.rules.start("toy", seats=2, seed=7)
    referee.draw()
    [first, *_] = referee.legal()
    for opening in (referee.truth, json.dumps(referee.truth), referee.message):
        seen = advisor.games.create("toy", ["person", "person"], opening=opening, actions=first).look(entries_from=1)
        assert seen.entries[0].action == first.action
    with pytest.raises(BadRequest, match=r"position: is \[\]; must be a JSON object"):
        advisor.games.create("toy", ["person", "person"], opening="[]")


@pytest.mark.parametrize("named", [None, 1])
def test_the_named_seat_or_the_one_to_move_resigns(advisor: Advisor, named: int | None) -> None:
    game = advisor.games.create("toy", ["person", "person", "person"], seed=7)
    seen = game.look()
    while named is None and seen.seat != 1:
        seen = game.play(seen.legal[0])
    game.resign(named)
    assert [one.kind for one in game.look().seats] == ["person", "bot", "person"]


def test_chance_outcomes_of_a_table_are_entered_all_or_none(advisor: Advisor) -> None:
    game = advisor.games.create("toy", ["person", "person"], table=True)
    seen = game.look()
    assert (seen.chance, seen.seat) == (True, None)
    with pytest.raises(NotNow, match=r"^then_actions\[0\]: "):
        game.play("turn-up 3", "fold")
    assert game.look() == seen
    assert [one.action and one.action.text for one in game.play("turn-up 3", "fair").entries] == ["turn-up 3", "fair"]


def test_a_private_outcome_is_entered_by_its_seat_alone(advisor: Advisor) -> None:
    game = advisor.games.create("cathedral", ["person", "person"], table=True)
    [(seat, [outcome, *_])] = play_until_shown(game).private_outcomes.items()
    after, looked = game.set_private_outcome(seat, outcome), game.look()
    assert (after.legal, after.position(1 - seat)) == (looked.legal, looked.position(1 - seat))
    theirs = advisor.games.open(game.game_id, {0: game.tokens[0]})
    with pytest.raises(BadRequest, match="seat: 1 is not held here"):
        theirs.set_private_outcome(1, outcome)
    several: Any = array([0, 1])
    for call in (partial(theirs.set_private_outcome, several, outcome), partial(theirs.take_back, 0, seat=several)):
        with pytest.raises(BadRequest, match=r"seat: array\(\[0, 1\]\) is not held here"):
            call()


async def entered(states: AsyncStream[GameSnapshot]) -> Any:
    """Return the first action of the next state with entries; other states are keep-alives."""
    while not (seen := await anext(states)).entries:
        pass
    return seen.entries[0].action


async def test_a_watch_goes_on_when_the_server_comes_back(tmp_path: Path) -> None:
    settings = Settings(listen=f"unix:{tmp_path}/socket", store=str(tmp_path / "games.sqlite"), workers=1)
    app = await start(settings)
    async with AsyncAdvisor(app.address) as advisor:
        game = await advisor.games.create("toy", ["person", "person"], seed=7)
        async with game.watch() as states:
            first = await anext(states)
            waiting = asyncio.ensure_future(anext(states))
            await app.finish()
            app = await start(settings)
            again = await waiting
            assert (again.version, again.entries) == (first.version, ())
            await game.play(first.legal[0])
            assert await entered(states) == first.legal[0].action
    await app.finish()


async def test_a_watch_goes_on_after_a_wait_that_was_cancelled(target: str) -> None:
    async with AsyncAdvisor(target) as advisor:
        game = await advisor.games.create("toy", ["person", "person"], seed=7)
        states = assert_type(game.watch(), AsyncStream[GameSnapshot])
        first = await anext(states)
        waiting = asyncio.ensure_future(anext(states))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await game.play(first.legal[0])
        assert await entered(states) == first.legal[0].action
        states.close()
        with pytest.raises(StopAsyncIteration):
            await anext(states)


@pytest.mark.parametrize(("seat", "sent"), [(None, ["mine", "theirs"]), (1, ["theirs"])])
def test_a_named_seat_alone_agrees_to_a_take_back(seat: int | None, sent: list[str]) -> None:
    asked: list[Any] = []

    def call(write: Any) -> Any:
        asked.append(write().request)

    game = HostedGame(call, lambda ask: ask, "game")
    game.tokens = {0: "mine", 1: "theirs"}
    game.take_back(3, seat=seat)
    assert [(list(one.tokens), one.ply, one.decline) for one in asked] == [(sent, 3, False)]


def state(version: int) -> api.WatchGameResponse:
    return api.WatchGameResponse(game=api.Game(version=version), entries=[api.GameEntry(version=version)])


def test_a_watch_repeats_the_latest_state_only_and_resumes_after_what_it_has_shown() -> None:
    """A keep-alive may be unread while calls continue with the game."""
    answers = iter([api.PlayActionResponse(game=api.Game(version=4)), api.PlayActionResponse(game=api.Game(version=5))])
    game = HostedGame(lambda write: write().read(next(answers)), lambda ask: ask, "game")
    ask: Any = game.watch(from_version=0)
    read, alive, come = ask().read, api.WatchGameResponse(), api.WatchGameResponse(presence=api.Presence(seats=[1]))
    assert [one.version for one in read(state(2)).entries] == [2]
    assert (read(alive).version, read(alive).entries) == (2, ())
    game.play("fold")
    assert (read(alive), read(come), ask().request.from_version) == (None, None, 2)
    seen = read(state(3))
    assert ([one.version for one in seen.entries], seen.present, game.version) == ([3], {1}, 4)
    assert (read(state(4)).version, read(alive).version) == (4, 4)
    assert game.seen is not None
    assert (game.seen.version, game.seen.present) == (4, {1})
    game.play("fold")
    assert (read(alive), game.version) == (None, 5)


def test_what_others_say_comes_with_the_latest_state() -> None:
    game = HostedGame(lambda write: write().read(None), lambda ask: ask, "game")
    game.tokens = {1: "mine"}
    ask: Any = game.watch()
    read = ask().read
    said = api.WatchGameResponse(phrases=[api.SentPhrase(seat=0, phrase=api.PHRASE_WELL_PLAYED)])
    assert [len(read(one).phrases) for one in (state(2), said, api.WatchGameResponse())] == [0, 1, 0]
    assert [(one.seat, one.phrase) for one in read(said).phrases] == [(0, "well_played")]
    assert (read(said).version, read(said).entries) == (2, ())


def test_a_phrase_outside_the_list_is_not_sent() -> None:
    sent: list[Any] = []
    game = HostedGame(lambda write: sent.append(write().request), lambda ask: ask, "game")
    game.tokens = {1: "mine"}
    game.send_phrase("thanks", seat=1)
    assert [(list(one.tokens), one.phrase, one.seat) for one in sent] == [(["mine"], api.PHRASE_THANKS, 1)]
    with pytest.raises(BadRequest) as caught:
        game.send_phrase("buy my hat")
    assert (caught.value.reason, caught.value.violations[0].field, len(sent)) == ("BAD_PHRASE", "phrase", 1)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda advisor: advisor.games.create("toy", 5), "seats"),
        (lambda advisor: advisor.games.create("toy", None), "seats"),
        (lambda advisor: advisor.games.create("toy", ["person"], hints=[]), "hints"),
        (lambda advisor: advisor.games.create("toy", ["person"], hints=array([1, 2])), "hints"),
        (lambda advisor: advisor.games.create("toy", ["person"], actions=["\ud800"]), "actions"),
        (lambda advisor: advisor.games.list(status=["open"]), "status"),
        (lambda advisor: advisor.games.open("x", {0: "token"}).send_phrase([]), "phrase"),
        (lambda advisor: advisor.games.open("x", {0: "token"}).take_back(0, seat=[]), "seat"),
        (lambda advisor: advisor.games.open("x", {0: "token"}).set_private_outcome([], "show 1"), "seat"),
        (lambda advisor: advisor.summarize("duel", 5), "games"),
        (lambda advisor: advisor.summarize("duel", [None]), "games[0]"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named(advisor: Advisor, call: Any, field: str) -> None:
    with pytest.raises(BadRequest) as caught:
        call(advisor)
    assert [one.field for one in caught.value.violations] == [field]


def test_a_seat_is_set_as_it_was_last_seen(advisor: Advisor) -> None:
    owned = advisor.games.create("toy", ["person", "open"])
    owned.look()
    advisor.games.join(owned.game_id, name="Eve")
    with pytest.raises(NotNow) as stale:
        owned.set_seat(1, "bot")
    assert stale.value.reason == "STALE_VERSION"
    assert owned.look().seats[1].name == "Eve"
    owned.set_seat(1, "bot")
    owned.set_seat(1, "open")
    advisor.games.join(owned.game_id, name="Eve")
    owned.set_seat(0, "person:Ann")  # whose answer is not a look at the other seat
    with pytest.raises(NotNow):
        owned.set_seat(1, "bot")


def test_a_webhook_is_that_of_a_seat_held_here() -> None:
    sent: list[Any] = []

    def call(write: Any) -> Any:
        sent.append(write().request)
        call = write()
        if isinstance(call.request, api.GetNoticeTargetRequest):
            return call.read(api.GetNoticeTargetResponse(active=call.request.seat == 0))
        return call.read(api.AddNoticeTargetResponse(webhook_secret="whsec_x"))

    game = HostedGame(call, lambda ask: ask, "game")
    game.tokens = {1: "mine"}
    assert game.add_webhook("https://example.org/turn", seat=1) == "whsec_x"
    game.remove_webhook("https://example.org/turn")
    assert game.has_webhook("https://example.org/turn", seat=1) is False
    asked = [(list(one.tokens), one.url, one.HasField("seat")) for one in sent]
    assert asked == [(["mine"], "https://example.org/turn", named) for named in (True, False, True)]


@pytest.mark.parametrize(
    "who",
    ["human", "level", "level:x", "level:-1", pytest.param(f"level:{'9' * 5000}", id="long"), "toy:3", "", "open:x"],
)
def test_an_unknown_kind_of_player_is_rejected(who: str) -> None:
    with pytest.raises(BadRequest) as caught:
        seat_plan(who, "seats[0]")
    assert caught.value.violations[0].field == "seats[0]"


NO_CHOICES: list[tuple[Any, type[Exception], str]] = [
    *[(one, BadRequest, ": ") for one in ({"hints": "often"}, {"take_backs": ""}, {"onlookers": "unspecified"})],
    *[({"play_on": who}, BadRequest, ": ") for who in ("open", "person", "person:Ann", "level:x")],
    ({"time_per_move": "soon"}, BadRequest, "^time_per_move: 'soon' is not a time"),
    ({"take_back": "all"}, TypeError, "'take_back' is not one of the choices hints, take_backs"),
]


@pytest.mark.parametrize(("choices", "kind", "says"), NO_CHOICES)
def test_an_unknown_choice_or_value_is_rejected(choices: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says) as caught:
        write_choices(choices)
    assert "time_per_move" not in choices or vars(caught.value)["reason"] == "BAD_OPTIONS"


def test_choices_become_options() -> None:
    options = write_choices(
        {"hints": "never", "take_backs": "all", "onlookers": "link", "delay_plies": 3, "time_per_move": "90s"}
        | {"time_per_game": 900, "increment": "5s"}
    )
    assert (options.hints, options.take_backs, options.onlookers) == (1, 3, 2)
    assert (options.delay_plies, options.time_per_move.seconds) == (3, 90)
    assert (options.time_per_game.seconds, options.increment.seconds) == (900, 5)


def test_a_snapshot_has_the_time_that_each_seat_has_left() -> None:
    left = [Duration(seconds=60), Duration(seconds=1, nanos=500_000_000)]
    assert read_snapshot(api.GetGameResponse(game=api.Game(time_left=left))).time_left == (60.0, 1.5)
    assert read_snapshot(api.GetGameResponse()).time_left == ()


def test_values_that_only_newer_servers_know_are_unspecified() -> None:
    seen = read_snapshot(api.GetGameResponse(game=api.Game(status=99, seats=[api.GameSeat(kind=99)])))  # type: ignore[arg-type]
    assert (seen.status, seen.seats[0].kind) == ("unspecified", "unspecified")
    review = read_review(GameReview(errors=[NamedError(ply=3, error_class=99)]))  # type: ignore[arg-type]
    assert review.errors == {3: "unspecified"}


def test_views_are_found_by_seat() -> None:
    message = api.GetGameResponse(views=[api.GameView(), api.GameView(seat=1)])
    message.views[1].position.toy.round = 2
    seen = read_snapshot(message)
    assert (seen.position()["rules_revision"], seen.position(1)["toy"]["round"]) == (0, 2)
    with pytest.raises(KeyError):
        seen.position(3)
