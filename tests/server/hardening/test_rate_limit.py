"""The rate of error responses, on a fake clock."""

import heapq
from collections import Counter
from random import Random
from unittest.mock import patch

import pytest

from clerestory.server.hardening import rate_limit
from clerestory.server.hardening.rate_limit import BURST, INTERVAL_S, MAX_DELAY_S, SPREAD, RateLimit


def refusal_times(in_flight: int, seconds: float, remaining: float | None = None) -> list[float]:
    """Return when one caller receives its errors, starting with a crowd and always retrying at once."""
    held, ends, times = RateLimit(Random(1)), [0.0] * in_flight, list[float]()
    with patch.object(rate_limit, "time") as clock:
        while ends[0] < seconds:
            times.append(heapq.heappop(ends))
            clock.monotonic.return_value = times[-1]
            heapq.heappush(ends, times[-1] + max(held.turn("somebody", remaining), 0.0))
    return times[in_flight:]


@pytest.mark.parametrize("in_flight", [64, 600])
def test_rejections_come_at_their_pace(in_flight: int) -> None:
    rate = 1 / INTERVAL_S + in_flight / (MAX_DELAY_S * (1 - SPREAD))
    assert len(refusal_times(in_flight, 100.0)) <= BURST + 100.0 * rate


@pytest.mark.parametrize("remaining", [None, 10.0])
@pytest.mark.parametrize("in_flight", [200, 1000])
def test_errors_for_a_crowd_are_spread_out(in_flight: int, remaining: float | None) -> None:
    times = refusal_times(in_flight, 150.0, remaining)
    longest = MAX_DELAY_S if remaining is None else min(MAX_DELAY_S, remaining / 2)
    fair = 0.5 * (1 / INTERVAL_S + in_flight / (longest * (1 - SPREAD)))  # in half a second
    crowds = Counter(int(2 * moment) for moment in times if moment > 5 * longest)
    assert max(crowds.values()) < 2 * fair


def test_each_gets_its_error_before_half_of_its_time_is_over() -> None:
    held = RateLimit(Random(1))
    assert max(held.turn("somebody", 4.0) for _ in range(1000)) <= 2.0
