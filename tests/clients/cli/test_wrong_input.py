"""Wrong input ends a command with one line that names the problem and exit code 2, or 1 if a file or server fails."""

import shlex
from pathlib import Path

import pytest

from clerestory.search.limits import MAX_ITERATIONS
from clerestory.search.review.puzzle import puzzle
from tests.clients.cli.command import EXAMPLES, run
from tests.shipped import DUEL

TOY = "examples/positions/toy-2p-round1.json"
CLAIM = "examples/positions/duel-2p-phase1-claim.json"
RECORD = "examples/records/duel-2p.jsonl"
HERE = __file__
KEPT = "0BKYbSL_Hb0NGi58PAFXIQ"
ARENA = "arena greedy random --game toy --workers 1 --iterations 20"
LEARN = "learn --out new cathedral"
WEB = "web --server 127.0.0.1:1"

BAD_FILES = {
    "broken.json": '{"toy',
    "round.json": (EXAMPLES / "positions" / "toy-2p-round1.json").read_text().replace('"round": 1', '"round": 99'),
}
BAD_INPUT = {  # a command line: the beginning of what is said
    "recommend nowhere.json": "nowhere.json: No such file",
    "recommend -": "position: ",
    "recommend broken.json": "broken.json: position: is not JSON",
    "hint broken.json": "broken.json: position: is not JSON",
    "analyze broken.json": "broken.json: position: is not JSON",
    "show broken.json": "broken.json: position: is not JSON",
    "play broken.json": "broken.json: position: is not JSON",
    "recommend round.json": "round.json: toy.round: is 99",
    "show round.json": "round.json: toy.round: is 99",
    f"recommend {TOY} --time soon": "--time: 'soon' is not a time",
    f"recommend {TOY} --time -1s": "--time: is -1 s",
    f"recommend {TOY} --seat 1": "--seat: is 1; seat 0 is to decide",
    f"recommend {TOY} --seat 7": "--seat: is 7; the seats are 0 to 1",
    f"recommend {TOY} --server http://a:1": "--server: 'http://a:1' is a URL; give",
    f"analyze {TOY} --observer red": "--observer: 'red' is neither a seat nor onlooker",
    f"analyze {TOY} --observer 7": "--observer: is 7; the seats are 0 to 1",
    f"analyze {TOY} --observer {'9' * 5000}": "--observer: 999999999999 is not a whole number in range",
    f"analyze {TOY} --server localhost:1 --every soon": "--every: ",
    f"analyze {TOY} --time 1s --every 0s": "--every: is 0 s; must be from 0.01 s",
    f"analyze {TOY} --tls-ca x": "--tls-ca: ",
    f"hint {TOY} --time 0s": "--time: ",
    "hint -": "position: ",
    "play --seats person,level:9": "--seats: 'level:9' of seat 1 is not",
    f"play --seats person,level:{'9' * 5000}": "--seats: 'level:9999",
    "play --seats person": "--seats: 1, but",
    "play --time soon": "--time: 'soon' is not a time",
    "play --time 0s": "--time: must be above 0 and below 10 minutes, not 0s",
    "play --game chess": "--game: 'chess' is not one of",
    f"play {CLAIM} --game toy": "--game: 'toy', but this is a game of duel",
    "play nowhere.json": "nowhere.json: No such file",
    f"play {KEPT}": "START: is no file; a game of a server needs --server",
    f"play '{KEPT}#0.half' --server localhost:1": "START: is no file; a game of a server needs",
    "play --record nowhere/game.jsonl": "--record: nowhere/game.jsonl: No such file or directory",
    "play --token-file x": "--token-file: requires --server",
    "play --web --table": "--table: cannot be combined with --web",
    "play --web --record x": "--record: cannot be combined with --web",
    "play --web x": "START: cannot be combined with --web",
    "play --server localhost:70000": "--server: the port of 'localhost:70000' is not",
    f"play --server localhost:1 --tls-ca {HERE}": f"--tls-ca: {HERE} holds no certificate",
    "play --server localhost:1 --tls-cert x": "--tls-key: is missing",
    "play --server localhost:1 --token-file nowhere": "--token-file: nowhere: No such file",
    f"play --server localhost:1 --token-file {HERE}": "--token-file: is not one word",
    "annotate /dev/null": "/dev/null: has no game",
    f"annotate {HERE}": f"{HERE}: line 1: is not JSON",
    f"annotate {RECORD} --number 4": "--number: 4 is past the end; games in the file: 1",
    f"annotate {RECORD} --time 9s --iterations 50": "--time: cannot be combined with --iterations",
    f"annotate {RECORD} --deep -5s": "--deep: '-5s' is not a time",
    f"annotate {RECORD} --time {'9' * 400}s": "--time: '9",
    f"annotate {RECORD} --viewer 2": "--viewer: 2 is not a seat; the seats are 0 to 1",
    "lesson cooking": "NAME: 'cooking' is no lesson; lessons with these cards are goal, ",
    "lesson --language xx": "--language: 'xx' is not one of",
    "puzzle --game duel 100000": "NUMBER: is 100000; duel has the puzzles 1 to",
    "puzzle --game duel 1 --try 'no such thing'": "--try: 'no such thing' is no legal action",
    f"puzzle --game duel 1 --try '{puzzle(DUEL, 1).best}; garbage'": "--try: 'garbage' comes after the end",
    "puzzle --game duel 1 --level 2": "--level: cannot be combined with the number of a puzzle",
    "puzzle --game duel 1 --seats 2": "--seats: cannot be combined with the number of a puzzle",
    "puzzle --game duel 1 --seed 0": "--seed: cannot be combined with the number of a puzzle",
    "puzzle --game duel --seats 9": "no puzzle of duel has 9 players; leave out",
    "new --game chess": "--game: 'chess' is not one of",
    "new --game toy --seats 9": "--seats: 9, but toy is for 2, 3, 4 players",
    "simulate --game toy --seats 5": "--seats: 5, but toy is for",
    f"simulate --game toy --seed {2**64 - 1}": "--seed: must be at most",
    "show -": "position: ",
    f"show {TOY} --seat {2**64}": f"--seat: is {2**64}; the seats are 0 to 1",
    "replay -": "-: has no game",
    "completion sh": "SHELL: 'sh' is not one of bash, zsh, fish",
    "rules --language pt": "--language: 'pt' is not one of en, de, it, es, fr, he",
    f"{ARENA} --seats 7": "--seats: 7",
    "arena greedy nobody": "BOT: 'nobody'",
    "tune nobody samples=1..4": "BOT: 'nobody'",
    "tune greedy samples=1..4 --game toy --against nobody": "--against: 'nobody'",
    "schema nothing": "NAME: 'nothing' is not one of",
    f"{ARENA} --sprt 0": "--sprt: ",
    f"{ARENA} --sprt 10,0": "--sprt: ",
    f"{ARENA} --sprt=-200000,0": "--sprt: ",
    f"{ARENA} --sprt 0,{'9' * 400}": "--sprt: ",
    "arena greedy random --game toy --time long": "--time: 'long' is not a time like 500ms",
    "arena greedy random --game toy --time 1s --iterations 5": "--time: cannot be combined with --iterations",
    f"{ARENA} --seed {2**64 - 1}": "deals",
    f"{ARENA} --ray-address here:1": "--ray-address: requires --on ray",
    f"{ARENA} --out /dev/zero": "--out: /dev/zero is not a regular file",
    f"{ARENA} --out /": "--out: / is not a regular file",
    "tune greedy samples=4": "PARAM: 'samples=4'",
    "tune greedy samples=1..4 --game toy --out /dev/zero": "--out: /dev/zero is not a regular file",
    "learn chess --out new": "GAME: 'chess' is not one of",
    f"{LEARN} --seats 2,7": "--seats: 7",
    f"{LEARN} --seats two": "--seats: 'two'",
    f"{LEARN} --search depth=2": "--search: depth: is not an option of a search; there are selection",
    f"{LEARN} --search reward": "--search: reward: needs a value",
    f"{LEARN} --sprt 20,0": "--sprt",
    f"{LEARN} --seats 2 --budgets 9it,": "--budgets: budget: '' is not a time",
    f"{LEARN} --seats 2 --budgets 2000it,9its": "--budgets: budget: '9its' is not a time",
    f"{LEARN} --seats 2 --against gredy": "--against: 'gredy': unknown bot",
    "learn cathedral --out a,b": "--out: ",
    f"{LEARN} --ray-address here:1": "--ray-address",
    "health --server ''": "--server: is empty",
    "health --time soon": "--time: 'soon' is not a time like 500ms or 2s, above 0 and up to 10 minutes",
    "health --tls-cert cert.pem": "--tls-key: is missing; certificate and key must be given together",
    "health --server h:70000": "--server: the port of 'h:70000' is not a number from 1 to 65535",
    f"health --tls-ca {HERE}": f"--tls-ca: {HERE} holds no certificate in PEM",
    "serve --listen 0.0.0.0:0": "listen: calls from other machines to 0.0.0.0:0 would",
    "serve --store ''": "store: is empty, and games would be lost; give --store a FILE, memory: or postgresql://...",
    "serve --web 0.0.0.0:8080": "web: calls from other machines to 0.0.0.0:8080 would not",
    "serve --web 127.0.0.1:0 --tls-cert c --tls-key k --tls-client-ca a": "web: cannot be combined with tls_client_ca",
    "web --server 127.0.0.1:70000": "--server: the port of '127.0.0.1:70000' is not",
    f"{WEB} --listen 8080": "--listen: '8080' is not HOST:PORT",
    f"{WEB} --web-name 'a b'": "--web-name: 'a b' is not a host name",
    f"{WEB} --web-origin https://a.example/": "--web-origin: 'https://a.example/' is not an origin",
    f"{WEB} --tls-key x": "--tls-cert: is missing",
    "store backup copy --store memory:": "store: memory: ends with its server; name a file",
}
FAILURES = {
    f"recommend {TOY} --server unix:/nowhere/socket": "no server listens at this address (",
    "new --game toy --out /nowhere/file": "/nowhere/file: No such file",
    "new --game toy --out /dev/full": "/dev/full: No space left on device",
    "simulate --game toy --games 1 --out /dev/full": "/dev/full: No space left",
    f"{ARENA} --out /nowhere/games.jsonl": "/nowhere/games.jsonl: No such file or directory",
    "serve --listen unix:/nowhere/socket --store memory:": "cannot listen on unix:/nowhere/socket: no socket",
    "store check --store postgresql://127.0.0.1:1/games": "store: PostgreSQL cannot be opened",
}
CASES = [(line, 2, says) for line, says in BAD_INPUT.items()] + [(line, 1, says) for line, says in FAILURES.items()]


@pytest.mark.parametrize(("line", "code", "says"), CASES, ids=lambda value: str(value)[:70])
def test_it_ends_in_one_line(line: str, code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(EXAMPLES)
    for name, text in BAD_FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("clerestory.server.logs.write_logs", lambda *_: None)
    monkeypatch.setattr("clerestory.cli.servers.PATIENCE", 0.0)
    monkeypatch.setenv("CLERESTORY_LISTEN", "127.0.0.1:0")  # the usual port may be in use
    done = run(*shlex.split(line))
    assert (done.code, done.out) == (code, "")
    [told] = done.err.splitlines()
    assert told.startswith(f"clerestory: {says}")
    assert {path.name for path in tmp_path.iterdir()} == {"examples", *BAD_FILES}


@pytest.mark.parametrize(
    "line",
    [
        "advise",
        "recommend",
        "recommend --bad",
        "recommend - --seat x",
        f"recommend - --iterations {MAX_ITERATIONS + 1}",
        "simulate --game toy --games 0",
        f"annotate {RECORD} --iterations 49",
    ],
)
def test_wrong_usage_is_explained(line: str) -> None:
    done = run(*shlex.split(line))
    assert (done.code, done.out) == (2, "")
    assert "Usage: " in done.err


def test_usage_errors_are_in_one_language() -> None:
    done = run("hint", "--language", "de")
    assert (done.err.startswith("Usage: "), "Missing argument" in done.err) == (True, True)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("recommend - --level 9", "'--level': '9' is not a whole number (1 to 8)"),
        ("new --game toy --seed -1", "'--seed': '-1' is not a whole number (0 or more)"),
        ("simulate --game toy --seats two", "'--seats': 'two' is not a whole number"),
        ("analyze - --certainty high", "'--certainty': 'high' is not a number"),
        ("puzzle 0", "'NUMBER': '0' is not a whole number (1 or more)"),
    ],
)
def test_a_wrong_number_is_quoted_with_its_range(line: str, says: str) -> None:
    assert run(*line.split()).err.endswith(f"Error: Invalid value for {says}\n")
