"""Implements gRPC server reflection, v1 and v1alpha, so that generic clients can discover services and messages."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf import descriptor_pool, text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection
from grpc_reflection.v1alpha import reflection_pb2 as alpha
from grpc_reflection.v1alpha._async import ReflectionServicer
from grpc_reflection.v1alpha.reflection_pb2_grpc import add_ServerReflectionServicer_to_server

ALPHA = "grpc.reflection.v1alpha"
V1 = "grpc.reflection.v1"  # has the same messages under other names, so the classes of v1alpha work for both
SERVICE, METHOD = "ServerReflection", "ServerReflectionInfo"
NAMES = (f"{V1}.{SERVICE}", f"{ALPHA}.{SERVICE}")


class MethodFinder:
    """Lets a reflection servicer also find methods, which the descriptor pool does not."""

    def _file_containing_symbol(self, request: Any, fully_qualified_name: str) -> Any:
        service, _, method = fully_qualified_name.rpartition(".")
        known = has_method(service, method)
        return super()._file_containing_symbol(  # type: ignore[misc]  # missing in the stubs
            request, service if known else fully_qualified_name
        )


class Reflection(MethodFinder, ReflectionServicer):
    """Reflection for a server in an event loop."""


class ThreadedReflection(MethodFinder, reflection.ReflectionServicer):
    """Reflection for a server in threads."""


def has_method(service: str, method: str) -> bool:
    """Return whether a service has a method, given its full name."""
    try:
        return method in descriptor_pool.Default().FindServiceByName(service).methods_by_name
    except KeyError:
        return False


def add_reflection(services: Iterable[str], server: Any, kind: Callable[[Iterable[str]], Any] = Reflection) -> None:
    """Add both versions of reflection to a server or a gate, listing these services and reflection itself.

    `kind` is the servicer, which has to suit the server.
    """
    describe_v1()
    servicer = kind([*services, *NAMES])
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
    """Add the file descriptor of v1 to the pool, as a copy of v1alpha's in another package, if it is missing."""
    pool = descriptor_pool.Default()
    with suppress(KeyError):
        pool.FindServiceByName(f"{V1}.{SERVICE}")
        return
    described = FileDescriptorProto.FromString(alpha.DESCRIPTOR.serialized_pb)
    renamed = text_format.Parse(str(described).replace(ALPHA, V1), FileDescriptorProto())
    renamed.name = "grpc/reflection/v1/reflection.proto"
    pool.AddSerializedFile(renamed.SerializeToString())
