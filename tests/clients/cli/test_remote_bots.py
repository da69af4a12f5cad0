"""Bots behind a server: they use the protocol of the service, and name what is missing."""

from pathlib import Path

import pytest

from clerestory.cli.remote_bots import parse_any_bot
from clerestory.engine import GAMES
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.arena.errors import BadBot
from clerestory.search.arena.match import Match
from clerestory.search.errors import BadLimit
from tests.conftest import TOKEN
from tests.search.arena.matches import run, toy
from tests.search.positions import decisions

QUESTION = decisions(GAMES["toy"], 2, 1)[0]


def play(a: str, b: str, budget: str = "30it") -> list[list[float]]:
    match = Match(toy, 2, (a, b), budget, 7, 2, parse=parse_any_bot)
    match.rehearse()
    outcome, games = run(match)
    assert outcome.games == 4
    return [game.returns for game in games]


def test_a_server_plays_as_the_search_in_this_process_does(target: str) -> None:
    there = parse_any_bot(f"server:{target}")
    for position in decisions(GAMES["cathedral"], 2, 3)[::30]:
        here = parse_bot("ismcts").choose(position, 5, Budget(iterations=200))
        assert there.choose(position, 5, Budget(iterations=200)).action == here.action


def test_a_server_plays_a_match(target: str) -> None:
    assert play(f"server:{target}", "random") == play(f"server:{target}", "random")
    play(f"server:{target}", f"server:{target},level=1", "5ms")


def test_a_token_opens_a_server(guarded: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    allowed = parse_any_bot(f"server:{guarded},token_file={tmp_path / 'token'}")
    assert allowed.choose(QUESTION, 1, Budget(iterations=9)).action
    with pytest.raises(BadBot, match="token"):
        parse_any_bot(f"server:{guarded}").choose(QUESTION, 1, Budget(iterations=9))


def test_without_a_budget_nothing_is_asked(target: str) -> None:
    with pytest.raises(BadLimit, match="budget"):
        parse_any_bot(f"server:{target}").choose(QUESTION, 1, Budget())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("server", "server: needs a target, as in server:HOST:PORT"),
        ("revision:", "revision: needs a target, as in revision:COMMIT"),
        ("server:127.0.0.1:1,exploration=2", "no option 'exploration'; there are level, token_file"),
        ("server:127.0.0.1:1,tls_ca=/nowhere.pem", "tls.ca: /nowhere.pem: No such file"),
        ("server:127.0.0.1:1,token_file=/nowhere", "No such file"),
        ("revision:no-such-name", "is no commit of the repository in this folder"),
        ("revision:--help", "is no commit"),
    ],
)
def test_an_error_names_the_wrong_part(text: str, named: str) -> None:
    with pytest.raises(BadBot, match=named):
        parse_any_bot(text).choose(QUESTION, 1, Budget(iterations=9))
