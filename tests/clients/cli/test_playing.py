"""Coming events shown to one seat: asked for at a table, used, and hidden from a shared screen."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from rich.console import Console

from clerestory.cli import playing
from clerestory.cli.playing import SeatPlayer, Session, play_on
from clerestory.cli.screen import fitting_outcomes
from clerestory.clients import Advisor
from clerestory.engine import State, from_position
from tests.clients.cli.command import run
from tests.engine.cathedral.positions import draft
from tests.foreseen import play_until_shown
from tests.shipped import CATHEDRAL

COMING = "coming event"  # what the picture of a position calls it


def beginning(event_deck: list[str], to_act: str = "red") -> State:
    """A draft in which red holds Ellen."""
    fields = {**draft(3, 4, red={"advantages": ["ellen"]}), "event_deck": event_deck, "to_act": to_act}
    envelope = {"rules_revision": CATHEDRAL.rules_revision, "catalogue": CATHEDRAL.catalogue}
    return CATHEDRAL.from_position({**envelope, "cathedral": fields})


def session_of(advisor: Advisor, state: State, *players: bool, table: bool = True, shared: bool = True) -> Session:
    console = Console(file=io.StringIO(), width=120, markup=False, highlight=False)
    people = [SeatPlayer(human, None if human else 1) for human in players or (True, True, True)]
    return Session(state, people, advisor, console, "20ms", 1, None, table=table, shared=shared)


def played(session: Session, *lines: str) -> tuple[str, list[str]]:
    """Return what is printed when these lines are typed, and the prompts."""
    prompts: list[str] = []
    typed: Iterator[str] = iter(lines)

    def answer(prompt: str = "") -> str:
        prompts.append(prompt)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("builtins.input", answer)
        play_on(session)
    assert isinstance(session.console.file, io.StringIO)
    return session.console.file.getvalue(), prompts


@pytest.mark.parametrize("typed", ["event quarrel", "quarrel", "2", " QUARREL "])
def test_the_owner_is_asked_once_and_nothing_shows_what_was_typed(typed: str, advisor: Advisor) -> None:
    session = session_of(advisor, beginning([]))
    said, prompts = played(session, "nonsense", typed, "show", "pass", "show", "quit")
    assert prompts[:3] == ["red alone> ", "red alone> ", "red> "]
    assert said.count("red alone has been shown a coming card") == 1
    assert said.count("That is not one of them") == 1
    assert COMING not in said
    assert "`peek` shows it" in said
    assert not session.state.observe(0).private_outcomes(0)


def test_an_owner_who_says_nothing_is_asked_again_in_the_next_round_only(advisor: Advisor) -> None:
    session = session_of(advisor, beginning([]))
    said, prompts = played(session, "", "?", "pass", "undo", "quit")
    assert prompts.count("red alone> ") == 1
    assert " position" in said  # a hint that believes something
    assert session.withheld[0] == session.state.private_outcomes(0)


def test_a_private_outcome_reaches_the_advisor(advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(wraps=advisor.recommend)
    monkeypatch.setattr(advisor, "recommend", asked)
    played(session_of(advisor, beginning([]), False, True, True), "quarrel", "quit")
    (position, *_), _ = asked.call_args
    assert position.to_position()["cathedral"]["event_deck"] == ["quarrel"]


@pytest.mark.parametrize(("shared", "shows"), [(True, False), (False, True)])
def test_a_dealt_game_shows_it_only_on_a_private_screen(shared: bool, shows: bool, advisor: Advisor) -> None:
    deck = draft(3, 4, red={"advantages": ["ellen"]})["event_deck"]
    session = session_of(advisor, beginning(deck), table=False, shared=shared)
    said, prompts = played(session, "show", "quit")
    assert prompts == ["red> ", "red> "]
    assert (COMING in said, "`peek` shows it" in said) == (shows, not shows)


def test_the_page_on_which_it_is_shown_is_left_again(advisor: Advisor) -> None:
    """On a terminal: the alternate screen is entered, and left at the next Enter."""
    session = session_of(advisor, beginning(["quarrel"]))
    session.console = Console(file=io.StringIO(), width=120, force_terminal=True)
    said, prompts = played(session, "peek", "", "quit")
    entered, left = said.index("\x1b[?1049h"), said.index("\x1b[?1049l")
    assert entered < said.index(COMING) < left
    assert prompts == ["red> ", "Press Enter to hide it. ", "red> "]


def test_at_a_terminal_what_is_typed_does_not_appear(monkeypatch: pytest.MonkeyPatch, advisor: Advisor) -> None:
    unseen: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(playing, "getpass", lambda prompt: unseen.append(prompt) or "quarrel")
    session = session_of(advisor, beginning([]))
    played(session, "quit")
    assert unseen == ["red alone> "]
    assert session.state.to_position()["cathedral"]["event_deck"] == ["quarrel"]


def test_a_game_at_a_table_that_a_server_keeps_asks_too(target: str) -> None:
    """Two people at one screen, who take Ellen in the first round."""
    with Advisor(target) as advisor:
        game = advisor.games.create("cathedral", ["person", "person"], table=True)
        seen = play_until_shown(game)
        [(seat, [outcome, *_])] = seen.private_outcomes.items()
        tokens = ",".join(f"{number}.{token}" for number, token in game.tokens.items())
        said = run("play", f"{game.game_id}#{tokens}", "--server", target, typed=f"{outcome.text}\nquit\n")
        assert (said.code, said.err) == (0, "")
        assert "alone has been shown a coming card" in said.out
        assert f": entered what came up, move {seen.ply}" in said.out
        assert COMING not in said.out
        after = game.look()
        assert after.private_outcomes == {}
        decks = {number: after.position(number)["cathedral"]["event_deck"] for number in (0, 1)}
        assert decks == {seat: [outcome.text.removeprefix("event ")], 1 - seat: []}


def test_outcomes_are_found_by_number_or_text() -> None:
    possible = beginning([]).private_outcomes(0)
    assert [fitting_outcomes(possible, typed) for typed in ("0", "99", "event", "roof")] == [[], [], [], []]
    assert fitting_outcomes(possible, "1") == fitting_outcomes(possible, possible[0].text) == [possible[0]]


def test_a_record_does_not_contain_it(advisor: Advisor, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    session = session_of(advisor, beginning([], to_act="green"))
    _, prompts = played(session, "pass", "quarrel", "pass", f"save {path}", "quit")
    assert "red alone> " in prompts
    opening, *course = [json.loads(line) for line in path.read_text().splitlines()]
    assert from_position(opening["position"]).private_outcomes(0)
    assert [line["action"] for line in course[:-1]] == ["pass", "pass"]
