"""What the log tells of a process that serves; tests/cli/test_serve.py has the server's own."""

import logging

import pytest

from clerestory.server.life import Life


async def lived(life: Life, *, fails: bool = False) -> None:
    with life:
        life.end("enough")
        life.end("again")
        await life.until_told()
        if fails:
            raise OSError


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str | None]]:
    return [(record.message, vars(record).get("why")) for record in caplog.records]


@pytest.mark.parametrize(("fails", "why"), [(False, "enough"), (True, "OSError")])
async def test_the_end_has_the_first_cause_or_what_went_wrong(
    fails: bool, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    try:
        await lived(Life(), fails=fails)
    except OSError:
        assert fails
    assert told(caplog) == [("serving", None), ("draining", "enough"), ("ended", why)]


def test_what_never_served_does_not_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with pytest.raises(OSError, match="cannot listen"), Life():
        raise OSError("cannot listen")
    assert told(caplog) == []
