"""Writes docs/reference.md from the comments in proto/ and declarations in the code: `make reference`."""

import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc  # type: ignore[import-untyped]

from tools.declared import declared_chapters

ROOT = Path(__file__).parents[1]
PROTO = ROOT / "proto"
PAGE = ROOT / "docs" / "reference.md"
FIRST = (
    "advisor",
    "rules",
    "games",
    "annotation",
    "puzzle",
    "lessons",
    "position",
)  # calls; then the messages of the games
MESSAGE, ENUM, SERVICE, MEMBER, ONEOF = 4, 5, 6, 2, 8  # field numbers in descriptor.proto, which form paths
METHOD, VALUE = 2, 2
HEAD = """\
# Reference

Every call, message, field and value of `clerestory.v1`, every [reason of an error](#reasons-of-errors),
[setting](#settings-of-a-server) and [metric](#metrics-of-a-server) of a server, and
[option of a search](#options-of-a-search). Made by `make reference` out of the comments in `proto/` and the
declarations in the code: change them there. [The protocol](protocol.md), [operations](operations.md) and
[the arena](arena.md) are the ways in.
"""

Comments = dict[tuple[int, ...], str]  # by the path of the commented element
TYPES = {number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()}


def described() -> dict[str, FileDescriptorProto]:
    """Return the files of proto/clerestory/ with their comments, by name."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "set")
        roots = [f"-I{PROTO}", f"-I{files('grpc_tools') / '_proto'}"]
        sources = sorted(str(path) for path in (PROTO / "clerestory").rglob("*.proto"))
        if protoc.main(["protoc", *roots, "--include_source_info", f"--descriptor_set_out={out}", *sources]):
            raise SystemExit("proto/ could not be read")
        found = FileDescriptorSet.FromString(out.read_bytes())
    return {Path(file.name).stem: file for file in found.file}


def comments_of(file: FileDescriptorProto) -> Comments:
    """Return the comment before each element, its lines joined; paragraphs stay separate."""
    return {
        tuple(location.path): "\n\n".join(
            " ".join(paragraph.split()) for paragraph in location.leading_comments.split("\n\n")
        ).strip()
        for location in file.source_code_info.location
        if location.leading_comments
    }


def page() -> str:
    """Return the whole page."""
    found = described()
    order = [*FIRST, *sorted(found.keys() - FIRST)]
    calls = (line for name in order for line in chapter(found[name]))
    return "\n".join([HEAD, *calls, *declared_chapters()])


def chapter(file: FileDescriptorProto) -> Iterator[str]:
    """Yield the lines for one file."""
    comments = comments_of(file)
    yield f"## {Path(file.name).name}\n"
    for number, service in enumerate(file.service):
        yield from service_lines(service, (SERVICE, number), comments)
    for number, message in enumerate(file.message_type):
        yield from message_lines(message, (MESSAGE, number), comments)
    for number, enum in enumerate(file.enum_type):
        yield from enum_lines(enum, (ENUM, number), comments)


def service_lines(service: ServiceDescriptorProto, path: tuple[int, ...], comments: Comments) -> Iterator[str]:
    """Yield the lines for a service."""
    yield f"### {service.name}\n\n{comments[path]}\n"
    rows = [
        (
            f"`{method.name}`",
            linked(method.input_type),
            ("stream of " if method.server_streaming else "") + linked(method.output_type),
            comments[(*path, METHOD, number)],
        )
        for number, method in enumerate(service.method)
    ]
    yield table(("call", "request", "answer", ""), rows)


def message_lines(message: DescriptorProto, path: tuple[int, ...], comments: Comments) -> Iterator[str]:
    """Yield the lines for a message."""
    yield f"### {message.name}\n\n{comments[path]}\n"
    for number, oneof in enumerate(message.oneof_decl):
        if (*path, ONEOF, number) in comments:  # generated for an optional field
            yield f"At most one of its `{oneof.name}`: {comments[(*path, ONEOF, number)]}\n"
    rows = [
        (f"`{field.name}`", str(field.number), kind_of(field, message), comments[(*path, MEMBER, number)])
        for number, field in enumerate(message.field)
    ]
    if rows:
        yield table(("field", "number", "type", ""), rows)


def enum_lines(enum: EnumDescriptorProto, path: tuple[int, ...], comments: Comments) -> Iterator[str]:
    """Yield the lines for an enumeration."""
    yield f"### {enum.name}\n\n{comments[path]}\n"
    rows = [
        (f"`{value.name}`", str(value.number), comments[(*path, VALUE, number)])
        for number, value in enumerate(enum.value)
    ]
    yield table(("value", "number", ""), rows)


def kind_of(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    """Return the type of a field, and its cardinality."""
    for nested in message.nested_type:
        if nested.options.map_entry and field.type_name.endswith(f".{message.name}.{nested.name}"):
            return " to ".join(("map of " if part.number == 1 else "") + kind_of(part, nested) for part in nested.field)
    name = linked(field.type_name) if field.type_name else TYPES[field.type]
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {name}"
    if field.proto3_optional:
        return f"optional {name}"
    return f"{name}, {message.oneof_decl[field.oneof_index].name}" if field.HasField("oneof_index") else name


def linked(type_name: str) -> str:
    """Return the name of a type, with a link if it is ours."""
    name = type_name.removeprefix(".")
    short = name.removeprefix("clerestory.v1.")
    return f"`{name}`" if short == name else f"[{short}](#{short.lower()})"


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; each cell is one line."""
    lines = [heading, ["---"] * len(heading), *([cell(text) for text in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(text: str) -> str:
    """Return a text escaped for a table cell."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
