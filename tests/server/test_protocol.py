"""docs/protocol.md says what the code does."""

import re
from pathlib import Path
from typing import Any

import pytest

from clerestory.server.app import SERVICES
from clerestory.server.errors import CODES
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2, puzzle_pb2, rules_pb2

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_the_table_of_reasons_is_the_codes() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(reason, code.name) for reason, code in CODES.items()]


@pytest.mark.parametrize("kind", [advisor_pb2.StopReason, advisor_pb2.WarningReason])
def test_the_tables_of_stop_reasons_and_warnings_are_the_protos(kind: Any) -> None:
    prefix = kind.Name(0).removesuffix("UNSPECIFIED")
    assert re.findall(rf"^\| `({prefix}\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == kind.keys()


def test_the_table_of_services_names_every_call() -> None:
    rows = dict(re.findall(r"^\| `(clerestory\.[\w.]+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    files = (advisor_pb2, rules_pb2, games_pb2, annotation_pb2, puzzle_pb2)
    services = [service for file in files for service in file.DESCRIPTOR.services_by_name.values()]
    assert list(rows) == [service.full_name for service in services] == list(SERVICES)
    for service in services:
        assert set(re.findall(r"`(\w+)`", rows[service.full_name])) == {method.name for method in service.methods}
