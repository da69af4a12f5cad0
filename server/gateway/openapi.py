"""Describes the HTTP face for generators: OpenAPI 3.1 of all methods.

It comes from the descriptors of proto/ with their comments, which the build leaves beside the stubs.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet

from clerestory import __version__
from clerestory.server.gateway.errors import HTTP

Path = tuple[int, ...]  # of an element in a file, as SourceCodeInfo.Location has it
Schema = dict[str, Any]

MESSAGE, ENUM, SERVICE, FIELD, VALUE, METHOD = 4, 5, 6, 2, 2, 2  # field numbers in descriptor.proto, which form paths
PACKAGE = ".clerestory.v1."
FRACTION = {"type": "number"}
INT32 = {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1}
BY_TYPE: dict[int, Schema] = {
    FieldDescriptorProto.TYPE_DOUBLE: FRACTION,
    FieldDescriptorProto.TYPE_FLOAT: FRACTION,
    FieldDescriptorProto.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptorProto.TYPE_STRING: {"type": "string"},
    FieldDescriptorProto.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptorProto.TYPE_INT32: INT32,
    FieldDescriptorProto.TYPE_SINT32: INT32,
    FieldDescriptorProto.TYPE_UINT32: {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    FieldDescriptorProto.TYPE_INT64: {"type": "string", "pattern": "^-?[0-9]{1,19}$"},
    FieldDescriptorProto.TYPE_UINT64: {"type": "string", "pattern": "^[0-9]{1,20}$"},
}
BY_NAME: dict[str, Schema] = {  # messages that JSON writes as a string
    ".google.protobuf.Duration": {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$", "examples": ["0.5s"]},
    ".google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
}
ERROR: Schema = {
    "type": "object",
    "description": "An error of the Connect protocol; `details` has google.rpc.ErrorInfo with the reason, and others.",
    "required": ["code"],
    "properties": {
        "code": {"type": "string", "enum": [*HTTP]},
        "message": {"type": "string"},
        "details": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "value": {"type": "string", "contentEncoding": "base64"},
                    "debug": {"type": "object"},
                },
            },
        },
    },
}


def openapi() -> Schema:
    """Return the OpenAPI 3.1 document of all methods."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Clerestory",
            "version": __version__,
            "description": "AI opponent and analyst for The Pillars of the Earth and Builders Duel.",
        },
        "servers": [{"url": "/"}],
        "paths": dict(paths()),
        "components": {"schemas": schemas("#/components/schemas/") | {"Error": ERROR}},
    }


@cache
def described() -> FileDescriptorSet:
    """Return the files of proto/clerestory with their comments."""
    return FileDescriptorSet.FromString((files("clerestory.v1") / "described.binpb").read_bytes())


def commented() -> Iterator[tuple[Any, dict[Path, str]]]:
    """Yield each file, and the comments before its elements."""
    for file in described().file:
        locations = file.source_code_info.location
        yield file, {tuple(one.path): " ".join(one.leading_comments.split()) for one in locations}


def paths() -> Iterator[tuple[str, Schema]]:
    """Yield the path of each method, and its operation."""
    for file, comments in commented():
        for number, service in enumerate(file.service):
            for index, method in enumerate(service.method):
                if method.client_streaming:  # not over HTTP/1.1
                    continue
                about = comments.get((SERVICE, number, METHOD, index), "")
                yield f"/{file.package}.{service.name}/{method.name}", {"post": operation(service.name, method, about)}


def operation(service: str, method: Any, about: str) -> Schema:
    """Return the description of a method."""
    kind, answer = "application/json", named(method.output_type, "#/components/schemas/")
    if method.server_streaming:
        kind = "application/connect+json"
        about += f" The answer is a stream of enveloped messages {method.output_type.removeprefix(PACKAGE)}."
        answer = {"type": "string", "contentMediaType": kind}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    request = {kind: {"schema": named(method.input_type, "#/components/schemas/")}}
    return {
        "operationId": f"{service}_{method.name}",
        "tags": [service],
        "description": about.strip(),
        "requestBody": {"required": True, "content": request},
        "responses": {
            "200": {"description": "The answer.", "content": {kind: {"schema": answer}}},
            "default": {"description": "An error.", "content": error},
        },
    }


def schemas(prefix: str) -> dict[str, Schema]:
    """Return the schema of each message and enum; references to them begin with the prefix."""
    found: dict[str, Schema] = {}
    for file, comments in commented():
        for number, message in enumerate(file.message_type):
            found[message.name] = message_schema(message, (MESSAGE, number), comments, prefix)
        for number, enum in enumerate(file.enum_type):
            found[enum.name] = enum_schema(enum, comments.get((ENUM, number), ""))
    return found


def message_schema(message: DescriptorProto, path: Path, comments: dict[Path, str], prefix: str) -> Schema:
    """Return the schema of a message. A field with its default may be absent."""
    maps = {one.name: one.field[1] for one in message.nested_type if one.options.map_entry}
    properties = {
        name_of(field): field_schema(field, maps, prefix) | about(comments.get((*path, FIELD, number), ""))
        for number, field in enumerate(message.field)
    }
    return {
        "type": "object",
        **about(comments.get(path, "")),
        "properties": properties,
        "additionalProperties": False,
    }


def name_of(field: FieldDescriptorProto) -> str:
    """Return the name of a field in JSON: its own name, unless JSON has one that proto cannot have."""
    return field.json_name if field.json_name.startswith("$") else field.name


def field_schema(field: FieldDescriptorProto, maps: Mapping[str, FieldDescriptorProto], prefix: str) -> Schema:
    """Return the schema of a field, without its comment; `maps` are the values of the message's maps by entry type."""
    if (value := maps.get(field.type_name.rpartition(".")[2])) is not None:
        return {"type": "object", "additionalProperties": field_schema(value, {}, prefix)}
    one = BY_TYPE.get(field.type) or named(field.type_name, prefix)
    return {"type": "array", "items": one} if field.label == FieldDescriptorProto.LABEL_REPEATED else dict(one)


def named(name: str, prefix: str) -> Schema:
    """Return the schema of a message or enum by its full name."""
    return BY_NAME.get(name) or {"$ref": prefix + name.removeprefix(PACKAGE)}


def enum_schema(enum: EnumDescriptorProto, comment: str) -> Schema:
    """Return the schema of an enum, whose values JSON writes by name."""
    return {"type": "string", **about(comment), "enum": names_of(enum.value)}


def names_of(values: Sequence[Any]) -> list[str]:
    """Return the names of values."""
    return [value.name for value in values]


def about(comment: str) -> Schema:
    """Return a comment as the description of a schema; {} for none."""
    return {"description": comment} if comment else {}
