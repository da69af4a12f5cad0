"""The methods that a browser can call: all of them, found by their descriptors."""

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
    """One method.

    Attributes:
        path: `/package.Service/Method`, as HTTP and gRPC name it.
        streams: whether its answer is a stream; its request never is.
        request: the class of its request.
        response: the class of its answer, or of each part of it.
    """

    path: str
    streams: bool
    request: type[Message]
    response: type[Message]


@cache
def methods() -> Mapping[str, Method]:
    """Return the methods of every service of proto/, by path."""
    modules = [module.name for module in pkgutil.iter_modules(clerestory.v1.__path__) if module.name.endswith("_pb2")]
    files = [importlib.import_module(f"clerestory.v1.{name}").DESCRIPTOR for name in modules]
    services = [service for file in files for service in file.services_by_name.values()]
    found = [method_of(method) for service in services for method in service.methods if not method.client_streaming]
    return {method.path: method for method in found}


def method_of(method: MethodDescriptor) -> Method:
    """Return what the door needs to know of a method."""
    return Method(
        f"/{method.containing_service.full_name}/{method.name}",
        bool(method.server_streaming),
        GetMessageClass(method.input_type),
        GetMessageClass(method.output_type),
    )
