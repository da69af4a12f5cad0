"""The services of the page that plays without a server, which answer from the engine in a worker, here in Node."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import GAMES, Rng, State
from clerestory.engine.changes import View, differences
from clerestory.engine.games import LIST
from clerestory.engine.scoring import point_sources
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate import in_words
from tests.clients.node import ROOT, node
from tests.parts import missing

pytestmark = pytest.mark.system

WEB = ROOT / "clients" / "web"
SITE = ROOT / "build" / "site"
TACIT = ("grey_next", "markers")  # fields whose changes are shown with their causes only
CHECKS = Path(__file__).parent / "offline" / "checks.mjs"
BUNDLE = """
import { build } from "esbuild";
const [engine, outfile] = process.argv.slice(1);
const contents = `
  export { servicesOf } from "./src/offline/services.ts";
  export { inMemory } from "./src/offline/store.ts";
  export { marginsOf } from "./src/offline/write.ts";
  export { Code, createClient, createRouterTransport } from "@connectrpc/connect";
  export { toBinary, toJson } from "@bufbuild/protobuf";
  export * from "./src/gen/clerestory/v1/games_pb.ts";
  export * from "./src/gen/clerestory/v1/advisor_pb.ts";
  export { RulesService } from "./src/gen/clerestory/v1/rules_pb.ts";
  export { PositionSchema } from "./src/gen/clerestory/v1/position_pb.ts";
  export { ErrorInfoSchema } from "./src/gen/google/rpc/error_details_pb.ts";
`;
const beside = { name: "engine", setup: (one) =>
  one.onResolve({ filter: /^@clerestory.engine$/ }, () => ({ path: engine, external: true })) };
const how = { bundle: true, format: "esm", logLevel: "error", plugins: [beside] };
await build({ stdin: { contents, resolveDir: process.cwd() }, outfile, ...how });
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """The engine, the services of the page, and its data."""
    if not (SITE / "sw.js").is_file():
        missing("the page that plays without a server", "make site")
    engine = (SITE / "engine" / "index.js").as_uri()
    bundle = tmp_path_factory.mktemp("page") / "services.mjs"
    done = node("--input-type=module", "--eval", BUNDLE, engine, bundle, folder=WEB)
    assert done.returncode == 0, done.stderr
    return engine, bundle.as_uri(), str(SITE / "data")


def found(page: tuple[str, str, str], check: str, argument: str = "") -> Any:
    """Return what a function of checks.mjs finds."""
    done = node(CHECKS, *page, check, argument)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_margins_are_rounded_as_by_servers(page: tuple[str, str, str]) -> None:
    scores = [10.15, 24.2, 3.3]
    assert scores[0] - scores[1] != (margin := round(scores[0] - scores[1], 9))
    assert found(page, "margins", json.dumps(scores)) == [margin, -margin, round(scores[2] - scores[1], 9)]


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_a_game_is_played_to_its_end_by_the_rules(page: tuple[str, str, str], name: str) -> None:
    result = found(page, "course", name)
    luck = Rng(7)
    state = GAMES[name].new(2, luck)
    views = [state.observe(0)]
    for text in result.pop("texts"):
        state.play(text)
        views.append(state.observe(0))
    assert state.over
    ends = {"shares": list(state.win_shares()), "margins": list(state.margins()), "parts": point_sources(state)}
    changes = [changes_in(language, views) for language in ("en", "he")]
    assert sum(map(len, changes[0])) > 50
    assert result == {"same": True, "plies": True, "listed": [True], "changes": changes, **ends}


def changes_in(language: str, views: list[State]) -> list[list[list[Any]]]:
    """Return the changes between views without their causes, with their texts, as messages have them."""
    LOCALE.set(language)
    game = views[0].game
    things = tuple(thing for thing in LIST[game.name].changes.THINGS if thing not in TACIT)
    pairs = ((View(before), View(after)) for before, after in pairwise(views))
    return [
        [
            [one.seat, one.thing, one.item, one.amount, in_words(game, one)]
            for one in differences(*pair, things)
            if one.amount
        ]
        for pair in pairs
    ]


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_hidden_cards_change_no_byte_of_any_answer(page: tuple[str, str, str], name: str) -> None:
    result = found(page, "secrets", name)
    assert result["worlds"] > 1
    assert result["answers"] == 1


def test_a_move_is_stored_before_anyone_sees_it(page: tuple[str, str, str]) -> None:
    assert found(page, "storing") == {"before": [0], "stored": 0, "after": 3}


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_hints_are_the_tables_of_the_engine(page: tuple[str, str, str], name: str) -> None:
    result = found(page, "hints", name)
    assert result == dict.fromkeys(("final", "rising", "same", "labelled", "onlooker"), True) | {"finals": 1}


def test_errors_have_the_reasons_of_the_service(page: tuple[str, str, str]) -> None:
    assert found(page, "failures") == [
        *("NO_SUCH_GAME", "WRONG_SEAT_TOKEN", "BAD_PLY", "STALE_VERSION", "ILLEGAL_ACTION", "TAKE_BACK_REFUSED"),
        *("BAD_GAME", "BAD_SEATS", "Unimplemented", "Unimplemented", "Unimplemented", "BAD_TIME_BUDGET"),
        *("Unimplemented", "ILLEGAL_ACTION"),
    ]


def test_labels_come_in_the_language_of_the_call(page: tuple[str, str, str]) -> None:
    assert found(page, "words") == {"differ": True, "cards": True}
