"""Viewers see no hidden information: games that a viewer cannot distinguish look alike, byte for byte.

Coming events (R40) are entered at a table, and shown to one seat and to no other.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from clerestory.engine import NATURE, Rng, State
from clerestory.engine.games import from_position
from clerestory.server.games import commands
from clerestory.server.games.bots import question_of
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, Entry, EntryKind
from clerestory.server.games.viewer import GAME_ID, TokenIssuer, Viewer, steps_since
from clerestory.server.rpc.translate_games import write_line, write_record, write_state
from clerestory.server.rpc.watch import entry_message
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import games_pb2 as games
from tests.engine.cathedral.positions import draft
from tests.engine.cathedral.scenes import deck_of, swapped
from tests.server.games.table import OWNER, STORED, at, head, hosted, refused
from tests.shipped import CATHEDRAL


def test_no_id_is_taken_for_an_option() -> None:
    made = [TokenIssuer(b"secret", f"request {number}").game_id() for number in range(1000)]
    assert len(set(made)) == 1000
    assert all(GAME_ID.fullmatch(one) and not one.startswith("-") for one in made)


PLIES = {"toy": 4, "cathedral": 40, "duel": 40}  # short of the end, where everything is revealed
DEALS = {"toy": 20, "cathedral": 3, "duel": 3}
SEEDS = {"toy": 4, "cathedral": 3, "duel": 3}
CASES = [("toy", "pp"), ("toy", "ppp"), ("toy", "pppp"), ("cathedral", "pp"), ("cathedral", "pppp"), ("duel", "pp")]
VIEWERS = [Viewer(), Viewer(owner=True), Viewer((0,)), Viewer((1,)), Viewer((0, 1))]


def history(game: str, seats: str, seed: int) -> HostedGame:
    """Return a game after some plies, in which seats play another of their actions from ply to ply."""
    played, everybody = hosted(game, seats, seed), Viewer(tuple(range(len(seats))))
    while played.ply < PLIES[game]:
        legal = played.position.legal_actions()
        text = legal[(played.ply * seed) % len(legal)].text
        commands.play(played, everybody, played.version, text, STORED + played.ply)
    return played


def other_worlds(played: HostedGame, seats: Sequence[int], seed: int) -> Iterator[HostedGame]:
    """Yield games that differ from one only in what some seats together cannot know, at each of its plies.

    The hidden cards are dealt again as the first seat sees them at the opening; what happened is what happened here.
    Those worlds are kept that the other seats see alike as well, and in which it could have happened.
    """
    truth = from_position(played.head.opening)
    for number in range(seed, seed + DEALS[played.head.game]):
        opening = truth.observe(seats[0]).determinize(number)
        if any(opening.observe(seat) != truth.observe(seat) for seat in seats):
            continue
        other = HostedGame(replace(played.head, opening=opening.to_json()))
        try:
            for entry in played.entries:
                other.add(entry)
        except ValueError:  # in that world something else would have had to come up
            continue
        yield other


def differ(one: HostedGame, other: HostedGame) -> bool:
    """Whether the positions of two games are not all the same."""
    assert one.positions is not None
    assert other.positions is not None
    return [*one.positions.since(0)] != [*other.positions.since(0)]


def shown(game: HostedGame, viewer: Viewer) -> list[bytes]:
    """Return everything that the service makes for a viewer, as bytes."""
    first = max(0, game.version - 6)
    states = [
        write_state(at(game, version), viewer).SerializeToString() for version in range(first + 1, game.version + 1)
    ]
    entries = [entry_message(game, step) for step in steps_since(at(game, first), game, viewer)]
    line = [message.SerializeToString() for message in write_line(game, 1, game.ply, viewer)]
    return [*states, *entries, *line, write_record(game, viewer).SerializeToString()]


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize(("game", "seats"), CASES)
def test_games_that_look_alike_are_shown_alike(game: str, seats: str, viewer: Viewer) -> None:
    worlds = 0
    for seed in range(1, SEEDS[game]):
        played = history(game, seats, seed)
        here = shown(played, viewer)
        for other in other_worlds(played, viewer.seats or (NATURE,), seed):
            worlds += differ(other, played)
            assert shown(other, viewer) == here
    assert worlds > 0, "no world differed: the law has not been tried"


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_a_bot_asks_by_what_its_seat_knows(game: str, seats: str) -> None:
    played = history(game, seats, 3)
    seat = played.turn
    assert seat is not None
    assert played.positions is not None
    truth = played.position
    asked = question_of(played, seat, played.head.options.play_on).view
    for number in range(3):
        played.positions.last = truth.observe(seat).determinize(number)
        assert question_of(played, seat, played.head.options.play_on).view == asked


def test_seed_and_salt_are_shown_only_at_the_end() -> None:
    game = HostedGame(head(seed=123_456_789, delay_plies=3))
    message = write_state(game, Viewer((0,)))
    assert not message.game.HasField("seed")
    assert (message.game.salt, len(message.game.commitment)) == ("", 64)
    assert b"123456789" not in message.SerializeToString()
    assert not write_record(game, Viewer((0,))).whole
    game.add(Entry(EntryKind.ENDED, None, "abandoned", STORED))
    assert write_state(game, Viewer((0,))).game.seed == 123_456_789
    assert write_record(game, Viewer((0,))).whole


def test_several_seats_at_one_screen_are_shown_one_by_one() -> None:
    game = hosted("toy", "ppp")
    [public, first, third] = write_state(game, Viewer((0, 2))).views
    assert not public.HasField("seat")
    assert [(view.HasField("seat"), view.seat) for view in (first, third)] == [(True, 0), (True, 2)]
    hands = [[list(player.hand) for player in view.position.toy.players] for view in (public, first, third)]
    assert [[0 in hand for hand in seen] for seen in hands] == [
        [True, True, True],
        [False, True, True],
        [True, True, False],
    ]


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
    found: games.GameView = write_state(game, viewer).views[-1]
    return found


def test_the_owner_alone_is_asked_and_says_it() -> None:
    game = at_table()
    assert {outcome.text for outcome in view(game, ELLENS).private_outcomes} == {
        f"event {card}" for card in game.position.to_position()["cathedral"]["unseen_events"]
    }
    assert not any(one.private_outcomes for viewer in ELSEWHERE for one in write_state(game, viewer).views)
    assert say(game) == game.version == 1
    assert list(view(game, ELLENS).position.cathedral.event_deck) == ["quarrel"]
    assert not view(game, ELLENS).private_outcomes
    others = [one for viewer in ELSEWHERE for one in write_state(game, viewer).views]
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
