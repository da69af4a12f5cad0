"""A hosted game is derived from its log, shown as far as a viewer may see it, and played where nothing is to decide."""

import hashlib
import json
import random
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import pytest

from clerestory.engine import GAMES, NATURE, read_records
from clerestory.engine.errors import IllegalAction
from clerestory.engine.games import LIST
from clerestory.engine.record import EarlyEnd
from clerestory.engine.rng import Rng
from clerestory.server.games import commands, takebacks
from clerestory.server.games.cache import extended
from clerestory.server.games.hosted import STRIDE, HostedGame, Positions
from clerestory.server.games.log import (
    BotSettings,
    EndReason,
    Entry,
    EntryKind,
    GameOptions,
    Head,
    Holder,
    SeatKind,
    TakeBacks,
    shares_of_end,
)
from clerestory.server.games.store import Unreadable
from clerestory.server.games.takebacks import take_back
from clerestory.server.games.viewer import Viewer, horizon, viewer_of
from clerestory.service_errors import Reason
from tests.server.games.table import (
    BOTH,
    NOW,
    OWNER,
    STORED,
    at,
    everybody,
    first,
    head,
    hosted,
    play,
    play_one,
    played,
    refused,
)

# -- the log ---------------------------------------------------------------------------------------


def test_a_head_without_newer_options_has_their_defaults() -> None:
    text = head().to_json().replace(',"play_forced":false', "")
    assert "play_forced" not in text
    assert Head.from_json(text).options == GameOptions()


def test_chance_events_are_drawn_by_seed_and_ply() -> None:
    """The documented formula, written out: people can check it with the seed."""
    drawn = commands.advance_automatic(HostedGame(head(seed=11)), NOW)
    state = GAMES["toy"].new(2, 11)
    for ply, entry in enumerate(drawn, 1):
        number = int.from_bytes(hashlib.sha256(f"11:{ply}".encode()).digest()[:8], "big")
        assert state.draw(Rng(number)).text == entry.text
        state.play(entry.text)


def test_a_game_of_other_rules_is_frozen() -> None:
    other = HostedGame(replace(head(), rules_revision=99))
    assert (bool(other.frozen), other.running, other.turn) == (True, False, None)
    assert refused(lambda: commands.play(other, BOTH, 0, "fold", NOW)).reason == Reason.FROZEN
    assert not hosted().frozen


@pytest.mark.parametrize(
    ("seat", "text"), [(0, "agreed"), (None, ""), (None, "resigned"), (2, "resigned"), (-1, "resigned")]
)
def test_a_damaged_end_does_not_fit_the_game(seat: int | None, text: str) -> None:
    game = hosted()
    with pytest.raises(Unreadable, match="does not fit"):
        extended(game, [Entry(EntryKind.ENDED, seat, text, NOW)])
    assert game.ended is None


@pytest.mark.parametrize(("seats", "alone"), [("bb", True), ("bp", False), ("bo", False), ("po", False)])
def test_a_game_of_bots_only_has_nobody_and_no_seat_for_anybody(seats: str, alone: bool) -> None:
    assert hosted(seats=seats).bots_only is alone


def test_the_time_for_a_move_begins_with_the_turn_of_a_person() -> None:
    assert hosted().deadline is None
    game = hosted(seconds_per_move=2.0)
    assert game.deadline == STORED + 2_000
    play(game)
    assert game.deadline == NOW + 2_000
    assert hosted(seats="bp", seconds_per_move=2.0).deadline is None


# -- a clock for the whole game ------------------------------------------------------------------------


def after(game: HostedGame, seconds: float) -> None:
    """Let the player to move play some seconds after the turn began."""
    commands.play(game, BOTH, game.version, first(game), game.since + int(1000 * seconds))


def left(game: HostedGame) -> list[float]:
    return [clock / 1000 for clock in game.clocks]


def test_the_clock_of_the_person_to_move_runs() -> None:
    game = hosted(seconds_per_game=60.0)
    seat, other = game.turn, 1 - (game.turn or 0)
    assert (left(game), game.deadline) == ([60.0, 60.0], STORED + 60_000)
    after(game, 20)
    while game.turn == seat:
        after(game, 5)
    spent = 60.0 - left(game)[seat or 0]
    assert spent >= 20.0
    assert left(game)[other] == 60.0
    after(game, 7)
    assert left(game)[other] == 53.0
    assert left(game)[seat or 0] == 60.0 - spent


def test_the_clock_gains_with_each_own_move_that_took_time() -> None:
    game = hosted(seconds_per_game=60.0, increment=2.5)
    seat = game.turn or 0
    after(game, 20)
    assert left(game)[seat] == 42.5
    game = hosted(seconds_per_game=60.0, increment=2.5)
    after(game, 0)  # as further actions of the same request, and those of a record that is continued
    assert left(game) == [60.0, 60.0]
    assert game.deadline == game.since + 60_000


def test_without_time_each_further_move_is_due_at_once() -> None:
    game = hosted(seconds_per_game=60.0, increment=2.5)
    seat = game.turn or 0
    commands.play_bot(game, game.version, first(game), game.since + 61_000)
    assert game.entries[-1].kind == EntryKind.PLAYED_ON or game.entries[-1].seat is None
    assert left(game)[seat] == 1.5 - 2.5  # a move of the server gains nothing
    while game.turn != seat:
        after(game, 0)
    assert game.deadline == game.since


def test_the_shorter_limit_ends_a_move() -> None:
    game = hosted(seconds_per_game=60.0, seconds_per_move=50.0)
    assert game.deadline == game.since + 50_000
    seat = game.turn
    after(game, 20)
    while game.turn != seat:
        after(game, 0)
    assert game.deadline == game.since + 40_000


def test_a_take_back_gives_no_time_back() -> None:
    game = hosted(seconds_per_game=60.0, take_backs=TakeBacks.ALL)
    seat, ply = game.turn or 0, game.ply
    after(game, 20)
    take_back(game, BOTH, game.version, ply, decline=False, moment=game.since)
    assert (game.turn, left(game)[seat]) == (seat, 40.0)


def test_the_clocks_of_bots_stand() -> None:
    game = hosted(seats="pb", seconds_per_game=60.0)
    bot, person = 1, 0
    while game.turn != bot:
        after(game, 1)
    before = left(game)
    commands.play_bot(game, game.version, first(game), game.since + 5_000)
    assert left(game)[bot] == before[bot] == 60.0
    assert left(game)[person] == before[person]


def test_a_copy_is_independent_and_a_game_that_is_read_again_is_the_same() -> None:
    game = hosted(seconds_per_game=60.0, increment=1.0)
    copy, before = game.copy(), game.position.copy()
    after(game, 20)
    assert (copy.version, copy.ply, copy.position) == (game.version - 1, game.ply - 1, before)
    assert left(copy) == [60.0, 60.0]
    assert read_again(game).clocks == game.clocks


def test_a_game_from_before_there_were_clocks_has_none() -> None:
    fields = json.loads(hosted().head.to_json())
    for name in ("seconds_per_game", "increment"):
        del fields["options"][name]
    game = HostedGame(Head.from_json(json.dumps(fields)))
    assert (game.clocks, game.deadline) == ([], None)


def test_time_in_which_the_game_was_not_playable_is_given_back() -> None:
    game = hosted(seconds_per_game=60.0)
    seat = game.turn or 0
    before = game.copy()
    after(game, 3_600)
    assert commands.give_back(before, game, before.since + 3_590_000, game.since) == 1
    assert left(game)[seat] == 50.0
    assert HostedGame(game.head, game.entries).clocks == game.clocks


@pytest.mark.parametrize(
    ("seconds", "paused", "plays"), [(60.0, 0, True), (None, 9_000, True), (60.0, 9_000, False)], ids=str
)
def test_nothing_is_given_back_without_a_pause_or_a_clock_or_a_move(
    seconds: float | None, paused: int, plays: bool
) -> None:
    game = hosted(seconds_per_game=seconds)
    before = game.copy()
    if plays:
        after(game, 10)
    assert commands.give_back(before, game, before.since + paused, before.since + 10_000) == 0
    assert EntryKind.GIVEN_BACK not in [entry.kind for entry in game.entries]


def test_a_repeated_request_gets_the_version_after_what_was_given_back() -> None:
    game = hosted(seconds_per_game=60.0)
    before, text = game.copy(), first(game)
    after(game, 10)
    commands.give_back(before, game, before.since + 9_000, game.since)
    version = game.version
    assert commands.play(game, BOTH, before.version, text, NOW) == version


def test_tokens_say_who_looks() -> None:
    game = hosted()
    assert viewer_of(game, ["seat 1"]) == Viewer((1,))
    assert viewer_of(game, ["seat 1", "seat 0", "owner"]) == Viewer((0, 1), owner=True)
    for tokens in ([], ["onlooker"], ["seat 2"], ["seat 0", "x"], [""]):
        assert refused(lambda tokens=tokens: viewer_of(game, tokens)).reason == Reason.WRONG_SEAT_TOKEN
    assert refused(lambda: viewer_of(game, ["seat 0"] * 9)).reason == Reason.BAD_OPTIONS
    assert viewer_of(hosted(seats="po"), []) == Viewer(stranger=True)


def test_onlookers_see_a_game_late_and_all_of_it_once_it_is_over() -> None:
    game = hosted(delay_plies=2)
    for _ in range(3):
        play(game)
    late = at(game, horizon(game, Viewer()))
    assert [entry.text for entry in late.line] == [entry.text for entry in game.line[:-2]]
    assert horizon(game, OWNER) == horizon(game, Viewer((0,))) == game.version
    commands.end(game, OWNER, EndReason.ABANDONED, None, NOW)
    assert horizon(game, Viewer()) == game.version


def test_the_record_of_a_game_reads_as_one() -> None:
    game, ply = played("ppp", 2)
    takebacks.take_back(game, everybody(game), game.version, ply + 1, False, NOW)
    while not game.over:
        play(game, everybody(game))
    [record] = read_records(game.record(None).lines())
    assert (record.state, record.seed, record.early) == (game.position, game.head.seed, None)
    [seen] = read_records(game.record(1).lines())
    assert seen.seed is None
    assert seen.state.origin == GAMES["toy"].new(3, 7).observe(1)


@pytest.mark.parametrize(
    ("viewer", "reason", "shares", "early"),
    [(Viewer((1,)), EndReason.RESIGNED, [1.0, 0.0], EarlyEnd(0)), (OWNER, EndReason.ABANDONED, None, EarlyEnd(None))],
)
def test_a_player_who_resigns_has_lost(
    viewer: Viewer, reason: EndReason, shares: list[float] | None, early: EarlyEnd
) -> None:
    game = hosted()
    for _ in range(2):  # the second time nothing happens
        commands.end(game, viewer, reason, None, NOW)
    assert game.ended is game.entries[-1]
    assert shares_of_end(game.ended, 2) == shares
    assert game.record(None).early == early
    assert [entry.kind for entry in game.entries].count(EntryKind.ENDED) == 1


# -- positions -------------------------------------------------------------------------------------


def whole(game: str, seats: str) -> HostedGame:
    """Return a game that was played to its end at random."""
    played, luck = hosted(game, seats), random.Random(7)
    while not played.over:
        assert played.turn != NATURE, "chance events are drawn at once"
        played.add(Entry(EntryKind.PLAYED, played.turn, luck.choice(played.position.legal_actions()).text, STORED))
        commands.advance_automatic(played, STORED)
    return played


@pytest.mark.parametrize(("game", "seats"), [("toy", "ppp"), ("duel", "pp"), ("cathedral", "pppp")])
def test_a_log_gives_the_same_game_again_with_every_position(game: str, seats: str) -> None:
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
    again = read_again(played)
    assert (again.position, again.ply, again.version) == (state, played.ply, played.version)
    assert again.record(None).state.history == state.history
    assert {entry.kind for entry in played.entries if entry.seat is None} == {EntryKind.DRAWN}


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
    assert (back.last, back.hosted) == (straight.at(ply), ply // STRIDE + 2)
    for entry in log[ply : 4 * STRIDE]:
        back.play(entry.text)
    assert [*back.since(0)] == [*straight.since(0)] == [*before.since(0)]


def test_an_illegal_action_changes_nothing() -> None:
    positions = Positions(GAMES["duel"].new(2, 7))
    last = positions.last
    with pytest.raises((IllegalAction, ValueError)):
        positions.play("no such action")
    assert (positions.ply, positions.last) == (0, last)


CASES = [("cathedral", "pp"), ("cathedral", "pppp"), ("duel", "pp"), ("cathedral", "pb")]
LIMIT = 2.0  # seconds of a move


def read_again(game: HostedGame) -> HostedGame:
    return HostedGame(Head.from_json(game.head.to_json()), game.entries)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_nobody_is_asked_what_has_one_answer(name: str, seats: str) -> None:
    game = hosted(name, seats, play_forced=True)
    while not game.over:
        assert game.turn != NATURE
        assert game.mover is not None or len(game.position.legal_codes()) > 1
        play_one(game, game.ply)
    forced = [entry.seat for entry in game.entries if entry.kind == EntryKind.FORCED]
    assert forced
    assert None not in forced


def test_without_the_option_everybody_is_asked() -> None:
    game, asked = hosted("cathedral", "pp"), 0
    while not game.over:
        asked += len(game.position.legal_codes()) == 1
        play_one(game, game.ply)
    assert asked > 0
    assert EntryKind.FORCED not in {entry.kind for entry in game.entries}


TAKEN_BACK = [  # whose turn comes when, and how many forced actions follow a decision
    ("cathedral", "pp", 7, TakeBacks.FAIR, 1),
    ("cathedral", "pp", 7, TakeBacks.ALL, 1),
    ("cathedral", "pppp", 1, TakeBacks.ALL, 2),
    ("duel", "pp", 3, TakeBacks.ALL, 2),
]


@pytest.mark.parametrize(("name", "seats", "seed", "rule", "forced"), TAKEN_BACK)
def test_a_take_back_goes_past_what_was_forced(name: str, seats: str, seed: int, rule: TakeBacks, forced: int) -> None:
    game, kinds = hosted(name, seats, seed, play_forced=True, take_backs=rule), [EntryKind.PLAYED]
    kinds += [EntryKind.FORCED] * forced
    while [entry.kind for entry in game.line[-len(kinds) :]] != kinds:
        assert not game.over
        play_one(game, 1 if forced == 1 else 7 * game.ply + seed)
    ply, version, position = game.ply, game.version, at(game, game.version - len(kinds)).position
    after = takebacks.take_back(game, everybody(game), version, ply - 1, False, NOW)
    assert (game.ply, game.position) == (ply - len(kinds), position)
    assert len(game.position.legal_codes()) > 1
    assert takebacks.take_back(game, everybody(game), version, ply - 1, False, NOW) == after


def test_forced_actions_at_the_beginning_cannot_be_taken_back() -> None:
    game = hosted("cathedral", "pp", play_forced=True, take_backs=TakeBacks.ALL)
    while game.line[-1].kind != EntryKind.FORCED:
        play_one(game)
    for number, entry in enumerate(game.line):
        if entry.kind == EntryKind.PLAYED:
            game.line[number] = replace(entry, kind=EntryKind.FORCED)
    assert refused(lambda: takebacks.require_ply(game, game.ply - 1)).reason == Reason.TAKE_BACK_REFUSED


def test_chance_at_a_table_is_never_played_by_the_server() -> None:
    game = hosted("cathedral", "pp", table=True, play_forced=True)
    for _ in range(40):
        if game.turn == NATURE:
            version = game.version
            commands.play(game, everybody(game), version, first(game), NOW)
            assert game.entries[version].kind == EntryKind.PLAYED
        else:
            assert len(game.position.legal_codes()) > 1
            play_one(game)
    assert EntryKind.DRAWN not in {entry.kind for entry in game.entries}


def test_a_player_who_comes_back_to_a_seat_is_not_asked_what_has_one_answer() -> None:
    game = hosted("cathedral", "pp", play_forced=True)
    commands.set_seat(game, everybody(game), 0, Holder(SeatKind.BOT, bot=BotSettings(1)), NOW)
    while not (game.mover == 0 and len(game.position.legal_codes()) == 1):
        play_one(game, game.ply)
    commands.set_seat(game, everybody(game), 0, Holder(SeatKind.PERSON), NOW)
    assert any(entry.kind == EntryKind.FORCED for entry in game.entries[-20:])
    assert game.over or len(game.position.legal_codes()) > 1


def test_time_that_runs_out_and_forced_actions_leave_one_log() -> None:
    """Players and the clock alternate: players get no forced decisions, and each turn has its full time."""
    game, kinds = hosted("cathedral", "pp", play_forced=True, seconds_per_move=LIMIT), set()
    while not game.over:
        assert len(game.position.legal_codes()) > 1
        moment = game.deadline
        assert moment == game.since + 1000 * LIMIT
        text = game.position.legal_actions()[game.ply % len(game.position.legal_codes())].text
        if game.ply % 3:
            commands.play(game, everybody(game), game.version, text, game.since + 500)
        else:
            commands.play_bot(game, game.version, text, int(moment))
        kinds |= {(one.kind, other.kind) for one, other in pairwise(game.entries[-4:])}
    assert {(EntryKind.PLAYED_ON, EntryKind.FORCED), (EntryKind.PLAYED, EntryKind.FORCED)} <= kinds
    again = read_again(game)
    assert (again.position, again.line) == (game.position, game.line)


def test_a_plan_that_was_half_played_goes_on_from_the_position() -> None:
    """A tab that closes between two calls leaves a position in which the rest of its plan can still be planned."""
    game = hosted("cathedral", "pp")
    planner, plan = LIST["cathedral"].planner, None
    assert planner
    while plan is None or len(plan.actions) < 3:
        play_one(game, game.ply)
        possible = planner.planned(game.position, {}, finish=True)
        uses = {one.item: 1 for one in possible.possible if one.most} if possible else {}
        plan = planner.planned(game.position, dict(list(uses.items())[:2]), finish=True)
    begun, *rest = plan.actions
    commands.play(game, everybody(game), game.version, begun, NOW)
    left = {item: count for item, count in planner.held(plan.actions).items() if item not in begun.split()}
    remaining = planner.planned(read_again(game).position, left, finish=True)
    assert remaining is not None
    assert remaining.actions == tuple(rest)
