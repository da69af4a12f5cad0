"""The package @clerestory/engine: the same positions, answers and errors as the native engine, bit by bit."""

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, Record, Rng, State, read_records
from clerestory.engine.scoring import point_sources, tie_break
from clerestory.search.ismcts import Searcher
from clerestory.search.levels import choose_as, level_of
from clerestory.search.lines import is_doubtful
from clerestory.search.options import shipped
from clerestory.search.result import FIGURES, Result
from clerestory.search.root import observe
from tests.browsers import BROWSERS, until
from tests.clients.node import ROOT, install, node
from tests.engine.playthrough import cases as golden_cases
from tests.engine.playthrough import recorded
from tests.parts import missing
from tests.search.positions import decisions
from tools.lab.browser import static_server

pytestmark = pytest.mark.system

PACKAGE = ROOT / "build" / "browser" / "package"
CHECKS = Path(__file__).parent / "browser"
NAMES = ("cathedral", "duel")
TABLES = [(name, seats) for name in NAMES for seats in GAMES[name].seats]
POSITIONS = 1000
MAX_BYTES = 14 << 20  # of a tree, the default of the package
WEIGHTS = ("cathedral-2.bin", "cathedral-3.bin", "cathedral-4.bin", "duel.bin")
MOST = {"*.wasm": 100_000, **dict.fromkeys(WEIGHTS, 90_000)}  # compressed bytes


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    if not (PACKAGE / "dist" / "duel.wasm").is_file():
        missing("the engine in WebAssembly", "make engine-wasm")


def printed(folder: Path, check: str, given: Any) -> Any:
    """Return what a function of checks.mjs returns in Node."""
    path = folder / f"{check}.json"
    path.write_text(json.dumps(given), "utf-8")
    done = node(CHECKS / "run.mjs", (PACKAGE / "dist" / "index.js").as_uri(), check, path)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def positions(number: int, seed: int = 11) -> list[State]:
    """Return decisions of games with all numbers of seats, evenly spread over each game."""
    found = []
    for name, seats in TABLES:
        games = [state for more in range(4) for state in decisions(GAMES[name], seats, seed + more)]
        found += [games[i * len(games) // (number // len(TABLES))] for i in range(number // len(TABLES))]
    return found


def given(state: State, **more: Any) -> dict[str, Any]:
    return {"game": state.game.name, "position": state.to_position(), **more}


# -- positions -----------------------------------------------------------------------------------------


def test_positions_are_read_and_written_in_the_same_form(tmp_path: Path) -> None:
    states = positions(400)
    states += [state.observe(state.turn) for state in states]
    expected = [[state.to_bytes().hex(), json.dumps(state.to_position(), separators=(",", ":"))] for state in states]
    assert printed(tmp_path, "forms", [*map(given, states)]) == expected


def test_seats_see_and_may_do_the_same(tmp_path: Path) -> None:
    states = positions(400, seed=31)
    expected = [
        [
            state.turn,
            [action.text for action in state.legal_actions()],
            [state.observe(seat).to_bytes().hex() for seat in range(NATURE, state.seats)],
        ]
        for state in states
    ]
    assert printed(tmp_path, "views", [*map(given, states)]) == expected


def test_equal_seeds_deal_equal_games(tmp_path: Path) -> None:
    tables = [(name, seats, seed) for name, seats in TABLES for seed in (0, 7, 2**53 - 1)]
    expected = []
    for name, seats, seed in tables:
        luck = Rng(seed)
        state = GAMES[name].new(seats, luck)
        dealt, odds = state.to_bytes().hex(), state.odds()
        chances = len(state.play_nature(luck))
        expected.append([dealt, chances, state.to_bytes().hex(), state.to_bytes().hex(), odds])
    asked = [{"game": name, "seats": seats, "seed": seed} for name, seats, seed in tables]
    assert printed(tmp_path, "deals", asked) == expected


def golden_records() -> list[Record]:
    examples = sorted((ROOT / "examples" / "records").glob("*.jsonl"))
    found = [record for path in examples for record in read_records(path.read_text().splitlines())]
    return found + [recorded(case) for case in golden_cases() if case.game.name in NAMES]


def golden_replays() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the golden records as questions, and what playing them again must give."""
    asked, expected = [], []
    for record in golden_records():
        state = record.state.origin
        actions = [action.text for action in record.state.history]
        asked.append(given(state, actions=actions))
        opening = {
            "first": state.to_bytes().hex(),
            "opening": json.dumps(state.to_position(), separators=(",", ":")),
        }
        seen = []
        for action in actions:
            state.play(action)
            seen.append(state.to_bytes().hex())
        expected.append({"seen": seen, "scores": scored(state) if state.over else None, **opening})
    return asked, expected


def scored(state: State) -> list[Any]:
    """Return how a game ended, in the form of the package."""
    tie = tie_break(state)
    broken = tie and {"code": tie[0], "values": tie[1]}
    return [[*state.win_shares()], [*state.current_scores()], point_sources(state), broken]


def test_golden_records_replay_to_the_same_bytes(tmp_path: Path) -> None:
    asked, expected = golden_replays()
    assert printed(tmp_path, "replays", asked) == expected


# -- searches ------------------------------------------------------------------------------------------


def searched(
    state: State, seed: int, iterations: int, level: int | None, observer: int | None = None
) -> tuple[Result, str]:
    """Return the native result, and the action to play."""
    options = shipped(state.game, state.seats)
    searcher = Searcher(observe(state, observer=observer), seed=seed, max_bytes=MAX_BYTES, **options)
    result = searcher.run(iterations=iterations, early=level is None)
    if level is None:
        return result, result.best.action
    return result, choose_as("", observe(state).view, result.lines, level_of(state.game, level), seed).action


def written(result: Result, best: str) -> dict[str, Any]:
    """Return a native result in the form of the package; JSON has no infinity."""
    lines = []
    for line in result.lines:
        figures = {camel(name): getattr(line, name) for name in FIGURES}
        figures = {name: [*value] if isinstance(value, tuple) else value for name, value in figures.items()}
        figures["marginError"] = None if math.isinf(line.margin_error) else line.margin_error
        words = {"action": line.action, "label": line.label, "principalVariation": [*line.principal_variation]}
        more = {"doubtful": is_doubtful(line, result.best), "visits": line.visits, "availability": line.availability}
        lines.append({**words, **figures, **more})
    plain = {name: getattr(result, name) for name in ("seat", "iterations", "certainty", "nodes", "depth")}
    more = {camel(name): getattr(result, name) for name in ("tree_bytes", "memory_full", "given_up", "stop_reason")}
    return {"best": best, "lines": lines, "seed": str(result.seed), **plain, **more}


def camel(name: str) -> str:
    first, *others = name.split("_")
    return "".join((first, *map(str.capitalize, others)))


def questions(number: int) -> list[tuple[State, int, int, int | None]]:
    """Return positions with seeds, iterations and levels; the highest level a few times only, as it takes long."""
    found = []
    for i, state in enumerate(positions(number)):
        level = (None, 1, 2, 3, 4, 5, 6, 7)[i % 8] if i % 40 else 8
        iterations = 150 + 37 * (i % 20) if level is None else level_of(state.game, level).iterations
        found.append((state, 2**64 - 1 - i if i % 2 else i, iterations, level))
    return found


def asked(state: State, seed: int, iterations: int, level: int | None) -> dict[str, Any]:
    limits = {"iterations": iterations} if level is None else {"level": level}
    return given(state, seed=str(seed), **limits)


def test_a_thousand_answers_equal_those_of_the_native_engine(tmp_path: Path) -> None:
    wanted = questions(POSITIONS)
    found = printed(tmp_path, "answers", [asked(*question) for question in wanted])
    for question, answer in zip(wanted, found, strict=True):
        assert answer == written(*searched(*question)), question


def test_other_observers_get_the_answers_of_the_native_engine(tmp_path: Path) -> None:
    cases = [(state, observer) for state in positions(20, seed=8) for observer in range(NATURE, state.seats)]
    wanted = [(state.observe(observer), 5, 200, None, observer) for state, observer in cases]
    found = printed(tmp_path, "answers", [{**asked(*question), "observer": observer} for *question, observer in wanted])
    assert found == [written(*searched(*question)) for question in wanted]


def test_a_re_dealt_truth_changes_nothing(tmp_path: Path) -> None:
    states = positions(40, seed=5)
    worlds = [[state, *(state.observe(state.turn).determinize(seed) for seed in range(3))] for state in states]
    assert any(len({world.to_bytes() for world in group}) > 1 for group in worlds)
    found = printed(tmp_path, "answers", [asked(world, 9, 300, None) for group in worlds for world in group])
    groups = [found[i : i + 4] for i in range(0, len(found), 4)]
    assert [group for group in groups if any(one != group[0] for one in group)] == []


def test_workers_threads_and_slices_give_one_answer(tmp_path: Path) -> None:
    state = decisions(GAMES["cathedral"], 3, 4)[20]
    found = printed(tmp_path, "manners", given(state, iterations=60_000))
    assert found == {
        "same": 1,
        "rising": True,
        "updates": True,
        "endings": ["iterations", "iterations", "iterations", "stopped", "time"],
        "some": True,
    }


# -- errors --------------------------------------------------------------------------------------------


def changed(**fields: Any) -> dict[str, Any]:
    position = decisions(GAMES["cathedral"], 2, 3)[0].to_position()
    return {**position, "cathedral": {**position["cathedral"], **fields}}


LEGAL = -1  # number of legal actions of the opening
REFUSED: list[tuple[dict[str, Any], list[Any]]] = [
    ({"json": "{"}, ["BadPosition", "position"]),
    ({"json": []}, ["BadPosition", "position"]),
    ({"json": {"rules_revision": 1}}, ["BadPosition", "rules_revision"]),
    ({"json": changed(round=7)}, ["BadPosition", "cathedral.round"]),
    ({"json": changed(round="1")}, ["BadPosition", "cathedral.round"]),
    ({"json": changed(castle="green", priory=["", "pink"])}, ["BadPosition", "cathedral.castle"]),
    ({"json": changed(supply_craftsmen=["nobody"])}, ["BadPosition", "cathedral.supply_craftsmen"]),
    ({"json": changed(stock={"sand": 1, "wood": 2})}, ["BadPosition", "cathedral.stock"]),
    ({"json": changed(players=[])}, ["BadPosition", "cathedral.players"]),
    ({"json": changed(colour="red")}, ["BadPosition", "cathedral.colour"]),
    ({"call": "play", "argument": "fly"}, ["IllegalAction", LEGAL]),
    ({"call": "play", "argument": "finish"}, ["IllegalAction", LEGAL]),
    ({"call": "play", "argument": 5}, ["BadOption", "action"]),
    ({"call": "determinize", "argument": "x"}, ["BadOption", "seed"]),
    ({"call": "observe", "argument": 2}, ["BadOption", "seat"]),
    ({"call": "undo"}, ["EngineError", "nothing to undo"]),
    ({"call": "new", "argument": {"seats": 5}}, ["BadOption", "seats"]),
    ({"call": "new", "argument": {"seats": 2, "seed": -1}}, ["BadOption", "seed"]),
    ({"call": "new", "argument": {"seats": 2, "seed": 0.5}}, ["BadOption", "seed"]),
    ({"argument": {}}, ["BadOption", "limits"]),
    ({"argument": {"level": 9}}, ["BadOption", "level"]),
    ({"argument": {"level": 1, "observer": 2}}, ["BadOption", "observer"]),
    ({"argument": {"level": 1, "time": 5}}, ["BadOption", "time"]),
    ({"argument": {"level": 1, "early": "no"}}, ["BadOption", "early"]),
    ({"call": "load", "argument": {"worker": "yes"}}, ["BadOption", "worker"]),
    ({"call": "new", "argument": {"seats": 2, "automatic": 1}}, ["BadOption", "automatic"]),
    ({"argument": None}, ["BadOption", "options"]),
    ({"call": "analyze", "argument": {"iterations": 1, "every": 5}}, ["BadOption", "every"]),
    ({"call": "analyze", "argument": "fast"}, ["BadOption", "options"]),
    ({"call": "new", "argument": {"seats": 2, "sed": 1}}, ["BadOption", "sed"]),
    ({"call": "new", "argument": None}, ["BadOption", "options"]),
    ({"call": "load", "argument": {"wroker": False}}, ["BadOption", "wroker"]),
    ({"call": "at", "argument": -1}, ["BadOption", "ply"]),
    ({"argument": {"timeMs": 0}}, ["BadOption", "timeMs"]),
    ({"argument": {"iterations": 1.5}}, ["BadOption", "iterations"]),
    ({"argument": {"iterations": 1, "signal": {}}}, ["BadOption", "signal"]),
    ({"call": "analyze", "argument": {"iterations": 1}}, ["BadOption", "onUpdate"]),
    ({"argument": {"iterations": 1, "maxBytes": 1}}, ["BadOption", "maxBytes"]),
    ({"call": "other", "argument": {"level": 1}}, ["BadOption", "position"]),
]


def test_wrong_input_is_rejected_by_name(tmp_path: Path) -> None:
    luck = Rng(7)
    state = GAMES["cathedral"].new(2, luck)
    state.play_nature(luck)
    legal = len(state.legal_codes())
    expected = [[name, legal if field == LEGAL else field] for _, [name, field] in REFUSED]
    assert printed(tmp_path, "refusals", [case for case, _ in REFUSED]) == expected


def test_a_closed_engine_and_a_failing_listener_reject(tmp_path: Path) -> None:
    rejected = ["the listener fails", "the engine was closed"]
    assert printed(tmp_path, "endings", None) == {"worker": rejected, "here": rejected}


def test_a_program_ends_without_closing_an_engine() -> None:
    address = json.dumps((PACKAGE / "dist" / "index.js").as_uri())
    script = f"import {{ Engine }} from {address}; await Engine.load('duel'); console.log('loaded')"
    assert node("--input-type=module", "--eval", script).stdout == "loaded\n"


def test_a_position_without_what_its_seat_knows_is_rejected(tmp_path: Path) -> None:
    games = (decisions(GAMES["cathedral"], 2, seed) for seed in range(30))
    state = next(one for game in games for one in game if one.observe(one.turn) != one.observe(NATURE))
    cases = [{"json": one.to_position(), "argument": {"iterations": 9}} for one in (state, state.observe(NATURE))]
    assert printed(tmp_path, "refusals", cases) == [None, ["BadPosition", "position"]]


# -- the package ---------------------------------------------------------------------------------------


PAGE = """<!doctype html><meta charset="utf-8"><title>engine</title><script type="module">
  const run = async () => {
    const { Engine } = await import("/package/dist/index.js");
    const checks = await import("/checks.mjs");
    const engines = { cathedral: await Engine.load("cathedral"), duel: await Engine.load("duel") };
    const given = await (await fetch("/given.json")).json();
    const found = {};
    for (const [check, cases] of Object.entries(given)) found[check] = await checks[check](engines, cases);
    return JSON.stringify(found);
  };
  run().then((found) => { globalThis.found = found; }, (error) => { globalThis.found = JSON.stringify(`${error}`); });
</script>"""


def found_in(browser: str, folder: Path, **given: Any) -> Any:
    """Return what functions of checks.mjs return on one page of a browser."""
    (folder / "package").symlink_to(PACKAGE)
    (folder / "checks.mjs").symlink_to(CHECKS / "checks.mjs")
    (folder / "index.html").write_text(PAGE)
    (folder / "given.json").write_text(json.dumps(given))
    profile = folder / "profile"
    profile.mkdir()
    with static_server(folder) as url, BROWSERS[browser](profile, url) as run:
        found = json.loads(until(run, "return globalThis.found", 900))
    assert isinstance(found, dict), found
    return found


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("browser", BROWSERS)
def test_browsers_obey_the_same_law(browser: str, tmp_path: Path) -> None:
    wanted, (records, replayed) = questions(POSITIONS), golden_replays()
    cases = [asked(*question) for question in wanted]
    found = found_in(browser, tmp_path, replays=records, answers=cases)
    assert found["replays"] == replayed
    for question, answer in zip(wanted, found["answers"], strict=True):
        assert answer == written(*searched(*question)), question


def example(language: str) -> str:
    """Return the only example of the README in a language."""
    [found] = re.findall(rf"```{language}\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)
    return str(found)


STRICT = """{"compilerOptions": {"strict": true, "target": "es2022", "module": "nodenext", "types": [], "outDir": "out",
    "lib": ["es2023", "dom"]}}"""


def test_the_packed_package_is_typed_and_plays_in_an_empty_folder(tmp_path: Path) -> None:
    [packed] = PACKAGE.parent.glob("clerestory-engine-*.tgz")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    install(tmp_path, str(packed))
    assert [path.name for path in (tmp_path / "node_modules").iterdir() if path.name[0] != "."] == ["@clerestory"]
    (tmp_path / "tsconfig.json").write_text(STRICT)
    (tmp_path / "play.ts").write_text(example("ts").replace("timeMs: 500", "iterations: 200"))
    typed = node(ROOT / "clients" / "web" / "node_modules" / "typescript" / "bin" / "tsc", folder=tmp_path)
    assert typed.returncode == 0, typed.stdout
    done = node("out/play.js", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\[ \d+, \d+ \] \[ [01.]+, [01.]+ \]", done.stdout.splitlines()[-1])


CLICK = """
  const button = document.querySelector("button");
  button?.click();
  return button ? "" : document.querySelector("#told").textContent.match(/^Over: .*/)?.[0] ?? "";
"""


@pytest.mark.parametrize("browser", BROWSERS)
def test_the_page_of_the_readme_plays_a_game(browser: str, tmp_path: Path) -> None:
    (tmp_path / "node_modules" / "@clerestory").mkdir(parents=True)
    (tmp_path / "node_modules" / "@clerestory" / "engine").symlink_to(PACKAGE)
    (tmp_path / "profile").mkdir()
    (tmp_path / "index.html").write_text(example("html").replace("timeMs: 300", "iterations: 20"))
    with static_server(tmp_path) as url, BROWSERS[browser](tmp_path / "profile", url) as run:
        assert re.fullmatch(r"Over: [\d.]+ to [\d.]+", until(run, CLICK))


@pytest.mark.parametrize("name", sorted(MOST))
def test_files_are_small(name: str) -> None:
    sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in (PACKAGE / "dist").glob(name)]
    assert 0 < sum(sizes) <= MOST[name]


def test_an_engine_with_a_full_tree_has_less_than_64_megabytes(tmp_path: Path) -> None:
    found = printed(tmp_path, "memory", NAMES)
    assert all(one["memoryFull"] and one["bytes"] < 64_000_000 for one in found.values()), found


def test_the_package_has_no_dependencies_and_needs_only_a_clock(tmp_path: Path) -> None:
    facts = json.loads((PACKAGE / "package.json").read_text())
    assert not {"dependencies", "peerDependencies"} & set(facts)
    script = "import {readFileSync} from 'node:fs'; const m = new WebAssembly.Module(readFileSync(process.argv[1]));"
    script += "console.log(JSON.stringify(WebAssembly.Module.imports(m)))"
    done = node("--input-type=module", "--eval", script, PACKAGE / "dist" / "duel.wasm")
    assert json.loads(done.stdout) == [{"module": "env", "name": "now", "kind": "function"}], done.stderr
