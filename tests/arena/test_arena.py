"""The arena: every seating of every deal, the same games for the same seed, and nothing lost in a kill."""

import json
import math
import os
import signal
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from clerestory.arena.errors import BadBot, BadMatch
from clerestory.arena.match import GameResult, Match, decisions, derived_seed, nature_of, play_game
from clerestory.arena.pool import on_processes
from clerestory.arena.results import open_results
from clerestory.arena.series import Report, play_match, report, scores
from clerestory.arena.statistics import Sprt, SprtVerdict
from clerestory.engine import GAMES, Rng, State
from clerestory.engine.core import Game
from clerestory.engine.toy.rules import TOY
from clerestory.engine.value import value_of
from clerestory.engine.weights import write_weights
from clerestory.learn.net import NetWeights, begin_weights, in_points
from clerestory.search.errors import BadLimit
from tests.foretold import ALL, foretold


def toy() -> Game:
    return TOY


def cathedral() -> Game:
    return GAMES["cathedral"]


MATCH = Match(toy, 3, ("expectimax:samples=2", "random"), "50it", seed=4, deals=5)


def run(match: Match, path: Path | None = None, workers: int = 1, sprt: Sprt | None = None) -> tuple[Report, list[Any]]:
    """The report, and the games as they are without their times."""
    with open_results(path, match) as results:
        for _ in play_match(match, results, workers=workers, sprt=sprt):
            pass
        outcome = report(match, results, sprt)
        assert outcome is not None
        return timeless(outcome), [replace(game, seconds=[]) for game in results.of(match)]


def timeless(outcome: Report) -> Report:
    return replace(outcome, a=replace(outcome.a, ms_per_move=0), b=replace(outcome.b, ms_per_move=0))


def played(deal: int, seat: int, returns: list[float]) -> GameResult:
    zeros = [0] * len(returns)
    return GameResult(
        deal, seat, returns, [8 * share - 4 for share in returns], None, 8, [2] * len(returns), [0.5, 1.5], zeros
    )


# -- games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", TOY.seats)
def test_every_deal_is_played_from_every_seat(seats: int) -> None:
    match = replace(MATCH, seats=seats, deals=6)
    _, games = run(match)
    seatings = Counter((game.deal, game.seat) for game in games)
    assert seatings == {(deal, seat): 1 for deal in range(4, 10) for seat in range(seats)}


def test_a_deal_has_one_opening_and_one_luck() -> None:
    """Deterministic bots get the same cards: greedy against itself has the same result in every seating."""
    games = [play_game(replace(MATCH, bots=("greedy", "greedy")), 3, seat) for seat in range(3)]
    assert len({tuple(game.returns + game.margins) for game in games if game}) == 1


def test_luck_tells_nothing_of_the_cards() -> None:
    """Players at random, so that nothing but the luck can depend on the deck."""

    def game(deal: int) -> State:
        state, choices = GAMES["duel"].new(2, deal), Rng(derived_seed("choices", deal))
        for _ in decisions(state, nature_of(deal)):
            legal = state.legal_codes()
            state.play(legal[choices.below(len(legal))])
        return state

    assert foretold(map(game, range(300))) < ALL / 3


@pytest.mark.parametrize("load", [toy, cathedral])
def test_a_match_can_be_repeated(load: Any) -> None:
    match = replace(MATCH, load=load, bots=("ismcts-plain", "greedy"), budget="5it", deals=2)
    assert run(match) == run(match)
    assert run(match)[1] != run(replace(match, seed=40))[1]


def test_processes_change_nothing(tmp_path: Path) -> None:
    assert run(MATCH, tmp_path / "games.jsonl", workers=2) == run(MATCH)


def test_moves_have_seeds_of_their_own() -> None:
    """The documented hash, computed by another program (b2sum -l 64); random bots play differently in each seating."""
    assert derived_seed("move", 0, 1, 2) == int.from_bytes(bytes.fromhex("9a304303c74abb11"), "little")
    assert (
        len({derived_seed("move", deal, seat, ply) for deal in range(9) for seat in range(4) for ply in range(9)})
        == 324
    )
    games = [play_game(replace(MATCH, load=cathedral, bots=("random", "random")), 3, seat) for seat in range(3)]
    assert len({tuple(game.margins) for game in games if game}) > 1


def test_a_game_can_be_stopped_between_moves() -> None:
    asked = iter([False, False, True])
    assert play_game(MATCH, 1, 0, lambda: next(asked)) is None
    assert next(asked, None) is None


@dataclass
class Killed:
    """A task whose worker ends from outside, as when the system is short of memory."""

    def play(self, stopped: object = None) -> list[object]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    def header(self) -> dict[str, Any]:
        return {}


def test_a_worker_that_the_system_ended_is_told_in_a_line() -> None:
    with on_processes(2) as run, pytest.raises(ChildProcessError, match="use fewer workers"):
        list(run(iter([Killed()])))


# -- results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0, 40, 200, 300, 900, 1500, -1])
def test_a_torn_file_gives_the_same_report(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    whole = run(MATCH, path)
    content = path.read_bytes()
    path.write_bytes(content[:kept])
    assert run(MATCH, path) == whole
    lines = path.read_bytes().splitlines(keepends=True)
    before = content[:kept].splitlines(keepends=True)
    assert lines[: max(len(before) - 1, 0)] == before[:-1]
    assert len(lines) == 1 + 15
    assert all(line.endswith(b"\n") and json.loads(line) for line in lines)


def test_finished_games_are_not_played_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(MATCH, path)
    content = path.read_bytes()
    with open_results(path, MATCH) as results:
        assert not list(play_match(MATCH, results, workers=1))
    assert path.read_bytes() == content


def test_a_match_can_be_made_longer(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(MATCH, path)
    longer = replace(MATCH, seed=2, deals=9)
    assert run(longer, path) == run(longer)
    assert run(MATCH, path) == run(MATCH)  # the other deals of the file are left out


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"bots": ("greedy", "random")}, "bots"),
        ({"seats": 2}, "seats"),
        ({"budget": "1s"}, "budget"),
        ({"load": cathedral}, "game"),
        ({"luck": "hand"}, "luck"),
    ],
)
def test_another_matchs_file_is_refused(change: dict[str, Any], named: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(MATCH, path)
    content = path.read_bytes()
    with pytest.raises(BadMatch, match=rf"games\.jsonl: {named} is"), open_results(path, replace(MATCH, **change)):
        pass
    assert path.read_bytes() == content


def test_a_file_that_has_more_is_refused_for_that(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({**MATCH.header(), "luck": "net"}) + "\n")
    with pytest.raises(BadMatch, match=r"games\.jsonl: luck is 'net' in the file, None"), open_results(path, MATCH):
        pass


@pytest.mark.parametrize(
    "change",
    [
        *({"deal": deal} for deal in ("a", -1, 0.5, True)),
        *({"seat": seat} for seat in (3, -1, None)),
        {"plies": "8"},
        *({"returns": value} for value in ("x", [1], [1, 0], [2, -1, 0], [1, 1, 0], [math.nan, 1, 0], [None] * 3)),
        *({"margins": value} for value in ([], ["1", 0, 0], [math.inf, 0, 0], [10**400, 0, 0])),
        *({name: []} for name in ("values", "moves", "seconds", "iterations", "luck")),
    ],
)
def test_a_game_with_a_wrong_value_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path, good = tmp_path / "games.jsonl", replace(played(4, 0, [1, 0, 0]), seconds=[0, 0, 0]).fields()
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (MATCH.header(), good, good | {"seat": 1} | change)))
    with pytest.raises(BadMatch, match=r"games\.jsonl: line 3 is not a game"), open_results(path, MATCH):
        pass


def test_games_of_another_value_behind_the_same_name_are_refused(tmp_path: Path) -> None:
    """A path identifies nothing, and neither does the name of a bot that plays with what is shipped."""
    value, path, game = tmp_path / "value.net", tmp_path / "games.jsonl", cathedral()
    bots = (f"greedy:value={value}", "ismcts")
    match = replace(MATCH, load=cathedral, seats=2, bots=bots, budget="1it", luck=str(value))

    def checksum(name: str) -> str | None:
        weights = value_of(game, name).weights
        return weights and weights.checksum

    write_weights(value, random_weights(game, 1), {}, game=game)
    assert match.header()["weights"] == [checksum(str(value)), checksum("net"), checksum(str(value))]
    assert replace(match, bots=("random", "ismcts:value=hand"), luck="").header()["weights"] == [None, None]
    with open_results(path, match):
        pass
    write_weights(value, random_weights(game, 2), {}, game=game)
    with pytest.raises(BadMatch, match=r"games\.jsonl: weights is"), open_results(path, match):
        pass


def random_weights(game: Game, seed: int) -> NetWeights:
    return in_points(begin_weights(*map(len, game.input_names), seed))


@pytest.mark.parametrize(
    ("line", "named"),
    [(b"{}", "line 2 is not a game"), (b"[1]", "line 2 is not a JSON object"), (b"{", "line 2 is not a JSON object")],
)
def test_a_wrong_line_is_named(line: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(json.dumps(MATCH.header()).encode() + b"\n" + line + b"\n")
    with pytest.raises(BadMatch, match=named), open_results(path, MATCH):
        pass


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    for content in (b'{"record": 1}\n', b"letters\nwithout a last line end", b"a word"):
        path = tmp_path / "other"
        path.write_bytes(content)
        with pytest.raises(BadMatch, match="other: "), open_results(path, MATCH):
            pass
        assert path.read_bytes() == content


def test_a_game_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run(MATCH, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(BadMatch, match=r"games\.jsonl: a game occurs twice"), open_results(path, MATCH):
        pass


def test_two_runs_on_one_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with open_results(path, MATCH) as first:
        playing = play_match(MATCH, first, workers=1)
        next(playing)
        content = path.read_bytes()
        with pytest.raises(BadMatch, match=r"games\.jsonl: another run"), open_results(path, MATCH):
            pass
        assert path.read_bytes() == content
        assert len(list(playing)) == 14
    with open_results(path, MATCH) as again:
        assert len(again.games) == 15


# -- the report ------------------------------------------------------------------------------------


def test_report_by_hand() -> None:
    """Deal 4: A wins once of two; deal 5: twice; deal 6 lacks a seating."""
    match = replace(MATCH, seats=2, deals=3)
    with open_results(None, match) as results:
        assert report(match, results) is None
        for game in (
            played(4, 0, [1.0, 0.0]),
            played(4, 1, [1.0, 0.0]),
            played(5, 0, [1.0, 0.0]),
            played(5, 1, [0.0, 1.0]),
            played(6, 0, [0.0, 1.0]),
        ):
            results.add(game)
        outcome = report(match, results)
        assert scores(results.of(match), 2) == [0.5, 1.0]
    assert outcome is not None
    assert (outcome.games, outcome.deals, outcome.score.mean, outcome.margin.mean) == (5, 2, 0.75, 2.0)
    assert (outcome.a.score, outcome.b.score, outcome.a.value) == (0.75, 0.25, None)
    assert (outcome.a.ms_per_move, outcome.b.ms_per_move) == (500, 500)  # A: 0.5 + 1.5 + 0.5 + 1.5 s in 8 moves
    assert (outcome.llr, outcome.verdict) == (None, None)


def test_a_decided_test_ends_the_match() -> None:
    match = replace(MATCH, load=cathedral, seats=2, bots=("expectimax:samples=1", "random"), deals=200)
    outcome, games = run(match, sprt=Sprt(0, 100))
    assert outcome.verdict == SprtVerdict.H1
    assert outcome.games == len(games) < 100


def whole(deal: int, *, won: bool) -> list[GameResult]:
    """A deal of two seats whose games A has all won, or lost."""
    return [played(deal, seat, [float((here == seat) == won) for here in range(2)]) for seat in range(2)]


def test_what_comes_after_the_deal_that_decides_does_not_change_the_verdict() -> None:
    """A wins 30 deals; workers still had 40 under way, which B wins."""
    match = replace(MATCH, seats=2, seed=0, deals=100)
    with open_results(None, match) as results:
        verdicts = []
        for deal in range(70):
            for game in whole(deal, won=deal < 30):
                results.add(game)
            outcome = report(match, results, Sprt(0, 100))
            assert outcome is not None
            verdicts.append((outcome.verdict, outcome.llr))
    decided = next(deal for deal, (verdict, _) in enumerate(verdicts) if verdict == SprtVerdict.H1)
    assert decided < 30
    assert set(verdicts[decided:]) == {verdicts[decided]}
    assert all(verdict == SprtVerdict.OPEN for verdict, _ in verdicts[:decided])


def test_deals_count_in_the_order_of_their_seeds() -> None:
    """In the order in which they finish, quick deals would count first, and others on each run."""
    match = replace(MATCH, seats=2, seed=0, deals=40)
    games = [game for deal in range(40) for game in whole(deal, won=deal < 20)]
    found = []
    for order in (games, games[::-1], games[20:] + games[:20]):
        with open_results(None, match) as results:
            for game in order:
                results.add(game)
            outcome = report(match, results, Sprt(0, 100))
            assert outcome is not None
            found.append((outcome.verdict, outcome.llr))
    assert set(found) == {(SprtVerdict.H1, found[0][1])}
    with open_results(None, match) as results:
        for game in games[2:]:
            results.add(game)
        outcome = report(match, results, Sprt(0, 100))
        assert outcome is not None
        assert (outcome.verdict, outcome.llr) == (SprtVerdict.OPEN, 0.0)  # the first deal is still under way


def test_a_stronger_bot_scores_more() -> None:
    match = replace(MATCH, load=cathedral, seats=4, bots=("greedy", "random"), deals=8)
    outcome, _ = run(match)
    assert outcome.score.low > 0.25
    assert outcome.elo.low > 0
    assert outcome.a.value is not None
    assert outcome.b.value is not None
    assert outcome.a.value > outcome.b.value
    assert outcome.a.score + 3 * outcome.b.score == pytest.approx(1)


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"seats": 5}, BadMatch, "seats: 5"),
        ({"deals": 0}, BadMatch, "deals"),
        ({"seed": -1}, BadMatch, "deals"),
        ({"seed": 2**64 - 4}, BadMatch, "deals"),
        ({"budget": "soon"}, BadLimit, "budget: 'soon'"),
        ({"bots": ("greedy", "nobody")}, BadBot, "'nobody'"),
        ({"bots": ("greedy", "ismcts-plain:depth=3")}, BadBot, "depth"),
        ({"bots": ("ismcts-plain:exploration=x", "greedy")}, BadLimit, "exploration"),
    ],
)
def test_matches_that_cannot_be(change: dict[str, Any], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        replace(MATCH, **change).rehearse()


def test_a_sound_match_is_not_refused() -> None:
    replace(MATCH, seed=2**64 - 5).rehearse()
