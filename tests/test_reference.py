"""docs/reference.md and docs/protocol.md agree with the code."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.rpc import error_details_pb2, status_pb2
from grpc_tools import protoc
from typer.testing import CliRunner

from clerestory.cli.lazy import imported
from clerestory.cli.main import app
from clerestory.cli.options import ROUNDED, plain
from clerestory.server.app import SERVICES
from clerestory.server.rpc.errors import CODES
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2, lessons_pb2, puzzle_pb2, rules_pb2
from tests.server.rpc.harness import served
from tools.declared import metrics_table, reasons_table
from tools.reference import page

ROOT = Path(__file__).parents[1]
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


def test_the_reference_is_not_stale() -> None:
    assert page() == REFERENCE, "run `make reference`"


def test_the_table_of_reasons_is_the_codes() -> None:
    assert reasons_table() in REFERENCE, "run `make reference`"
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| \S", REFERENCE, re.MULTILINE)
    assert rows == [(reason, code.name) for reason, code in CODES.items()]
    assert list(CODES) == list(Reason)


def test_the_page_says_what_to_do_at_each_warning() -> None:
    rows = re.findall(r"^\| (`WARNING_REASON_.*?) \| \S", PROTOCOL, re.MULTILINE)
    named = ["WARNING_REASON_" + name.removeprefix("WARNING_REASON_") for name in re.findall(r"\w+", " ".join(rows))]
    assert named == advisor_pb2.WarningReason.keys()[1:]


def test_the_table_of_services_names_every_call() -> None:
    rows = dict(re.findall(r"^\| `(clerestory\.[\w.]+)` \| (.*?) \|", PROTOCOL, re.MULTILINE))
    files = (advisor_pb2, rules_pb2, games_pb2, annotation_pb2, puzzle_pb2, lessons_pb2)
    services = [service for file in files for service in file.DESCRIPTOR.services_by_name.values()]
    assert list(rows) == [service.full_name for service in services] == list(SERVICES)
    for service in services:
        assert set(re.findall(r"`(\w+)`", rows[service.full_name])) == {method.name for method in service.methods}


SETTING = re.compile(r"^\| `(--[\w-]+)` \| `(\w+)` \| (.*?) \| (.*?) \|$", re.MULTILINE)
METRIC = re.compile(r"^\| `(clerestory_\w+)` \| (\w+) \| (.*?) \|", re.MULTILINE)
LOCALE = {"None": "none", "": "none", "False": "no"}  # how defaults without a value are shown


def options() -> Iterator[tuple[str, str, str, str]]:
    """Yield every visible option of `clerestory serve`: environment variable, default and help."""
    for option in imported("serve", "serve:serve").params:
        if not option.hidden:
            words = LOCALE.get(str(option.default), str(option.default))
            shown = option.show_default if isinstance(option.show_default, str) else words
            yield option.opts[0], option.envvar, shown, option.help


def test_the_table_of_settings_is_the_options() -> None:
    rows = [
        (option, variable, ROUNDED.sub(r"\1", default.replace("`", "")), plain(text))
        for option, variable, default, text in SETTING.findall(REFERENCE)
    ]
    assert rows == list(options())


def test_the_help_shows_the_defaults() -> None:
    shown = " ".join(CliRunner(env={"COLUMNS": "200"}).invoke(app, ["serve", "--help"]).output.split())
    assert "Bytes of the trees of all running searches together." in shown
    for default in ("user:", "(number of cores)", "(1 GB)", "127.0.0.1:50051"):
        assert f"default: {default}]" in shown


async def test_the_table_of_metrics_is_the_registry() -> None:
    assert metrics_table() in REFERENCE, "run `make reference`"
    async with served() as server:
        registry = server.app.metrics.registry
        families = {
            (f"{family.name}_total" if family.type == "counter" else family.name, family.type)
            for family in registry.collect()
        }
    assert {(name, kind) for name, kind, _ in METRIC.findall(REFERENCE)} == families
    for name, _, labels in METRIC.findall(REFERENCE):
        assert set(registry._names_to_collectors[name]._labelnames) == set(re.findall(r"`(\w+)`", labels))


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
