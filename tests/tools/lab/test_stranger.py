"""A trace of a browser: the CPU time of tasks on the main threads of its pages."""

import json

from tools.lab.stranger import tasks_of


def name(pid: int, tid: int, thread: str) -> dict[str, object]:
    return {"name": "thread_name", "pid": pid, "tid": tid, "args": {"name": thread}}


def task(pid: int, tid: int, **times: int) -> dict[str, object]:
    return {"name": "ThreadControllerImpl::RunTask", "pid": pid, "tid": tid, **times}


def test_tasks_count_by_cpu_time_and_on_main_threads_only() -> None:
    events = [
        name(1, 1, "CrRendererMain"),
        name(1, 2, "Compositor"),
        task(1, 1, dur=90_000, tdur=60_000),
        task(1, 1, dur=90_000),  # too short to have a CPU time
        task(1, 2, dur=90_000, tdur=80_000),
        {"name": "FunctionCall", "pid": 1, "tid": 1, "dur": 90_000, "tdur": 60_000},
    ]
    assert tasks_of(json.dumps({"traceEvents": events}).encode()) == [60, 0]
