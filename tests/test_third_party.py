"""The files in proto/third_party/: the messages of google.rpc used for error details."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.rpc import error_details_pb2, status_pb2
from grpc_tools import protoc

THIRD_PARTY = Path(__file__).parents[1] / "proto" / "third_party"


def compiled(name: str, folder: Path) -> FileDescriptorProto:
    out = folder / "set"
    roots = [f"-I{THIRD_PARTY}", f"-I{files('grpc_tools') / '_proto'}"]
    assert protoc.main(["protoc", *roots, f"--descriptor_set_out={out}", name]) == 0
    [file] = FileDescriptorSet.FromString(out.read_bytes()).file
    return file


def shape(message: DescriptorProto) -> Any:
    fields = [(field.name, field.number, field.type, field.label, field.type_name) for field in message.field]
    return fields, {inner.name: shape(inner) for inner in message.nested_type}


@pytest.mark.parametrize("library", [error_details_pb2.DESCRIPTOR, status_pb2.DESCRIPTOR], ids=lambda file: file.name)
def test_messages_of_errors_are_those_that_the_server_sends(library: FileDescriptor, tmp_path: Path) -> None:
    known = FileDescriptorProto()
    library.CopyToProto(known)
    ours, theirs = (
        {message.name: shape(message) for message in file.message_type}
        for file in (compiled(library.name, tmp_path), known)
    )
    assert ours == theirs
