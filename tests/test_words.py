"""The name of a class, or of another type, has one meaning in the whole house."""

import re
from collections import defaultdict

import pytest

from tests.packages import ROOT, sources

TYPE = re.compile(r"^(?:(?:cdef )?class (?P<one>[A-Z]\w*)|(?P<other>[A-Z][a-z]\w*) = (?!TypeVar))", re.MULTILINE)
MIRRORED = {"Action", "Change", "Line"}  # clients have the same things in a form of their own, without the engine


def rooms_by_name() -> dict[str, set[str]]:
    """Where the types of a name are; a game is no room of its own, as what games declare has the same names."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sources():
        if path.suffix in {".py", ".pyx"}:
            for match in TYPE.finditer((ROOT / path).read_text()):
                found[match["one"] or match["other"]].add(path.parts[0])
    return found


def test_no_two_rooms_have_types_of_one_name() -> None:
    assert {name: rooms for name, rooms in rooms_by_name().items() if len(rooms) > 1 and name not in MIRRORED} == {}


@pytest.mark.parametrize("name", sorted(MIRRORED))
def test_what_clients_have_in_a_form_of_their_own_is_elsewhere_too(name: str) -> None:
    rooms = rooms_by_name()[name]
    assert "clients" in rooms
    assert len(rooms) == 2
