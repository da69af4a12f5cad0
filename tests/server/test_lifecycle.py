"""The log of a serving process; tests/clients/cli/test_serve.py tests the server's own."""

import logging

import pytest

from clerestory.server import lifecycle
from clerestory.server.lifecycle import Lifecycle


async def lived(one: Lifecycle, *, fails: bool = False) -> None:
    with one:
        one.end("enough")
        one.end("again")
        await one.until_signalled()
        if fails:
            raise OSError


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str | None]]:
    """Return the logged lifecycle events with their reasons; other servers of this process may log as well."""
    return [(one.message, vars(one).get("why")) for one in caplog.records if one.name == lifecycle.__name__]


@pytest.mark.parametrize(("fails", "why"), [(False, "enough"), (True, "OSError")])
async def test_the_end_has_its_first_cause(fails: bool, why: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    try:
        await lived(Lifecycle(), fails=fails)
    except OSError:
        assert fails
    assert told(caplog) == [("serving", None), ("draining", "enough"), ("ended", why)]


def test_what_never_served_does_not_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with pytest.raises(OSError, match="cannot listen"), Lifecycle():
        raise OSError("cannot listen")
    assert told(caplog) == []
