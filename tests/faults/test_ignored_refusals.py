"""A caller that asks again at once whenever it is refused: it is told ever more slowly, and others are answered."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from clerestory.clients.wire import position_message
from lab.load.ignoring import TOKENS, flood, lateness
from lab.load.server import ServerProcess, own_server
from tests.faults.conftest import POSITION

IN_FLIGHT = 300
AT_ONCE, A_SECOND, LONGEST = 50, 25, 20.0  # refusals, and seconds of each: docs/operations.md
PATIENCE = 300.0  # seconds for the first answer of another
CORPUS = [position_message(POSITION)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    (tmp_path / "tokens").write_text("\n".join(TOKENS))
    with own_server("--workers", "2", "--token-file", str(tmp_path / "tokens")) as server:
        yield server


async def test_a_caller_that_ignores_refusals_is_told_slowly_and_another_is_answered(server: ServerProcess) -> None:
    ends, began = Counter[str](), time.monotonic()
    flooding = asyncio.ensure_future(flood(server.target, CORPUS, IN_FLIGHT, ends))
    late, _ = await lateness(server.target, CORPUS, 3.0)
    while not late and time.monotonic() < began + PATIENCE:  # a busy machine leaves it little of a budget
        late, _ = await lateness(server.target, CORPUS, 3.0)
    flooding.cancel()
    with suppress(asyncio.CancelledError):
        await flooding
    seconds = time.monotonic() - began
    assert late
    assert 0 < ends["RESOURCE_EXHAUSTED"] <= AT_ONCE + seconds * (A_SECOND + IN_FLIGHT / (0.75 * LONGEST))
    assert set(ends) <= {"answered", "RESOURCE_EXHAUSTED"}
