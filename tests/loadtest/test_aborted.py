"""Connections that are aborted with unfinished messages, at both kinds of servers."""

from typing import Any

import pytest

from loadtest import aborted
from loadtest.connections import DATA, HEADERS


def test_a_message_is_announced_and_not_finished() -> None:
    begun = aborted.UNFINISHED[len(aborted.PREFACE) :]
    frames = list[tuple[int, bytes]]()
    while begun:
        size = int.from_bytes(begun[:3])
        frames.append((begun[3], begun[9 : 9 + size]))
        begun = begun[9 + size :]
    assert [kind for kind, _ in frames[1:]] == [HEADERS, DATA]
    announced = int.from_bytes(frames[-1][1][1:5])
    assert announced == aborted.ANNOUNCED > len(frames[-1][1]) - 5 == aborted.SENT


@pytest.mark.system
@pytest.mark.parametrize("start", [aborted.bare, aborted.ours])
def test_memory_is_told_for_each_round(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aborted, "RESTS", 0.0)
    found = aborted.growth(start, 2, 4)
    assert len(found["rss_mb"]) == 2
    assert all(size > 10 for size in found["rss_mb"])
