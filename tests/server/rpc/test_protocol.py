"""docs/protocol.md and docs/reference.md agree with the code."""

import re
from pathlib import Path

from clerestory.server.app import SERVICES
from clerestory.server.rpc.errors import CODES
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2, lessons_pb2, puzzle_pb2, rules_pb2
from tools.declared import reasons_table

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "protocol.md"
REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")


def test_the_table_of_reasons_is_the_codes() -> None:
    assert reasons_table() in REFERENCE, "run `make reference`"
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| \S", REFERENCE, re.MULTILINE)
    assert rows == [(reason, code.name) for reason, code in CODES.items()]
    assert list(CODES) == list(Reason)


def test_the_page_says_what_to_do_at_each_warning() -> None:
    rows = re.findall(r"^\| (`WARNING_REASON_.*?) \| \S", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    named = ["WARNING_REASON_" + name.removeprefix("WARNING_REASON_") for name in re.findall(r"\w+", " ".join(rows))]
    assert named == advisor_pb2.WarningReason.keys()[1:]


def test_the_table_of_services_names_every_call() -> None:
    rows = dict(re.findall(r"^\| `(clerestory\.[\w.]+)` \| (.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    files = (advisor_pb2, rules_pb2, games_pb2, annotation_pb2, puzzle_pb2, lessons_pb2)
    services = [service for file in files for service in file.DESCRIPTOR.services_by_name.values()]
    assert list(rows) == [service.full_name for service in services] == list(SERVICES)
    for service in services:
        assert set(re.findall(r"`(\w+)`", rows[service.full_name])) == {method.name for method in service.methods}
