"""Server reflection, v1 and v1alpha: generic clients read from it which services there are, and their messages."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf import descriptor_pool, text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2 as alpha
from grpc_reflection.v1alpha._async import ReflectionServicer
from grpc_reflection.v1alpha.reflection_pb2_grpc import add_ServerReflectionServicer_to_server

ALPHA = "grpc.reflection.v1alpha"
V1 = "grpc.reflection.v1"  # has the same messages under other names, so that those of v1alpha do for both
SERVICE, METHOD = "ServerReflection", "ServerReflectionInfo"
NAMES = (f"{V1}.{SERVICE}", f"{ALPHA}.{SERVICE}")


class Reflection(ReflectionServicer):
    """Finds methods too, which the pool of protobuf does not."""

    def _file_containing_symbol(self, request: Any, fully_qualified_name: str) -> Any:
        service, _, method = fully_qualified_name.rpartition(".")
        known = has_method(service, method)
        return super()._file_containing_symbol(  # type: ignore[misc]  # which the stubs leave out
            request, service if known else fully_qualified_name
        )


def has_method(service: str, method: str) -> bool:
    """Whether there is a service with such a method, both by their full names."""
    try:
        return method in descriptor_pool.Default().FindServiceByName(service).methods_by_name
    except KeyError:
        return False


def add_reflection(services: Iterable[str], server: Any) -> None:
    """Add both versions of reflection to a server or a gate; the services are those that it lists beside them."""
    describe_v1()
    servicer = Reflection([*services, *NAMES])
    add_ServerReflectionServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=alpha.ServerReflectionRequest.FromString,
        response_serializer=alpha.ServerReflectionResponse.SerializeToString,
    )
    name, handlers = f"{V1}.{SERVICE}", {METHOD: handler}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
    server.add_registered_method_handlers(name, handlers)


def describe_v1() -> None:
    """Add the description of v1 to the pool of protobuf, if it is not there: that of v1alpha in another package."""
    pool = descriptor_pool.Default()
    with suppress(KeyError):
        pool.FindServiceByName(f"{V1}.{SERVICE}")
        return
    described = FileDescriptorProto.FromString(alpha.DESCRIPTOR.serialized_pb)
    renamed = text_format.Parse(str(described).replace(ALPHA, V1), FileDescriptorProto())
    renamed.name = "grpc/reflection/v1/reflection.proto"
    pool.AddSerializedFile(renamed.SerializeToString())
