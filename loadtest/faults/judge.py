"""Checks a server for forbidden behaviour: internal errors, dead services that claim to serve, leaked secrets."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.server.gateway.methods import methods
from loadtest.faults import wires
from loadtest.faults.wires import Ending, Metadata
from loadtest.faults.world import PERSON, SECRET, position, toy_record

ERROR = re.compile(r"^\S+ \[(?:error|critical) *\]|^\{.*\"level\": \"(?:error|critical)\"")
TRACEBACK = "Traceback (most recent call last)"
FAULTY = {"internal", "unknown", "data_loss", "unavailable", "deadline_exceeded", "unimplemented", "http cut"}
SERVED: dict[str, dict[str, Any]] = {  # valid requests that show whether a service answers
    "/clerestory.v1.RulesService/ListGames": {},
    "/clerestory.v1.AdvisorService/RecommendMove": {"position": position(Random(0)), "iterations": 1},
    "/clerestory.v1.GameService/CreateGame": {"game": "toy", "seats": [PERSON, PERSON]},
    "/clerestory.v1.GameService/ListGames": {"page_size": 3},
    "/clerestory.v1.PuzzleService/ListPuzzles": {"game": "duel"},
    "/clerestory.v1.AnnotationService/AnnotateGame": {"record": toy_record(), "iterations": 50},
}


def is_faulty(ending: Ending) -> bool:
    return (ending.code in FAULTY and ending.reason != "OUT_OF_TIME") or ending.code.startswith("http 5")


def dead_services(channel: grpc.Channel, metadata: Metadata) -> list[str]:
    """Return a sentence for each service that claims to serve but does not."""
    return [
        f"{path} is said to be served: {ending}"
        for path, fields in SERVED.items()
        if says_it_serves(channel, path.split("/")[1], metadata)
        and (ending := ending_of(channel, path, fields, metadata)).code != "ok"
        and ending.reason != "BUSY"
    ]


def says_it_serves(channel: grpc.Channel, service: str, metadata: Metadata) -> bool:
    standing: Any = HealthStub(channel)
    said = standing.Check(HealthCheckRequest(service=service), timeout=wires.SECONDS, metadata=metadata)
    return bool(said.status == HealthCheckResponse.SERVING)


def ending_of(channel: grpc.Channel, path: str, fields: dict[str, Any], metadata: Metadata) -> Ending:
    payload = methods()[path].request(**fields).SerializeToString()
    return wires.over_grpc(channel, methods()[path], payload, metadata, wires.SECONDS)


def stored_secrets(store: Path) -> set[str]:
    """Return the seeds and salts of the games in a closed store."""
    with closing(sqlite3.connect(store)) as connection:
        heads = [json.loads(head) for (head,) in connection.execute("SELECT head FROM game")]
    found = {str(head.get(name)) for head in heads for name in ("seed", "salt")}
    return {secret for secret in found if len(secret) >= SECRET}


def leaks(output: str, secrets: set[str]) -> list[str]:
    """Return a sentence for each secret in a server's output."""
    found = [(secret, output.index(secret)) for secret in secrets if secret in output]
    return [f"the output has a secret: {output[max(0, at - 100) : at + 100]!r}" for secret, at in found]


def traces(output: str) -> list[str]:
    """Return the beginnings of the tracebacks in a server's output, which are unexpected errors."""
    return [f"the output has a traceback: {part[:1500]}" for part in output.split(TRACEBACK)[1:6]]


def errors(output: str) -> list[str]:
    """Return the lines of a log, in either format, that report an error.

    A server logs exceptions without the word that `traces` looks for.
    """
    told = [line for line in output.splitlines() if ERROR.search(line)]
    return [f"the log tells an error: {line[:800]}" for line in told[:5]]
