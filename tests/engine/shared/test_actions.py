"""Tables of actions: codes and texts stay consistent."""

import pytest

from clerestory.engine.shared.actions import Named, named, plain, single, texts


def test_kinds_follow_each_other() -> None:
    kinds = [
        plain(0, "pass", "pass this time"),
        single(1, "take {}", "take the {}", [Named("a", "first"), Named("b", "second")]),
        single(3, "roll {}", "{} pips", named(range(2, 4))),
    ]
    first = [("pass", "pass this time"), ("take a", "take the first"), ("take b", "take the second")]
    assert texts(kinds) == [*first, ("roll 2", "2 pips"), ("roll 3", "3 pips")]


@pytest.mark.parametrize("code", [0, 2])
def test_a_kind_that_begins_elsewhere_is_rejected(code: int) -> None:
    with pytest.raises(AssertionError, match=f"'stop' begins at code {code}; the kinds before it have 1 codes"):
        texts([plain(0, "pass", ""), plain(code, "stop", "")])
