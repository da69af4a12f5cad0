"""Who sees what of a kept game: at a table, onlookers, records."""

import hashlib

from clerestory.engine import GAMES, NATURE, read_records
from clerestory.engine.rng import Rng
from clerestory.games import course
from clerestory.games.kept import ServerGame, settle
from clerestory.games.log import (
    EndReason,
    Entry,
    EntryKind,
    Holder,
    SeatKind,
    seated,
)
from clerestory.games.viewer import Viewer, digest_of, horizon, viewer_of
from clerestory.refusals import Reason
from tests.games.table import BOTH, NOW, OWNER, at, head, kept, play, played, refused

# -- a table ---------------------------------------------------------------------------------------


def test_at_a_table_luck_is_entered_by_anybody_who_plays_and_can_be_taken_back() -> None:
    game = kept(table=True)
    assert (game.version, game.turn) == (0, NATURE)
    assert refused(lambda: play(game, Viewer())).reason == Reason.NOT_SEATS_TURN
    play(game, Viewer((1,)))
    play(game, OWNER)
    assert [entry.seat for entry in game.entries] == [None, None]
    course.take_back(game, BOTH, game.version, 1, False, NOW)
    assert (game.ply, game.turn) == (1, NATURE)


# -- who looks -------------------------------------------------------------------------------------


def test_tokens_say_who_looks() -> None:
    game = kept()
    assert viewer_of(game, ["seat 1"]) == Viewer((1,))
    assert viewer_of(game, ["seat 1", "seat 0", "owner"]) == Viewer((0, 1), owner=True)
    for tokens in ([], ["onlooker"], ["seat 2"], ["seat 0", "x"], [""]):
        assert refused(lambda tokens=tokens: viewer_of(game, tokens)).reason == Reason.WRONG_SEAT_TOKEN
    assert refused(lambda: viewer_of(game, ["seat 0"] * 9)).reason == Reason.BAD_OPTIONS


def test_whoever_has_no_token_sees_that_a_seat_is_open() -> None:
    assert viewer_of(kept(seats="po"), []) == Viewer(stranger=True)


def test_onlookers_see_a_game_late_and_all_of_it_once_it_is_over() -> None:
    game = kept(delay_plies=2)
    for _ in range(3):
        play(game)
    late = at(game, horizon(game, Viewer()))
    assert late.ply == game.ply - 2
    assert [entry.text for entry in late.line] == [entry.text for entry in game.line[:-2]]
    assert horizon(game, OWNER) == game.version
    assert horizon(game, Viewer((0,))) == game.version
    course.end(game, OWNER, EndReason.ABANDONED, None, NOW)
    assert horizon(game, Viewer()) == game.version


# -- records ---------------------------------------------------------------------------------------


def test_the_record_of_a_game_reads_as_one() -> None:
    everybody = Viewer((0, 1, 2))
    game, ply = played("ppp", 2)
    course.take_back(game, everybody, game.version, ply + 1, False, NOW)
    while not game.over:
        play(game, everybody)
    [record] = read_records(game.record(None).lines())
    assert (record.state, record.seed) == (game.position, game.head.seed)
    [seen] = read_records(game.record(1).lines())
    assert seen.seed is None
    assert seen.state.origin == GAMES["toy"].new(3, 7).observe(1)


def test_entries_tell_who_holds_a_seat() -> None:
    holder = Holder(SeatKind.PERSON, "Zoë", None, digest_of("x"))
    assert seated(1, holder, NOW).holder == holder
    assert Entry(EntryKind.AGREED, 1, "17", NOW).ply == 17


def test_what_is_drawn_is_drawn_by_seed_and_ply() -> None:
    """The documented formula, written out: people can check it with the seed."""
    game = ServerGame(head(seed=11))
    drawn = settle(game, NOW)
    state = GAMES["toy"].new(2, 11)
    for ply, entry in enumerate(drawn, 1):
        number = int.from_bytes(hashlib.sha256(f"11:{ply}".encode()).digest()[:8], "big")
        assert state.draw(Rng(number)).text == entry.text
        state.play(entry.text)
