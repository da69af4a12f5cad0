"""The command, from outside: real processes, real files, real signals."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from clerestory.advice.capacity import TOGETHER
from clerestory.advice.machine import LEAST
from clerestory.advice.memory import Memory
from clerestory.cli import playing, solving
from clerestory.cli.embedded import embedded_server
from clerestory.cli.here import capacity_of
from clerestory.cli.new import first_decision
from clerestory.cli.options import BadOption, read_file
from clerestory.cli.servers import PRIVATE
from clerestory.clients import Advisor, Busy, Unavailable
from clerestory.engine import from_position
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import MAX_ITERATIONS
from clerestory.search.options import shipped
from clerestory.search.root import observe
from clerestory.v1.advisor_pb2 import RecommendMoveResponse

COMMAND = [sys.executable, "-m", "clerestory"]
EXAMPLES = Path(__file__).parents[2] / "examples" / "positions"
OPENING = str(EXAMPLES / "toy-2p-round1.json")
UNDECIDED = EXAMPLES / "cathedral-4p-round2-builder.json"


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, check=False)


@contextmanager
def started(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start the command; it is killed when the test ends, if it has not ended before."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *arguments], text=True, **pipes, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; if it never holds, the test fails by its timeout."""
    while not condition():
        time.sleep(0.01)


# -- new -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "seed"), [(2, 7), (3, 5), (4, 1)])
def test_the_examples_are_new_positions(seats: int, seed: int, tmp_path: Path) -> None:
    out = tmp_path / "position.json"
    assert run("new", "--game", "toy", "--seats", str(seats), "--seed", str(seed), "--out", str(out)).returncode == 0
    assert out.read_text() == (EXAMPLES / f"toy-{seats}p-round1.json").read_text()


def test_new_writes_to_standard_output() -> None:
    done = run("new", "--game", "toy", "--seats", "4", "--seed", "8")
    assert from_position(done.stdout) == first_decision("toy", 4, 8)


# -- recommend -------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", sorted(EXAMPLES.iterdir()), ids=lambda path: path.stem)
def test_recommend_for_programs(example: Path) -> None:
    first, second = (run("recommend", str(example), "--iterations", "300", "--seed", "4", "--json") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    answer = json.loads(first.stdout)
    again = json.loads(second.stdout)
    for statistics in (answer["statistics"], again["statistics"]):
        statistics |= {"elapsed": 0, "waited": 0}
    assert answer == again
    ParseDict(json.loads(first.stdout), RecommendMoveResponse())
    legal = {action.text for action in from_position(example.read_text()).legal_actions()}
    assert {line["action"]["text"] for line in answer["lines"]} == legal
    assert answer["best"] == answer["lines"][0]["action"]
    assert (int(answer["statistics"]["iterations"]) <= 300, answer["seed"]) == (True, "4")
    assert answer["statistics"]["stop_reason"] in {"STOP_REASON_ITERATIONS", "STOP_REASON_DECIDED"}


SECOND = 350_000  # iterations, about, on a fast machine


@pytest.mark.parametrize(
    ("max_searches", "max_tree_bytes"),
    [(capacity_of(1).max_searches, capacity_of(1).max_tree_bytes), (int(PRIVATE[1]), int(PRIVATE[3]))],
    ids=["in this process", "private server"],
)
def test_a_search_of_a_second_does_not_fill_the_least_memory(max_searches: int, max_tree_bytes: int) -> None:
    state = from_position((EXAMPLES / "duel-2p-phase4-copy.json").read_text())
    searcher = Searcher(observe(state, state.turn), seed=1, **shipped(state.game, 2))
    searcher.run(iterations=SECOND // 100)
    granted = Memory(LEAST, TOGETHER * max_searches).take(max_tree_bytes)
    assert 100 * searcher.result().tree_bytes < granted


def without_times(answer: Any) -> Any:
    answer["statistics"] |= {"elapsed": 0, "waited": 0}
    return answer


@pytest.mark.parametrize("options", [[], ["--level", "2"], ["--lines", "2"], ["--threads", "1"]])
def test_an_answer_is_the_same_with_and_without_a_server(options: list[str]) -> None:
    asked = ["recommend", str(UNDECIDED), "--iterations", "300", "--seed", "4", "--json", *options]
    here, there = (run(*asked, *server) for server in ([], ["--server", "private"]))
    assert without_times(json.loads(here.stdout)) == without_times(json.loads(there.stdout))


def test_no_server_is_started_unless_it_is_asked_for(tmp_path: Path) -> None:
    with started("recommend", OPENING, "--time", "60s", env=os.environ | {"TMPDIR": str(tmp_path)}) as process:
        time.sleep(0.5)
        assert ended_by(process, signal.SIGTERM) != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong", [["--time", "-1s"], ["--seat", "7"], ["--consider", "nothing"], ["--level", "8", "--avoid", "x"]]
)
def test_what_is_wrong_is_told_the_same_with_and_without_a_server(wrong: list[str]) -> None:
    here, there = (run("recommend", OPENING, *wrong, *server) for server in ([], ["--server", "private"]))
    assert (here.returncode, here.stderr) == (there.returncode, there.stderr)
    assert here.returncode == 2


def test_recommend_for_people() -> None:
    done = run("recommend", OPENING, "--iterations", "2000", "--seed", "4")
    assert (done.returncode, done.stderr) == (0, "")
    title, *lines = done.stdout.splitlines()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    rows = [row for row in rows if row[1]]  # a long meaning goes on in a second line
    legal = from_position(Path(OPENING).read_bytes()).legal_actions()
    assert {row[1] for row in rows} == {action.text for action in legal}
    labels = {action.text: action.label for action in legal}
    [best] = [row[1] for row in rows if row[0] == ">"]
    assert title == f"seat 0: {best} ({labels[best]})"
    sure = [float(row[2].split()[0]) for row in rows if row[0] != "?"]
    assert sure == sorted(sure, reverse=True)
    assert all(re.fullmatch(r"\d+\.\d ±\d+\.\d", row[2]) and re.fullmatch(r"[+-]\d+\.\d", row[3]) for row in rows)
    assert "margin is below that of the line to play; visits: " in done.stdout
    assert re.search(r"iterations in \d+\.\d{3} s, (until|then) .* positions, .*; seed 4$", done.stdout.rstrip())


def test_recommend_reads_standard_input() -> None:
    done = run("recommend", "-", "--iterations", "10", "--seat", "0", "--json", stdin=Path(OPENING).read_text())
    assert int(json.loads(done.stdout)["statistics"]["iterations"]) <= 10


def test_recommend_without_a_limit_takes_its_own_time() -> None:
    answer = json.loads(run("recommend", OPENING, "--json").stdout)
    assert answer["statistics"]["stop_reason"] in {"STOP_REASON_TIME", "STOP_REASON_DECIDED"}


def test_recommend_asks_the_server_it_is_given() -> None:
    with embedded_server("--workers", "1") as target:
        done = run("recommend", OPENING, "--server", target, "--iterations", "10", "--json")
    assert int(json.loads(done.stdout)["statistics"]["iterations"]) <= 10


# -- wrong inputs ----------------------------------------------------------------------------------

WRONG: list[tuple[list[str], int, str]] = [
    (["recommend", "nowhere.json"], 2, "clerestory: nowhere.json: No such file"),
    (["recommend", "."], 2, "clerestory: .: Is a directory"),
    (["recommend", "-"], 2, "clerestory: position: "),
    (["recommend", OPENING, "--time", "soon"], 2, "clerestory: --time: 'soon' is not a time"),
    (["recommend", OPENING, "--time", "-1s"], 2, "clerestory: --time: is -1 s"),
    (["recommend", OPENING, "--seat", "1"], 2, "clerestory: --seat: is 1; seat 0 is to decide"),
    (["recommend", OPENING, "--seat", "7"], 2, "clerestory: --seat: is 7; the seats are 0 to 1"),
    (["recommend", OPENING, "--server", "unix:/nowhere/socket"], 1, "clerestory: no server listens at this address ("),
    (["new", "--game", "chess"], 2, "clerestory: --game: 'chess' is not one of"),
    (["new", "--game", "toy", "--seats", "9"], 2, "clerestory: --seats: 9, but toy is for 2, 3, 4 players"),
    (["new", "--game", "toy", "--out", "/nowhere/file"], 1, "clerestory: /nowhere/file: No such file"),
    (["new", "--game", "toy", "--out", "/dev/full"], 1, "clerestory: /dev/full: No space left on device"),
    (["simulate", "--game", "toy", "--games", "1", "--out", "/dev/full"], 1, "clerestory: /dev/full: No space left"),
    (["show", OPENING, "--seat", str(2**64)], 2, f"clerestory: --seat: is {2**64}; the seats are 0 to 1"),
    (["analyze", OPENING, "--time", "1s", "--every", "0s"], 2, "clerestory: --every: is 0 s; must be from 0.01 s"),
    (["recommend", OPENING, "--server", "http://a:1"], 2, "clerestory: --server: 'http://a:1' is a URL; give"),
    (["serve", "--listen", "0.0.0.0:0"], 2, "clerestory: listen: calls from other machines to 0.0.0.0:0 would"),
    (["serve", "--metrics", "0.0.0.0:0"], 2, "clerestory: metrics: calls from other machines to 0.0.0.0:0 would"),
    (["serve", "--workers", "0"], 2, "clerestory: workers: 0 is not a whole number from 1 to 4096"),
]


@pytest.mark.parametrize(("arguments", "code", "says"), WRONG, ids=lambda value: str(value)[:60])
def test_wrong_inputs_end_in_one_line(arguments: list[str], code: int, says: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(says)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["show", OPENING], ["rules", "--game", "duel"], ["--version"]])
def test_standard_output_without_space_is_named(arguments: list[str], unbuffered: str) -> None:
    command, environment = (
        [sys.executable, "-m", "clerestory", *arguments],
        os.environ | {"PYTHONUNBUFFERED": unbuffered},
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (1, "clerestory: standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("encoding", "arguments"),
    [
        ("ascii", ["rules", "--game", "duel"]),
        ("latin-1", ["recommend", OPENING, "--iterations", "10", "--language", "de"]),
    ],
)
def test_what_the_terminal_cannot_show_is_replaced(encoding: str, arguments: list[str]) -> None:
    command, environment = [sys.executable, "-m", "clerestory", *arguments], os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout


def test_a_standard_stream_that_is_closed_is_named() -> None:
    command = f"exec '{sys.executable}' -m clerestory puzzle 1 --game duel >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    says = "clerestory: standard output is closed; leave it open, or redirect it to a file\n"
    assert (done.returncode, done.stderr) == (2, says)


@pytest.mark.parametrize("closed", ["stdin", "stdout"])
def test_whoever_reads_says_that_a_standard_stream_is_closed(closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session: Any = SimpleNamespace(tell=None)
    readers: list[Callable[[], object]] = [partial(solving.read, "> "), partial(playing.read_line, session, "> ")]
    if closed == "stdin":
        readers += [partial(read_file, "-"), partial(playing.read_line, session, "> ", unseen=True)]
    monkeypatch.setattr(sys, closed, None)
    for read in readers:
        with pytest.raises(BadOption, match=f"^standard {closed.removeprefix('std')}put is closed; "):
            read()


def test_a_game_goes_on_without_standard_error() -> None:
    command = f"exec '{sys.executable}' -m clerestory play --game toy --seats human,human 2>&-"
    done = subprocess.run(["sh", "-c", command], input="quit\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["advise"],
        ["recommend"],
        ["recommend", "--bad"],
        ["recommend", "-", "--seat", "x"],
        ["recommend", "-", "--iterations", str(MAX_ITERATIONS + 1)],
    ],
)
def test_wrong_usage_is_explained(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["recommend", "-", "--level", "9"], "'--level': '9' is not a whole number (1 to 8)"),
        (["new", "--game", "toy", "--seed", "-1"], "'--seed': '-1' is not a whole number (0 or more)"),
        (["simulate", "--game", "toy", "--seats", "two"], "'--seats': 'two' is not a whole number"),
        (["analyze", "-", "--certainty", "high"], "'--certainty': 'high' is not a number"),
        (["puzzle", "0"], "'NUMBER': '0' is not a whole number (1 or more)"),
    ],
)
def test_a_wrong_number_is_quoted_with_what_is_right(arguments: list[str], says: str) -> None:
    assert run(*arguments).stderr.endswith(f"Error: Invalid value for {says}\n")


def test_as_many_iterations_as_the_help_allows_are_taken() -> None:
    assert "once. [1 or more]" in " ".join(run("recommend", "--help").stdout.split())
    done = run("recommend", OPENING, "--time", "50ms", "--iterations", str(MAX_ITERATIONS), "--json")
    assert json.loads(done.stdout)["lines"]


def test_every_fault_of_a_position_is_in_the_line() -> None:
    position = json.loads(Path(OPENING).read_text())
    position["toy"] |= {"round": 9, "prize": 99}
    done = run("recommend", "-", stdin=json.dumps(position))
    assert done.returncode == 2
    assert "position.toy.round: " in done.stderr
    assert "position.toy.prize: " in done.stderr


# -- serve -----------------------------------------------------------------------------------------


def test_an_address_that_cannot_be_had() -> None:
    done = run("serve", "--listen", "unix:/nowhere/socket")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        "clerestory: cannot listen on unix:/nowhere/socket: no socket can be made in /nowhere"
    )


def ready_address(process: subprocess.Popen[str]) -> str:
    """Return where a server says that it serves."""
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.match(r"clerestory serves on (\S+) with 1 workers", line)
    assert match, line
    return match[1]


def is_busy(address: str) -> bool:
    """Whether another call has the only place of a server."""
    with Advisor(address) as advisor:
        try:
            advisor.recommend(from_position(Path(OPENING).read_bytes()), "1ms", iterations=1)
        except Busy:
            return True
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_told_to_finish_lets_its_caller_have_an_answer(number: int) -> None:
    with started("serve", "--listen", "127.0.0.1:0", "--workers", "1", "--max-searches", "1") as server:
        address = ready_address(server)
        with started("recommend", str(UNDECIDED), "--server", address, "--time", "60s", "--json") as caller:
            until(lambda: is_busy(address))
            server.send_signal(number)
            out, err = caller.communicate()
        assert server.wait() == 0
    assert (caller.returncode, err) == (0, "")
    answer = json.loads(out)
    assert answer["statistics"]["stop_reason"] == "STOP_REASON_STOPPED"
    assert int(answer["statistics"]["iterations"]) > 0


# -- the embedded server ---------------------------------------------------------------------------


def test_an_embedded_server_that_cannot_start() -> None:
    with pytest.raises(Unavailable, match="could not start"), embedded_server("--workers", "0"):
        pass


def answers(folder: Path) -> bool:
    """Whether an embedded server, whose temporary folder is made in `folder`, answers."""
    sockets = list(folder.glob("clerestory-*/socket"))
    if not sockets:
        return False
    with Advisor(f"unix:{sockets[0]}") as advisor:
        try:
            advisor.recommend(from_position(Path(OPENING).read_bytes()), "1ms")
        except Unavailable:
            return False
        except Exception:
            return True
    return True


def ended_by(process: subprocess.Popen[str], number: int) -> int:
    """Signal a process and return its exit code; repeat if it survives: Python drops exceptions raised in callbacks."""
    while True:
        process.send_signal(number)
        try:
            return process.wait(20)
        except subprocess.TimeoutExpired:
            continue


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_an_embedded_server_does_not_outlive_its_command(number: int, tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with started("recommend", OPENING, "--time", "60s", "--server", "private", env=environment) as process:
        until(lambda: answers(tmp_path))
        assert ended_by(process, number) != 0
    until(lambda: not answers(tmp_path))
    if number != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []
