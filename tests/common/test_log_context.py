"""structlog is imported without what logs do not use, and nothing else is hidden."""

import subprocess
import sys

CODE = """
import sys
import clerestory.log_context
print({"rich", "greenlet"} & {*sys.modules})
import rich.console
print(rich.console.Console.__name__)
"""


def test_structlog_loads_no_rich_which_stays_importable() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\nConsole\n"
