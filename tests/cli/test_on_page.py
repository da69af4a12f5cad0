"""`clerestory play --web` refuses what the page has itself; tests/browser/test_play_web.py opens its link."""

import pytest

from tests.cli.command import run


@pytest.mark.parametrize(
    ("options", "says"), [(["--table"], "--table"), (["--record", "x"], "--record"), (["x"], "START")]
)
def test_what_the_page_has_itself_is_refused(options: list[str], says: str) -> None:
    ended = run("play", "--web", *options)
    assert ended.code == 2
    assert ended.err.startswith(f"clerestory: {says}: cannot be combined with --web")
