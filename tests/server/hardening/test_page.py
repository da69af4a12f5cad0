"""docs/hardening.md has a row for each part, with tests that exist; one setting drops what a proxy does better."""

import re
from pathlib import Path

import pytest

from clerestory.server import app
from clerestory.server.hardening.pending_reads import PendingReads
from clerestory.server.hardening.rate_limit import RateLimit
from clerestory.service_errors import Reason
from tests.packages import ROOT
from tests.server.rpc.harness import assert_reason, full_server, question, refusal

ROW = re.compile(r"^\| `(\w+\.py)` \| .+ \| (.+) \|$", re.MULTILINE)


def test_each_part_has_a_row_with_tests_that_exist() -> None:
    rows = dict(ROW.findall((ROOT / "docs" / "hardening.md").read_text("utf-8")))
    assert sorted(rows) == sorted(path.name for path in (ROOT / "server" / "hardening").glob("[a-z]*.py"))
    for shown in rows.values():
        for path, name in re.findall(r"`([\w/]+\.py)::(\w+)`", shown):
            assert f"def {name}(" in Path(ROOT, path).read_text("utf-8")


@pytest.mark.parametrize("proxied", [False, True])
async def test_behind_a_proxy_nothing_counts_by_address(proxied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    held, limits = list[str](), list[tuple[int, ...]]()

    async def hold(_: RateLimit, caller: str, remaining: float | None) -> None:
        held.append(caller)

    def reads(*most: int) -> PendingReads:
        limits.append(most)
        return PendingReads(*most)

    monkeypatch.setattr(RateLimit, "hold", hold)
    monkeypatch.setattr(app, "PendingReads", reads)
    async with full_server(behind_proxy=proxied) as server:
        assert_reason(await refusal(server.advisor.RecommendMove(question())), Reason.BUSY)
    assert len(held) == (not proxied)
    assert limits == [(app.MOST_CALLS,) if proxied else ()]
