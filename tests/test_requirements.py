"""The installed dependencies are those that a server uses, directly or indirectly."""

import re
import subprocess
import sys
from importlib.metadata import files, packages_distributions, requires

import pytest

LOADED = """
import sys
import clerestory.cli.screen, clerestory.cli.serve, clerestory.cli.serving, clerestory.server.gateway.serve
print(*sorted({name for name in sys.modules}))
"""


def names(lines: list[str] | None) -> set[str]:
    found = [re.match(r"[\w.-]+", line) for line in lines or () if "extra ==" not in line]
    return {match[0].lower().replace("_", "-") for match in found if match}


@pytest.mark.system
def test_every_requirement_is_used_by_a_server() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    used = set()
    for top, distributions in packages_distributions().items():
        if top in loaded:
            used |= {name.lower().replace("_", "-") for name in distributions if is_loaded(name, loaded)}
    behind = set().union(*(names(requires(name)) for name in used))
    ours = names(requires("clerestory"))
    assert len(ours) > 8
    assert ours <= used | behind


def is_loaded(distribution: str, loaded: set[str]) -> bool:
    """Whether a module of a distribution is loaded; several share the name `google`."""
    modules = {".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files(distribution) or ()}
    return bool({name for name in modules if name != "google"} & loaded)
