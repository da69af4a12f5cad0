"""What tests cost is counted while threads and processes come and go."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests import seconds

SPIN = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"


def test_a_thread_that_ends_meanwhile_hides_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Path.read_text

    def ended(file: Path) -> str:
        if file.name == "children" and file.parent.name == str(threading.get_native_id()):
            raise ProcessLookupError
        return read(file)

    monkeypatch.setattr(Path, "read_text", ended)
    assert seconds.spent(os.getpid()) > time.process_time() / 2 > 0


def test_a_process_that_one_look_leaves_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([{1: 2.0}, {1: 2.0, 2: 30.0}, {1: 2.0, 2: 30.0}])
    monkeypatch.setattr(seconds, "family", lambda process: next(looks))
    assert seconds.spent(1) == 32.0


def test_a_child_counts_while_it_runs_and_once_it_has_been_waited_for() -> None:
    before = seconds.spent(os.getpid())
    with subprocess.Popen([sys.executable, "-c", SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert seconds.spent(os.getpid()) >= before + 0.2
        child.communicate(b"\n")
    assert seconds.spent(os.getpid()) >= before + 0.2
