"""Server reflection, as generic clients ask for it."""

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from clerestory.server.app import SERVICES
from clerestory.server.rpc.reflection import METHOD, NAMES
from tests.server.rpc.harness import Served

SYMBOLS = {
    "clerestory.v1.AdvisorService": "clerestory/v1/advisor.proto",
    "clerestory.v1.AdvisorService.RecommendMove": "clerestory/v1/advisor.proto",
    "clerestory.v1.GameService.WatchGame": "clerestory/v1/games.proto",
    "clerestory.v1.Line.visits": "clerestory/v1/advisor.proto",
    "grpc.health.v1.Health.Check": "grpc_health/v1/health.proto",
    "grpc.reflection.v1.ServerReflection.ServerReflectionInfo": "grpc/reflection/v1/reflection.proto",
    "grpc.reflection.v1.ServerReflectionRequest": "grpc/reflection/v1/reflection.proto",
    "clerestory.v1.AdvisorService.Nothing": "",
    "RecommendMove": "",
    "": "",
}


async def asked(server: Served, name: str, *requests: ServerReflectionRequest) -> list[ServerReflectionResponse]:
    call = server.channel.stream_stream(
        f"/{name}/{METHOD}", ServerReflectionRequest.SerializeToString, ServerReflectionResponse.FromString
    )
    return [answer async for answer in call(iter(requests))]


@pytest.mark.parametrize("name", NAMES)
async def test_symbols_are_found_methods_too_and_all_services_listed(server: Served, name: str) -> None:
    requests = [ServerReflectionRequest(file_containing_symbol=symbol) for symbol in SYMBOLS]
    answers = await asked(server, name, *requests)
    found = [answer.file_descriptor_response.file_descriptor_proto for answer in answers]
    files = [FileDescriptorProto.FromString(one[0]).name if one else "" for one in found]
    assert dict(zip(SYMBOLS, files, strict=True)) == SYMBOLS
    assert {answer.error_response.error_code for answer in answers} == {0, grpc.StatusCode.NOT_FOUND.value[0]}
    [answer] = await asked(server, name, ServerReflectionRequest(list_services=""))
    listed = {one.name for one in answer.list_services_response.service}
    assert listed == {*SERVICES, "grpc.health.v1.Health", *NAMES}
