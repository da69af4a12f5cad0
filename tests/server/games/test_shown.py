"""Coming events shown to one seat (R40): entered at a table, shown to that seat, and to no other."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from clerestory.engine import NATURE, Rng, State
from clerestory.server.games import commands
from clerestory.server.games.bots import question_of
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, Entry, EntryKind
from clerestory.server.games.viewer import Viewer
from clerestory.server.rpc.translate_games import write_state
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import games_pb2 as games
from tests.engine.cathedral.positions import draft
from tests.engine.cathedral.scenes import deck_of, swapped
from tests.server.games.table import OWNER, STORED, head, refused
from tests.server.games.test_viewer import shown
from tests.shipped import CATHEDRAL

ELLENS, OTHER = Viewer((0,)), Viewer((1,))
ELSEWHERE = [Viewer(), OWNER, OTHER, Viewer((2,)), Viewer((1, 2))]
EVENT = "event quarrel"


def beginning(event_deck: list[str], to_act: str = "red") -> State:
    """A draft in which red holds Ellen, with an event deck of three."""
    fields = {**draft(3, 4, red={"advantages": ["ellen"]}), "event_deck": event_deck, "to_act": to_act}
    envelope = {"rules_revision": CATHEDRAL.rules_revision, "catalogue": CATHEDRAL.catalogue}
    return CATHEDRAL.from_position({**envelope, "cathedral": fields})


def game_from(opening: State, seats: str = "pppp", **options: Any) -> HostedGame:
    return HostedGame(replace(head("cathedral", seats[: opening.seats], **options), opening=opening.to_json()))


def at_table(seats: str = "ppp", to_act: str = "red") -> HostedGame:
    return game_from(beginning([], to_act), seats, table=True)


def say(game: HostedGame, viewer: Viewer = ELLENS, seat: int = 0, text: str = EVENT, version: int | None = None) -> int:
    return commands.set_private_outcome(game, viewer, game.version if version is None else version, seat, text, STORED)


def view(game: HostedGame, viewer: Viewer) -> games.GameView:
    found: games.GameView = write_state(game, game, viewer).views[-1]
    return found


def test_the_owner_alone_is_asked_and_says_it() -> None:
    game = at_table()
    assert {outcome.text for outcome in view(game, ELLENS).private_outcomes} == {
        f"event {card}" for card in game.position.to_position()["cathedral"]["unseen_events"]
    }
    assert not any(one.private_outcomes for viewer in ELSEWHERE for one in write_state(game, game, viewer).views)
    assert say(game) == game.version == 1
    assert list(view(game, ELLENS).position.cathedral.event_deck) == ["quarrel"]
    assert not view(game, ELLENS).private_outcomes
    others = [one for viewer in ELSEWHERE for one in write_state(game, game, viewer).views]
    assert not any(one.position.cathedral.event_deck for one in others)


def test_nobody_else_learns_the_private_outcome() -> None:
    both = []
    for text in (EVENT, "event town_wall"):
        game = at_table(to_act="blue")
        say(game, text=text)
        commands.play(game, OTHER, game.version, "pass", STORED)
        both.append(game)
    for viewer in ELSEWHERE:
        assert shown(both[0], viewer) == shown(both[1], viewer)
    assert shown(both[0], ELLENS) != shown(both[1], ELLENS)


def test_a_game_that_is_dealt_asks_nobody() -> None:
    fields = draft(3, 4, red={"advantages": ["ellen"]})
    game = game_from(beginning(fields["event_deck"]))
    assert not view(game, ELLENS).private_outcomes
    with pytest.raises(ServiceError, match="nothing can"):
        say(game)


REFUSED: list[tuple[Reason, Callable[[HostedGame], int]]] = [
    (Reason.WRONG_SEAT_TOKEN, lambda game: say(game, OTHER)),
    (Reason.WRONG_SEAT_TOKEN, lambda game: say(game, OWNER)),
    (Reason.WRONG_SEAT_TOKEN, lambda game: say(game, OWNER, seat=1)),
    (Reason.WRONG_SEAT_TOKEN, lambda game: say(game, Viewer())),
    (Reason.BAD_SEAT, lambda game: say(game, seat=7)),
    (Reason.ILLEGAL_ACTION, lambda game: say(game, OTHER, seat=1)),
    (Reason.ILLEGAL_ACTION, lambda game: say(game, text="pass")),
    (Reason.ILLEGAL_ACTION, lambda game: say(game, text="event volunteers")),
    (Reason.BAD_ACTION, lambda game: say(game, text="event of the year")),
    (Reason.STALE_VERSION, lambda game: say(game, version=9)),
]


@pytest.mark.parametrize(("reason", "act"), REFUSED)
def test_private_outcomes_that_are_rejected(reason: Reason, act: Callable[[HostedGame], int]) -> None:
    game = at_table()
    assert refused(lambda: act(game)).reason == reason
    assert (game.entries, deck_of(game.position)) == ([], [])


def test_it_is_entered_once_and_again_after_a_take_back() -> None:
    game = at_table()
    commands.play(game, ELLENS, 0, "pass", STORED)
    after = say(game, version=1)
    assert say(game, version=1) == after == game.version == 2
    with pytest.raises(ServiceError, match="nothing can"):
        say(game)
    game.add(Entry(EntryKind.TAKEN_BACK, 0, "0", STORED))
    assert view(game, ELLENS).private_outcomes
    say(game, text="event town_wall")
    assert deck_of(game.position) == ["town_wall"]


def test_the_owner_of_the_game_says_it_for_a_bot_that_no_person_may_come_back_to() -> None:
    game = at_table("bpp")
    say(game, OWNER)
    assert deck_of(question_of(game, 0, BotSettings()).view) == ["quarrel"]
    handed = at_table()
    commands.set_seat(handed, ELLENS, 0, replace(handed.seats[0], kind=game.seats[0].kind, bot=BotSettings(1)), STORED)
    with pytest.raises(ServiceError):
        say(handed, OWNER)


def test_the_log_contains_it_and_no_record_does() -> None:
    game = at_table()
    say(game)
    commands.play(game, ELLENS, game.version, "pass", STORED)
    again = HostedGame(game.head, [replace(entry) for entry in game.entries])
    assert again.position == game.position
    assert deck_of(again.position) == ["quarrel"]
    assert [action.text for action in again.record(0).state.history] == ["pass"]
    assert deck_of(again.record(1).state.origin) == []


def test_the_outcome_on_the_table_counts() -> None:
    game = at_table()
    say(game)
    rng = Rng(5)
    while game.turn != NATURE or game.position.legal_actions()[0].text.split()[0] != "event":
        legal = game.position.legal_actions()
        action = game.position.draw(rng) if game.turn == NATURE else legal[-1]
        commands.play(game, Viewer((0, 1, 2)), game.version, action.text, STORED)
    commands.play(game, OTHER, game.version, "event town_wall", STORED)
    assert deck_of(game.position) == []
    assert "quarrel" in game.position.to_position()["cathedral"]["unseen_events"]


def with_a_coming_event(count: int) -> Iterator[State]:
    """Yield one in four positions of random games in which a seat has been shown the coming event."""
    met = 0
    for seed in range(count):
        rng, state = Rng(seed), CATHEDRAL.new(2 + seed % 3, seed)
        while not state.over:
            if any(deck_of(state.observe(seat)) for seat in range(state.seats)):
                met += 1
                if met % 4 == 0:
                    yield state.copy()
            legal = state.legal_codes()
            state.play(state.draw(rng) if state.turn == NATURE else legal[rng.below(len(legal))])


def test_whatever_comes_others_are_shown_and_sent_the_same_and_the_owner_is_not() -> None:
    """States, entries, records and the questions of bots, at the position and a ply later."""
    compared = 0
    for state in with_a_coming_event(6):
        [owner] = [seat for seat in range(state.seats) if deck_of(state.observe(seat))]
        pair = [game_from(one) for one in (state, swapped(state))]
        for game in pair:
            if state.turn >= 0:
                commands.play(game, Viewer((state.turn,)), 0, state.legal_actions()[0].text, STORED)
        if not deck_of(pair[0].position.observe(owner)):
            continue  # it has been turned up
        for viewer in (Viewer(), OWNER, *(Viewer((seat,)) for seat in range(state.seats))):
            assert (shown(pair[0], viewer) == shown(pair[1], viewer)) == (owner not in viewer.seats)
        compared += 1
        turn = pair[0].position.turn
        if turn >= 0:
            asked = [question_of(game, turn, BotSettings()).view for game in pair]
            assert (asked[0] == asked[1]) == (turn != owner)
    assert compared > 9


def play_first(game: HostedGame) -> None:
    game.add(Entry(EntryKind.PLAYED, game.turn, game.position.legal_actions()[0].text, STORED))


@pytest.mark.parametrize("ply", [0, 1])
def test_a_private_outcome_belongs_to_the_ply_at_which_it_was_entered(ply: int) -> None:
    game = at_table()
    for _ in range(ply):
        play_first(game)
    private_outcomes = game.position
    say(game)
    said = game.position
    assert said != private_outcomes
    play_first(game)
    assert game.positions is not None
    assert game.positions.at(ply) == said
    game.add(Entry(EntryKind.TAKEN_BACK, 0, str(ply), STORED))
    assert game.position == said
    play_first(game)
    assert game.positions.at(ply) == said
