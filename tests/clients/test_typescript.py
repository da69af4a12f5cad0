"""The package @clerestory/client: packed, installed in an empty project, type-checked and used there."""

import base64
import gzip
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo

from clerestory.server.gateway.methods import methods
from tests.clients.node import ROOT, install, node
from tests.clients.python.relay import cutting
from tests.clients.python.test_services import METHODS
from tests.parts import missing
from tests.position_forms import ACCEPTED, REFUSED, WRITTEN
from tests.server.gateway.harness import address_of
from tools.lab.browser import page_server

pytestmark = pytest.mark.system

PACKAGE = ROOT / "clients" / "typescript"
NOBODY = "bad port"  # Node's reason why nothing is fetched from port 1
NOT_AN_ADDRESS = "address: is not a plain http:// or https:// URL"
SCRIPTS = Path(__file__).parent / "typescript"
SMALLEST = 5_000  # compressed bytes of a page that shows a recommendation
MOST = 15_000  # compressed bytes of the package with its transport library, without the messages
PACKING = run_path(str(PACKAGE / "pack.py"))
CHECK = {"strict": True, "noEmit": True, "module": "nodenext", "target": "es2023", "types": [], "skipLibCheck": True}
SIZE = """
import { build } from "esbuild";
const external = ["*_pb.ts", "@bufbuild/protobuf", "@bufbuild/protobuf/*"];
const whole = { bundle: true, minify: true, format: "esm" };
await build({ entryPoints: ["src/index.ts"], outfile: "bundle.js", ...whole, external });
"""
BUNDLE = """
import { build } from "esbuild";
const entry = { absWorkingDir: process.argv[2], entryPoints: ["hello.js"], outfile: "bundle.js" };
await build({ ...entry, bundle: true, minify: true, format: "esm" });
"""


def run(folder: Path, name: str, *arguments: str) -> str:
    done = node(*arguments, folder=folder, name=name)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the messages and tools left by the build of the page."""
    tools = PACKAGE.parent / "web" / "node_modules"
    if not ((PACKAGE / "src" / "gen").is_dir() and (tools / ".bin" / "tsc").exists()):
        missing("what the page is built with", "python clients/web/build.py")
    folder = tmp_path_factory.mktemp("source") / "typescript"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "node_modules").symlink_to(tools.resolve())
    return folder


@pytest.fixture(scope="module")
def project(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with only the package installed."""
    folder = tmp_path_factory.mktemp("project")
    PACKING["build"](source, folder)
    (folder / "package.json").write_text('{"name": "empty", "private": true, "type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": CHECK | {"lib": ["es2023", "dom"]}}))
    [packed] = folder.glob("*.tgz")
    install(folder, f"./{packed.name}")
    for script in SCRIPTS.glob("*.ts"):
        shutil.copy(script, folder)
    return folder


@pytest.fixture(scope="module")
def gateway() -> Iterator[str]:
    with page_server("--workers", "1", "--seat-webhooks", "any") as (_, url):
        yield url.rstrip("/")


def printed(project: Path, script: str, *arguments: str) -> Any:
    return json.loads(run(project, "node", "--experimental-strip-types", "--no-warnings", script, *arguments))


def test_the_scripts_fit_the_types_of_the_package(source: Path, project: Path) -> None:
    run(project, str(source / "node_modules" / ".bin" / "tsc"), "--project", ".")


def test_the_package_has_a_readme_and_the_licence(project: Path) -> None:
    installed = project / "node_modules" / "@clerestory" / "client"
    assert {"README.md", "LICENSE", "package.json", "dist"} == {path.name for path in installed.iterdir()}
    assert (installed / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_plain_npm_packs_no_package_without_code(tmp_path: Path) -> None:
    shutil.copy(PACKAGE / "package.json", tmp_path)
    done = node("pack", "--silent", folder=tmp_path, name="npm")
    assert (done.returncode != 0, [*tmp_path.glob("*.tgz")]) == (True, [])
    assert "run make client" in done.stdout + done.stderr


def test_a_position_file_is_read_as_documented(project: Path) -> None:
    [example] = re.findall(r"```ts\n(.*?)```", (ROOT / "docs" / "clients.md").read_text("utf-8"), re.DOTALL)
    (project / "position.mjs").write_text(example + "console.log(JSON.stringify(position.game.value.round));\n")
    shutil.copy(ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json", project / "position.json")
    assert run(project, "node", "position.mjs") == "4\n"


def test_the_examples_of_the_package_run_in_node(project: Path, gateway: str) -> None:
    shutil.copy(ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json", project / "position.json")
    examples = re.findall(r"```ts\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        faster = re.sub(r"timeMs: 2000|milliseconds\(500\)", lambda one: re.sub(r"\d+", "20", one[0]), example)
        (project / "example.mjs").write_text(faster.replace("http://127.0.0.1:8080", gateway))
        run(project, "node", "example.mjs")


def test_the_package_has_every_method_of_the_server(project: Path) -> None:
    methods = [*METHODS, "clerestory.v1.AdvisorService/BatchRecommend"]
    wanted = {re.sub(r"/(.)", lambda first: f"/{first[1].lower()}", name) for name in methods}
    assert {f"clerestory.v1.{name}" for name in printed(project, "services.ts")} == wanted


def test_position_files_are_read_in_every_form(project: Path) -> None:
    assert printed(project, "positions.ts", json.dumps([*ACCEPTED.values()])) == [WRITTEN] * len(ACCEPTED)
    written, fields = zip(*REFUSED.values(), strict=True)
    errors = printed(project, "positions.ts", json.dumps(written))
    names = [re.sub(r"\[\d+\]$", "", field).rpartition(".")[2].lstrip("$") for field in fields]
    assert [name for name, error in zip(names, errors, strict=True) if name not in error] == []


def test_a_batch_is_answered_with_an_error_where_a_query_has_one(project: Path, gateway: str) -> None:
    found = printed(project, "batch.ts", gateway)
    assert sorted(found["answers"]) == [[0, ""], [1, "BAD_CONSIDER_ACTIONS consider_actions"], [2, ""], [3, ""]]
    assert found["alone"] == found["together"]
    assert (found["left"], found["broken"]) == (1, "no more")


def test_the_small_client_plays_analyzes_and_says_what_is_wrong(project: Path, gateway: str) -> None:
    found = printed(project, "small.ts", gateway)
    assert (sum(found["shares"]), found["same"]) == (pytest.approx(1), True)
    assert found["moves"] > 3
    assert found["tables"] >= 3
    assert found["errors"] == [
        ["bad-request", "BAD_CONSIDER_ACTIONS", "consider_actions"],
        ["cancelled", "", None],
        ["out-of-time", "", None],
        ["unavailable", "", None],
    ]
    assert found["away"] == NOBODY
    assert found["unusable"] == [
        "token: would travel in plaintext to advice.example; use https",
        *[NOT_AN_ADDRESS] * 3,
        "token: is not one word of printable ASCII",
        "language: is not a BCP 47 tag",
        "fetch: is not a function",
    ]


def test_the_advisor_of_the_default_entry_recommends_analyzes_and_names_what_is_wrong(
    project: Path, gateway: str
) -> None:
    position = (ROOT / "examples" / "positions" / "duel-2p-phase2-turn.json").read_text("utf-8")
    found = printed(project, "advisor.ts", gateway, position)
    assert found["bests"] == [found["same"]] * 5
    assert found["alone"]
    assert found["lines"] == [2] * 5
    assert found["tables"] >= 3
    assert found["last"] == {"final": True, "iterations": "300"}
    assert found["errors"] == [
        ["bad-request", "BAD_POSITION", "position"],
        *[["bad-request", "BAD_TIME_BUDGET", "timeMs"]] * 3,
        ["bad-request", "BAD_UPDATE_INTERVAL", "everyMs"],
        ["bad-request", "BAD_TIME_BUDGET", "timeMs"],
        ["bad-request", "BAD_MAX_TREE_BYTES", "maxBytes"],
        *[["bad-request", "BAD_TIME_BUDGET", "timeMs"]] * 2,
        ["bad-request", "UNREADABLE_REQUEST", "level"],
        *[["bad-request", "BAD_SEAT", "observer"]] * 4,
        *[["bad-request", "UNREADABLE_REQUEST", "timeoutMs"]] * 3,
        ["bad-request", "UNREADABLE_REQUEST", "signal"],
        ["bad-request", "BAD_CONSIDER_ACTIONS", "considerActions[0]"],
        ["bad-request", "BAD_UPDATE_INTERVAL", "everyMs"],
        ["bad-request", "BAD_SEAT", "observer"],
        ["bad-request", "BAD_MAX_TREE_BYTES", "maxBytes"],
    ]


ADVISOR = """
import { Advisor } from "@clerestory/client";
const position = await (await fetch("position.json")).text();
const { best } = await new Advisor("http://127.0.0.1:8080").recommend(position, { timeMs: 500 });
document.body.textContent = best?.label ?? "";
"""
JSON_CLIENT = """
import { JsonClient } from "@clerestory/client/json";
const position = await (await fetch("position.json")).json();
const { best } = await new JsonClient("http://127.0.0.1:8080").advisor.recommendMove({ position, timeBudget: "0.5s" });
document.body.textContent = best?.label ?? "";
"""


@pytest.mark.parametrize("hello", [ADVISOR, JSON_CLIENT])
def test_the_smallest_page_is_small(source: Path, project: Path, hello: str) -> None:
    (project / "hello.js").write_text(hello)
    (source / "hello.mjs").write_text(BUNDLE)
    run(source, "node", "hello.mjs", str(project))
    assert len(gzip.compress((project / "bundle.js").read_bytes())) < SMALLEST


def test_the_streams_of_the_small_client_are_those_of_the_service() -> None:
    text = (PACKAGE / "src" / "json.ts").read_text()
    [listed] = re.findall(r"^const STREAMS = (\[.*\]);$", text, re.MULTILINE)
    streams = {path.rpartition("/")[2] for path, method in methods().items() if method.streams}
    assert set(json.loads(listed)) == streams


def test_a_game_is_played_to_its_end(project: Path, gateway: str) -> None:
    seen = printed(project, "game.ts", gateway)
    assert (sum(seen["shares"]), seen["rising"], seen["troubles"]) == (pytest.approx(1), True, [])
    assert 0 < seen["moves"] < seen["forced"] < seen["record"]  # the server plays the last card of a round


def test_a_game_goes_on_through_connections_that_break(project: Path, gateway: str) -> None:
    cuts = [3000, 2500, 1500, 1000, 900, 600, 100, 20]
    with cutting(address_of(gateway + "/"), cuts) as relay:
        seen = printed(project, "game.ts", relay)
    assert (sum(seen["shares"]), seen["rising"], cuts) == (pytest.approx(1), True, [])


def test_calls_have_errors_deadlines_and_streams(project: Path, gateway: str) -> None:
    assert printed(project, "calls.ts", gateway) == {
        "wrong": ["bad-request", "BAD_GAME", True, "de"],
        "stale": ["not-now", "STALE_VERSION", True, "version"],
        "stranger": ["denied", "WRONG_SEAT_TOKEN", "tokens[0]"],
        "tables": 3,
        "best": True,
        "aborted": "cancelled",
        "late": "out-of-time",
        "left": "cancelled",
        "resigned": [False, True, False],
        "opened": [["0", "1"], 1],
        "overtaken": ["STALE_VERSION", "version"],
        "seated": "STALE_VERSION",
        "hooked": [True, False],
        "webhooks": [50, True, False, "BAD_NOTICE_TARGET"],
        "limits": [
            *("125000", "145000", "3605000"),  # for reviews: twice their times, or an hour, plus 5 s
            *("5334", "6001", "1501", None),  # for searches, in whole milliseconds, and one beyond every timer
        ],
        "unfit": [
            ["bad-request", "seats", "invalid uint32: -1"],
            ["bad-request", "seats", "invalid uint32: 1.5"],
            ["bad-request", "ply", "invalid uint32: -1"],
            ["bad-request", "", "cannot use field google.protobuf.Duration.seconds with message undefined"],
            ["bad-request", "level", "invalid uint32: -1"],
        ],
        "uncallable": [*["timeoutMs"] * 4, *["signal"] * 2],
        "unusable": [
            "TypeError: time: 1s is not a number of milliseconds",
            *[f"TypeError: {NOT_AN_ADDRESS}"] * 3,
            "TypeError: token: is not one word of printable ASCII",
            "TypeError: slack: NaN is not a time in milliseconds",
            "TypeError: language: is not a BCP 47 tag",
            "TypeError: fetch: is not a function",
        ],
        "odd": [0, 333_333_333],
        "nowhere": ["unavailable", True, NOBODY],
    }


@contextmanager
def refusing(refusals: list[dict[str, Any]], headers: dict[str, str]) -> Iterator[str]:
    """Yield the address of a server that answers once with each of the errors, and then with an empty message."""

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            status, kind, more, body = 200, "application/proto", {}, b""
            if refusals:
                status, kind, more, body = 429, "application/json", headers, json.dumps(refusals.pop(0)).encode()
            self.send_response(status)
            for name, value in {"content-type": kind, "content-length": str(len(body)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def refusal(code: str, *details: Any) -> dict[str, Any]:
    packed = [
        {"type": one.DESCRIPTOR.full_name, "value": base64.b64encode(one.SerializeToString()).decode().rstrip("=")}
        for one in details
    ]
    return {"code": code, "message": "refused", "details": packed}


BUSY = refusal("resource_exhausted", ErrorInfo(reason="BUSY"), RetryInfo(retry_delay=Duration(nanos=30_000_000)))
AWAY = refusal("unavailable")
WRONG = refusal("invalid_argument", ErrorInfo(reason="BAD_POSITION"))
BUG = refusal("internal", ErrorInfo(reason="INTERNAL"))


@pytest.mark.parametrize(
    ("errors", "headers", "left", "kind"),
    [
        ([BUSY] * 3, {}, 0, None),
        ([BUSY] * 5, {}, 1, "busy"),
        ([AWAY] * 8, {}, 0, None),
        ([refusal("internal")] * 3, {}, 0, None),
        ([BUG] * 2, {}, 1, "failed"),
        ([WRONG] * 2, {}, 1, "bad-request"),
        ([BUSY] * 2, {"grpc-retry-pushback-ms": "-1"}, 1, "busy"),
        ([refusal("resource_exhausted")] * 2, {"grpc-retry-pushback-ms": "10"}, 0, None),
    ],
)
def test_a_call_is_tried_again_where_that_helps(
    project: Path, errors: list[dict[str, Any]], headers: dict[str, str], left: int, kind: str | None
) -> None:
    refusals = list(errors)
    with refusing(refusals, headers) as address:
        said = printed(project, "retries.ts", address, "true")
    assert (said.get("kind"), len(refusals)) == (kind, left)


def test_a_wait_that_an_error_names_is_never_shortened_and_told_without_retries(project: Path) -> None:
    with refusing([BUSY, refusal("resource_exhausted"), refusal("unavailable")], {}) as address:
        said = printed(project, "retries.ts", address, "true")
    assert said["pauses"] == pytest.approx([39, 220, 55])  # of 30, 200 and 50 ms
    refusals = [BUSY, BUSY]
    with refusing(refusals, {}) as address:
        said = printed(project, "retries.ts", address, "false")
    assert (said, len(refusals)) == ({"kind": "busy", "reason": "BUSY", "retryAfter": 30}, 1)


def test_the_package_is_small_beside_its_messages(source: Path) -> None:
    (source / "size.mjs").write_text(SIZE)
    run(source, "node", "size.mjs")
    assert len(gzip.compress((source / "bundle.js").read_bytes())) <= MOST
