"""Programs that system tests need: a test fails if one is missing, unless `--allow-missing` is given."""

import os
import shutil
from typing import NoReturn

import pytest

ALLOWED = "CLERESTORY_ALLOW_MISSING"  # set by `--allow-missing`, also for the workers of pytest-xdist


def require_program(name: str, package: str) -> str:
    """Return the path of a program.

    Args:
        name: name of the program, looked up on PATH.
        package: how to install it, such as "apt-get install prometheus".
    """
    found = shutil.which(name)
    return found or missing(name, package)


def missing(what: str, package: str) -> NoReturn:
    """Fail, or skip with `--allow-missing`, because a part is missing; say how to install it."""
    message = f"{what} is missing: {package}"
    if os.environ.get(ALLOWED):
        pytest.skip(message)
    pytest.fail(f"{message}; or pass --allow-missing", pytrace=False)
