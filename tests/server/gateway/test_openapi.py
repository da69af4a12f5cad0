"""The schemas that the gateway serves, for generators of clients."""

import json
import subprocess
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clerestory.engine.schemas import SCHEMAS as FILES
from clerestory.server.gateway.errors import HTTP
from clerestory.server.gateway.methods import methods
from clerestory.server.gateway.openapi import openapi
from loadtest.faults.proxy import loop_in_thread
from tests.server.gateway.harness import ADVICE, LIST, RULES, Caller, gateway

SCHEMAS = "#/components/schemas/"
PLAYER = """
import sys
from clerestory_client import Client
from clerestory_client.api.rules_service import rules_service_apply_actions as apply
from clerestory_client.api.rules_service import rules_service_list_actions as list_actions
from clerestory_client.api.rules_service import rules_service_start_position as start
from clerestory_client.models import AnyPosition, ApplyActionsRequest, ListActionsRequest, StartPositionRequest

with Client(base_url=sys.argv[1]) as client:
    referee = start.sync(client=client, body=StartPositionRequest(game="toy", seats=2, seed="7")).referee
    position, plies = AnyPosition(referee=referee), 0
    while (found := list_actions.sync(client=client, body=ListActionsRequest(position=position))).actions:
        body = ApplyActionsRequest(position=position, actions=[found.actions[0].action.text])
        position, plies = apply.sync(client=client, body=body).position, plies + 1
print(plies)
"""


def document() -> Any:
    return openapi()


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        value = [*value.values()]
    for inner in value if isinstance(value, list) else []:
        yield from references(inner)


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": SCHEMAS + name, "components": document()["components"]})


def test_every_method_has_its_path_and_every_reference_its_schema() -> None:
    found = document()
    assert found["paths"].keys() == methods().keys()
    assert {SCHEMAS + name for name in found["components"]["schemas"]} >= set(references(found))
    undescribed = [name for name, one in found["components"]["schemas"].items() if not one.get("description")]
    assert undescribed == []


async def test_the_schemas_are_served(caller: Caller) -> None:
    files = {"/openapi.json": openapi()} | {f"/{name}.schema.json": make() for name, make in FILES.items()}
    for path, schema in files.items():
        answer = await caller.ask("GET", path)
        assert (answer.status, answer.headers["content-type"], answer.fields) == (200, "application/json", schema)
        posted = await caller.ask("POST", path)
        assert (posted.status, posted.headers["allow"]) == (405, "GET, HEAD")


async def test_answers_and_errors_fit_their_schemas(caller: Caller) -> None:
    asked: dict[str, Any] = {"game": "cathedral", "seats": 3, "seed": "7"}
    start = (await caller.call(RULES + "StartPosition", asked)).fields
    seen = (await caller.call(RULES + "ObservePosition", {"referee": start["referee"]})).fields
    question = {"position": seen["position"], "iterations": "100"}
    answers = {
        "StartPositionResponse": start,
        "ObservePositionResponse": seen,
        "ListGamesResponse": (await caller.call(LIST, {})).fields,
        "DescribeCatalogueResponse": (await caller.call(RULES + "DescribeCatalogue", {"game": "duel"})).fields,
        "Error": (await caller.call(ADVICE + "RecommendMove", question | {"iterations": "0"})).fields,
    }
    for name, answer in answers.items():
        assert [error.message for error in validator(name).iter_errors(answer)] == [], name
    assert answers["Error"]["code"] in HTTP


@pytest.mark.system
def test_a_generated_client_plays_a_game(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    (tmp_path / "openapi.json").write_text(json.dumps(openapi()))
    (tmp_path / "play.py").write_text(PLAYER)

    def run(*command: object) -> str:
        done = subprocess.run([*map(str, command)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    generator = tomllib.loads(Path("pyproject.toml").read_text())["dependency-groups"]["openapi"]
    run(python, "-m", "pip", "install", "--quiet", *generator)
    run(python.with_name("openapi-python-client"), "generate", "--path", "openapi.json", "--meta", "none",
        "--output-path", "clerestory_client")  # fmt: skip
    made = gateway()
    with loop_in_thread() as within:
        caller = within(made.__aenter__())
        assert int(run(python, "play.py", f"http://{caller.host}:{caller.port}")) > 3
        within(made.__aexit__(None, None, None))
