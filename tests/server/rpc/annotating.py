"""Requests for reviews, for the tests of AnnotateGame."""

from typing import Any

from clerestory.engine import Record, State
from clerestory.v1 import annotation_pb2 as api

QUICK = 60  # iterations


def text(game: State) -> str:
    return "".join(f"{line}\n" for line in Record(game).lines())


def asked(game: State | None = None, **fields: Any) -> api.AnnotateGameRequest:
    record = {} if game is None else {"record": text(game)}
    return api.AnnotateGameRequest(**{"iterations": QUICK} | record | fields)


async def reviewed(stub: Any, request: api.AnnotateGameRequest) -> list[api.AnnotateGameResponse]:
    return [message async for message in stub.AnnotateGame(request)]
