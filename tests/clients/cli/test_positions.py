"""Position files of the command line: every form that a server takes."""

import pytest

from clerestory.cli.positions import read_position
from clerestory.engine import BadPosition
from tests.position_forms import ACCEPTED, REFUSED, VIEW


@pytest.mark.parametrize("written", ACCEPTED.values(), ids=ACCEPTED)
def test_every_form_of_a_file_is_read(written: str) -> None:
    assert read_position(written) == VIEW


@pytest.mark.parametrize(("written", "field"), REFUSED.values(), ids=REFUSED)
def test_other_forms_are_refused_with_the_field(written: str, field: str) -> None:
    with pytest.raises(BadPosition) as caught:
        read_position(written)
    assert [one.field for one in caught.value.violations] == [field]
