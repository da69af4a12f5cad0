"""The stages of a call are complete, in order, and add up to the call."""

import pytest

from tools.lab.stages import BACK, STAGES, measure, summary


@pytest.mark.system
def test_a_call_passes_every_stage() -> None:
    times = measure(calls=2, iterations=500)
    stages = [name for _, _, *ends in STAGES for name in ends if name is not None]
    assert set(times) == {*stages, BACK, "whole", "total without the search"}
    assert times["total without the search"] < times["whole"]


def test_stages_add_up_to_the_call() -> None:
    times = summary([(1.0, 1.010, 0.004)], [[("there", 1.001), ("work", 1.007)]])
    assert times == pytest.approx(
        {"there": 1.0, "work": 6.0, BACK: 3.0, "whole": 10.0, "total without the search": 6.0}
    )
