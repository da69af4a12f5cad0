"""Only legal actions that the server plays: marked entries, exactly once, which a take-back goes past."""

from dataclasses import replace
from itertools import pairwise

import pytest

from clerestory.engine import NATURE
from clerestory.engine.games import LIST
from clerestory.server.games import commands, takebacks
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, EntryKind, Head, Holder, SeatKind, TakeBacks
from clerestory.service_errors import Reason
from tests.server.games.table import NOW, at, everybody, first, hosted, play_one, refused

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


def test_a_repeated_action_gets_its_first_answer() -> None:
    game = hosted("cathedral", "pp", play_forced=True)
    while not (game.entries and game.entries[-1].kind == EntryKind.FORCED):
        version, text = game.version, first(game)
        after = commands.play(game, everybody(game), version, text, NOW)
    entries = list(game.entries)
    assert commands.play(game, everybody(game), version, text, NOW) == after == game.version
    assert game.entries == entries


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


def test_a_deadline_of_an_earlier_turn_plays_nothing() -> None:
    game = hosted("cathedral", "pp", play_forced=True, seconds_per_move=LIMIT)
    while game.entries[-1].kind != EntryKind.FORCED:
        version, moment = game.version, game.deadline
        play_one(game, game.ply)
    entries = list(game.entries)
    error = refused(lambda: commands.play_bot(game, version, first(game), int(moment or 0)))
    assert (error.reason, game.entries) == (Reason.STALE_VERSION, entries)


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
