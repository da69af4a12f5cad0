"""Output for people fits a screen of 60 columns and explains its columns."""

import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from rich.console import Console

from clerestory.cli import screen as output
from clerestory.cli import showing
from clerestory.cli.answers import answer_view
from clerestory.cli.screen import (
    USUAL,
    ProgressLines,
    actions_table,
    is_pipe,
    progress_bar,
    screen,
    status_line,
    tracked,
)
from clerestory.clients.wire import read_answer
from clerestory.engine import GAMES, Record, from_position
from clerestory.v1 import advisor_pb2 as api
from tests.clients.cli.command import EXAMPLES, POSITIONS, run
from tests.search.review.games import cut, random_game

EXAMPLE_POSITIONS = sorted(POSITIONS.iterdir())
BORDERS = "┏┃┡│└├"
COLUMNS = 60

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
ERASED = "\x1b[2K"  # a line
OPENING = POSITIONS / "toy-2p-round1.json"
RECORD = EXAMPLES / "records" / "duel-2p.jsonl"


def shown(*words: object, columns: int = COLUMNS, typed: str = "") -> str:
    done = run(*words, typed=typed, COLUMNS=str(columns))
    assert done.code == 0
    return done.out


def tabled(text: str) -> list[str]:
    return [line for line in text.splitlines() if line[:1] and line[0] in BORDERS]


COMMANDS = {
    "rules cathedral": ["rules", "--game", "cathedral"],
    "rules duel": ["rules", "--game", "duel"],
    "simulate": ["simulate", "--game", "cathedral", "--seats", 4, "--games", 2],
    "arena": ["arena", "greedy:samples=16", "ismcts:exploration=0.53,horizon=3", "--games", 2, "--iterations", "20"],
    "bench engine": ["bench", "engine", "--game", "cathedral", "--seats", 4, "--time", "0.02s", "--runs", 1],
    "annotate": ["annotate", "-", "--iterations", 50],
    "bench early": ["bench", "early", EXAMPLE_POSITIONS[0], "--searcher", "--calls", 1, "--time", "20ms"],
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_tables_fit(arguments: list[str | Path]) -> None:
    typed = "\n".join(Record(cut(random_game("cathedral", 4, 1), 60)).lines()) if "-" in arguments else ""
    lines = tabled(shown(*arguments, typed=typed))
    assert lines
    assert max(map(len, lines)) <= COLUMNS
    assert "…" not in "".join(lines)


def test_a_screen_of_no_columns_is_one_of_a_usual_width() -> None:
    assert shown("show", EXAMPLE_POSITIONS[0], columns=0) == shown("show", EXAMPLE_POSITIONS[0], columns=USUAL)


NARROW = [(EXAMPLE_POSITIONS[0], columns, figures) for columns, figures in ((20, 0), (30, 1), (40, 2))]


@pytest.mark.parametrize(
    ("position", "columns", "figures"), [*NARROW, *((position, COLUMNS, 4) for position in EXAMPLE_POSITIONS)]
)
def test_an_action_can_be_read_however_narrow_the_terminal_is(position: Path, columns: int, figures: int) -> None:
    lines = tabled(shown("hint", position, "--time", "20ms", "--lines", 128, columns=columns))
    assert max(map(len, lines)) <= columns
    rows = [line.replace("┃", "│").split("│")[2:-1] for line in lines if line[0] in "┃│"]
    assert [cell.strip() for cell in rows[0]] == ["action", "win %", "margin", "loss", "visits"][: 1 + figures]
    texts = {action.text.replace(" ", "") for action in from_position(position.read_text()).legal_actions()}
    read = "".join(row[0] for row in rows).replace(" ", "")
    assert [text for text in texts if text not in read] == []


@pytest.mark.parametrize("columns", [20, 30, 38, 40, 41])
def test_no_letter_of_an_action_is_lost_however_narrow_the_terminal_is(columns: int) -> None:
    states = [from_position(path.read_text()) for path in EXAMPLE_POSITIONS]
    for game, action in {(state.game.name, action) for state in states for action in state.legal_actions()}:
        console = Console(file=io.StringIO(), width=columns)
        console.print(actions_table(GAMES[game], [("12", action)]))
        printed = console.file.getvalue()  # type: ignore[attr-defined]
        lost = Counter("".join(["12", action.text, *action.label.split()])) - Counter(printed)
        assert lost <= Counter(" "), action


def test_actions_are_aligned_below_each_other() -> None:
    state = from_position(EXAMPLE_POSITIONS[0].read_text())
    lines = shown("show", EXAMPLE_POSITIONS[0]).splitlines()
    where = {
        line.index(action.label)
        for action in state.legal_actions()
        for line in lines
        if line.startswith(f"  {action.text} ")
    }
    assert where == {20}


@pytest.mark.parametrize("game", GAMES)
def test_outcomes_of_chance_are_listed_and_fit_for_all_seats(game: str) -> None:
    event = GAMES[game].new(max(GAMES[game].seats), 1)
    told = shown("hint", "-", "--time", "20ms", "--lines", 3, typed=event.to_json())
    assert "What may come up" in told
    assert event.legal_actions()[0].text.split()[0] in told
    lines = tabled(told)
    assert max(map(len, lines)) <= COLUMNS
    assert all(GAMES[game].seat_name(seat) in lines[1] for seat in range(event.seats))


@pytest.mark.parametrize("position", EXAMPLE_POSITIONS, ids=lambda path: path.stem)
def test_players_side_by_side_fit(position: Path) -> None:
    """Lists on separate lines may be longer; a terminal wraps them between words."""
    lines = str(from_position(position.read_text())).splitlines()
    assert all(len(line) <= COLUMNS for line in lines if "  " in line)


def test_text_is_broken_between_words_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "word " * 30 + "[bold] 12"
    console = screen()
    console.file = io.StringIO()
    console.print(words)
    assert console.file.getvalue() == f"{words}\n"
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    terminal = screen()
    terminal.file = io.StringIO()
    terminal.print(words)
    lines = terminal.file.getvalue().splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert " ".join(" ".join(lines).split()) == words


def test_nothing_is_printed_as_minus_zero() -> None:
    lines = [
        api.Line(action=api.Action(text=text), visits=1, margin=-0.04, loss=-0.04) for text in ("play 4", "play 5")
    ]
    answer = read_answer(api.RecommendMoveResponse(seat=0, best=lines[0].action, lines=lines))
    console = Console(file=io.StringIO())
    console.print(answer_view(answer, GAMES["toy"].new(2, 1), COLUMNS))
    assert "-0.0" not in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_replay_tells_how_the_game_ended_and_the_points_in_the_words_of_the_page() -> None:
    """Those of craftsmen and advantages card by card, as long as the cards that made them are known."""
    output = shown("replay", EXAMPLES / "records" / "cathedral-3p.jsonl", "--language", "de")
    assert "  Blau: Anfang 2; Priorei 5; Steinmetz 1; Maurer 11; Bildhauer 18; Töpfer 8" in output.splitlines()
    output = shown("replay", EXAMPLES / "records" / "duel-2p.jsonl")
    assert output.splitlines() == [
        "game 1: Builders Duel, 2 seats, seed 5, 327 moves",
        "blue wins, 28.14 to 27.12.",
        "  red: complete sections 20; materials placed 7; gold 0.12",
        "  blue: complete sections 20; materials placed 8; gold 0.14",
        "  Points: 10 for a complete section, 1 for a material placed, 0.01 for a gold, which breaks a tie.",
    ]


# -- status ----------------------------------------------------------------------------------------


class FakeTerminal(io.StringIO):
    def __init__(self, *, is_one: bool) -> None:
        super().__init__()
        self.is_one = is_one

    def isatty(self) -> bool:
        return self.is_one

    @property
    def drawn(self) -> str:
        return ESCAPES.sub("", self.getvalue())


@contextmanager
def terminal(*, is_one: bool = True, piped: bool = False) -> Iterator[FakeTerminal]:
    """Make standard error a terminal or not, and standard output a pipe or a file."""
    error = FakeTerminal(is_one=is_one)
    with pytest.MonkeyPatch.context() as patch, TemporaryFile("w") as file:
        for name in ("TERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
            patch.delenv(name, raising=False)
        patch.setattr(sys, "stderr", error)
        patch.setattr(sys, "stdout", io.StringIO() if piped else file)
        yield error


@pytest.mark.parametrize("still", [False, True])
def test_finished_steps_are_counted_and_the_line_goes(still: bool) -> None:
    with terminal() as error:
        assert list(tracked("abc", "counting", 3, still=still)) == ["a", "b", "c"]
    assert "counting" in error.drawn
    assert error.getvalue().rstrip().endswith(ERASED)


def test_a_still_line_is_drawn_once_for_each_step() -> None:
    with terminal() as error:
        list(tracked("abc", "counting", 3, still=True))
    counts = re.findall(r"\d/\d", error.drawn)
    assert [count for i, count in enumerate(counts) if i == 0 or count != counts[i - 1]] == ["0/3", "1/3", "2/3", "3/3"]


def test_work_without_steps_has_no_count() -> None:
    with terminal() as error, status_line("thinking [b]"):
        pass
    assert "thinking [b] 0:00:00" in error.drawn
    assert "/" not in error.drawn


@pytest.mark.parametrize(
    ("is_one", "piped", "hidden"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_programs_and_files_get_no_line(is_one: bool, piped: bool, hidden: bool) -> None:
    with terminal(is_one=is_one, piped=piped) as error:
        assert list(tracked([1, 2], "counting", 2, hidden=hidden)) == [1, 2]
    assert error.getvalue() == ""


@pytest.mark.parametrize("transient", [False, True])
def test_each_stage_of_long_work_has_a_bar_on_a_terminal(transient: bool) -> None:
    with terminal() as error, progress_bar("dealing [b]", transient=transient) as show:
        for stage, done in (("dealing [b]", 2), ("playing", 1), ("playing", 3)):
            show(stage, done, 3)
    for stage, count in (("dealing [b]", "0/?"), ("dealing [b]", "2/3"), ("playing", "3/3")):
        assert re.search(rf"{re.escape(stage)} +\S+ {re.escape(count)}", error.drawn), count
    assert error.getvalue().rstrip().endswith(ERASED) == transient


def test_long_work_prints_lines_at_its_own_interval_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "monotonic", iter([0.0, 59.0, 60.0]).__next__)
    with terminal(is_one=False) as error, progress_bar("dealing", every=60.0) as show:
        for done in (1, 2, 3):
            show("playing", done, 9)
    assert error.getvalue().splitlines() == ["playing: 1 / 9", "playing: 3 / 9"]


def test_a_pipe_is_distinguished_from_a_file(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer, "w") as pipe, (tmp_path / "file").open("w") as file:
        assert (is_pipe(pipe), is_pipe(file), is_pipe(io.StringIO())) == (True, False, True)


WORKING = [
    (("recommend", OPENING, "--iterations", 5), "searching"),
    (("recommend", OPENING, "--iterations", 5, "--language", "de"), "suche"),
    (("hint", OPENING, "--time", "1ms"), "searching"),
    (("replay", RECORD), "replaying"),
    (("replay", RECORD, "--brief"), "replaying"),
    (("bench", "engine", "--game", "toy", "--runs", 2, "--time", "10ms"), "bench engine"),
    (("bench", "budget", "--game", "toy", "--count", 2, "--time", "1ms"), "bench budget"),
    (("bench", "early", OPENING, "--searcher", "--calls", 2, "--time", "1ms"), "bench early"),
]


@pytest.mark.parametrize(("words", "told"), WORKING, ids=str)
def test_commands_say_that_they_work(words: tuple[object, ...], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --json they do not."""
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(output, "is_pipe", lambda _: False)
    done, for_programs = run(*words), run(*words, "--json")
    assert (done.code, told in done.err) == (0, True)
    assert (for_programs.code, for_programs.err) == (0, "")


def test_the_games_of_a_replay_are_its_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setattr(output, "is_pipe", lambda _: False)
    monkeypatch.setattr(showing, "on_terminal", lambda: True)
    assert run("replay", RECORD, "--brief").err == ""


def test_long_work_prints_a_line_of_progress_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [0.0, 1.9, 2.1, 11.0, 12.2, 13.0, 20.0, 31.0, 31.1, 31.2]
    works = [
        ("short", 1),
        ("long", 1),
        ("long", 2),
        ("long", 3),
        ("long", 4),
        ("long", 5),
        ("long", 9),
        ("long", 9),
        ("new", 1),
    ]
    monkeypatch.setattr(output, "monotonic", iter(times).__next__)
    monkeypatch.setattr(ProgressLines, "first", 2.0)
    console = Console(file=io.StringIO(), width=80)
    lines = ProgressLines(console)
    for stage, done in works:
        lines(stage, done, 9)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == ["long: 3 / 9", "long: 9 / 9"]
