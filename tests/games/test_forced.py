"""Only legal actions that the server plays: marked entries, exactly once, which a take-back goes past."""

from itertools import pairwise

import pytest

from clerestory.engine import NATURE
from clerestory.engine.games import LIST
from clerestory.games import course
from clerestory.games.kept import ServerGame
from clerestory.games.log import BotSettings, EntryKind, GameOptions, Head, Holder, SeatKind, TakeBacks
from clerestory.games.viewer import Viewer
from clerestory.refusals import Reason, Refusal
from tests.games.table import STORED, at, head, kept

NOW = STORED + 1
CASES = [("cathedral", "pp"), ("cathedral", "pppp"), ("duel", "pp"), ("cathedral", "pb")]


def everybody(game: ServerGame) -> Viewer:
    return Viewer(tuple(range(len(game.seats))))


def play_one(game: ServerGame, number: int = 0) -> int:
    """Let the seat to decide play one of its actions, or the bot."""
    legal = game.position.legal_actions()
    text = legal[number % len(legal)].text
    if game.mover is not None:
        course.play_bot(game, game.version, text, NOW)
        return game.version
    return course.play(game, everybody(game), game.version, text, NOW)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_nobody_is_asked_what_has_one_answer(name: str, seats: str) -> None:
    game, forced = kept(name, seats, play_forced=True), 0
    while not game.over:
        assert game.turn != NATURE
        assert game.mover is not None or len(game.position.legal_codes()) > 1
        play_one(game, game.ply)
    forced = sum(entry.kind == EntryKind.FORCED for entry in game.entries)
    assert forced > 0
    assert all(entry.seat is not None for entry in game.entries if entry.kind == EntryKind.FORCED)


def test_without_the_option_everybody_is_asked() -> None:
    game, asked = kept("cathedral", "pp"), 0
    while not game.over:
        asked += len(game.position.legal_codes()) == 1
        play_one(game, game.ply)
    assert asked > 0
    assert all(entry.kind != EntryKind.FORCED for entry in game.entries)


def test_the_log_alone_gives_the_same_game() -> None:
    game = kept("cathedral", "pp", play_forced=True)
    while game.ply < 150:
        play_one(game, game.ply)
    again = ServerGame(Head.from_json(game.head.to_json()), game.entries)
    assert again.position == game.position
    assert again.line == game.line


def test_an_old_game_is_one_without_the_option() -> None:
    text = head().to_json().replace(',"play_forced":false', "")
    assert "play_forced" not in text
    assert Head.from_json(text).options == GameOptions()


def test_a_repeated_action_gets_its_first_answer() -> None:
    game = kept("cathedral", "pp", play_forced=True)
    while not (game.entries and game.entries[-1].kind == EntryKind.FORCED):
        version, text = game.version, game.position.legal_actions()[0].text
        after = course.play(game, everybody(game), version, text, NOW)
    entries = list(game.entries)
    assert course.play(game, everybody(game), version, text, NOW) == after == game.version
    assert game.entries == entries


def last_forced(rule: TakeBacks) -> ServerGame:
    """Return a game whose last but one decision was followed by a forced action without a chance event between."""
    game = kept("cathedral", "pp", play_forced=True, take_backs=rule)
    while not game.over:
        play_one(game, 1)
        kinds = [entry.kind for entry in game.line[-2:]]
        if kinds == [EntryKind.PLAYED, EntryKind.FORCED]:
            return game
    pytest.fail("nothing was forced after a decision")


@pytest.mark.parametrize("rule", [TakeBacks.FAIR, TakeBacks.ALL])
def test_a_take_back_goes_past_what_was_forced(rule: TakeBacks) -> None:
    game = last_forced(rule)
    ply = game.ply
    position = at(game, game.version - 2).position
    version = game.version
    after = course.take_back(game, everybody(game), version, ply - 1, False, NOW)
    assert game.ply == ply - 2
    assert game.position == position
    assert len(game.position.legal_codes()) > 1
    assert course.take_back(game, everybody(game), version, ply - 1, False, NOW) == after


def test_what_was_forced_at_the_beginning_cannot_be_taken_back() -> None:
    game = kept("cathedral", "pp", play_forced=True, take_backs=TakeBacks.ALL)
    while game.line[-1].kind != EntryKind.FORCED:
        play_one(game)
    only = ServerGame(game.head, game.entries)
    for number, entry in enumerate(only.line):
        only.line[number] = (
            entry
            if entry.kind != EntryKind.PLAYED
            else entry.__class__(EntryKind.FORCED, entry.seat, entry.text, entry.moment)
        )
    with pytest.raises(Refusal) as refused:
        course.require_ply(only, only.ply - 1)
    assert refused.value.reason == Reason.TAKE_BACK_REFUSED


def test_chance_at_a_table_is_never_played_by_the_server() -> None:
    game = kept("cathedral", "pp", table=True, play_forced=True)
    for _ in range(40):
        if game.turn == NATURE:
            version = game.version
            course.play(game, everybody(game), version, game.position.legal_actions()[0].text, NOW)
            assert game.entries[version].kind == EntryKind.PLAYED
        else:
            assert len(game.position.legal_codes()) > 1
            play_one(game)
    assert all(entry.kind != EntryKind.DRAWN for entry in game.entries)


def test_a_seat_that_is_handed_back_is_not_asked_either() -> None:
    """A bot is asked all things itself; its player, back again, is not."""
    game = kept("cathedral", "pp", play_forced=True)
    course.set_seat(game, everybody(game), 0, Holder(SeatKind.BOT, bot=BotSettings(1)), NOW)
    while not (game.mover == 0 and len(game.position.legal_codes()) == 1):
        play_one(game, game.ply)
    course.set_seat(game, everybody(game), 0, Holder(SeatKind.PERSON), NOW)
    assert any(entry.kind == EntryKind.FORCED for entry in game.entries[-20:])
    assert game.over or len(game.position.legal_codes()) > 1


# -- several actions in one call -------------------------------------------------------------------


def test_several_actions_are_played_together_or_not_at_all() -> None:
    game = kept("cathedral", "pp")
    while game.position.to_position()["cathedral"]["step"] != "cathedral":
        play_one(game, game.ply)
    legal = [action.text for action in game.position.legal_actions()]
    first, version, seat = legal[0], game.version, game.turn
    before = game.copy()
    with pytest.raises(Refusal) as refused:
        course.play(before, everybody(game), version, first, NOW, ("nonsense",))
    assert (refused.value.reason, refused.value.faults[0][0]) == (Reason.BAD_ACTION, "then_actions[0]")
    then = ("finish",) if first != "finish" else ()
    after = course.play(game, everybody(game), version, first, NOW, then)
    assert [(entry.text, entry.seat) for entry in game.entries[version : version + 1 + len(then)]] == [
        (text, seat) for text in (first, *then)
    ]
    assert course.play(game, everybody(game), version, first, NOW, then) == after
    with pytest.raises(Refusal) as refused:
        course.play(game, everybody(game), version, first, NOW, (*then, "leave"))
    assert refused.value.reason == Reason.STALE_VERSION


def test_further_actions_are_those_of_the_same_seat() -> None:
    game = kept("toy", "ppp")
    with pytest.raises(Refusal) as refused:
        course.play(game, everybody(game), game.version, "fold", NOW, ("fold",))
    assert (refused.value.reason, refused.value.faults[0][0]) == (Reason.ILLEGAL_ACTION, "then_actions[0]")


# -- time that runs out, and what was forced -------------------------------------------------------

LIMIT = 2.0  # seconds of a move


def test_time_that_runs_out_and_forced_actions_leave_one_log() -> None:
    """Players and the clock take turns: nobody is asked what has one answer, and each turn has its whole time."""
    game, kinds = kept("cathedral", "pp", play_forced=True, seconds_per_move=LIMIT), set()
    while not game.over:
        assert len(game.position.legal_codes()) > 1
        moment = game.deadline
        assert moment == game.since + 1000 * LIMIT
        text = game.position.legal_actions()[game.ply % len(game.position.legal_codes())].text
        if game.ply % 3:
            course.play(game, everybody(game), game.version, text, game.since + 500)
        else:
            course.play_bot(game, game.version, text, int(moment))
        kinds |= {(one.kind, other.kind) for one, other in pairwise(game.entries[-4:])}
    assert {(EntryKind.PLAYED_ON, EntryKind.FORCED), (EntryKind.PLAYED, EntryKind.FORCED)} <= kinds
    again = ServerGame(Head.from_json(game.head.to_json()), game.entries)
    assert (again.position, again.line) == (game.position, game.line)


def test_a_deadline_of_an_earlier_turn_plays_nothing() -> None:
    game = kept("cathedral", "pp", play_forced=True, seconds_per_move=LIMIT)
    while game.entries[-1].kind != EntryKind.FORCED:
        version, moment = game.version, game.deadline
        play_one(game, game.ply)
    entries = list(game.entries)
    with pytest.raises(Refusal) as refused:
        course.play_bot(game, version, game.position.legal_actions()[0].text, int(moment or 0))
    assert refused.value.reason == Reason.STALE_VERSION
    assert game.entries == entries


@pytest.mark.parametrize(("name", "seats", "seed"), [("cathedral", "pppp", 1), ("duel", "pp", 3)])
def test_a_take_back_goes_past_two_forced_actions_in_a_row(name: str, seats: str, seed: int) -> None:
    game = kept(name, seats, seed, play_forced=True, take_backs=TakeBacks.ALL)
    while [entry.kind for entry in game.line[-3:]] != [EntryKind.PLAYED, EntryKind.FORCED, EntryKind.FORCED]:
        assert not game.over
        play_one(game, 7 * game.ply + seed)
    ply, position, people = game.ply, at(game, game.version - 3).position, everybody(game)
    course.take_back(game, people, game.version, ply - 1, False, NOW)
    assert (game.ply, game.position) == (ply - 3, position)


def test_a_plan_that_was_half_played_goes_on_from_the_position() -> None:
    """A tab that closes between two calls leaves a position in which the rest of its plan can still be planned."""
    game = kept("cathedral", "pp")
    planner, plan = LIST["cathedral"].planner, None
    assert planner
    while plan is None or len(plan.actions) < 3:
        play_one(game, game.ply)
        possible = planner.planned(game.position, {}, finish=True)
        uses = {one.item: 1 for one in possible.possible if one.most} if possible else {}
        plan = planner.planned(game.position, dict(list(uses.items())[:2]), finish=True)
    first, *rest = plan.actions
    course.play(game, everybody(game), game.version, first, NOW)
    again = ServerGame(Head.from_json(game.head.to_json()), game.entries)
    left = {item: count for item, count in planner.held(plan.actions).items() if item not in first.split()}
    remaining = planner.planned(again.position, left, finish=True)
    assert remaining is not None
    assert remaining.actions == tuple(rest)
