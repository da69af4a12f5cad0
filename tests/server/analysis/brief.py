"""Rollouts for tests: the minimum number for each error, regardless of time."""

from typing import Any

import pytest

from clerestory.figures import Rollouts
from clerestory.server.analysis.reviewer import Reviewer

HOUR = 3600.0


def be_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """End the time for an error's rollouts at once."""
    rolled_out = Reviewer.rolled_out

    async def brief(self: Reviewer, root: Any, one: Any, plan: Any, share: float, *rest: Any) -> Rollouts | None:
        return await rolled_out(self, root, one, plan, share - HOUR, *rest)

    monkeypatch.setattr(Reviewer, "rolled_out", brief)
