"""Viewers see no hidden information: games that a viewer cannot distinguish look alike, byte for byte."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from clerestory.engine import NATURE
from clerestory.engine.games import from_position
from clerestory.server.games import commands
from clerestory.server.games.bots import question_of
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Entry, EntryKind
from clerestory.server.games.viewer import GAME_ID, TokenIssuer, Viewer
from clerestory.server.rpc.translate_games import write_line, write_record, write_state
from tests.server.games.table import STORED, at, head, hosted


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
    states = [
        write_state(at(game, version), at(game, version + 1), viewer).SerializeToString()
        for version in range(max(0, game.version - 6), game.version)
    ]
    line = [message.SerializeToString() for message in write_line(game, 1, game.ply, viewer)]
    return [*states, *line, write_record(game, viewer).SerializeToString()]


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
    message = write_state(game, game, Viewer((0,)))
    assert not message.game.HasField("seed")
    assert (message.game.salt, len(message.game.commitment)) == ("", 64)
    assert b"123456789" not in message.SerializeToString()
    assert not write_record(game, Viewer((0,))).whole
    game.add(Entry(EntryKind.ENDED, None, "abandoned", STORED))
    assert write_state(game, game, Viewer((0,))).game.seed == 123_456_789
    assert write_record(game, Viewer((0,))).whole


def test_several_seats_at_one_screen_are_shown_one_by_one() -> None:
    game = hosted("toy", "ppp")
    [public, first, third] = write_state(game, game, Viewer((0, 2))).views
    assert not public.HasField("seat")
    assert [(view.HasField("seat"), view.seat) for view in (first, third)] == [(True, 0), (True, 2)]
    hands = [[list(player.hand) for player in view.position.toy.players] for view in (public, first, third)]
    assert [[0 in hand for hand in seen] for seen in hands] == [
        [True, True, True],
        [False, True, True],
        [True, True, False],
    ]
