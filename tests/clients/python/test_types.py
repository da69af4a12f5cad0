"""Whose knowledge an answer used."""

from typing import Any

import pytest

from clerestory.clients.wire import read_answer
from clerestory.v1.advisor_pb2 import Observer, RecommendMoveResponse


@pytest.mark.parametrize(
    ("fields", "observer"),
    [
        ({}, -1),
        ({"seat": 1}, 1),
        ({"seat": 0, "observer": Observer(seat=2)}, 2),
        ({"seat": 1, "observer": Observer(seat=0)}, 0),
        ({"seat": 1, "observer": Observer()}, -1),
    ],
)
def test_an_answer_used_the_knowledge_of_its_observer_or_its_seat(fields: dict[str, Any], observer: int) -> None:
    assert read_answer(RecommendMoveResponse(**fields)).observer == observer
