"""The positions of a game are those that its log leads to, though few of them are kept."""

import random
import tracemalloc

import pytest

from clerestory.engine import GAMES
from clerestory.engine.errors import IllegalAction
from clerestory.server.games.hosted import HostedGame, advance_automatic
from clerestory.server.games.log import Entry, EntryKind
from clerestory.server.games.positions import STRIDE, Positions
from tests.server.games.table import STORED, head, hosted


def whole(game: str, seats: str) -> HostedGame:
    """Return a game that was played to its end at random."""
    played, luck = hosted(game, seats), random.Random(7)
    while not played.over:
        played.add(Entry(EntryKind.PLAYED, played.turn, luck.choice(played.position.legal_actions()).text, STORED))
        advance_automatic(played, STORED)
    return played


@pytest.mark.parametrize(("game", "seats"), [("toy", "pp"), ("duel", "pp"), ("cathedral", "pppp")])
def test_every_position_is_the_one_that_was_played(game: str, seats: str) -> None:
    played = whole(game, seats)
    assert played.positions is not None
    state, expected = GAMES[game].new(len(seats), 7), []
    for entry in played.line:
        expected.append(state.copy())
        state.play(entry.text)
    expected.append(state)
    assert [*played.positions.since(0)] == expected
    assert [played.positions.at(ply) for ply in range(played.ply + 1)] == expected
    assert [*played.positions.since(played.ply - 1)] == expected[-2:]


def test_a_long_game_keeps_few_positions() -> None:
    played = whole("cathedral", "pppp")
    assert played.positions is not None
    assert played.ply > 20 * STRIDE
    assert played.positions.hosted <= played.ply // STRIDE + 2


def test_the_weight_of_a_game_is_what_it_takes() -> None:
    log = whole("cathedral", "pppp")
    tracemalloc.start()
    try:
        texts = [Entry(one.kind, one.seat, "".join([*one.text]), one.moment + 1) for one in log.entries]
        loaded = HostedGame(head("cathedral", "pppp"), texts)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / 2 < loaded.weight < 2 * taken


@pytest.mark.parametrize("ply", [0, 1, STRIDE - 1, STRIDE, STRIDE + 1, 3 * STRIDE])
def test_a_game_goes_on_from_where_it_was_taken_back_to(ply: int) -> None:
    log = whole("duel", "pp").line
    straight, back = Positions(GAMES["duel"].new(2, 7)), Positions(GAMES["duel"].new(2, 7))
    for entry in log[: 4 * STRIDE]:
        straight.play(entry.text)
        back.play(entry.text)
    before = back.copy()
    back.back_to(ply)
    assert back.last == straight.at(ply)
    for entry in log[ply : 4 * STRIDE]:
        back.play(entry.text)
    assert [*back.since(0)] == [*straight.since(0)] == [*before.since(0)]


def test_what_cannot_be_played_changes_nothing() -> None:
    positions = Positions(GAMES["duel"].new(2, 7))
    last = positions.last
    with pytest.raises((IllegalAction, ValueError)):
        positions.play("no such action")
    assert (positions.ply, positions.last) == (0, last)
