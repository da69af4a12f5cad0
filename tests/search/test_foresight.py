"""The private knowledge of Ellen's owner changes the owner's search, and no other search (R40)."""

import pytest

from clerestory.engine import NATURE, State
from clerestory.search.errors import HiddenFromSeat, WrongSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import shipped
from clerestory.search.root import observe
from tests.engine.cathedral.positions import board, draft
from tests.shipped import CATHEDRAL

OWNER, OTHER = 0, 1
EVENTS = ("hamleigh_levy", "kings_favour", "town_wall")


def worlds(to_act: str = "red", step: str = "draft") -> list[State]:
    """Return one position with three possible events; red holds Ellen."""
    fields = (
        draft(3, 4, red={"advantages": ["ellen"]})
        if step == "draft"
        else board(3, EVENTS[0], "", 4, red={"advantages": ["ellen"]})
    )
    found = []
    for event in EVENTS:
        rest = [card for card in fields["unseen_events"] if card != event][:2]
        changes = {"event_deck": [event, *rest], **({"to_act": to_act} if step == "draft" else {})}
        envelope = {"rules_revision": CATHEDRAL.rules_revision, "catalogue": CATHEDRAL.catalogue}
        found.append(CATHEDRAL.from_position({**envelope, "cathedral": {**fields, **changes}}))
    return found


def table(position: State, observer: int | None = None) -> tuple[Line, ...]:
    searcher = Searcher(observe(position, observer=observer), seed=7, max_bytes=1 << 22, **shipped(CATHEDRAL, 3))
    return searcher.explain(searcher.run(iterations=300), worlds=10).lines


def test_the_coming_event_changes_only_the_owners_table() -> None:
    assert len({table(world) for world in worlds()}) == 3
    assert len({table(world) for world in worlds("blue")}) == 1
    for observer in (OWNER, NATURE, OTHER, 2):
        for to_act in ("red", "blue"):
            tables = {table(world, observer=observer) for world in worlds(to_act)}
            assert len(tables) == (3 if observer == OWNER else 1)


def test_the_coming_event_does_not_change_another_seats_warm_tree() -> None:
    tables = set()
    for world in worlds("blue"):
        searcher = Searcher(observe(world, observer=OTHER), seed=3, max_bytes=1 << 22)
        lines = [searcher.run(iterations=100).lines]
        following = world.copy()
        following.play("pass")
        searcher.advance(observe(following, observer=OTHER))
        tables.add((*lines, searcher.run(iterations=100).lines))
    assert len(tables) == 1


def test_the_event_itself_is_analysed_with_public_knowledge() -> None:
    """For any observer, every outcome is searched in proportion to its probability."""
    onlookers = {table(world) for world in worlds(step="event")}
    assert onlookers == {table(world, observer=OWNER) for world in worlds(step="event")}
    assert len(onlookers) == 1
    [lines] = onlookers
    assert all(line.visits > 0 for line in lines)
    searcher = Searcher(observe(worlds()[0]), seed=1)
    with pytest.raises(WrongSeat, match="the tree holds what red knows"):
        searcher.advance(observe(worlds(step="event")[0], OWNER))


def test_a_search_of_the_owners_decision_needs_the_event() -> None:
    public = worlds()[0].observe(NATURE)
    with pytest.raises(HiddenFromSeat, match="red"):
        observe(public)
    with pytest.raises(HiddenFromSeat, match="red"):
        observe(public, observer=OWNER)
    assert Searcher(observe(public, observer=OTHER), seed=1).run(iterations=10).lines
    public.set_private_outcome(OWNER, f"event {EVENTS[0]}")
    assert table(public) == table(worlds()[0])
