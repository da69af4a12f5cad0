"""docs/reference.md and docs/protocol.md agree with the code, and proto/ breaks no client of the baseline."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from clerestory.server.app import SERVICES
from clerestory.server.rpc.errors import CODES
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2, lessons_pb2, puzzle_pb2, rules_pb2
from tests.parts import missing
from tools.declared import reasons_table
from tools.reference import page

ROOT = Path(__file__).parents[1]
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
BUF = Path(sys.executable).with_name("buf")


def test_the_reference_is_not_stale() -> None:
    assert page() == REFERENCE, "run `make reference`"


def baseline() -> FileDescriptorSet:
    return FileDescriptorSet.FromString((ROOT / "proto" / "baseline.binpb").read_bytes())


def test_every_message_of_the_baseline_is_in_the_reference() -> None:
    text = REFERENCE
    ours = [file for file in baseline().file if file.package == "clerestory.v1"]
    names = {message.name for file in ours for message in file.message_type}
    assert len(names) > 20
    assert all(f"### {name}\n" in text for name in names)


@pytest.mark.system
def test_a_field_that_changes_its_number_is_caught(tmp_path: Path) -> None:
    if not BUF.exists():
        missing("buf", "make .venv/.lint")
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    shutil.copy(ROOT / "buf.yaml", tmp_path)
    command = [str(BUF), "breaking", "--against", str(ROOT / "proto" / "baseline.binpb")]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    changed = tmp_path / "proto" / "clerestory" / "v1" / "toy.proto"
    text = changed.read_text()
    assert "uint32 round = 1;" in text
    changed.write_text(text.replace("uint32 round = 1;", "uint32 round = 99;"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 100
    assert "toy.proto" in done.stdout


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
