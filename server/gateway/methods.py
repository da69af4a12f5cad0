"""Finds the gRPC methods that browsers can call, by their descriptors."""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

import clerestory.v1


@dataclass(frozen=True, slots=True)
class Method:
    """A gRPC method.

    Attributes:
        path: `/package.Service/Method`, the same in HTTP and gRPC.
        streams: whether the response is a stream; requests never are.
        request: the class of the request.
        response: the class of the response, or of each message in its stream.
    """

    path: str
    streams: bool
    request: type[Message]
    response: type[Message]


@cache
def methods() -> Mapping[str, Method]:
    """Return the methods of all services in proto/, by path."""
    modules = [module.name for module in pkgutil.iter_modules(clerestory.v1.__path__) if module.name.endswith("_pb2")]
    files = [importlib.import_module(f"clerestory.v1.{name}").DESCRIPTOR for name in modules]
    services = [service for file in files for service in file.services_by_name.values()]
    found = [method_of(method) for service in services for method in service.methods if not method.client_streaming]
    return {method.path: method for method in found}


def method_of(method: MethodDescriptor) -> Method:
    """Return the Method of a descriptor."""
    return Method(
        f"/{method.containing_service.full_name}/{method.name}",
        bool(method.server_streaming),
        GetMessageClass(method.input_type),
        GetMessageClass(method.output_type),
    )
