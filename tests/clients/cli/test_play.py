"""`clerestory play`: commands, output and records; and never a traceback."""

import errno
import re
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
from rich.console import Console

from clerestory.cli.games import read_player
from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.cli.play import MAX_LEVEL
from clerestory.cli.playing import SeatPlayer, Session, save
from clerestory.engine import GAMES, read_records
from clerestory.engine.scoring import outcome
from clerestory.engine.tuning import CHARACTERS, NUM_LEVELS
from tests.clients.cli.command import POSITIONS, run

POSITION = POSITIONS / "duel-2p-phase1-claim.json"
TOY = ["--game", "toy", "--seed", "4", "--time", "20ms"]
play = partial(run, "play")


def test_levels_are_those_of_the_games() -> None:
    assert MAX_LEVEL == NUM_LEVELS


SAYS = [
    ("bogus", "'bogus' is neither a legal action nor a command"),
    ("pla", "fits several actions: play 4, play 5"),
    ("0", "0: the actions are 1 to 3"),
    ("99999999999999999999", "the actions are 1 to 3"),
    ("undo", "There is nothing to take back."),
    ("save", "save: no file given"),
    ("save /nowhere/game.jsonl", "save: /nowhere/game.jsonl: No such file"),
    ("save .", "save: .: Is a directory"),
    ("save /", "save: /: Is a directory"),
    ("help", "take back your last decision"),
    ("?", "; seed "),
]


def test_everything_typed_is_answered_and_the_end_is_polite() -> None:
    said = play(*TOY, "--seats", "person,person", typed="\n".join(typed for typed, _ in SAYS) + "\n\n \x1b[A\n")
    assert (said.code, said.err) == (0, "")
    for typed, words in SAYS:
        assert words in said.out, typed
    assert said.out.rstrip().endswith("Left.")


@pytest.mark.parametrize("typed", ["2\nundo\nplay 4\nquit\n", "play 4\n", "  PLAY   4 \n", "1\n"])
def test_a_move_by_number_text_and_after_taking_another_back(typed: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    assert play(*TOY, "--seats", "person,person", "--record", path, typed=typed).code == 0
    [record] = read_records(path.read_text().splitlines())
    assert record.seed == 4
    assert [action.text for action in record.state.history if action.text.startswith(("play", "fold"))] == ["play 4"]


def test_a_game_is_gone_on_with(tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    play(*TOY, "--seats", "person,person", typed=f"play 4\nsave {first}\nquit\n")
    options = ["--seats", "person,person", "--time", "20ms", "--seed", "4", "--record", second]
    assert play(first, *options, typed="1\n" * 40).code == 0
    [before], [after] = (read_records(path.read_text().splitlines()) for path in (first, second))
    assert after.state.history[: len(before.state.history)] == before.state.history
    assert after.state.over


def test_a_file_that_cannot_be_replaced_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", Mock(side_effect=PermissionError(errno.EPERM, "Operation not permitted")))
    session = Session(GAMES["toy"].new(2, 4), [], LocalAdvisor(1), Console(quiet=True), "20ms", 0, 4, table=False)
    with pytest.raises(PermissionError):
        save(session, tmp_path / "game.jsonl")
    assert not any(tmp_path.iterdir())


def test_bots_play_to_the_end() -> None:
    done = play(*TOY, "--seats", "bot,level:1,level:8")
    assert (done.code, done.err) == (0, "")
    assert " wins with " in done.out or "share the win" in done.out


def test_opponents_are_listed_and_say_who_they_are() -> None:
    listed = play("--opponents").out.splitlines()
    assert [line.partition(":")[0] for line in listed] == list(CHARACTERS)
    assert ": Mabel, level 2. The innkeeper: " in listed[1]
    done = play("--game", "duel", "--seats", "person,mabel", "--seed", "3", typed="1\nquit\n")
    assert f"{GAMES['duel'].seat_name(1)}: Mabel, level 2. The innkeeper: " in done.out
    assert done.code == 0


def test_beside_a_table_the_card_game_goes_on_from_a_deal_to_a_claim(tmp_path: Path) -> None:
    """Hidden cards are unknown at first; a hint and a move of a level bot happen in between."""
    path = tmp_path / "game.jsonl"
    cards = ["income_4", "wood", "aliena", "walter", "market_2", "stone", "jack", "ore", "power"]
    typed = "".join(f"deal {card}\n" for card in cards) + "?\nclaim row 1\nquit\n"
    options = ["--game", "duel", "--seats", "person,level:2", "--table", "--record", path, "--time", "50ms"]
    done = play(*options, typed=typed)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"\d positions?\b", done.out)
    [record] = read_records(path.read_text().splitlines())
    *deals, own, reply = [action.text for action in record.state.history[:11]]
    assert deals == [f"deal {card}" for card in cards]
    assert own == "claim row 1"
    assert reply.startswith("claim ")
    assert sorted(record.state.to_position()["duel"]["grid"]) == sorted(cards)


@pytest.mark.parametrize(
    ("name", "seats"), [("cathedral-3p-round6-cathedral", 3), ("duel-2p-phase4-claim", 2)], ids=["cathedral", "duel"]
)
def test_a_person_plays_to_the_end_against_levels_with_a_hint(name: str, seats: int) -> None:
    players = ",".join(["person", *["level:1"] * (seats - 1)])
    done = play(POSITIONS / f"{name}.json", "--seats", players, "--time", "30ms", typed="?\n" + "1\n" * 400)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"\d positions?\b", done.out)
    assert re.search(r"\bwins?\b", done.out)
    assert [colour for colour in ("red", "blue") if f"  {colour}: " not in done.out] == []


def test_a_program_reads_what_happens(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    typed = "bogus\nplay 5\nundo\nplay 4\n" + "1\n" * 9
    done = play(*TOY, "--seats", "person,bot", "--json", "--record", path, typed=typed)
    assert done.code == 0
    assert "'bogus' is neither a legal action nor a command" in done.err
    *happened, end = done.json_lines
    [record] = read_records(path.read_text().splitlines())
    course: list[str] = []
    for line in happened:
        if "undone" in line:
            del course[line["ply"] :]
        else:
            course.append(line["action"])
        assert len(course) == line["ply"]
    assert any("undone" in line for line in happened)
    assert course == [action.text for action in record.state.history]
    assert end == {
        "ply": len(course),
        "win_shares": list(record.state.win_shares()),
        "margins": list(record.state.margins()),
        "outcome": outcome(record.state),
        "points": [],
    }


def test_a_game_is_recorded_although_the_server_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.cli.servers.PATIENCE", 0.0)
    path = tmp_path / "game.jsonl"
    options = ["--seats", "person,bot", "--server", "unix:/nowhere/socket", "--record", path]
    done = play(*TOY, *options, typed="play 4\n")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    [record] = read_records(path.read_text().splitlines())
    assert [action.text for action in record.state.history][-1] == "play 4"


@pytest.mark.parametrize(
    ("word", "player"),
    [
        ("person", SeatPlayer(True, None)),
        ("bot", SeatPlayer(False, None)),
        ("level:8", SeatPlayer(False, 8)),
        ("mabel", SeatPlayer(False, 2, "mabel")),
    ],
)
def test_players(word: str, player: SeatPlayer) -> None:
    assert read_player(word, 0) == player
