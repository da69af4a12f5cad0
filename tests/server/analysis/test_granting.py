"""The limits granted to a request, and the time kept for the way back."""

import random

import pytest

from clerestory.i18n.sentences import format_text
from clerestory.search.root import observe
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.granting import LONGEST, MOST, UNSEEN, Cut, MoveOverhead, grant, helpers_of
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question
from clerestory.service_errors import Reason, ServiceError
from tests.server.rpc.harness import opening

CAPACITY = Capacity(workers=4, max_threads=3, max_time=10.0, max_tree_bytes=1 << 24, margin=0.5)


def granted(seconds: float | None, remaining: float | None, **fields: int | None) -> tuple[Limits, tuple[Cut, ...]]:
    limits = Limits(iterations=1, seconds=seconds, **fields)  # type: ignore[arg-type]
    return grant(Question(root=observe(opening()), limits=limits), CAPACITY, remaining, early=True)


TIMES = [
    (None, None, 10.0, ()),
    (1.0, None, 1.0, ()),
    (10.0, None, 10.0, ()),
    (11.0, None, 10.0, ("TIME_CUT",)),
    (1.0, 5.0, 1.0, ()),
    (4.5, 5.0, 4.5, ()),
    (5.0, 5.0, 4.5, ("TIME_CUT",)),
    (None, 5.0, 4.5, ()),
    (None, 50.0, 10.0, ()),
    (99.0, 50.0, 10.0, ("TIME_CUT",)),
]


@pytest.mark.parametrize(("seconds", "remaining", "allowed", "cuts"), TIMES)
def test_time(seconds: float | None, remaining: float | None, allowed: float, cuts: tuple[str, ...]) -> None:
    limits, found = granted(seconds, remaining)
    assert limits.seconds == allowed
    assert tuple(name for name, _ in found) == cuts


@pytest.mark.parametrize("remaining", [-1.0, 0.0, 0.5])
def test_no_time(remaining: float) -> None:
    with pytest.raises(ServiceError) as caught:
        granted(1.0, remaining)
    assert caught.value.reason == Reason.OUT_OF_TIME


SPACES = [
    (1, None, 1, 1 << 24, ()),
    (None, None, 1, 1 << 24, ()),
    (2, None, 2, 1 << 24, ()),
    (3, None, 3, 1 << 24, ()),
    (4, None, 3, 1 << 24, ("THREADS_CUT",)),
    (1, 1 << 20, 1, 1 << 20, ()),
    (2, 1 << 20, 2, 1 << 20, ()),
    (1, 1 << 25, 1, 1 << 24, ("MEMORY_CUT",)),
    (9, 1 << 62, 3, 1 << 24, ("THREADS_CUT", "MEMORY_CUT")),
    (3, 1 << 16, 3, 1 << 16, ()),
]


@pytest.mark.parametrize(("threads", "asked", "allowed", "tree_bytes", "cuts"), SPACES)
def test_threads_and_memory(
    threads: int | None, asked: int | None, allowed: int, tree_bytes: int, cuts: tuple[str, ...]
) -> None:
    limits, found = granted(1.0, None, threads=threads, max_tree_bytes=asked)
    assert (limits.threads, limits.max_tree_bytes) == (allowed, tree_bytes)
    assert tuple(name for name, _ in found) == cuts
    assert all(format_text(text, "toy").endswith(".") for _, text in found)


@pytest.mark.parametrize(
    ("fields", "helpers"), [({}, 2), ({"threads": 1}, 0), ({"seed": 3}, 0), ({"level": 2}, 0), ({"iterations": 9}, 0)]
)
def test_workers_help_only_if_the_result_need_not_be_reproducible(fields: dict[str, int], helpers: int) -> None:
    limits = Limits(**{"seconds": 1.0, **fields})  # type: ignore[arg-type]
    assert helpers_of(limits, CAPACITY) == helpers


def test_no_search_gives_up_more_than_its_share() -> None:
    lead = MoveOverhead()
    for _ in range(9):
        lead.learn(60.0, explained=True)
    assert lead.of(0.01, explained=True) == pytest.approx(MOST * 0.01)
    assert lead.of(0.01, explained=False) <= MOST * 0.01


def test_few_answers_take_longer_than_was_learned() -> None:
    luck, lead = random.Random(1), MoveOverhead()
    slower = 0
    for number in range(4000):
        took = luck.lognormvariate(-6.5, 0.7)  # 1.5 ms, one in twenty 4.8
        slower += number >= 1000 and took > lead.of(1e6, explained=False) - UNSEEN
        lead.learn(took, explained=False)
    assert 0 < slower < 0.05 * 3000


def test_one_slow_answer_is_forgotten() -> None:
    lead = MoveOverhead()
    for _ in range(1000):
        lead.learn(0.002, explained=True)
    usual = lead.of(1e6, explained=True)
    lead.learn(60.0, explained=True)
    assert usual + 0.01 < lead.of(1e6, explained=True) < usual + LONGEST
    for _ in range(2000):
        lead.learn(0.002, explained=True)
    assert lead.of(1e6, explained=True) == pytest.approx(usual, abs=1e-4)


def test_explained_answers_are_apart() -> None:
    lead = MoveOverhead()
    before = lead.of(1e6, explained=False)
    lead.learn(0.5, explained=True)
    assert lead.of(1e6, explained=False) == before
