"""What every installed package is compared with."""

from tools.installed import ANSWERS, answers


def test_the_digest_of_the_searches_is_that_of_this_version() -> None:
    assert answers() == ANSWERS, "update ANSWERS in tools/installed.py, which other platforms are compared with"
